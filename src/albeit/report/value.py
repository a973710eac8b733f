"""The bare numbers, for scripts: one line a row, exact, parted by tabs.

Words (names of systems, documents) are left out; an undefined number is ``nan``.
"""

from __future__ import annotations

from collections.abc import Sequence

from albeit.report.table import Cell, Table

__all__ = ["render"]


def render(tables: Sequence[Table]) -> str:
    """Every row's numbers."""
    rows = [_numbers(row.cells, table) for table in tables for row in table.rows]
    return "".join("\t".join(row) + "\n" for row in rows)


def _numbers(cells: Sequence[Cell], table: Table) -> list[str]:
    return [
        "nan" if cell.value is None else repr(cell.value)
        for cell, column in zip(cells, table.columns, strict=True)
        if column.align == "right" and not isinstance(cell.value, str)
    ]
