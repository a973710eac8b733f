"""Text: a table for the terminal, in colour only where stdout is one (and never with NO_COLOR).

On a terminal a table that is too wide is shown in parts (:mod:`albeit.report.fit`). Away from
one it is as wide as it needs to be, nothing is wrapped or cut, and there are no escape codes.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from albeit.report.fit import fitted
from albeit.report.table import Row, Table

__all__ = ["render"]

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
