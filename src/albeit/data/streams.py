"""Test sets too large for memory, read in batches of whole documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.data.build import text_rows
from albeit.data.evalset import EvalSet, check_name, torn
from albeit.data.front import open_rows
from albeit.data.rows import Head, Kind, Rows, evalset_of
from albeit.errors import InputError
from albeit.languages import normalise

__all__ = ["SetBatch", "Stream", "stream_table", "stream_texts"]


def stream_texts(
    refs: Sequence[str | Path],
    systems: Sequence[str | Path],
    *,
    source: str | Path | None = None,
    docs: str | Path | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
) -> Stream:
    """Text files, one line per segment, as :func:`albeit.data.build_evalset` takes them."""
    rows = text_rows(refs, systems, source=source, docs=docs, unescape=unescape)
    return Stream(rows, source_lang=source_lang, target_lang=target_lang)


def stream_table(
    path: str | Path | Sequence[str | Path],
    format: str | None = None,
    *,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
    **options: Any,
) -> Stream:
    """A test set in any format, as :func:`albeit.read` takes it.

    Text, TSV, JSON lines, Parquet and other formats that yield rows are read as far as batches
    are asked for; the others are in memory as a whole.
    """
    rows = open_rows(
        path, format, references=references, systems=systems, unescape=unescape, **options
    )
    return Stream(
        rows,
        source_lang=source_lang,
        target_lang=target_lang,
        references=references,
        systems=systems,
    )


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
        head = self._head = rows.head
        self.rows, self.name, self.has_documents = rows, head.name, head.has_documents
        self.source_lang = _language(source_lang) or head.source_lang
        self.target_lang = _language(target_lang) or head.target_lang or "en"
        self.references = _chosen(head, "reference", references)
        self.systems = _chosen(head, "system", systems)
        if not self.systems:
            raise InputError(f"{self.name} holds no translations.", hint="Give some with -i FILE.")
        wanted: list[tuple[Kind, str]] = [("reference", name) for name in self.references]
        wanted += [("source", name) for name in head.names("source")]
        wanted += [("system", name) for name in self.systems]
        self._wanted = [0, *(head.columns.index(column) + 1 for column in wanted)]
        self._made = replace(
            head,
            columns=tuple(wanted),
            source_lang=self.source_lang,
            target_lang=self.target_lang,
        )

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
                evalset = evalset_of(waiting, self._made)
                yield SetBatch(number, first, evalset, following is None)
                number, first, waiting = number + 1, first + len(evalset), following
        if not number:
            raise InputError(f"{self.name} is empty: it has no segments.")

    def _groups(self, lines: int) -> Iterator[list[list[str]]]:
        """Columns of rows in groups that end where a document does."""
        held: list[list[str]] = [[] for _ in self._wanted]
        looked = lines
        checked = _Documents(self.rows) if self.has_documents else None
        for block in self.rows.blocks():
            self._check_head()
            if checked is not None:
                checked.add(block[0])
            for column, place in zip(held, self._wanted, strict=True):
                column.extend(block[place])
            ids = held[0]
            while looked < len(ids):
                if self.has_documents and ids[looked] == ids[looked - 1]:
                    looked += 1
                    continue
                yield [column[:looked] for column in held]
                for column in held:
                    del column[:looked]
                looked = lines
        if held[0]:
            yield held

    def _check_head(self) -> None:
        """Raise where a line further down said something of the whole set."""
        if self.rows.head is not self._head:
            raise InputError(
                f"{self.name} says its name or a language only further down.",
                hint="A set that is read in batches must say them in its first line.",
            )


class _Documents:
    """Every document's id must come once; all blocks of a set are looked at, one after the other."""

    def __init__(self, rows: Rows) -> None:
        self._rows, self._seen, self._done = rows, _Seen(), 0
        self._last: str | None = None

    def add(self, ids: Sequence[str]) -> None:
        """Raise where a document begins that was there already."""
        last = self._last
        for number, doc_id in enumerate(ids):
            if doc_id != last and not self._seen.add(doc_id):
                raise torn(doc_id, self._done + number, self._rows.place)
            last = doc_id
        self._last, self._done = last, self._done + len(ids)


def _chosen(head: Head, kind: Kind, names: Sequence[str] | None) -> tuple[str, ...]:
    there = head.names(kind)
    for name in there:
        check_name(name, f"a {kind}")
    for name in names or ():
        if name not in there:
            hint = f"It has: {', '.join(there) or 'none'}."
            raise InputError(f"{head.name} has no {kind} {name!r}.", hint=hint)
    return there if names is None else tuple(names)


def _language(tag: str | None) -> str | None:
    return None if tag is None else normalise(tag)


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
