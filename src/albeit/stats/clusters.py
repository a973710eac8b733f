"""Significance clusters: metrics that cannot be told apart share a rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

__all__ = ["significance_clusters"]


def significance_clusters(
    values: Sequence[float],
    p_value: Callable[[int, int], float],
    *,
    alpha: float = 0.05,
) -> list[int]:
    """The cluster (1 is best) of every metric; NaN values get 0, no cluster.

    Going down the ranking, a metric opens a new cluster when every member of the current
    one is significantly better: ``p_value(better, worse)`` < ``alpha``.
    """
    order = [int(i) for i in np.argsort(-np.asarray(values), kind="stable")]
    order = [i for i in order if not np.isnan(values[i])]
    clusters = [0] * len(values)
    current: list[int] = []
    number = 0
    for metric in order:
        if not current or all(p_value(member, metric) < alpha for member in current):
            number += 1
            current = []
        current.append(metric)
        clusters[metric] = number
    return clusters
