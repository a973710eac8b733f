"""Correlations between metric and human scores, over vectors or row by row with gaps.

Scores that nobody gave are NaN and left out, pair by pair. A correlation that does not
exist (fewer than two values, or all the same) is NaN, never zero.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray

__all__ = ["kendall", "pearson", "rank", "spearman", "williams"]


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Pearson's r along the last axis, ignoring places where either is NaN."""
    a, b = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    here = ~(np.isnan(a) | np.isnan(b))
    size = here.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        a = np.where(here, a - np.where(here, a, 0.0).sum(-1, keepdims=True) / size, 0.0)
        b = np.where(here, b - np.where(here, b, 0.0).sum(-1, keepdims=True) / size, 0.0)
        # Scaling by the largest deviation keeps squares of tiny or huge scores in range.
        a_top, b_top = np.abs(a).max(-1, keepdims=True), np.abs(b).max(-1, keepdims=True)
        flat = _constant(x, here) | _constant(y, here)
        a, b = a / a_top, b / b_top
        result = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
        return np.asarray(np.where(flat, np.nan, np.clip(result, -1.0, 1.0)))


def _constant(x: npt.ArrayLike, here: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    values = np.broadcast_to(np.asarray(x, dtype=np.float64), here.shape)
    low = np.where(here, values, np.inf).min(-1)
    high = np.where(here, values, -np.inf).max(-1)
    return np.asarray(~(low < high))


def rank(x: npt.ArrayLike) -> FloatArray:
    """Ranks along the last axis, ties sharing their mean; NaN stays NaN."""
    from scipy.stats import rankdata

    values = np.asarray(x, dtype=np.float64)
    gaps = np.isnan(values)
    # NaNs rank last, so the other ranks are what they would be without them.
    ranks = np.asarray(rankdata(np.where(gaps, np.inf, values), axis=-1), dtype=np.float64)
    return np.where(gaps, np.nan, ranks)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Spearman's ρ along the last axis: Pearson's r of the ranks."""
    a, b = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    gaps = np.isnan(a) | np.isnan(b)
    return pearson(rank(np.where(gaps, np.nan, a)), rank(np.where(gaps, np.nan, b)))


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Kendall's τ-b of two vectors in O(n log n), over all pairs of their places."""
    from scipy.stats import kendalltau

    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    here = ~(np.isnan(a) | np.isnan(b))
    a, b = a[here], b[here]
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    return float(kendalltau(a, b).statistic)


def williams(human_first: float, human_second: float, between: float, size: int) -> float:
    """Williams' test that the first metric correlates better: the one-sided p-value.

    The three numbers are the correlations of each metric with the human scores and of the
    metrics with each other, all over the same ``size`` items. Two metrics that are each
    other's copy differ in nothing: p is .5.
    """
    from scipy.stats import t as student

    if size < 4:
        raise ValueError("Williams' test needs at least four items")
    if between >= 1.0 and human_first == human_second:
        return 0.5
    r1, r2, r12 = human_first, human_second, between
    k = 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12
    spread = 2 * k * (size - 1) / (size - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3
    if spread <= 0:
        return 0.5 if r1 == r2 else float(r1 < r2)
    statistic = (r1 - r2) * np.sqrt((size - 1) * (1 + r12) / spread)
    return float(student.sf(statistic, size - 3))
