"""Save how texts were cut, and read it back: a table of character offsets.

One line per segment: system, document, segment (1-based, in the whole set), the offsets of its
stretch in the document's text (0-based, the last one exclusive), and the reference it was cut by.
Tables of version 0.2 have one more column, which is ignored.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from albeit.data.loose import LooseSet, LooseText
from albeit.data.textio import read_text, shown, split_lines, write_text
from albeit.errors import InputError
from albeit.resegment.segment import Segmentation, measured
from albeit.resegment.sets import CutText, Resegmented

__all__ = ["read_offsets", "write_offsets"]

COLUMNS = ("system", "document", "segment", "start", "stop", "reference")
Row = tuple[int, int, str, int]
"""Offsets, reference, and the line of the file."""


def write_offsets(made: Resegmented, path: str | Path) -> None:
    """Write all cuts of all systems."""
    rows = ["\t".join(COLUMNS)]
    for system, texts in made.systems.items():
        for text in texts:
            for n, (start, stop) in enumerate(text.cut.spans, text.document.start + 1):
                cells = (system, text.document.id, n, start, stop, text.reference)
                rows.append("\t".join(map(str, cells)))
    for number, row in enumerate(rows, 1):
        if row.count("\t") != len(COLUMNS) - 1 or "\n" in row:
            raise InputError("a name holds a tab or a line break.", path=path, line=number)
    write_text("".join(row + "\n" for row in rows), path)


def read_offsets(path: str | Path, loose: LooseSet) -> Resegmented:
    """Cut a set as a file says; it must have been made for these very texts."""
    table = _table(path)
    systems = {
        name: tuple(_cut(path, loose, name, text, table) for text in texts)
        for name, texts in loose.systems.items()
    }
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
    return Resegmented(loose, systems, f"offsets-{digest}")


def _table(path: str | Path) -> dict[tuple[str, int], Row]:
    header, *lines = split_lines(read_text(path))
    if tuple(header.removesuffix("\tway").split("\t")) != COLUMNS:
        raise InputError(
            f"is no table of offsets: its first line must be {', '.join(COLUMNS)}.",
            path=shown(path),
            line=1,
            hint="albeit resegment --save FILE writes one.",
        )
    table: dict[tuple[str, int], Row] = {}
    for number, line in enumerate(lines, 2):
        try:
            system, _, segment, start, stop, reference = line.split("\t")[: len(COLUMNS)]
            row = (int(start), int(stop), reference, number)
            key = (system, int(segment))
        except ValueError:
            raise InputError("is not a line of offsets.", path=shown(path), line=number) from None
        if key in table:
            raise InputError(
                f"segment {segment} of system {system!r} stands on line {table[key][-1]} already.",
                path=shown(path),
                line=number,
            )
        table[key] = row
    return table


def _cut(
    path: str | Path,
    loose: LooseSet,
    system: str,
    text: LooseText,
    table: dict[tuple[str, int], Row],
) -> CutText:
    """One text as the table has it, checked against the text itself."""
    document, at = text.document, 0
    spans = []
    for segment in range(document.start + 1, document.stop + 1):
        if (system, segment) not in table:
            raise InputError(
                f"has no offsets of segment {segment} of system {system!r}.", path=shown(path)
            )
        start, stop, reference, line = table[system, segment]
        if not at <= start <= stop <= len(text.text) or text.text[at:start].strip():
            raise InputError(
                f"does not fit the text of system {system!r}: offsets {start} to {stop} leave out"
                " text, go back, or pass its end.",
                path=shown(path),
                line=line,
                hint="It was made for another text; cut it anew.",
            )
        if reference not in loose.base.references:
            raise InputError(f"there is no reference {reference!r}.", path=shown(path), line=line)
        spans.append((start, stop))
        at = stop
    if text.text[at:].strip():
        raise InputError(
            f"does not cover the text of document {document.id!r} of system {system!r}: text"
            f" follows offset {at}.",
            path=shown(path),
            line=line,
            hint="It was made for another text; cut it anew.",
        )
    segments = loose.base.references[reference][document.rows]
    return CutText(
        document,
        reference,
        Segmentation(text.text, tuple(spans), measured(segments, text.text, spans)),
    )
