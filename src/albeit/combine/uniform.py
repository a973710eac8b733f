"""Uniform combination: the mean of normalised metrics, each with the same weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from albeit.arrays import FloatArray
from albeit.combine.normalise import min_max, share_of_maximum
from albeit.corpus.levels import Level
from albeit.errors import MetricError
from albeit.judged.task import oriented
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, ScoreTable

__all__ = ["uniform"]


_SCALINGS: dict[str, Callable[[FloatArray, str], FloatArray]] = {
    "min-max": min_max,
    "ulc": share_of_maximum,
}


def uniform(
    table: ScoreTable, metrics: Sequence[str], *, name: str | None = None, scaling: str = "min-max"
) -> Column:
    """The mean of these columns, normalised at every level over the table's scores.

    A metric named twice counts twice. Error metrics are negated first. Systems are
    combined from system scores, documents and segments from theirs; a level that one
    metric lacks, the combination lacks. ``scaling`` is ``min-max`` or ``ulc`` (ASIYA's
    share of the maximum).
    """
    if not metrics:
        raise MetricError("a combination needs at least one metric.")
    if scaling not in _SCALINGS:
        raise MetricError(f"unknown scaling {scaling!r}; there are {', '.join(_SCALINGS)}.")
    columns = [table[metric] for metric in metrics]

    def combined(level: Level) -> FloatArray | None:
        if any(getattr(column, level) is None for column in columns):
            return None
        scaled = [_SCALINGS[scaling](oriented(c, level), c.name) for c in columns]
        return np.asarray(np.mean(scaled, axis=0))

    system = combined("system")
    if system is None:
        raise MetricError("a metric of the combination has no system scores.")
    inside = "+".join(metrics)
    return Column(
        name or f"uniform({inside})",
        Signature("uniform", (("metrics", inside), ("scaling", scaling))),
        True,
        system,
        combined("document"),
        combined("segment"),
    )
