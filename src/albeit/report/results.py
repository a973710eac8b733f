"""Results that ``albeit score -f json`` wrote, read again as a table of scores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from albeit.corpus.evalset import Document
from albeit.corpus.levels import Unit
from albeit.corpus.textio import read_text
from albeit.errors import InputError
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, Confidence, ScoreTable

__all__ = ["read_results"]

_HINT = "It takes what 'albeit score -f json' prints, or a folder of 'albeit score --out'."


def read_results(path: str | Path) -> ScoreTable:
    """Scores of systems, with signatures and, where they were made, intervals."""
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}.", path=path, hint=_HINT) from None
    try:
        return _table(content)
    except InputError as error:
        raise InputError(str(error), path=path, hint=_HINT) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"does not hold the scores of systems ({error!r})."
        raise InputError(what, path=path, hint=_HINT) from None


def _table(content: Mapping[str, Any]) -> ScoreTable:
    rows, name, segments = content["rows"], str(content["name"]), int(content["segments"])
    if segments < 1:
        raise InputError(f"says that it has {segments} segments.")
    if any("segment" in row or "document" in row for row in rows):
        raise InputError("holds scores of documents or segments, which do not tell a system's.")
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
