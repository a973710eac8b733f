"""A table: a header, then one line per segment.

    doc_id ⇥ source ⇥ ref:A ⇥ ref:B ⇥ sys:Online-A ⇥ sys:Online-B

``doc_id`` and ``source`` are optional; ``src`` is the same as ``source``, and ``ref`` alone
names a reference ``ref``. Cells are text as it stands, without quoting: a tab always ends
a cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from albeit.data.evalset import EvalSet
from albeit.data.rows import Block, Head, Kind, ReadByLine
from albeit.data.textio import LineReader, shown, write_lines
from albeit.errors import InputError

__all__ = ["TableRows", "begins", "block_of", "columns_of", "head_of", "header", "rows", "write"]

_HINT = "Columns are doc_id, source, ref:NAME and sys:NAME, separated by tabs."
_NAMED = re.compile(r"(?:^|\t)(?:sys|ref):[^\t\n]*(?:\t|$)")
_SAME = {"src": "source", "ref": "ref:ref"}
_NO_ID = "the doc_id is empty."


def header(line: str, path: str) -> list[str]:
    """The columns that a first line names, in one spelling."""
    columns = [_SAME.get(cell, cell) for cell in line.split("\t")]
    for column in columns:
        kind, colon, name = column.partition(":")
        if column not in ("doc_id", "source") and not (kind in ("ref", "sys") and colon and name):
            raise InputError(f"unknown column {column!r}.", path=path, line=1, hint=_HINT)
        if columns.count(column) > 1:
            raise InputError(f"there are two columns {column!r}.", path=path, line=1)
    return columns


def begins(text: str) -> bool:
    """Whether a file begins with a header that names a reference or a system."""
    return _NAMED.search(text.split("\n", 1)[0]) is not None


def head_of(columns: Sequence[str]) -> Head:
    """Whose texts the columns of a table are."""
    kinds: dict[str, Kind] = {"source": "source", "ref": "reference", "sys": "system"}
    found: list[tuple[Kind, str]] = []
    for column in columns:
        kind, _, name = column.partition(":")
        if column != "doc_id":
            found.append((kinds[kind], name or "source"))
    return Head(tuple(found), "doc_id" in columns)


def block_of(
    cells: Sequence[Sequence[str]], columns: Sequence[str], error: Callable[[int, str], InputError]
) -> Block:
    """Cells by column as a block; ``error`` says what is wrong with one of its rows."""
    texts = [cells[at] for at, column in enumerate(columns) if column != "doc_id"]
    if "doc_id" not in columns:
        return ([""] * len(cells[0]), *texts)
    ids = cells[columns.index("doc_id")]
    if not all(map(str.strip, ids)):
        raise error(next(n for n, doc_id in enumerate(ids) if not doc_id.strip()), _NO_ID)
    return (ids, *texts)


class TableRows(ReadByLine):
    """A header, then one line per segment; further files have the same header."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        self._columns: list[str] = []
        reader = LineReader(files, plain=not unescape, header=self._check)
        super().__init__(reader, unescape=unescape)
        reader.first()
        self.head = head_of(self._columns)

    def _check(self, line: str, path: str) -> None:
        columns = header(line, path)
        self._columns = self._columns or columns
        if columns != self._columns:
            first = shown(self._reader.files[0])
            raise InputError(f"the header is not that of {first}.", path=path, line=1)

    def blocks(self) -> Iterator[Block]:
        """All segments from the first on."""
        yield from super().blocks()
        if not self._reader.taken:
            path = shown(self._reader.files[0])
            raise InputError("has a header, but no segments.", path=path, line=1)

    def _block(self, lines: Sequence[str], first: int) -> Block:
        rows, width = [line.split("\t") for line in lines], len(self._columns)
        if {*map(len, rows)} != {width}:
            number = next(n for n, cells in enumerate(rows) if len(cells) != width)
            raise self._reader.error(
                first + number,
                f"the line has {len(rows[number])} cells, but the header has {width}.",
                "A tab inside a text? Replace it by a space.",
            )
        cells = tuple(zip(*rows, strict=True))
        return block_of(cells, self._columns, lambda n, what: self._reader.error(first + n, what))


rows = TableRows


def columns_of(evalset: EvalSet, path: Path) -> dict[str, tuple[str, ...]]:
    """A set as the columns of a table, by their headings."""
    columns: dict[str, tuple[str, ...]] = {}
    if evalset.has_documents:
        columns["doc_id"] = evalset.document_ids()
        if not all(doc_id.strip() for doc_id in columns["doc_id"]):
            raise InputError("a document without an id cannot be written.", path=path)
    if evalset.source is not None:
        columns["source"] = evalset.source
    columns |= {f"ref:{name}": lines for name, lines in evalset.references.items()}
    return columns | {f"sys:{name}": lines for name, lines in evalset.systems.items()}


def write(evalset: EvalSet, path: Path) -> None:
    """Write a table; the test set's name and languages have no place in it."""
    columns = columns_of(evalset, path)
    lines = ["\t".join(_cells(columns, path, 1))]
    for number, row in enumerate(zip(*columns.values(), strict=True), 2):
        lines.append("\t".join(_cells(row, path, number)))
    write_lines(lines, path)


def _cells(cells: Iterable[str], path: Path, line: int) -> list[str]:
    """Cells that stay cells; a tab inside one would make two of it."""
    found = list(cells)
    for cell in found:
        if "\t" in cell:
            raise InputError(f"a table cannot hold the tab in {cell[:60]!r}.", path=path, line=line)
    return found
