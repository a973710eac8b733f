"""Plain rows as report tables: an ``interval`` belongs to the number before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from albeit.report import Cell, Heading, Row, Table

__all__ = ["table"]

_LEFT = {"system", "baseline", "connective", "sense", "reference", "candidate", "first", "second"}


def table(rows: Sequence[Mapping[str, object]], caption: str, notes: Sequence[str] = ()) -> Table:
    """A table of rows that share their keys."""
    keys = [key for key in rows[0] if key != "interval"]
    columns = tuple(
        Heading(key, align="left" if key in _LEFT else "right", decimals=3) for key in keys
    )
    made = []
    for row in rows:
        cells: list[Cell] = []
        for key, value in row.items():
            if key == "interval":
                cells[-1] = Cell(cells[-1].value, interval=value)  # type: ignore[arg-type]
            else:
                cells.append(Cell(value))  # type: ignore[arg-type]
        made.append(Row(tuple(cells)))
    return Table(columns, tuple(made), caption, tuple(notes))
