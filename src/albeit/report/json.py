"""JSON: an object a table (or a list of them), with exact numbers.

``rows`` holds one object a row, keyed by column name. A cell with an interval, marks or
details is an object itself (``value``, ``low``, ``high``, ``marks``, …), else its plain
value. An undefined number is ``null``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from albeit.report.table import Cell, Table

__all__ = ["render"]


def render(tables: Sequence[Table]) -> str:
    """One object for one table, a list for several."""
    made = [_table(table) for table in tables]
    return json.dumps(
        made[0] if len(made) == 1 else made, ensure_ascii=False, indent=2, allow_nan=False
    )


def _table(table: Table) -> dict[str, object]:
    found: dict[str, object] = {}
    if table.caption:
        found["caption"] = table.caption
    found |= {key: _plain(value) for key, value in table.meta.items()}
    rows: list[dict[str, object]] = []
    for row in table.rows:
        made: dict[str, object] = {"group": row.group} if row.group else {}
        made |= {c.name: _cell(v) for c, v in zip(table.columns, row.cells, strict=True)}
        rows.append(made)
    found["rows"] = rows
    if table.notes:
        found["notes"] = list(table.notes)
    return found


def _cell(cell: Cell) -> object:
    details: dict[str, object] = {}
    if cell.interval is not None:
        details |= {"low": _plain(cell.interval[0]), "high": _plain(cell.interval[1])}
    if cell.marks:
        details["marks"] = cell.marks
    details |= {key: _plain(value) for key, value in cell.details.items()}
    return {"value": _plain(cell.value)} | details if details else _plain(cell.value)


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
