"""Records by key in SQLite files, shared by all processes and threads; packs; the whole cache.

A file has a write-ahead log, so readers and writers don't wait for each other, and a killed process
leaves nothing half written. Each record has a checksum. Each call opens its own connection, so
threads and forked processes can't close it for each other.

A pack is a folder with copies of the files of annotations that no process writes, so any number of
machines can read it from anywhere. ``ALBEIT_CACHE_PACKS`` lists packs, separated as in ``PATH``.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from albeit.errors import AlbeitError, InputError
from albeit.store import files

Content = TypeVar("Content", str, tuple[str, ...])
"""What was annotated: a line, or the lines of a document."""
L = TypeVar("L")
"""A layer of annotation; its text is its name, which is part of the key."""
V = TypeVar("V")

_FORMAT = 1
_DAY = 86_400
_BATCH = 900
_RETRIES = 100
_NOT_DAMAGED = frozenset({3, 5, 6, 8, 10, 13, 14, 23})
"""SQLite's PERM, BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, and AUTH."""
_SCHEMA = """
create table if not exists records (
    key blob not null unique, used integer not null, data blob not null
);
create index if not exists by_use on records (used);
"""
_SELECT = "select key, used, data from records where key"
_INSERT = "insert or {} into records values (?, ?, ?)"


class CorruptError(sqlite3.DatabaseError):
    """A record's checksum doesn't match."""


