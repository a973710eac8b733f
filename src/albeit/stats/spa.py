"""Soft pairwise accuracy (Thompson et al. 2024): agreement on how sure a difference is.

Plain accuracy asks whether metric and people order two systems alike. Here each side
gives a p-value that one system is better than the other, from a paired permutation test
over segments, and the score is one minus the mean difference of those p-values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray

__all__ = ["pairwise_p_values", "soft_pairwise_accuracy"]


_SLACK = 1e-9


def pairwise_p_values(
    scores: FloatArray, *, samples: int = 1000, rng: np.random.Generator
) -> FloatArray:
    """For every pair of rows i < j: how often exchanged segments put i as far above j.

    ``scores`` is (systems, segments); segments where either row is NaN do not count.
    """
    first, second = np.triu_indices(len(scores), k=1)
    difference = scores[first] - scores[second]
    difference = np.where(np.isnan(difference), 0.0, difference)
    signs = rng.integers(0, 2, size=(samples, scores.shape[1]), dtype=np.int8) * 2.0 - 1.0
    null = signs @ difference.T
    observed = difference.sum(axis=1)
    slack = _SLACK * np.abs(difference).sum(axis=1)
    return np.asarray((null >= observed - slack).mean(axis=0))


def soft_pairwise_accuracy(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    samples: int = 1000,
    rng: np.random.Generator,
) -> float:
    """1 − mean |p_metric − p_human| over all pairs of systems, on the segments people judged."""
    people = np.asarray(human, dtype=np.float64)
    scores = np.where(np.isnan(people), np.nan, np.asarray(metric, dtype=np.float64))
    if len(people) < 2:
        raise ValueError("soft pairwise accuracy needs at least two systems")
    seed = int(rng.integers(2**63))
    p_human = pairwise_p_values(people, samples=samples, rng=np.random.default_rng(seed))
    p_metric = pairwise_p_values(scores, samples=samples, rng=np.random.default_rng(seed))
    return float(1.0 - np.abs(p_metric - p_human).mean())
