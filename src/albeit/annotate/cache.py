"""A content-addressed store of packed layers on disk, shared by all runs and processes.

One SQLite file a model version (write-ahead log, so readers and writers do not wait for
each other, and a killed process leaves nothing half written). A key is a hash of the text
followed by the layer's name; every record carries a checksum. What cannot be trusted is thrown
away with one warning and computed again; what cannot be written is not missed.

The cache lives in ``ALBEIT_CACHE``, or else in the platform's cache folder;
``ALBEIT_CACHE=off`` turns it off. It holds at most ``ALBEIT_CACHE_LIMIT`` megabytes (4096):
then files of other model versions go first, and the records not used for longest next.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
import warnings
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from albeit.annotate.layer import AnyLayer
from albeit.errors import AlbeitWarning

__all__ = [
    "Cache",
    "CacheInfo",
    "CacheWarning",
    "cache_folder",
    "clear",
    "info",
    "open_cache",
    "size_limit",
]

_FORMAT = 1
_BATCH = 900
_DAY = 86_400
_FULL = 0.8
_PATIENCE = 100
_NOT_DAMAGED = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_AUTH,
    }
)
_SCHEMA = """
create table if not exists records (
    key blob not null unique, used integer not null, data blob not null
);
create index if not exists by_use on records (used);
"""


class CacheWarning(AlbeitWarning):
    """The cache could not be used, or not be trusted; results do not suffer."""


def cache_folder() -> Path | None:
    """Where the cache lives; ``None`` if it is turned off."""
    chosen = os.environ.get("ALBEIT_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("albeit", appauthor=False)


def size_limit() -> int:
    """The most bytes that the cache may take."""
    value = os.environ.get("ALBEIT_CACHE_LIMIT", "")
    return int(float(value) * 1e6) if value.replace(".", "", 1).isdigit() else 4096 * 10**6


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
    for path in _files(folder):
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
                count = int(db.execute("select count(*) from records").fetchone()[0])
        except sqlite3.Error:
            count = None
        version = path.stem.partition("-")[2]
        found.append(CacheInfo(path, version, _size(path), count))
    return found


def clear(folder: Path | None = None) -> int:
    """Delete all files of the cache; returns how many bytes that freed."""
    freed = 0
    for path in _files(folder or cache_folder()):
        freed += _size(path)
        _remove(path)
    return freed


def _files(folder: Path | None) -> list[Path]:
    return [] if folder is None else sorted(folder.glob("layers-*.sqlite"))


def _size(path: Path) -> int:
    size = 0
    for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(FileNotFoundError):  # another process may delete or close it just now
            size += part.stat().st_size
    return size


def _remove(path: Path) -> None:
    for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        part.unlink(missing_ok=True)


class Cache:
    """Packed layers by text, for one model version."""

    def __init__(self, folder: Path, version: str, limit: int | None = None) -> None:
        self.path = folder / f"layers-{version}.{_FORMAT}.sqlite"
        self._limit = size_limit() if limit is None else limit
        self._db: sqlite3.Connection | None = None
        self._pid = 0
        self._broken = False

    def get(
        self, texts: Sequence[str], layers: Collection[AnyLayer]
    ) -> dict[str, dict[AnyLayer, bytes]]:
        """What is known of these texts."""
        found: dict[str, dict[AnyLayer, bytes]] = {text: {} for text in texts}
        ends = [(layer, layer.name.encode()) for layer in layers]
        wanted = {}
        for text in texts:
            digest = _digest(text)
            for layer, end in ends:
                wanted[digest + end] = (text, layer)
        keys = sorted(wanted)
        today = int(time.time()) // _DAY
        try:
            db = self._open()
            if db is None:
                return found
            for start in range(0, len(keys), _BATCH):
                part = keys[start : start + _BATCH]
                marks = ",".join("?" * len(part))
                rows = db.execute(
                    f"select key, used, data from records where key in ({marks})", part
                ).fetchall()
                old = []
                for key, used, data in rows:
                    text, layer = wanted[key]
                    found[text][layer] = _checked(key, data)
                    if used < today:
                        old.append((today, key))
                if old:
                    with db:
                        db.executemany("update records set used = ? where key = ?", old)
        except (sqlite3.DatabaseError, _CorruptError) as error:
            self._distrust(error)
            return {text: {} for text in texts}
        return found

    def put(self, records: Iterable[tuple[str, Mapping[AnyLayer, bytes]]]) -> None:
        """Keep records; a killed process keeps all or nothing of one call."""
        today = int(time.time()) // _DAY
        rows = []
        for text, layers in records:
            digest = _digest(text)
            for layer, data in layers.items():
                key = digest + layer.name.encode()
                rows.append((key, today, _sealed(key, data)))
        try:
            db = self._open()
            if db is None:
                return
            with db:
                db.executemany("insert or replace into records values (?, ?, ?)", rows)
            self._shrink(db)
        except sqlite3.DatabaseError as error:
            self._distrust(error)

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None and self._pid == os.getpid():
            self._db.close()
        self._db = None

    def _open(self) -> sqlite3.Connection | None:
        """This process's connection; a forked child opens its own."""
        if self._broken or (self._db is not None and self._pid == os.getpid()):
            return self._db
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
        except (OSError, sqlite3.OperationalError) as error:
            self._give_up(error)
            return None
        self._db, self._pid = db, os.getpid()
        for attempt in range(_PATIENCE + 1):
            try:
                db.execute("pragma auto_vacuum = incremental")
                db.execute("pragma journal_mode = wal")
                db.execute("pragma synchronous = normal")
                db.executescript(_SCHEMA)
                break
            except sqlite3.OperationalError:  # two processes make the file at the same moment
                if attempt == _PATIENCE:
                    raise
                time.sleep(0.05)
        return db

    def _shrink(self, db: sqlite3.Connection) -> None:
        """Keep to the limit: other versions' files go first, then what was not used longest."""
        pages, free, size = (
            db.execute(f"pragma {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        own = (pages - free) * size
        others = [path for path in _files(self.path.parent) if path != self.path]
        if own + sum(map(_size, others)) > self._limit:
            for path in others:
                _remove(path)
        if own <= self._limit:
            return
        count = db.execute("select count(*) from records").fetchone()[0]
        surplus = max(1, int(count * (1 - _FULL * self._limit / own)))
        with db:
            db.execute(
                "delete from records where key in (select key from records order by used, rowid limit ?)",
                (surplus,),
            )
        db.execute("pragma incremental_vacuum").fetchall()
        db.execute("pragma wal_checkpoint(truncate)").fetchall()

    def _distrust(self, error: Exception) -> None:
        """Throw a damaged file away and start anew; a busy or read-only one is left alone."""
        self.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_DAMAGED:
            self._give_up(error)
            return
        what = f"the cache is damaged ({error}); it is deleted and made anew."
        warnings.warn(CacheWarning(what, path=self.path), stacklevel=4)
        try:
            _remove(self.path)
        except OSError as problem:
            self._give_up(problem)

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        self._db = None
        what = (
            f"the cache cannot be used ({error}); going on without it. "
            "Set ALBEIT_CACHE to a folder you can write to, or to 'off'."
        )
        warnings.warn(CacheWarning(what, path=self.path), stacklevel=5)


@lru_cache(maxsize=8)
def open_cache(folder: Path, version: str) -> Cache:
    """The cache of a folder and version: one a process, so that a trouble is told once."""
    return Cache(folder, version)


class _CorruptError(Exception):
    """A record's checksum does not fit."""


def _digest(text: str) -> bytes:
    """A text's half of its keys; keys that begin alike lie side by side in the file."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _sealed(key: bytes, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(4, "little") + data


def _checked(key: bytes, data: bytes) -> bytes:
    if zlib.crc32(data[4:], zlib.crc32(key)).to_bytes(4, "little") != data[:4]:
        raise _CorruptError("a record's checksum does not fit")
    return data[4:]
