"""Scores of single rows of text, kept on disk by content as they come.

Where a run of hours ends early, what it has done is here, and the next one goes on from it. One
SQLite file per metric with its version, in the folder ``others`` of the cache; at an eighth of
the cache's limit the files not used for longest go first. Nobody depends on it: where it cannot
be read or written there is one warning, and scores are made anew.
"""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from albeit.parsing.cache.folder import (
    CacheWarning,
    cache_folder,
    file_size,
    remove_file,
    size_limit,
)
from albeit.sealed import make_private

__all__ = ["KeptScores", "clear", "digest", "files"]

_SHARE = 8
_AT_ONCE = 500


def digest(line: str) -> bytes:
    """By what a row of texts, joined to one line, is found again."""
    return hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def files() -> list[Path]:
    """The files that there are."""
    folder = cache_folder()
    return [] if folder is None else sorted((folder / "others").glob("*.sqlite"))


def clear() -> int:
    """Delete them all; returns how many bytes that freed."""
    freed = sum(map(file_size, files()))
    for path in files():
        remove_file(path)
    return freed


class KeptScores:
    """The scores of one metric, by the digests of rows; ``on`` says whether anything is kept."""

    def __init__(self, identity: str) -> None:
        folder = cache_folder()
        name = hashlib.sha256(identity.encode()).hexdigest()[:32]
        self._path = None if folder is None else folder / "others" / f"{name}.sqlite"

    @property
    def on(self) -> bool:
        """Whether there is a place to keep scores."""
        return self._path is not None

    def get(self, rows: Sequence[bytes]) -> dict[bytes, float]:
        """What is known of these rows."""
        if self._path is None or not self._path.exists():
            return {}
        found: dict[bytes, float] = {}
        try:
            with closing(self._opened()) as db:
                for start in range(0, len(rows), _AT_ONCE):
                    some = rows[start : start + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    found.update(
                        db.execute(f"select row, score from scores where row in ({marks})", some)
                    )
            self._path.touch()
        except (OSError, sqlite3.DatabaseError) as error:
            self._trouble(error)
            return {}
        return found

    def put(self, scores: Mapping[bytes, float]) -> None:
        """Keep some scores."""
        if self._path is None or not scores:
            return
        try:
            new = not self._path.exists()
            with closing(self._opened()) as db, db:
                db.executemany("insert or replace into scores values (?, ?)", scores.items())
            if new:
                self._shrink()
        except (OSError, sqlite3.DatabaseError) as error:
            self._trouble(error)

    def forget(self, rows: Iterable[bytes]) -> None:
        """Keep no scores of these rows: they turned out to be unsure."""
        if self._path is None or not self._path.exists():
            return
        try:
            with closing(self._opened()) as db, db:
                db.executemany("delete from scores where row = ?", ((row,) for row in rows))
        except (OSError, sqlite3.DatabaseError) as error:
            self._trouble(error)

    def _opened(self) -> sqlite3.Connection:
        assert self._path is not None, "callers have looked"
        make_private(self._path.parent)
        db = sqlite3.connect(self._path, timeout=60)
        try:
            db.execute("pragma journal_mode = wal")
            db.execute("pragma synchronous = normal")
            db.execute(
                "create table if not exists scores (row blob primary key, score real) without rowid"
            )
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    def _shrink(self) -> None:
        """Make room: other metrics' files, the one not used for longest first."""
        others = sorted(
            (path for path in files() if path != self._path), key=lambda path: path.stat().st_mtime
        )
        surplus = sum(map(file_size, others)) - size_limit() // _SHARE
        for path in others:
            if surplus <= 0:
                return
            surplus -= file_size(path)
            remove_file(path)

    def _trouble(self, error: Exception) -> None:
        """Warn once, and go on without; a file that is no database is deleted."""
        path, self._path = self._path, None
        if path is not None and isinstance(error, sqlite3.DatabaseError):
            if not isinstance(error, sqlite3.OperationalError):
                with suppress(OSError):
                    remove_file(path)
            what = f"kept scores cannot be used ({error}); they are made anew."
        else:
            what = f"scores cannot be kept ({error}); they do not suffer."
        warnings.warn(CacheWarning(what, path=path), stacklevel=3)