class Records:
    """Bytes by key in one file.

    At the limit, annotations of other versions are deleted first, then the records that were not
    used for longest.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self.path = path
        self._limit = files.size_limit() if limit is None else limit
        self._lock = threading.Lock()
        self._errors = 0
        """Number of errors that were handled, so that several threads don't handle the same one."""
        self.usable = True

    def get(self, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the records of the keys that exist; they count as used today."""

        def read(db: sqlite3.Connection) -> dict[bytes, bytes]:
            rows = list(_read(db, keys))
            if old := [(_today(), key) for key, used, _ in rows if used < _today()]:
                db.executemany("update records set used = ? where key = ?", old)
            return {key: data for key, _, data in rows}

        return self._run(read) or {}

    def put(self, records: Iterable[tuple[bytes, bytes]]) -> None:
        """Store records; a killed process stores all or none of one call."""
        rows = [(key, _today(), _checksum(key, data) + data) for key, data in records]

        def write(db: sqlite3.Connection) -> None:
            db.executemany(_INSERT.format("replace"), rows)
            db.commit()
            self._shrink(db)

        self._run(write)

    def delete(self, keys: Iterable[bytes]) -> None:
        """Delete records."""
        rows = [(key,) for key in keys]
        self._run(lambda db: db.executemany("delete from records where key = ?", rows))

    def _run(self, work: Callable[[sqlite3.Connection], V]) -> V | None:
        """Work with a new connection; ``None`` with a warning if the file can't be used."""
        errors, inode = self._errors, None
        try:
            with self._lock:  # no thread opens a file that another thread is deleting
                if not self.usable:
                    return None
                errors, inode = self._errors, self._inode()
                files.refuse_network(self.path)
                db = _connect(self.path)
                inode = self._inode()
            with closing(db), db:
                return work(db)
        except (OSError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self._handle(error, errors, inode)
            return None

    def _inode(self) -> int | None:
        """Identify the file: another process may have replaced it."""
        try:
            return self.path.stat().st_ino
        except OSError:
            return None

    def _handle(self, error: Exception, errors: int, inode: int | None) -> None:
        """Delete a damaged file, don't touch a busy or read-only one; warn once."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        damaged = not isinstance(error, OSError) and code not in _NOT_DAMAGED
        with self._lock:
            if not self.usable or self._errors != errors or (damaged and self._inode() != inode):
                return  # another thread or process has handled it
            self._errors += 1
            if damaged:
                try:
                    files.remove(self.path)
                except OSError as problem:
                    error, damaged = problem, False
            self.usable = damaged
        message = f"the cache is damaged ({error}); it is deleted and computed again."
        if not damaged:
            message = (
                f"the cache can't be used ({error}); continuing without it. "
                "Set ALBEIT_CACHE to a folder on a local disk that you can write to, or to 'off'."
            )
        warnings.warn(files.CacheWarning(message, path=self.path), stacklevel=5)

    def _shrink(self, db: sqlite3.Connection) -> None:
        names = ("page_count", "freelist_count", "page_size")
        pages, free, size = (db.execute(f"pragma {name}").fetchone()[0] for name in names)
        own = (pages - free) * size
        others = [
            path for path in files.list_files(self.path.parent, files.LAYERS) if path != self.path
        ]
        if own + sum(map(files.disk_size, others)) > self._limit:
            for path in others:
                files.remove(path)
        if own <= self._limit:
            return
        surplus = max(1, int(_count(db) * (1 - files.FILL * self._limit / own)))
        oldest = "select key from records order by used, rowid limit ?"
        db.execute(f"delete from records where key in ({oldest})", (surplus,))
        db.commit()
        db.execute("pragma incremental_vacuum").fetchall()
        db.execute("pragma wal_checkpoint(truncate)").fetchall()


class Cache(Records):
    """Packed annotation layers by text or document, for one annotator version.

    What the file doesn't have is looked up in the packs that ``ALBEIT_CACHE_PACKS`` names.
    """

    def __init__(self, folder: Path, version: str, limit: int | None = None) -> None:
        super().__init__(folder / f"layers-{version}.{_FORMAT}.sqlite", limit)
        named = os.environ.get("ALBEIT_CACHE_PACKS", "").split(os.pathsep)
        self._packs = [Path(pack) / self.path.name for pack in named if pack]

    def layers(
        self, contents: Sequence[Content], layers: Collection[L]
    ) -> dict[Content, dict[L, bytes]]:
        """Return the stored layers of texts or documents."""
        known: dict[Content, dict[L, bytes]] = {content: {} for content in contents}
        wanted = {
            content_key(content, str(layer)): (content, layer)
            for content in contents
            for layer in layers
        }
        records = self.get(wanted)
        records |= self._read_packs(wanted.keys() - records.keys())
        for key, data in records.items():
            content, layer = wanted[key]
            known[content][layer] = data
        return known

    def add(self, records: Iterable[tuple[Content, Mapping[L, bytes]]]) -> None:
        """Store layers of texts or documents."""
        self.put(
            (content_key(content, str(layer)), data)
            for content, layers in records
            for layer, data in layers.items()
        )

    def _read_packs(self, wanted: set[bytes]) -> dict[bytes, bytes]:
        records: dict[bytes, bytes] = {}
        for path in list(self._packs):
            keys = wanted - records.keys()
            if not keys or not path.exists():
                continue
            try:
                with closing(_open_pack(path)) as db:
                    records |= {key: data for key, _, data in _read(db, keys)}
            except sqlite3.DatabaseError as error:
                self._packs.remove(path)
                message = f"the pack can't be used ({error}); continuing without it."
                warnings.warn(files.CacheWarning(message, path=path), stacklevel=4)
        return records


@lru_cache(maxsize=8)
def open_cache(folder: Path, version: str) -> Cache:
    """Open the cache of a version, once per process, so that an error gives one warning."""
    return Cache(folder, version)


class ScoreRecords(Records):
    """Scores of one external metric by line; with the cache off, nothing is stored.

    All files together have at most an eighth of the cache's size limit.
    """

    def __init__(self, identity: str) -> None:
        folder = files.cache_folder()
        name = hashlib.sha256(f"{_FORMAT} {identity}".encode()).hexdigest()[:32]
        super().__init__((folder or Path()) / "others" / f"{name}.sqlite")
        self.usable = folder is not None

    def scores(self, keys: Collection[bytes]) -> dict[bytes, float]:
        """Return the stored scores."""
        records = self.get(keys) if self.path.exists() else {}
        return {key: struct.unpack("<d", data)[0] for key, data in records.items()}

    def add(self, scores: Mapping[bytes, float]) -> None:
        """Store scores."""
        if not self.path.exists():
            files.remove_least_used(self.path.parent.glob("*.sqlite"), files.size_limit() // 8)
        self.put((key, struct.pack("<d", score)) for key, score in scores.items())


def content_key(content: str | tuple[str, ...], name: str = "") -> bytes:
    """Return the key of a line, or of the lines of a document, and a layer.

    The length of each line distinguishes documents with other line boundaries.
    """
    if isinstance(content, str):
        data = content.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=16).digest() + name.encode()
    digest = hashlib.blake2b(digest_size=16, person=b"document")
    for line in content:
        data = line.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest() + name.encode()


def export_pack(folder: str | Path) -> int:
    """Copy the annotations of the cache into a new pack; return the number of records."""
    pack, stored = Path(folder), files.list_files(files.cache_folder(), files.LAYERS)
    if not stored:
        raise AlbeitError("the cache has no annotations to export.")
    if pack.exists() and (not pack.is_dir() or any(pack.iterdir())):
        raise InputError("exists already.", path=pack, hint="Name a new folder.")
    count = 0
    try:
        pack.mkdir(parents=True, exist_ok=True)
        for path in stored:
            with closing(sqlite3.connect(path, timeout=60)) as db:
                db.execute("vacuum into ?", (str(pack / path.name),))
            with closing(sqlite3.connect(pack / path.name)) as db:
                db.execute("pragma journal_mode = delete")
                count += _count(db)
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"can't be written: {error}.", path=pack) from None
    return count


def import_pack(folder: str | Path) -> int:
    """Copy the records of a pack into the cache; return how many are new."""
    cache = files.cache_folder()
    if cache is None:
        raise AlbeitError("the cache is turned off (ALBEIT_CACHE=off).")
    packed = files.list_files(Path(folder), files.LAYERS)
    if not packed:
        raise InputError("isn't a pack: it has no annotations.", path=folder)
    new = 0
    for path in packed:
        try:
            with closing(_open_pack(path)) as pack, closing(_connect(cache / path.name)) as db:
                new += _copy_records(pack, db)
        except (OSError, sqlite3.Error) as error:
            hint = "Is it complete? Copy it again."
            raise InputError(f"can't be imported: {error}.", path=path, hint=hint) from None
    return new


def _copy_records(pack: sqlite3.Connection, db: sqlite3.Connection) -> int:
    """Copy the records that are missing, each checked; return their number."""
    before, last = db.total_changes, b""
    query = f"{_SELECT} > ? order by key limit ?"
    while rows := pack.execute(query, (last, _BATCH)).fetchall():
        list(map(_check, rows))
        with db:
            db.executemany(_INSERT.format("ignore"), rows)
        last = rows[-1][0]
    return db.total_changes - before


def _count(db: sqlite3.Connection) -> int:
    return int(db.execute("select count(*) from records").fetchone()[0])


def _connect(path: Path) -> sqlite3.Connection:
    """Open a file for reading and writing, and create missing tables."""
    files.make_private(path.parent)
    db = sqlite3.connect(path, timeout=60)
    try:
        for attempt in range(_RETRIES):
            try:
                db.execute("pragma auto_vacuum = incremental")
                db.execute("pragma journal_mode = wal")
                db.execute("pragma synchronous = normal")
                db.executescript(_SCHEMA)
                break
            except sqlite3.OperationalError:  # two processes create the file at the same time
                if attempt == _RETRIES - 1:
                    raise
                time.sleep(0.05)
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # SQLite quotes damaged names
        db.close()
        raise
    return db


def _open_pack(path: Path) -> sqlite3.Connection:
    """Open a file that no process writes, without locks, which network disks may not have."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _read(db: sqlite3.Connection, keys: Collection[bytes]) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield key, day of last use, and checked data of the keys that exist."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), _BATCH):
        batch = ordered[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        yield from map(_check, db.execute(f"{_SELECT} in ({marks})", batch).fetchall())


def _check(row: tuple[bytes, int, bytes]) -> tuple[bytes, int, bytes]:
    """Return a row without its checksum, which must match."""
    key, used, data = row
    if _checksum(key, data[4:]) != data[:4]:
        raise CorruptError("a record's checksum doesn't match")
    return key, used, data[4:]


def _today() -> int:
    return int(time.time()) // _DAY


def _checksum(key: bytes, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(4, "little")
