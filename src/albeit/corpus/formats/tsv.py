"""A table: a header, then one line a segment.

    doc_id ⇥ source ⇥ ref:A ⇥ ref:B ⇥ sys:Online-A ⇥ sys:Online-B

``doc_id`` and ``source`` are optional; ``src`` is the same as ``source``, and ``ref`` alone
names a reference ``ref``. Cells are text as it stands, without quoting: a tab always ends
a cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from albeit.corpus.entities import unescape_line
from albeit.corpus.evalset import EvalSet, documents_from_ids
from albeit.corpus.textio import (
    read_text,
    shown,
    split_lines,
    warn_entities,
    write_lines,
)
from albeit.errors import InputError

__all__ = ["begins", "header", "read", "write"]

_HINT = "Columns are doc_id, source, ref:NAME and sys:NAME, separated by tabs."
_NAMED = re.compile(r"(?:^|\t)(?:sys|ref):[^\t\n]*(?:\t|$)")
_SAME = {"src": "source", "ref": "ref:ref"}


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


def read(path: Path, *, unescape: bool = False) -> EvalSet:
    """Read a table."""
    name = shown(path)
    lines = split_lines(read_text(path))
    columns = header(lines[0], name)
    rows: list[list[str]] = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(
                f"the line has {len(cells)} cells, but the header has {len(columns)}.",
                path=name,
                line=number,
                hint="A tab inside a text? Replace it by a space.",
            )
        rows.append(cells)
    if not rows:
        raise InputError("has a header, but no segments.", path=name, line=1)
    table = dict(zip(columns, (tuple(column) for column in zip(*rows, strict=True)), strict=True))
    ids = table.pop("doc_id", None)
    for number, doc_id in enumerate(ids or (), 2):
        if not doc_id.strip():
            raise InputError("the doc_id is empty.", path=name, line=number)
    if unescape:
        table = {key: tuple(map(unescape_line, texts)) for key, texts in table.items()}
    else:
        warn_entities((cell for texts in table.values() for cell in texts), name)
    return EvalSet(
        references={k[4:]: v for k, v in table.items() if k.startswith("ref:")},
        systems={k[4:]: v for k, v in table.items() if k.startswith("sys:")},
        source=table.get("source"),
        documents=documents_from_ids(ids, path=name, first_line=2) if ids else (),
    )


def write(evalset: EvalSet, path: Path) -> None:
    """Write a table; the test set's name and languages have no place in it."""
    columns: dict[str, tuple[str, ...]] = {}
    if evalset.has_documents:
        columns["doc_id"] = evalset.document_ids()
        if not all(doc_id.strip() for doc_id in columns["doc_id"]):
            raise InputError("a document without an id cannot be written.", path=path)
    if evalset.source is not None:
        columns["source"] = evalset.source
    columns |= {f"ref:{name}": lines for name, lines in evalset.references.items()}
    columns |= {f"sys:{name}": lines for name, lines in evalset.systems.items()}
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
