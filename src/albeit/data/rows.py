"""A test set as rows: what a format yields, whether all are wanted at once or some at a time.

An :class:`EvalSet` is all rows of a set (:func:`gathered`); a stream is batches of them
(:mod:`albeit.data.streams`). So whatever is said of a wrong file is said in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from albeit.data.entities import unescape_line
from albeit.data.evalset import UNNAMED, EvalSet, documents_from_ids
from albeit.data.textio import LineReader

__all__ = [
    "AT_ONCE",
    "Block",
    "Head",
    "Kind",
    "ReadByLine",
    "Rows",
    "SetRows",
    "evalset_of",
    "gathered",
]

Kind = Literal["source", "reference", "system"]
Block = Sequence[Sequence[str]]
"""Some rows by column: first the ids of their documents (empty where the set has none), then a
text a column. Every column has one line per segment."""
AT_ONCE = 4096
"""How many rows a block holds, more or less."""


@dataclass(frozen=True)
class Head:
    """What is known of a set before its rows: whose texts stand in which column.

    ``columns`` are kind and name of each text of a block, after the ids. ``domains`` says what
    kind of text documents are, by their ids.
    """

    columns: tuple[tuple[Kind, str], ...]
    has_documents: bool
    name: str = UNNAMED
    source_lang: str | None = None
    target_lang: str | None = None
    domains: Mapping[str, str] = field(default_factory=dict)

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of the texts of a kind."""
        return tuple(name for of, name in self.columns if of == kind)


class Rows(Protocol):
    """A set as rows, which can be read as often as need be."""

    @property
    def head(self) -> Head:
        """What its first line, or its arguments, say; lines further down may say more."""

    @property
    def share(self) -> float:
        """How much of it has been read, from 0 to 1; 0 if that cannot be known."""

    def blocks(self) -> Iterator[Block]:
        """All rows from the first on, some at a time."""

    def place(self, row: int) -> tuple[str, int]:
        """File and line of a row, counted from 0, that has been read."""


def gathered(rows: Rows) -> EvalSet:
    """The test set that all rows make."""
    columns: list[list[str]] = [[] for _ in range(len(rows.head.columns) + 1)]
    for block in rows.blocks():
        for column, more in zip(columns, block, strict=True):
            column.extend(more)
    return evalset_of(columns, rows.head, rows.place)


def evalset_of(
    block: Block, head: Head, place: Callable[[int], tuple[str, int]] | None = None
) -> EvalSet:
    """The test set of some rows, whose columns ``head`` explains."""
    ids, *texts = block
    found = dict(zip(head.columns, map(tuple, texts), strict=True))
    return EvalSet(
        references={name: text for (kind, name), text in found.items() if kind == "reference"},
        systems={name: text for (kind, name), text in found.items() if kind == "system"},
        source=next((text for (kind, _), text in found.items() if kind == "source"), None),
        documents=(
            documents_from_ids(ids, domains=head.domains, place=place) if head.has_documents else ()
        ),
        source_lang=head.source_lang,
        target_lang=head.target_lang or "en",
        name=head.name,
    )


class ReadByLine:
    """What rows share that stand in the lines of files, one per segment."""

    def __init__(self, reader: LineReader, *, unescape: bool) -> None:
        self._reader, self._unescape = reader, unescape

    @property
    def share(self) -> float:
        """As far as the lines are read."""
        return self._reader.share

    def place(self, row: int) -> tuple[str, int]:
        """File and line."""
        return self._reader.place(row)

    def blocks(self) -> Iterator[Block]:
        """All segments from the first on."""
        reader = self._reader = self._reader.again()
        while lines := reader.take(AT_ONCE):
            ids, *texts = self._block(lines, reader.taken - len(lines))
            if self._unescape:
                texts = [tuple(map(unescape_line, text)) for text in texts]
            yield (ids, *texts)

    def _block(self, lines: Sequence[str], first: int) -> Block:
        """The block that some lines make, of which the first is row ``first``."""
        raise NotImplementedError


class SetRows:
    """The rows of a set that is in memory, for formats that can only be read as a whole."""

    def __init__(self, evalset: EvalSet) -> None:
        self._set = evalset
        self.share = 0.0
        columns: list[tuple[Kind, str]] = [("reference", name) for name in evalset.references]
        columns += [("source", "source")] if evalset.source is not None else []
        columns += [("system", name) for name in evalset.systems]
        self.head = Head(
            tuple(columns),
            evalset.has_documents,
            evalset.name,
            evalset.source_lang,
            evalset.target_lang,
            {document.id: document.domain for document in evalset.documents if document.domain},
        )

    def blocks(self) -> Iterator[Block]:
        """All rows at once, since they are there."""
        evalset = self._set
        source = () if evalset.source is None else (evalset.source,)
        self.share = 1.0
        yield (
            evalset.document_ids() if evalset.has_documents else ("",) * len(evalset),
            *evalset.references.values(),
            *source,
            *evalset.systems.values(),
        )

    def place(self, row: int) -> tuple[str, int]:
        """The set and the segment, from 1."""
        return self._set.name, row + 1
