"""Explanations of a run's segments on demand, in a process that loads the model once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from albeit.serve.job import evalset_of, metrics_of
from albeit.serve.runs import Run

__all__ = ["explain_segment"]


@lru_cache(maxsize=4)
def _loaded(folder: Path) -> tuple[Any, list[Any]]:
    request = Run(folder).request
    return evalset_of(request), metrics_of(request)


def explain_segment(folder: Path, number: int) -> dict[str, list[Any]]:
    """Metric to one view a system, as JSON, for a segment counted from 1."""
    from albeit.errors import InputError
    from albeit.report.page.build import explained

    evalset, metrics = _loaded(folder)
    if not 1 <= number <= len(evalset):
        raise InputError(f"there is no segment {number}: the set has {len(evalset)}.")
    return explained(evalset, metrics, [number - 1])[number - 1]
