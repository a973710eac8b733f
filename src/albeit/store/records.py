"""Records by key in SQLite files, shared by all runs, processes, and threads.

A file has a write-ahead log, so readers and writers don't wait for each other, and a killed process
leaves nothing half written. Each record has a checksum. Each call opens its own connection, so
threads and forked processes can't close it for each other.
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
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeVar

from albeit.store.files import (
    FILL,
    CacheWarning,
    cache_folder,
    make_private,
    remove_least_used,
    size_limit,
)

Content = TypeVar("Content", str, tuple[str, ...])
"""What was annotated: a line, or the lines of a document."""
V = TypeVar("V")

_FORMAT = 1
_DAY = 86_400
_BATCH = 900
_RETRIES = 100
_NOT_DAMAGED = frozenset({3, 5, 6, 8, 10, 13, 14, 23})
"""SQLite's PERM, BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, and AUTH."""
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "lustre", "gpfs", "beegfs", "ceph"})
MOUNTS = Path("/proc/self/mounts")
_SCHEMA = """
create table if not exists records (
    key blob not null unique, used integer not null, data blob not null
);
create index if not exists by_use on records (used);
"""


class CorruptError(Exception):
    """A record's checksum doesn't match."""


class Records:
    """Bytes by key in one file; at the limit, the records not used for longest are deleted."""

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self.path = path
        self._limit = size_limit() if limit is None else limit
        self._lock = threading.Lock()
        self._errors = 0
        """Number of errors that were handled, so that several threads don't handle the same one."""
        self.usable = True

    def get(self, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Return the records of the keys that exist; they count as used today."""

        def read(db: sqlite3.Connection) -> dict[bytes, bytes]:
            rows = list(read_records(db, sorted(keys)))
            old = [(_today(), key) for key, used, _ in rows if used < _today()]
            if old:
                with db:
                    db.executemany("update records set used = ? where key = ?", old)
            return {key: data for key, _, data in rows}

        return self._run(read) or {}

    def put(self, records: Iterable[tuple[bytes, bytes]]) -> None:
        """Store records; a killed process stores all or none of one call."""
        rows = [(key, _today(), _checksum(key, data) + data) for key, data in records]

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.executemany("insert or replace into records values (?, ?, ?)", rows)
            self._shrink(db)

        self._run(write)

    def delete(self, keys: Iterable[bytes]) -> None:
        """Delete records."""
        rows = [(key,) for key in keys]

        def delete(db: sqlite3.Connection) -> None:
            with db:
                db.executemany("delete from records where key = ?", rows)

        self._run(delete)

    def _run(self, work: Callable[[sqlite3.Connection], V]) -> V | None:
        """Work with a new connection; ``None`` with a warning if the file can't be used."""
        errors, inode = self._errors, None
        try:
            with self._lock:  # no thread opens a file that another thread is deleting
                if not self.usable:
                    return None
                errors, inode = self._errors, self._inode()
                _refuse_network(self.path)
                db = connect(self.path)
                inode = self._inode()
            with closing(db):
                return work(db)
        except (OSError, sqlite3.DatabaseError, UnicodeDecodeError, CorruptError) as error:
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
                    remove_file(self.path)
                except OSError as problem:
                    error, damaged = problem, False
            self.usable = damaged
        if damaged:
            message = f"the cache is damaged ({error}); it is deleted and computed again."
        else:
            message = (
                f"the cache can't be used ({error}); continuing without it. "
                "Set ALBEIT_CACHE to a folder on a local disk that you can write to, or to 'off'."
            )
        warnings.warn(CacheWarning(message, path=self.path), stacklevel=5)

    def _shrink(self, db: sqlite3.Connection) -> None:
        pages, free, size = (
            db.execute(f"pragma {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        own = (pages - free) * size
        self._remove_others(own)
        if own <= self._limit:
            return
        count = db.execute("select count(*) from records").fetchone()[0]
        surplus = max(1, int(count * (1 - FILL * self._limit / own)))
        with db:
            db.execute(
                "delete from records where key in"
                " (select key from records order by used, rowid limit ?)",
                (surplus,),
            )
        db.execute("pragma incremental_vacuum").fetchall()
        db.execute("pragma wal_checkpoint(truncate)").fetchall()

    def _remove_others(self, own: int) -> None:
        """Delete other files of the same kind if that is needed to keep to the limit."""


class Layer(Protocol):
    """A layer of annotation."""

    @property
    def name(self) -> str:
        """Name, which is part of the key."""


L = TypeVar("L", bound=Layer)


class Cache(Records):
    """Packed annotation layers by text or document, for one annotator version.

    What the file doesn't have is looked up in the packs that ``ALBEIT_CACHE_PACKS`` names. At the
    limit, files of other versions are deleted first.
    """

    def __init__(self, folder: Path, version: str, limit: int | None = None) -> None:
        super().__init__(folder / f"layers-{version}.{_FORMAT}.sqlite", limit)
        named = os.environ.get("ALBEIT_CACHE_PACKS", "").split(os.pathsep)
        self._packs = [Path(pack) / self.path.name for pack in named if pack]

    def layers(
        self, contents: Sequence[Content], layers: Collection[L]
    ) -> dict[Content, dict[L, bytes]]:
        """Return the stored layers of texts or documents."""
        found: dict[Content, dict[L, bytes]] = {content: {} for content in contents}
        wanted = {
            content_key(content, layer.name): (content, layer)
            for content in contents
            for layer in layers
        }
        records = self.get(wanted)
        records |= self._read_packs(wanted.keys() - records.keys())
        for key, data in records.items():
            content, layer = wanted[key]
            found[content][layer] = data
        return found

    def add(self, records: Iterable[tuple[Content, Mapping[L, bytes]]]) -> None:
        """Store layers of texts or documents."""
        self.put(
            (content_key(content, layer.name), data)
            for content, layers in records
            for layer, data in layers.items()
        )

    def _read_packs(self, wanted: set[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for path in list(self._packs):
            keys = wanted - found.keys()
            if not keys or not path.exists():
                continue
            try:
                with closing(open_pack(path)) as db:
                    found |= {key: data for key, _, data in read_records(db, sorted(keys))}
            except (sqlite3.DatabaseError, CorruptError) as error:
                self._packs.remove(path)
                message = f"the pack can't be used ({error}); continuing without it."
                warnings.warn(CacheWarning(message, path=path), stacklevel=4)
        return found

    def _remove_others(self, own: int) -> None:
        others = [path for path in annotation_files(self.path.parent) if path != self.path]
        if own + sum(map(file_size, others)) > self._limit:
            for path in others:
                remove_file(path)


@lru_cache(maxsize=8)
def open_cache(folder: Path, version: str) -> Cache:
    """Open the cache of a version, once per process, so that an error gives one warning."""
    return Cache(folder, version)


class ScoreRecords:
    """Scores of one external metric by line; with the cache off, nothing is stored.

    All files together have at most an eighth of the cache's size limit.
    """

    def __init__(self, identity: str) -> None:
        folder = cache_folder()
        name = hashlib.sha256(f"{_FORMAT} {identity}".encode()).hexdigest()[:32]
        self._records = None if folder is None else Records(folder / "others" / f"{name}.sqlite")

    @property
    def usable(self) -> bool:
        """Whether scores are stored."""
        return self._records is not None and self._records.usable

    def get(self, keys: Collection[bytes]) -> dict[bytes, float]:
        """Return the stored scores."""
        if self._records is None or not self._records.path.exists():
            return {}
        return {key: struct.unpack("<d", data)[0] for key, data in self._records.get(keys).items()}

    def put(self, scores: Mapping[bytes, float]) -> None:
        """Store scores."""
        if self._records is None or not scores:
            return
        path = self._records.path
        if not path.exists():
            remove_least_used(path.parent.glob("*.sqlite"), size_limit() // 8)
        self._records.put((key, struct.pack("<d", score)) for key, score in scores.items())

    def delete(self, keys: Iterable[bytes]) -> None:
        """Delete scores."""
        if self._records is not None:
            self._records.delete(keys)


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


def annotation_files(folder: Path) -> list[Path]:
    """Return the files of annotations, one per annotator version."""
    return sorted(folder.glob("layers-*.sqlite"))


def file_size(path: Path) -> int:
    """Return the bytes of a file with SQLite's log."""
    size = 0
    for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(FileNotFoundError):  # another process may close or delete it at any time
            size += part.stat().st_size
    return size


def remove_file(path: Path) -> None:
    """Delete a file and SQLite's log."""
    for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        part.unlink(missing_ok=True)


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for reading and writing, and create missing tables."""
    make_private(path.parent)
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


def open_pack(path: Path) -> sqlite3.Connection:
    """Open a file that no process writes, without locks, which network disks may not have."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def read_records(
    db: sqlite3.Connection, keys: Sequence[bytes]
) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield key, day of last use, and checked data of the keys that exist."""
    for start in range(0, len(keys), _BATCH):
        batch = keys[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        rows = db.execute(f"select key, used, data from records where key in ({marks})", batch)
        for key, used, data in rows.fetchall():
            if _checksum(key, data[4:]) != data[:4]:
                raise CorruptError("a record's checksum doesn't match")
            yield key, used, data[4:]


def add_records(pack: sqlite3.Connection, db: sqlite3.Connection) -> int:
    """Copy the records that are missing, each checked; return their number."""
    before = db.total_changes
    last = b""
    while rows := pack.execute(
        "select key, used, data from records where key > ? order by key limit ?", (last, _BATCH)
    ).fetchall():
        list(read_records(pack, [key for key, _, _ in rows]))
        with db:
            db.executemany("insert or ignore into records values (?, ?, ?)", rows)
        last = rows[-1][0]
    return db.total_changes - before


def _today() -> int:
    return int(time.time()) // _DAY


def _checksum(key: bytes, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(4, "little")


@lru_cache(maxsize=64)
def _refuse_network(path: Path) -> None:
    """Raise if the file is on a network file system, where SQLite's log doesn't work."""
    if not MOUNTS.exists():
        return
    folder, kind = Path("/"), ""
    for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
        mount = Path(line.split(" ")[1].replace("\\040", " "))
        if path.absolute().is_relative_to(mount) and mount.is_relative_to(folder):
            folder, kind = mount, line.split(" ")[2]
    if kind in _NETWORK or kind == "fuse.sshfs":
        raise OSError(f"{folder} is a network file system ({kind})")
