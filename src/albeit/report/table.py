"""The one shape every report takes before it is written: a table of cells.

Scores, comparisons and meta-evaluations build a :class:`Table`; one module a format turns
tables into text. A cell keeps the number, not its digits, so JSON and TSV stay exact and
only the formats that people read are rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

__all__ = ["MISSING", "Cell", "Direction", "Heading", "Row", "Table", "Value", "number_text"]

Value = str | int | float | bool | None
Direction = Literal["up", "down", ""]

MISSING = "–"
"""What people read where there is nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value with how it should look.

    ``interval`` is shown in brackets behind the value. ``marks`` (``"*"``, ``"†"``) follow
    it, explained in the table's notes. By convention **bold** is the best of its column
    or a significant gain over the baseline, *italic* a significant loss. ``details`` are
    shown only by formats that machines read.
    """

    value: Value = None
    bold: bool = False
    italic: bool = False
    marks: str = ""
    interval: tuple[float, float] | None = None
    decimals: int | None = None
    details: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. ``key`` names the column for machines (default: its text).

    Neighbours with the same ``group`` stand under one spanning heading. ``direction``
    is the way to better scores and becomes an arrow.
    """

    text: str
    key: str = ""
    group: str = ""
    direction: Direction = ""
    align: Literal["left", "right"] = "right"
    decimals: int = 4

    @property
    def name(self) -> str:
        """The machine's name: group and key, so that it is unique in a table."""
        own = self.key or self.text
        return f"{self.group}.{own}" if self.group else own

    @property
    def heading(self) -> str:
        """The text with its arrow."""
        return self.text + {"up": " ↑", "down": " ↓", "": ""}[self.direction]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of cells; rows of one ``group`` stand together beneath its name."""

    cells: tuple[Cell, ...]
    group: str = ""


@dataclass(frozen=True)
class Table:
    """Columns, rows, a caption above and notes below.

    ``meta`` holds facts of the whole table for machines (seed, signatures, test used);
    what people must read of it belongs into ``notes`` too.
    """

    columns: tuple[Heading, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    meta: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError(f"columns share a name: {names}")
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"{len(row.cells)} cells in a table of {len(self.columns)} columns"
                )

    @classmethod
    def of(
        cls,
        columns: Sequence[str | Heading],
        rows: Sequence[Sequence[Value | Cell]],
        *,
        caption: str = "",
        notes: Sequence[str] = (),
    ) -> Table:
        """A table from plain values: strings become left-aligned headings of the first column."""
        made = tuple(
            c if isinstance(c, Heading) else Heading(c, align="left" if i == 0 else "right")
            for i, c in enumerate(columns)
        )
        lines = tuple(
            Row(tuple(v if isinstance(v, Cell) else Cell(v) for v in row)) for row in rows
        )
        return cls(made, lines, caption, tuple(notes))

    def text(self, row: Row, index: int) -> str:
        """What people read in one cell, without bold and italic."""
        cell, column = row.cells[index], self.columns[index]
        decimals = column.decimals if cell.decimals is None else cell.decimals
        shown = number_text(cell.value, decimals)
        if cell.interval is not None:
            low, high = (number_text(bound, decimals) for bound in cell.interval)
            shown += f" [{low}, {high}]"
        return shown + cell.marks

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from albeit.report.formats.html import fragment

        return fragment(self)

    @property
    def has_column_groups(self) -> bool:
        """Whether a row of spanning headings is needed."""
        return any(column.group for column in self.columns)

    def column_groups(self) -> list[tuple[str, int]]:
        """Spanning headings, left to right: (text, number of columns)."""
        return [(g, sum(1 for _ in run)) for g, run in groupby(c.group for c in self.columns)]

    def row_groups(self) -> list[tuple[str, list[Row]]]:
        """Rows by group, in order."""
        return [(g, list(run)) for g, run in groupby(self.rows, key=lambda row: row.group)]


def number_text(value: Value, decimals: int) -> str:
    """A value for people: floats rounded, an absent or undefined one as a dash."""
    if value is None or value != value:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        shown = f"{value:.{decimals}f}"
        return shown.lstrip("-") if float(shown) == 0 else shown
    return str(value)
