"""Packs: analyses of texts in files that are only read, to be shared by many machines.

The cache itself must lie on a disk of its host: SQLite's log, by which several processes write
at once, does not work on network file systems. A pack is a folder with copies of the cache's
files, closed for good, so any number of hosts may read it from anywhere. ``ALBEIT_CACHE_PACKS``
names the packs that are looked into (separated as in ``PATH``) when the cache has no answer.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from albeit.errors import AlbeitError, InputError
from albeit.parsing.cache.folder import (
    SCHEMA,
    CacheWarning,
    CorruptError,
    cache_files,
    cache_folder,
    read_records,
)
from albeit.sealed import make_private

__all__ = ["Packs", "export_pack", "import_pack", "pack_folders"]

_ROWS = 1000


def pack_folders() -> list[Path]:
    """The packs that ``ALBEIT_CACHE_PACKS`` names."""
    named = os.environ.get("ALBEIT_CACHE_PACKS", "")
    return [Path(folder) for folder in named.split(os.pathsep) if folder]


class Packs:
    """The files of one name in all packs; one that cannot be read gives one warning, and is left."""

    def __init__(self, name: str) -> None:
        self._files = [folder / name for folder in pack_folders()]

    def get(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """What the packs know of some keys."""
        wanted = set(keys)
        for path in list(self._files):
            if not wanted or not path.exists():
                continue
            try:
                with closing(_opened(path)) as db:
                    found = read_records(db, sorted(wanted))
            except (sqlite3.DatabaseError, CorruptError) as error:
                self._files.remove(path)
                what = f"the pack cannot be used ({error}); going on without it."
                warnings.warn(CacheWarning(what, path=path), stacklevel=4)
                continue
            for key, _, data in found:
                wanted.discard(key)
                yield key, data


def export_pack(folder: str | Path) -> int:
    """Copy the cache's files into a new pack; returns how many records it holds."""
    pack = Path(folder)
    files = cache_files(cache_folder())
    if not files:
        raise AlbeitError("the cache holds no analyses that could be exported.")
    if pack.exists() and (not pack.is_dir() or any(pack.iterdir())):
        raise InputError("is there already.", path=pack, hint="Name a new folder.")
    count = 0
    try:
        pack.mkdir(parents=True, exist_ok=True)
        for path in files:
            with closing(sqlite3.connect(path, timeout=60)) as db:
                db.execute("vacuum into ?", (str(pack / path.name),))
            with closing(sqlite3.connect(pack / path.name)) as db:
                db.execute("pragma journal_mode = delete")
                count += db.execute("select count(*) from records").fetchone()[0]
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"cannot be written: {error}.", path=pack) from None
    return count


def import_pack(folder: str | Path) -> int:
    """Copy the records of a pack into the cache; returns how many were new."""
    pack, cache = Path(folder), cache_folder()
    if cache is None:
        raise AlbeitError("the cache is turned off (ALBEIT_CACHE=off).")
    files = cache_files(pack)
    if not files:
        raise InputError("is no pack: it holds no analyses.", path=pack)
    new = 0
    for path in files:
        try:
            new += _copied(path, cache / path.name)
        except (OSError, sqlite3.Error, CorruptError) as error:
            raise InputError(
                f"cannot be imported: {error}.", path=path, hint="Is it whole? Copy it again."
            ) from None
    return new


def _copied(path: Path, into: Path) -> int:
    """All records of a pack's file that the cache lacks, each checked."""
    make_private(into.parent)
    with closing(_opened(path)) as pack, closing(sqlite3.connect(into, timeout=60)) as db:
        db.execute("pragma auto_vacuum = incremental")
        db.execute("pragma journal_mode = wal")
        db.executescript(SCHEMA)
        before = db.total_changes
        last = b""
        while rows := pack.execute(
            "select key, used, data from records where key > ? order by key limit ?", (last, _ROWS)
        ).fetchall():
            read_records(pack, [key for key, _, _ in rows])
            with db:
                db.executemany("insert or ignore into records values (?, ?, ?)", rows)
            last = rows[-1][0]
        return db.total_changes - before


def _opened(path: Path) -> sqlite3.Connection:
    """For reading, and sure that nobody writes: no locks, which network disks may not have."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
