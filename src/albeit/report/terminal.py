"""Tables for the terminal, in color only if stdout is a terminal and NO_COLOR isn't set.

On a terminal a table that is too wide is written in several parts, each with the first columns: it
is split between columns, never inside a number. Columns of one group stay together if they fit. In
a file a table is as wide as it needs to be.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from albeit.report.table import Cell, Row, Table

GAP = 3
"""Spaces between columns."""
NARROW = 16
"""A column of words may be folded to this width."""
UNLIMITED = 10_000
"""The width of a file."""
SPACE = "\ue000"
"""A space that rich doesn't strip, from the private use area."""


def render_text(tables: Sequence[Table], *, terminal: bool | None = None) -> str:
    """Format tables for printing; ``terminal`` is by default whether stdout is one."""
    terminal = sys.stdout.isatty() if terminal is None else terminal
    styled = terminal and not os.environ.get("NO_COLOR")
    buffer = io.StringIO()
    width = None if terminal else UNLIMITED
    console = Console(file=buffer, force_terminal=styled, no_color=not styled, width=width)
    for n, part in enumerate(part for table in tables for part in _fit(table, console.width)):
        if n:
            console.print()
        _print(console, part)
    text = buffer.getvalue().replace(SPACE, " ")
    return "\n".join(line.rstrip(" ") for line in text.split("\n"))


def _print(console: Console, table: Table) -> None:
    if table.caption:
        console.print(Text(table.caption, style="bold"), soft_wrap=True)
    console.print(_table(table))
    if table.notes:
        console.print()
    for note in table.notes:
        console.print(Text(note, style="dim"), soft_wrap=True)


def _table(table: Table) -> RichTable:
    rich = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    groups = [t for group, width in table.column_groups() for t in (group, *[""] * (width - 1))]
    for n, column in enumerate(table.columns):
        heading = f"{groups[n]}\n{column.heading}" if groups else column.heading
        right = column.align == "right"
        rich.add_column(
            Text(heading, style="bold"), justify=column.align, overflow="fold", no_wrap=right
        )
    widths = [_mark_width(table, n) for n in range(len(table.columns))]
    for i, (group, rows) in enumerate(table.row_groups()):
        if i:
            rich.add_section()
        if group:
            rich.add_row(Text(group, style="italic"), *[""] * (len(table.columns) - 1))
        for row in rows:
            rich.add_row(*map(_cell, table.texts(row), widths))
    return rich


def _mark_width(table: Table, n: int) -> int:
    """Measure the marks of a column, whose digits are aligned."""
    return max((len(row.cells[n].marks) for row in table.rows), default=0)


def _cell(content: tuple[Cell, str], mark_width: int) -> Text:
    cell, text = content
    style = " ".join(name for name in ("bold", "italic") if getattr(cell, name))
    return Text(text + cell.marks.ljust(mark_width, SPACE), style=style)


def _fit(table: Table, width: int) -> list[Table]:
    """Split a table between groups of columns into tables of at most ``width`` characters.

    Each has the first columns, which have words, and at least one group.
    """
    widths = [_width(table, n) for n in range(len(table.columns))]

    def fits(columns: Sequence[int]) -> bool:
        return sum(widths[n] for n in columns) + GAP * (len(columns) - 1) <= width

    every = list(range(len(table.columns)))
    keys = [n for n in every if table.columns[n].align == "left"]
    if fits(every) or keys != every[: len(keys)] or keys == every:
        return [table]  # it fits, or has words after numbers, or only words, which fold
    grouped = [
        list(run)
        for _, run in groupby(every[len(keys) :], key=lambda n: table.columns[n].group or n)
    ]
    if not all(fits([*keys, *group]) for group in grouped):
        grouped = [[n] for n in every[len(keys) :]]
    parts: list[list[int]] = []
    for group in grouped:
        if parts and fits([*parts[-1], *group]):
            parts[-1] += group
        else:
            parts.append([*keys, *group])
    tables = [
        Table.of(
            [table.columns[n] for n in part],
            [Row(tuple(row.cells[n] for n in part), row.group) for row in table.rows],
        )
        for part in parts
    ]
    tables[0] = replace(tables[0], caption=table.caption)
    tables[-1] = replace(tables[-1], notes=table.notes)
    return tables


def _width(table: Table, n: int) -> int:
    column, marks = table.columns[n], _mark_width(table, n)
    texts = (len(row.cells[n].text(column.decimals)) + marks for row in table.rows)
    width = max([len(column.heading), *texts])
    return min(width, NARROW) if column.align == "left" else width
