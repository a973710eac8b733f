"""Correlations with human judgments: concordance of pairs, ties, and permutation tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray

__all__ = [
    "BOTH_TIED",
    "CONCORDANT",
    "DISCORDANT",
    "HUMAN_TIED",
    "METRIC_TIED",
    "PAIRWISE",
    "Calibration",
    "Exchange",
    "Null",
    "Statistic",
    "accuracy",
    "accuracy_with_ties",
    "calibrate_ties",
    "categories",
    "count_by",
    "kendall",
    "p_value",
    "pair_permutation",
    "pairwise_p_values",
    "pearson",
    "permutation",
    "rank",
    "soft_pairwise_accuracy",
    "spearman",
    "standardise",
    "tau_b",
    "tau_wmt12",
    "tau_wmt13",
    "tau_wmt14",
    "tied_difference",
    "williams",
]


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


CONCORDANT, DISCORDANT, METRIC_TIED, HUMAN_TIED, BOTH_TIED = range(5)


def categories(difference: npt.ArrayLike, preference: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """The category of each pair: the metric's score difference against the human preference.

    ``difference`` is left minus right (higher better), ``preference`` 1, 0 or −1. A
    difference that is NaN has no category: it is an error to compare what was not scored.
    """
    metric = np.sign(np.asarray(difference, dtype=np.float64))
    human = np.asarray(preference)
    if np.isnan(metric).any():
        raise ValueError("a score difference is NaN")
    agreed = metric * human
    result = np.full(metric.shape, HUMAN_TIED, dtype=np.int8)
    result[agreed > 0] = CONCORDANT
    result[agreed < 0] = DISCORDANT
    result[(metric == 0) & (human != 0)] = METRIC_TIED
    result[(metric == 0) & (human == 0)] = BOTH_TIED
    return result


def count_by(category: npt.NDArray[np.int8], unit: npt.ArrayLike, units: int) -> FloatArray:
    """Counts of the five categories within each unit (segment, document): (units, 5)."""
    place = np.asarray(unit, dtype=np.int64) * 5 + category
    return np.bincount(place, minlength=units * 5).reshape(units, 5).astype(np.float64)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(numerator / denominator)


def tau_wmt12(counts: FloatArray) -> FloatArray:
    """Kendall's τ as WMT12: a metric's tie is discordant; human ties do not count."""
    c, d, t = counts[..., CONCORDANT], counts[..., DISCORDANT], counts[..., METRIC_TIED]
    return _ratio(c - d - t, c + d + t)


def tau_wmt13(counts: FloatArray) -> FloatArray:
    """Kendall's τ as WMT13: a metric's ties are dropped."""
    c, d = counts[..., CONCORDANT], counts[..., DISCORDANT]
    return _ratio(c - d, c + d)


def tau_wmt14(counts: FloatArray) -> FloatArray:
    """Kendall's τ as WMT14: a metric's ties count in the denominator only."""
    c, d, t = counts[..., CONCORDANT], counts[..., DISCORDANT], counts[..., METRIC_TIED]
    return _ratio(c - d, c + d + t)


def tau_b(counts: FloatArray) -> FloatArray:
    """Kendall's τ-b over the pairs: ties on one side shrink that side's share."""
    c, d = counts[..., CONCORDANT], counts[..., DISCORDANT]
    untied_metric = c + d + counts[..., HUMAN_TIED]
    untied_human = c + d + counts[..., METRIC_TIED]
    return _ratio(c - d, np.sqrt(untied_metric * untied_human))


def accuracy(counts: FloatArray) -> FloatArray:
    """Share of the pairs decided by people that the metric orders alike."""
    c, d, t = counts[..., CONCORDANT], counts[..., DISCORDANT], counts[..., METRIC_TIED]
    return _ratio(c, c + d + t)


def accuracy_with_ties(counts: FloatArray) -> FloatArray:
    """Share of all pairs, ties included, on which metric and people say the same."""
    return _ratio(counts[..., CONCORDANT] + counts[..., BOTH_TIED], counts.sum(axis=-1))


Statistic = Callable[[FloatArray], FloatArray]
"""Counts (..., 5) to values (...)."""

PAIRWISE: Mapping[str, Statistic] = MappingProxyType(
    {
        "tau-wmt12": tau_wmt12,
        "tau-wmt13": tau_wmt13,
        "tau-wmt14": tau_wmt14,
        "tau-b": tau_b,
        "accuracy": accuracy,
        "accuracy-ties": accuracy_with_ties,
    }
)
"""Pairwise statistics by name."""


@dataclass(frozen=True)
class Calibration:
    """The threshold found and the accuracy it gives."""

    epsilon: float
    accuracy: float


def calibrate_ties(
    difference: npt.ArrayLike, preference: npt.ArrayLike, weight: npt.ArrayLike | None = None
) -> Calibration:
    """The best ε over all pairs, exactly: every distinct difference is tried.

    ``weight`` gives each pair its share: 1 / (pairs of its item) averages accuracies
    item by item, equal weights pool all pairs. The smallest of equally good thresholds wins.
    """
    gap = np.asarray(difference, dtype=np.float64)
    human = np.asarray(preference, dtype=np.float64)
    if gap.size == 0:
        raise ValueError("there are no pairs to calibrate on")
    share = np.ones_like(gap) if weight is None else np.asarray(weight, dtype=np.float64)
    size = np.abs(gap)
    order = np.argsort(size, kind="stable")
    size = size[order]
    concordant = np.where(gap * human > 0, share, 0.0)[order]
    tied = np.where(human == 0, share, 0.0)[order]
    # With ε at the k-th smallest size, the first k pairs are ties and the rest are decided.
    right = np.concatenate([[0.0], np.cumsum(tied)])
    right += concordant.sum() - np.concatenate([[0.0], np.cumsum(concordant)])
    last = np.flatnonzero(np.append(size[1:] != size[:-1], True)) + 1
    candidates = last if size[0] == 0 else np.concatenate([[0], last])
    best = candidates[int(np.argmax(right[candidates]))]
    epsilon = float(size[best - 1]) if best else 0.0
    return Calibration(epsilon, float(right[best] / share.sum()))


def tied_difference(difference: npt.ArrayLike, epsilon: float) -> FloatArray:
    """Differences with those of at most ``epsilon`` set to zero."""
    gap = np.asarray(difference, dtype=np.float64)
    return np.where(np.abs(gap) <= epsilon, 0.0, gap)


Exchange = Literal["input", "system", "both"]

_SLACK = 1e-12
"""Rounding of equal sums must not make an exchange look smaller than the observation."""


@dataclass(frozen=True, eq=False)
class Null:
    """The observed difference of two metrics, and the differences after exchanges."""

    observed: float
    exchanged: FloatArray

    @property
    def p_value(self) -> float:
        """How often chance alone gives the first metric such a lead."""
        return p_value([self])


def p_value(tests: Sequence[Null]) -> float:
    """The p-value of the mean difference over several test sets, exchanged independently."""
    observed = float(np.mean([test.observed for test in tests]))
    exchanged = np.mean([test.exchanged for test in tests], axis=0)
    reached = int((exchanged >= observed - _SLACK).sum())
    return (1 + reached) / (len(exchanged) + 1)


def standardise(scores: npt.ArrayLike) -> FloatArray:
    """Scores with mean 0 and deviation 1 over all that are not NaN; a constant becomes 0."""
    values = np.asarray(scores, dtype=np.float64)
    spread = np.nanstd(values)
    centred = values - np.nanmean(values)
    return np.asarray(centred / spread if spread > 0 else centred)


def permutation(
    statistic: Callable[[FloatArray], float],
    first: FloatArray,
    second: FloatArray,
    *,
    exchange: Exchange = "both",
    samples: int = 1000,
    rng: np.random.Generator,
) -> Null:
    """Exchanges for any ``statistic`` of a score matrix: is the first metric's above the other's?

    Scores have shape (systems, inputs) and should be standardised.
    """
    systems, inputs = first.shape
    shape = {"input": (1, inputs), "system": (systems, 1), "both": (systems, inputs)}[exchange]
    observed = statistic(first) - statistic(second)
    exchanged = np.empty(samples)
    for sample in range(samples):
        swap = rng.integers(0, 2, size=shape, dtype=np.uint8).astype(bool)
        x, y = np.where(swap, second, first), np.where(swap, first, second)
        exchanged[sample] = statistic(x) - statistic(y)
    return Null(observed, exchanged)


def pair_permutation(
    statistic: Callable[[FloatArray], FloatArray],
    first: FloatArray,
    second: FloatArray,
    segment: IntArray,
    left: IntArray,
    right: IntArray,
    preference: IntArray,
    *,
    exchange: Exchange = "input",
    samples: int = 1000,
    rng: np.random.Generator,
) -> Null:
    """The same for a statistic of pair counts, fast enough for millions of pairs.

    A pair's category depends only on which metric scores its left and which its right
    side: four cases, worked out once. An exchange then adds up table entries.
    """
    systems, inputs = first.shape
    sides = [
        (a[left, segment], b[right, segment]) for a in (first, second) for b in (first, second)
    ]
    cases = np.stack([categories(a - b, preference) for a, b in sides], axis=1)
    kept, swapped = count_by(cases[:, 0], segment, inputs), count_by(cases[:, 3], segment, inputs)
    total = kept.sum(axis=0) + swapped.sum(axis=0)
    observed = float(statistic(kept.sum(axis=0)) - statistic(swapped.sum(axis=0)))
    if exchange == "input":
        swap = rng.integers(0, 2, size=(samples, inputs), dtype=np.uint8).astype(np.float64)
        x = kept.sum(axis=0) + swap @ (swapped - kept)
        y = total - x
    elif exchange == "system":
        x, y = _exchange_systems(cases, left, right, systems, samples, rng)
    else:
        x, y = _exchange_both(cases, segment, left, right, first.shape, samples, rng)
    return Null(observed, np.asarray(statistic(x) - statistic(y)))


def _exchange_systems(
    cases: npt.NDArray[np.int8],
    left: IntArray,
    right: IntArray,
    systems: int,
    samples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    couple = left * systems + right
    table = np.stack([count_by(cases[:, k], couple, systems**2) for k in range(4)], axis=1)
    used = np.flatnonzero(table.sum(axis=(1, 2)))
    swap = rng.integers(0, 2, size=(samples, systems))
    case = swap[:, used // systems] * 2 + swap[:, used % systems]
    x = table[used, case].sum(axis=1)
    return x, table[used, 3 - case].sum(axis=1)


def _exchange_both(
    cases: npt.NDArray[np.int8],
    segment: IntArray,
    left: IntArray,
    right: IntArray,
    shape: tuple[int, int],
    samples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    from albeit.stats._exchange import count_cases

    order = np.argsort(segment, kind="stable")
    systems, inputs = shape
    left_cell = (segment * systems + left)[order].astype(np.int32)
    right_cell = (segment * systems + right)[order].astype(np.int32)
    cases = np.ascontiguousarray(cases[order])
    x, y = np.zeros((samples, 5)), np.zeros((samples, 5))
    for sample in range(samples):
        swap = rng.integers(0, 2, size=systems * inputs, dtype=np.uint8)
        count_cases(cases, left_cell, right_cell, swap, x[sample], y[sample])
    return x, y


_ROUNDING = 1e-9


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
    slack = _ROUNDING * np.abs(difference).sum(axis=1)
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
