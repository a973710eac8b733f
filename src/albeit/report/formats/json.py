"""JSON: an object a table (or a list of them), with exact numbers; and scores read back from it.

``rows`` holds one object per row, keyed by column name. A cell with an interval, marks or
details is an object itself (``value``, ``low``, ``high``, ``marks``, …), else its plain
value. An undefined number is ``null``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from albeit.data.evalset import Document
from albeit.data.levels import Unit
from albeit.data.textio import read_text
from albeit.errors import InputError
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, Confidence, ScoreTable
from albeit.report.table import Cell, Table

__all__ = ["read_results", "render"]


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


_HINT = "It takes what 'albeit score -f json' prints, or a folder of 'albeit score --out'."


def read_results(path: str | Path) -> ScoreTable:
    """Scores of systems, with signatures and, where they were made, intervals."""
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}.", path=path, hint=_HINT) from None
    try:
        return _score_table(content)
    except InputError as error:
        raise InputError(str(error), path=path, hint=_HINT) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"does not hold the scores of systems ({error!r})."
        raise InputError(what, path=path, hint=_HINT) from None


def _score_table(content: Mapping[str, Any]) -> ScoreTable:
    rows, name, segments = content["rows"], str(content["name"]), int(content["segments"])
    if segments < 1:
        raise InputError(f"says that it has {segments} segments.")
    if any("segment" in row or "document" in row for row in rows):
        raise InputError(
            "holds scores of documents or segments, from which a system's do not follow."
        )
    columns = {
        metric: _column(metric, str(signature), [row[metric] for row in rows], content)
        for metric, signature in content["signatures"].items()
    }
    if not rows or not columns:
        raise InputError("holds no scores.")
    return ScoreTable(
        tuple(str(row["system"]) for row in rows),
        (Document(name, 0, segments),),
        columns,
        name,
        (content["source_lang"], content["target_lang"]),
        has_documents=False,
    )


def _column(name: str, signature: str, cells: list[Any], content: Mapping[str, Any]) -> Column:
    values = [cell["value"] if isinstance(cell, dict) else cell for cell in cells]
    made = content.get("confidence", {}).get(name)
    ends = [[cell["low"], cell["high"]] for cell in cells] if made else None
    return Column(
        name,
        Signature(signature, version=""),
        name not in content["lower_is_better"],
        _numbers(values),
        metric=None,
        intervals=None if ends is None else _numbers(ends),
        confidence=made
        and Confidence(made["level"], made["resamples"], made["seed"], Unit(made["unit"])),
    )


def _numbers(values: list[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)  # null is no number
