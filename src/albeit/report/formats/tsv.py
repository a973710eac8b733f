"""TSV: one header line, one line per row, exact numbers, no notes.

An interval becomes the columns ``NAME.low`` and ``NAME.high``, a detail ``NAME.DETAIL``.
Several tables are parted by an empty line. An undefined number is an empty field.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from albeit.report.table import Cell, Table

__all__ = ["render", "render_values"]


def render(tables: Sequence[Table]) -> str:
    """All tables, one after the other."""
    return "\n".join(_table(table) for table in tables)


def _table(table: Table) -> str:
    extras = [
        dict.fromkeys(key for row in table.rows for key in _extras(row.cells[i]))
        for i in range(len(table.columns))
    ]
    groups = any(row.group for row in table.rows)
    header = ["group"] if groups else []
    for column, keys in zip(table.columns, extras, strict=True):
        header += [column.name, *(f"{column.name}.{key}" for key in keys)]
    lines = [header]
    for row in table.rows:
        line = [row.group] if groups else []
        for cell, keys in zip(row.cells, extras, strict=True):
            found = _extras(cell)
            line += [_field(cell.value), *(_field(found.get(key)) for key in keys)]
        lines.append(line)
    return "".join("\t".join(line) + "\n" for line in lines)


def _extras(cell: Cell) -> dict[str, object]:
    found: dict[str, object] = {}
    if cell.interval is not None:
        found |= {"low": cell.interval[0], "high": cell.interval[1]}
    return found | dict(cell.details)


def _field(value: object) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else " ".join(str(value).split("\t"))


def render_values(tables: Sequence[Table]) -> str:
    """The bare numbers, for scripts: one line per row, exact, parted by tabs.

    Words (names of systems, documents) are left out; an undefined number is ``nan``.
    """
    rows = [_numbers(row.cells, table) for table in tables for row in table.rows]
    return "".join("\t".join(row) + "\n" for row in rows)


def _numbers(cells: Sequence[Cell], table: Table) -> list[str]:
    return [
        "nan" if cell.value is None else repr(cell.value)
        for cell, column in zip(cells, table.columns, strict=True)
        if column.align == "right" and not isinstance(cell.value, str)
    ]
