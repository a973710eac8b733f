"""Every pair of systems tested by every metric, from one bootstrap: p-values, clusters, intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.metrics.significance import FEW, resampled_rows
from albeit.metrics.table import ScoreTable
from albeit.stats.resample import (
    bootstrap_p_values,
    bootstrap_scores,
    percentile_interval,
    smallest_p_values,
)

__all__ = ["ALPHA", "RESAMPLES", "PairTests", "pair_tests"]

ALPHA = 0.05
RESAMPLES = 1_000


@dataclass(frozen=True)
class PairTests:
    """One metric's systems against each other.

    ``p[i][j]`` is for system i against j. ``clusters`` numbers groups of systems from the
    best: a system stands in the cluster of the best one that it is not significantly below.
    """

    p: list[list[float | None]]
    clusters: list[int]
    intervals: list[tuple[float, float]]
    how: str


def pair_tests(table: ScoreTable, seed: int) -> dict[str, PairTests]:
    """For every metric that ran here and has two rows or more to resample."""
    found = {}
    for name, column in table.columns.items():
        if column.statistics is None or column.statistics.shape[1] < 2:
            continue
        metric, rows, unit = resampled_rows(table, column, None)
        samples = bootstrap_scores(rows, metric.score, resamples=RESAMPLES, seed=seed)
        ends = percentile_interval(samples, 0.95)
        p = [
            np.maximum(bootstrap_p_values(samples, column.system, i), smallest_p_values(rows, i))
            for i in range(len(table.systems))
        ]
        values = [[None if np.isnan(v) else round(float(v), 4) for v in row] for row in p]
        scores = column.system if column.higher_is_better else -column.system
        how = f"bootstrap, {RESAMPLES:,} resamples over {rows.shape[1]:,} {unit}s, seed {seed}"
        if rows.shape[1] < FEW:
            how += "; so few say little, and a difference that is not shown may be there"
        found[name] = PairTests(
            values,
            _clusters(scores, values),
            [(float(low), float(high)) for low, high in ends],
            how,
        )
    return found


def _clusters(scores: FloatArray, p: list[list[float | None]]) -> list[int]:
    order = np.argsort(-scores, kind="stable")
    clusters = [0] * len(order)
    number, first = 1, int(order[0])
    for at in map(int, order):
        against = p[at][first]
        if at != first and against is not None and against < ALPHA:
            number, first = number + 1, at
        clusters[at] = number
    return clusters
