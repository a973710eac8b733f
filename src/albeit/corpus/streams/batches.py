"""Rows of a test set put together to batches, each a small test set of whole documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from albeit.corpus.evalset import Document, EvalSet, check_name
from albeit.errors import InputError

__all__ = ["Head", "Row", "Rows", "SetBatch", "Stream"]

Row = tuple[str, ...]
"""A segment: its document's id (empty where the set has none), then a text a column."""


@dataclass(frozen=True)
class Head:
    """What is known of a set before its segments: whose texts stand in which column."""

    columns: tuple[tuple[str, str], ...]
    """Kind (``source``, ``reference``, ``system``) and name of each text of a row."""
    has_documents: bool
    name: str = "evalset"
    source_lang: str | None = None
    target_lang: str | None = None

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of the texts of a kind."""
        return tuple(name for of, name in self.columns if of == kind)


class Rows(Protocol):
    """A set as rows, which can be read as often as need be."""

    @property
    def head(self) -> Head:
        """What its first line, or its arguments, say."""

    @property
    def share(self) -> float:
        """How much of it has been read, from 0 to 1; 0 if that cannot be known."""

    def read(self) -> Iterator[Row]:
        """All segments from the first on."""

    def place(self) -> tuple[str, int]:
        """File and line of the row read last."""


@dataclass(frozen=True)
class SetBatch:
    """Some whole documents of a set (or some segments, where it says nothing of documents)."""

    number: int
    first: int
    """The place of its first segment in the set."""
    evalset: EvalSet
    last: bool

    @property
    def span(self) -> str:
        """Which segments, for messages."""
        return f"segments {self.first + 1} to {self.first + len(self.evalset)}"


class Stream:
    """A test set in batches; languages given here come before what the set says."""

    def __init__(
        self,
        rows: Rows,
        *,
        source_lang: str | None = None,
        target_lang: str | None = None,
        references: Sequence[str] | None = None,
        systems: Sequence[str] | None = None,
    ) -> None:
        head = rows.head
        self.rows, self.name, self.has_documents = rows, head.name, head.has_documents
        self.source_lang = source_lang or head.source_lang
        self.target_lang = target_lang or head.target_lang or "en"
        self.references = _chosen(head, "reference", references)
        self.systems = _chosen(head, "system", systems)
        if not self.systems:
            raise InputError(f"{self.name} holds no translations.", hint="Give some with -i FILE.")
        places = {column: place for place, column in enumerate(head.columns, 1)}
        self._source = places.get(("source", "source"))
        self._references = [places["reference", name] for name in self.references]
        self._systems = [places["system", name] for name in self.systems]

    @property
    def share(self) -> float:
        """How much of it has been read, from 0 to 1; 0 if that cannot be known."""
        return self.rows.share

    def batches(self, lines: int) -> Iterator[SetBatch]:
        """Batches of at least so many segments, as few as whole documents allow."""
        number = first = 0
        with closing(self._groups(lines)) as groups:  # type: ignore[type-var]
            waiting = next(groups, None)
            while waiting is not None:
                following = next(groups, None)
                yield SetBatch(number, first, self._set(waiting), following is None)
                number, first, waiting = number + 1, first + len(waiting), following
        if not number:
            raise InputError(f"{self.name} is empty: it has no segments.")

    def _groups(self, lines: int) -> Iterator[list[Row]]:
        """Rows in groups that end where a document does."""
        group: list[Row] = []
        seen = _Seen()
        for row in self.rows.read():
            begins = self.has_documents and (not group or row[0] != group[-1][0])
            if len(group) >= lines and (begins or not self.has_documents):
                yield group
                group = []
            if begins and not seen.add(row[0]):
                path, line = self.rows.place()
                raise InputError(
                    f"document {row[0]!r} starts again here; it ended further up.",
                    path=path,
                    line=line,
                    hint="The segments of a document must follow each other.",
                )
            group.append(row)
        if group:
            yield group

    def _set(self, rows: Sequence[Row]) -> EvalSet:
        ids, *_ = columns = tuple(zip(*rows, strict=True))
        return EvalSet(
            {n: columns[c] for n, c in zip(self.references, self._references, strict=True)},
            {n: columns[c] for n, c in zip(self.systems, self._systems, strict=True)},
            None if self._source is None else columns[self._source],
            tuple(_documents(ids)) if self.has_documents else (),
            self.source_lang,
            self.target_lang,
            self.name,
        )


def _documents(ids: Sequence[str]) -> Iterator[Document]:
    """The documents of rows; that none begins twice is known."""
    starts = [n for n, one in enumerate(ids) if not n or one != ids[n - 1]]
    for start, stop in zip(starts, [*starts[1:], len(ids)], strict=True):
        yield Document(ids[start], start, stop)


def _chosen(head: Head, kind: str, names: Sequence[str] | None) -> tuple[str, ...]:
    there = head.names(kind)
    for name in there:
        check_name(name, f"a {kind}")
    for name in names or ():
        if name not in there:
            hint = f"It has: {', '.join(there) or 'none'}."
            raise InputError(f"{head.name} has no {kind} {name!r}.", hint=hint)
    return there if names is None else tuple(names)


class _Seen:
    """The ids of all documents so far, eight bytes each: 10⁷ of them are 80 MB."""

    def __init__(self) -> None:
        self._new: set[int] = set()
        self._sorted: list[npt.NDArray[np.uint64]] = []

    def add(self, name: str) -> bool:
        """Whether it is new."""
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "little")
        if key in self._new or any(self._inside(keys, key) for keys in self._sorted):
            return False
        self._new.add(key)
        if len(self._new) >= 1 << 16:
            keys = np.array(sorted(self._new), dtype=np.uint64)
            self._new.clear()
            while self._sorted and len(self._sorted[-1]) <= len(keys):
                keys = np.sort(np.concatenate([self._sorted.pop(), keys]))
            self._sorted.append(keys)
        return True

    @staticmethod
    def _inside(keys: npt.NDArray[np.uint64], key: int) -> bool:
        place = int(np.searchsorted(keys, np.uint64(key)))
        return place < len(keys) and int(keys[place]) == key
