"""Tables that fit a terminal: cut between columns, never within a number.

A table that is too wide is shown in several parts, each with the first columns again; columns
of one group stay together. Where even one group is too wide, each row becomes a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["fitted"]

GAP = 3
"""Spaces between columns."""
NARROW = 16
"""A column of words may be folded to this width."""


def fitted(table: Table, width: int) -> list[Table]:
    """The table, or tables that hold the same within ``width`` characters."""
    widths = [_least_width(table, n) for n in range(len(table.columns))]
    if _total(widths) <= width:
        return [table]
    keys = [n for n, column in enumerate(table.columns) if column.align == "left"]
    if keys != list(range(len(keys))) or len(keys) == len(table.columns):
        return [table]  # words among numbers, or words alone: these fold
    groups = [
        [n for n, _ in run]
        for _, run in groupby(
            list(enumerate(table.columns))[len(keys) :], key=lambda item: item[1].group or item[0]
        )
    ]
    parts: list[list[int]] = []
    for group in groups:
        fits = parts and _total([widths[n] for n in (*keys, *parts[-1], *group)]) <= width
        if fits:
            parts[-1] += group
        else:
            parts.append(list(group))
    if any(_total([widths[n] for n in (*keys, *part)]) > width for part in parts):
        return _lists(table, keys)
    last = len(parts) - 1
    return [
        Table(
            tuple(table.columns[n] for n in (*keys, *part)),
            tuple(
                Row(tuple(row.cells[n] for n in (*keys, *part)), row.group) for row in table.rows
            ),
            table.caption if number == 0 else "",
            table.notes if number == last else (),
        )
        for number, part in enumerate(parts)
    ]


def _lists(table: Table, keys: list[int]) -> list[Table]:
    """One small table a row: headings down the side."""
    found = []
    for place, row in enumerate(table.rows):
        cells = [
            (f"{c.group} {c.heading}".strip(), row.cells[n], c)
            for n, c in enumerate(table.columns)
            if n not in keys
        ]
        title = " ".join(table.text(row, n) for n in keys)
        rows = tuple(
            Row((Cell(name), _with_decimals(cell, column))) for name, cell, column in cells
        )
        caption = table.caption if place == 0 else ""
        notes = table.notes if place == len(table.rows) - 1 else ()
        columns = (Heading(title, align="left"), Heading("", key="value"))
        found.append(Table(columns, rows, caption, notes))
    return found


def _with_decimals(cell: Cell, column: Heading) -> Cell:
    decimals = column.decimals if cell.decimals is None else cell.decimals
    return Cell(cell.value, cell.bold, cell.italic, cell.marks, cell.interval, decimals)


def _least_width(table: Table, n: int) -> int:
    column = table.columns[n]
    longest = max(map(len, _shown(table, n)), default=0)
    return min(longest, NARROW) if column.align == "left" else longest


def _shown(table: Table, n: int) -> Iterator[str]:
    yield table.columns[n].heading
    marks = max((len(row.cells[n].marks) for row in table.rows), default=0)
    for row in table.rows:
        yield table.text(row, n) + " " * (marks - len(row.cells[n].marks))


def _total(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
