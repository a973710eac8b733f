"""Uniform combination: the mean of normalised metrics, each with the same weight.

Metrics are put on one scale over the data at hand, as in the papers' tables, so that a score depends
on what else is scored; a tuned model carries the constants of its training data instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.levels import Level
from albeit.errors import MetricError
from albeit.metaeval.task import oriented
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable


def min_max(scores: FloatArray, name: str = "the metric") -> FloatArray:
    """Scores stretched to [0, 1] over everything given; a constant metric is an error."""
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    if low == high:
        raise MetricError(f"{name} is constant ({low:g}), so it cannot be normalised.")
    return np.asarray((scores - low) / (high - low))


def share_of_maximum(scores: FloatArray, name: str = "the metric") -> FloatArray:
    """ASIYA's ULC scaling: score / maximum, after a shift to zero where scores go below it."""
    shifted = scores - min(0.0, float(np.nanmin(scores)))
    top = float(np.nanmax(shifted))
    if top == 0.0:
        raise MetricError(f"{name} is zero everywhere, so it cannot be normalised.")
    return np.asarray(shifted / top)


_SCALINGS: dict[str, Callable[[FloatArray, str], FloatArray]] = {
    "min-max": min_max,
    "ulc": share_of_maximum,
}


def uniform(
    table: ScoreTable, metrics: Sequence[str], *, name: str | None = None, scaling: str = "min-max"
) -> Column:
    """The mean of these columns, normalised at every level over the table's scores.

    Error metrics are negated first. Systems are combined from system scores, documents and segments
    from theirs; a level that one metric lacks, the combination lacks.

    :param table: scores of all the metrics
    :param metrics: which are combined; one that is named twice counts twice
    :param name: what the combination is called
    :param scaling: ``min-max`` or ``ulc`` (ASIYA's share of the maximum)

    >>> import albeit
    >>> from albeit.combine import uniform
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf", "ter"])
    >>> table.systems[uniform(table, ["chrf", "ter"]).system.argmax()]
    'careful'
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
