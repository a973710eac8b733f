"""Text: a table for the terminal, in colour only where stdout is one (and never with NO_COLOR).

On a terminal a table that is too wide is shown in several parts, each with the first columns
again: it is cut between columns, never within a number, and columns of one group stay together.
Where even one group is too wide, each row becomes a list. Away from a terminal a table is as wide
as it needs to be, nothing is wrapped or cut, and there are no escape codes.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["fitted", "render"]

GAP = 3
"""Spaces between columns."""
NARROW = 16
"""A column of words may be folded to this width."""

_ENDLESS = 10_000
"""A width nothing reaches: what is written to a file is never cut."""

_ROOM = "\ue000"
"""Stands for a space that rich must not strip; from the private use area."""


def render(tables: Sequence[Table], *, terminal: bool | None = None) -> str:
    """All tables as they should be printed; ``terminal`` defaults to what stdout is."""
    terminal = sys.stdout.isatty() if terminal is None else terminal
    styled = terminal and not os.environ.get("NO_COLOR")
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=styled,
        no_color=not styled,
        width=None if terminal else _ENDLESS,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for i, table in enumerate(tables):
        if i:
            console.print()
        for part, piece in enumerate(fitted(table, console.width)):
            if part:
                console.print()
            _print(console, piece)
    shown = buffer.getvalue().replace(_ROOM, " ")
    return "\n".join(line.rstrip(" ") for line in shown.split("\n"))


def _print(console: Console, table: Table) -> None:
    if table.caption:
        console.print(Text(table.caption, style="bold"), soft_wrap=True)
    console.print(_table(table))
    if table.notes:
        console.print()
    for note in table.notes:
        console.print(Text(note, style="dim"), soft_wrap=True)


def _table(table: Table) -> RichTable:
    made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    groups = iter(_group_texts(table))
    for column in table.columns:
        heading = Text(column.heading, style="bold")
        if table.has_column_groups:
            heading = Text(next(groups) + "\n", style="bold").append_text(heading)
        made.add_column(
            heading, justify=column.align, overflow="fold", no_wrap=column.align == "right"
        )
    widths = _mark_widths(table)
    for i, (group, rows) in enumerate(table.row_groups()):
        if i:
            made.add_section()
        if group:
            made.add_row(Text(group, style="italic"), *[""] * (len(table.columns) - 1))
        for row in rows:
            made.add_row(*(_cell(table, row, j, width) for j, width in enumerate(widths)))
    return made


def _group_texts(table: Table) -> list[str]:
    """A spanning heading stands above the first of its columns."""
    return [text for group, width in table.column_groups() for text in (group, *[""] * (width - 1))]


def _mark_widths(table: Table) -> list[int]:
    """The room that marks need in each column, so that digits stand below digits."""
    rows = [row.cells for row in table.rows]
    return [
        max((len(cells[j].marks) for cells in rows), default=0) for j in range(len(table.columns))
    ]


def _cell(table: Table, row: Row, index: int, mark_width: int) -> Text:
    cell = row.cells[index]
    style = " ".join(name for name in ("bold", "italic") if getattr(cell, name))
    return Text(table.text(row, index) + _ROOM * (mark_width - len(cell.marks)), style=style)


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
