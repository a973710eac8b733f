"""The table that every result becomes before it is written in a format.

A cell has the exact number: JSON and TSV write all digits, the other formats round.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, NamedTuple

Value = str | int | float | bool | None
Direction = Literal["up", "down", ""]

MISSING = "–"
"""The text of an absent or undefined value."""


class Cell(NamedTuple):
    """One value and its style.

    ``interval`` is written in brackets after the value. ``marks`` (``"*"``, ``"†"``) follow,
    and the table's notes explain them. By convention **bold** is the best of its column
    or a significant gain over the baseline, *italic* a significant loss. Only JSON and TSV have
    the ``details``.
    """

    value: Value = None
    bold: bool = False
    italic: bool = False
    marks: str = ""
    interval: tuple[float, float] | None = None
    decimals: int | None = None
    details: Mapping[str, Value] = {}

    def text(self, decimals: int) -> str:
        """Format value and interval, with the decimals of its column or its own."""
        decimals = decimals if self.decimals is None else self.decimals
        text = number_text(self.value, decimals)
        if self.interval is None:
            return text
        low, high = (number_text(bound, decimals) for bound in self.interval)
        return f"{text} [{low}, {high}]"


class Heading(NamedTuple):
    """A column's heading. ``key`` is its name in JSON and TSV (default: the text).

    Neighbors with the same ``group`` share a spanning heading. ``direction`` shows whether higher
    or lower scores are better, as an arrow.
    """

    text: str
    key: str = ""
    group: str = ""
    direction: Direction = ""
    align: Literal["left", "right"] = "right"
    decimals: int = 4

    @property
    def name(self) -> str:
        """Group and key, unique in a table: the name in JSON and TSV."""
        own = self.key or self.text
        return f"{self.group}.{own}" if self.group else own

    @property
    def heading(self) -> str:
        """The text with its arrow."""
        return self.text + {"up": " ↑", "down": " ↓", "": ""}[self.direction]


class Row(NamedTuple):
    """A line of cells; rows of one ``group`` follow a line with its name."""

    cells: tuple[Cell, ...]
    group: str = ""

    @classmethod
    def of(cls, values: Iterable[Value | Cell], group: str = "") -> Row:
        """Build a row from plain values and cells."""
        return cls(tuple(v if isinstance(v, Cell) else Cell(v) for v in values), group)


@dataclass(frozen=True)
class Table:
    """Columns, rows, a caption above, and notes below.

    ``meta`` has the facts of the whole table for JSON (seed, signatures, test).
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
            if len(row.cells) != len(names):
                raise ValueError(f"{len(row.cells)} cells in a table of {len(names)} columns")

    @classmethod
    def of(
        cls,
        columns: Iterable[str | Heading],
        rows: Iterable[Sequence[Any]],
        caption: str = "",
        notes: Iterable[str] = (),
        meta: Mapping[str, object] | None = None,
    ) -> Table:
        """Build a table from plain values; a first column without a heading is aligned left."""
        headings = [
            c if isinstance(c, Heading) else Heading(c, align="right" if i else "left")
            for i, c in enumerate(columns)
        ]
        lines = [row if isinstance(row, Row) else Row.of(row) for row in rows]
        return cls(tuple(headings), tuple(lines), caption, tuple(notes), meta or {})

    def texts(self, row: Row) -> list[tuple[Cell, str]]:
        """List the cells of a row with their texts, without marks."""
        return [(c, c.text(h.decimals)) for c, h in zip(row.cells, self.columns, strict=True)]

    def _repr_html_(self) -> str:
        """Render the table for a notebook."""
        from albeit.report.formats import html_table

        return html_table(self)

    def column_groups(self) -> list[tuple[str, int]]:
        """List the spanning headings, as text and number of columns; none without groups."""
        if not any(column.group for column in self.columns):
            return []
        return [(g, sum(1 for _ in run)) for g, run in groupby(c.group for c in self.columns)]

    def row_groups(self) -> list[tuple[str, list[Row]]]:
        """List the rows by group, in order."""
        return [(g, list(run)) for g, run in groupby(self.rows, key=lambda row: row.group)]


def number_text(value: Value, decimals: int) -> str:
    """Format a value for readers: floats rounded, an absent or undefined value as a dash."""
    if value is None or value != value:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        shown = f"{value:.{decimals}f}"
        return shown.lstrip("-") if float(shown) == 0 else shown
    return str(value)


def plain(value: Any) -> Any:
    """Convert to JSON values: lists for tuples, and ``None`` for numbers that aren't finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value
