"""Where the cache lives, how big it may grow, and what lies in it.

It lives in ``ALBEIT_CACHE``, or else in the platform's cache folder; ``ALBEIT_CACHE=off``
turns it off. It holds at most ``ALBEIT_CACHE_LIMIT`` megabytes (4096).
Here is too how the records of its files are read, and that they are what was written.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from albeit.errors import AlbeitError
from albeit.sealed import CacheWarning, cache_folder

__all__ = [
    "DAY",
    "SCHEMA",
    "CacheInfo",
    "CacheWarning",
    "CorruptError",
    "cache_files",
    "cache_folder",
    "clear",
    "file_size",
    "info",
    "read_records",
    "remove_file",
    "sealed",
    "size_limit",
    "touch_records",
]


def size_limit() -> int:
    """The most bytes that the cache may take."""
    value = os.environ.get("ALBEIT_CACHE_LIMIT", "")
    if not value:
        return 4096 * 10**6
    if not value.replace(".", "", 1).isdecimal():
        raise AlbeitError(f"ALBEIT_CACHE_LIMIT must be a number of megabytes, not {value!r}.")
    return int(float(value) * 1e6)


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """One file of the cache."""

    path: Path
    version: str
    size: int
    records: int | None
    """How many records; ``None`` if the file cannot be read."""


def info(folder: Path | None = None) -> list[CacheInfo]:
    """All files of the cache."""
    folder = folder or cache_folder()
    found = []
    for path in cache_files(folder):
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
                count = int(db.execute("select count(*) from records").fetchone()[0])
        except sqlite3.Error:
            count = None
        version = path.stem.partition("-")[2]
        found.append(CacheInfo(path, version, file_size(path), count))
    return found


def clear(folder: Path | None = None) -> int:
    """Delete all files of the cache; returns how many bytes that freed."""
    freed = 0
    for path in cache_files(folder or cache_folder()):
        freed += file_size(path)
        remove_file(path)
    return freed


def cache_files(folder: Path | None) -> list[Path]:
    """The files of analyses, one an annotator's version."""
    return [] if folder is None else sorted(folder.glob("layers-*.sqlite"))


def file_size(path: Path) -> int:
    """Its bytes on disk, with SQLite's own files beside it."""
    size = 0
    for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(FileNotFoundError):  # another process may delete or close it just now
            size += part.stat().st_size
    return size


def remove_file(path: Path) -> None:
    """Delete it and what belongs to it."""
    for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        part.unlink(missing_ok=True)


SCHEMA = """
create table if not exists records (
    key blob not null unique, used integer not null, data blob not null
);
create index if not exists by_use on records (used);
"""
DAY = 86_400
_BATCH = 900

Record = tuple[bytes, int, bytes]
"""Key, day of last use, data."""


class CorruptError(Exception):
    """A record's checksum does not fit."""


def read_records(db: sqlite3.Connection, keys: Sequence[bytes]) -> list[Record]:
    """The records of some keys, checked."""
    found: list[Record] = []
    for start in range(0, len(keys), _BATCH):
        part = keys[start : start + _BATCH]
        marks = ",".join("?" * len(part))
        rows = db.execute(f"select key, used, data from records where key in ({marks})", part)
        found += [(key, used, _checked(key, data)) for key, used, data in rows]
    return found


def touch_records(db: sqlite3.Connection, records: Sequence[Record]) -> None:
    """They count as used today."""
    today = int(time.time()) // DAY
    old = [(today, key) for key, used, _ in records if used < today]
    if old:
        with db:
            db.executemany("update records set used = ? where key = ?", old)


def sealed(key: bytes, data: bytes) -> bytes:
    """Data as it is kept: behind a checksum of itself and its key."""
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(4, "little") + data


def _checked(key: bytes, data: bytes) -> bytes:
    if zlib.crc32(data[4:], zlib.crc32(key)).to_bytes(4, "little") != data[:4]:
        raise CorruptError("a record's checksum does not fit")
    return data[4:]
