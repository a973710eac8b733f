"""A content-addressed store of packed layers on disk, shared by all runs, processes and threads.

One SQLite file an annotator's version (write-ahead log, so readers and writers do not wait
for each other, and a killed process leaves nothing half written). A key is a hash of the
text, or of a document's lines in order, followed by the layer's name; every record carries
a checksum. What cannot be trusted is thrown away with one warning and computed again; what
cannot be written is not missed. Every call has a connection of its own, so threads and
forked processes cannot close it under each other.

At the limit files of other versions go first, and the records not used for longest next.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from albeit.parsing.cache.folder import (
    DAY,
    SCHEMA,
    CacheWarning,
    CorruptError,
    cache_files,
    file_size,
    read_records,
    remove_file,
    sealed,
    size_limit,
    touch_records,
)
from albeit.parsing.cache.packs import Packs
from albeit.parsing.layers.base import AnyLayer
from albeit.sealed import make_private

__all__ = ["Cache", "Content", "open_cache"]

Content = TypeVar("Content", str, tuple[str, ...])
"""What was analysed: a line, or the lines of a document."""
V = TypeVar("V")

_FORMAT = 1
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


class Cache:
    """Packed layers by what they are of, for one annotator's version; any number of threads."""

    def __init__(self, folder: Path, version: str, limit: int | None = None) -> None:
        self.path = folder / f"layers-{version}.{_FORMAT}.sqlite"
        self._limit = size_limit() if limit is None else limit
        self._packs = Packs(self.path.name)
        self._lock = threading.Lock()
        self._age = 0
        """How often this process has had trouble: what began before is settled by then."""
        self._broken = False

    def get(
        self, contents: Sequence[Content], layers: Collection[AnyLayer]
    ) -> dict[Content, dict[AnyLayer, bytes]]:
        """What is known of these texts or documents."""
        ends = [(layer, layer.name.encode()) for layer in layers]
        wanted = {}
        for content in contents:
            digest = _digest(content)
            for layer, end in ends:
                wanted[digest + end] = (content, layer)
        found: dict[Content, dict[AnyLayer, bytes]] = {content: {} for content in contents}
        keys = sorted(wanted)
        own: list[tuple[bytes, bytes]] = self._with(lambda db: _read(db, keys)) or []
        known = {key for key, _ in own}
        own += self._packs.get([key for key in keys if key not in known])
        for key, data in own:
            content, layer = wanted[key]
            found[content][layer] = data
        return found

    def put(self, records: Iterable[tuple[Content, Mapping[AnyLayer, bytes]]]) -> None:
        """Keep records; a killed process keeps all or nothing of one call."""
        today = int(time.time()) // DAY
        rows = []
        for content, layers in records:
            digest = _digest(content)
            for layer, data in layers.items():
                key = digest + layer.name.encode()
                rows.append((key, today, sealed(key, data)))

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.executemany("insert or replace into records values (?, ?, ?)", rows)
            self._shrink(db)

        self._with(write)

    def _with(self, work: Callable[[sqlite3.Connection], V]) -> V | None:
        """Work with a connection of its own; ``None`` where the cache is of no use, which a warning says."""
        age, file = self._age, None
        try:
            with self._lock:  # nobody opens a file that another thread is deleting
                if self._broken:
                    return None
                age, file = self._age, self._file()
                db = self._opened()
                file = self._file()
            with closing(db):
                return work(db)
        except (OSError, sqlite3.DatabaseError, UnicodeDecodeError, CorruptError) as error:
            self._trouble(error, age, file)
            return None

    def _opened(self) -> sqlite3.Connection:
        """A new connection, to a file that has its tables."""
        make_private(self.path.parent)
        db = sqlite3.connect(self.path, timeout=60)
        try:
            _prepare(db)
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # SQLite quotes damaged names
            db.close()
            raise
        return db

    def _file(self) -> int | None:
        """Which file stands there: another process may have made it anew."""
        try:
            return self.path.stat().st_ino
        except OSError:
            return None

    def _trouble(self, error: Exception, age: int, file: int | None) -> None:
        """Throw a damaged file away, leave a busy or read-only one alone; tell either once."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        damaged = not isinstance(error, OSError) and code not in _NOT_DAMAGED
        with self._lock:
            if self._broken or self._age != age or (damaged and self._file() != file):
                return  # another thread or process has seen to it
            self._age += 1
            if damaged:
                try:
                    remove_file(self.path)
                except OSError as problem:
                    error, damaged = problem, False
            self._broken = not damaged
        if damaged:
            what = f"the cache is damaged ({error}); it is deleted and made anew."
        else:
            what = (
                f"the cache cannot be used ({error}); going on without it. "
                "Set ALBEIT_CACHE to a folder you can write to, or to 'off'."
            )
        warnings.warn(CacheWarning(what, path=self.path), stacklevel=5)

    def _shrink(self, db: sqlite3.Connection) -> None:
        """Keep to the limit: other versions' files go first, then what was not used longest."""
        pages, free, size = (
            db.execute(f"pragma {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        own = (pages - free) * size
        others = [path for path in cache_files(self.path.parent) if path != self.path]
        if own + sum(map(file_size, others)) > self._limit:
            for path in others:
                remove_file(path)
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


@lru_cache(maxsize=8)
def open_cache(folder: Path, version: str) -> Cache:
    """The cache of a folder and version: one per process, so that a trouble gives one warning."""
    return Cache(folder, version)


def _prepare(db: sqlite3.Connection) -> None:
    """Settings and tables, made where they are missing."""
    for attempt in range(_PATIENCE + 1):
        try:
            db.execute("pragma auto_vacuum = incremental")
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = normal")
            db.executescript(SCHEMA)
            return
        except sqlite3.OperationalError:  # two processes make the file at the same moment
            if attempt == _PATIENCE:
                raise
            time.sleep(0.05)


def _read(db: sqlite3.Connection, keys: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """The records of some keys; they count as used today."""
    found = read_records(db, keys)
    touch_records(db, found)
    return [(key, data) for key, _, data in found]


def _digest(content: str | tuple[str, ...]) -> bytes:
    """A content's half of its keys; keys that begin alike lie side by side in the file.

    A document is distinguished from a line, and from one whose lines are cut elsewhere, by the length
    that goes before each of its lines.
    """
    if isinstance(content, str):
        data = content.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=16).digest()
    whole = hashlib.blake2b(digest_size=16, person=b"document")
    for line in content:
        data = line.encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.digest()
