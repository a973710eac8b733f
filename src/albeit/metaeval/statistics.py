"""Agreement with human judgments as a number, and tests whether two metrics differ in it.

Rank correlations, statistics of pairs, calibrated ties (Deutsch et al. 2023), soft pairwise
accuracy (Thompson et al. 2024) with our own draws or mt-metrics-eval's, Williams' test, and
permutation tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import BoolArray, FloatArray, Floats32, IntArray
from albeit.metrics.base import ratio
from albeit.stats import categories, count_by, pearson, tau_wmt14

Statistic = Callable[[FloatArray], FloatArray]
"""Counts of pairs (..., 5) to values (...)."""
Exchange = Literal["input", "system", "both"]
Cases = npt.NDArray[np.int8]
Sides = tuple[IntArray, IntArray, IntArray]
"""The segment, left system, and right system of each pair."""

SOFT = ("spa", "spa-mtme")
"""Statistics of this module; the second one has mt-metrics-eval's draws."""
DRAWS = 1000
_MTME_SEED = 4
_ROUNDING = 1e-9
"""Rounding of equal sums must not make an exchange look smaller than the observation."""

_SLACK = 1e-12
"""Rounding of equal sums must not make an exchange look smaller than the observation."""


def rank(x: npt.ArrayLike) -> FloatArray:
    """Rank along the last axis; ties share their mean, NaN stays NaN."""
    from scipy.stats import rankdata

    values = np.asarray(x, dtype=np.float64)
    gaps = np.isnan(values)
    # NaNs rank last, so the other ranks are what they would be without them.
    ranks = np.asarray(rankdata(np.where(gaps, np.inf, values), axis=-1), dtype=np.float64)
    return np.where(gaps, np.nan, ranks)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Return Spearman's ρ along the last axis: Pearson's r of the ranks."""
    a, b = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    gaps = np.isnan(a) | np.isnan(b)
    return pearson(rank(np.where(gaps, np.nan, a)), rank(np.where(gaps, np.nan, b)))


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Kendall's τ-b of two vectors, over all pairs of their places."""
    from scipy.stats import kendalltau

    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    here = ~(np.isnan(a) | np.isnan(b))
    a, b = a[here], b[here]
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    return float(kendalltau(a, b).statistic)


def best_mcc(scores: npt.ArrayLike, free: npt.ArrayLike) -> float:
    """Return Matthews' correlation of error-free texts with those that score high enough.

    ``free`` is 1 or 0, NaN if unknown. The best threshold of the scores is used.
    """
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(free, dtype=np.float64)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    order = np.argsort(-x, kind="stable")
    last = np.append(np.flatnonzero(np.diff(x[order])), len(x) - 1)
    hits = np.cumsum(y[order])[last]
    taken, positive, size = last + 1.0, y.sum(), float(len(y))
    below = taken * (size - taken) * positive * (size - positive)
    if not below.any():
        return float("nan")
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (hits * size - taken * positive) / np.sqrt(below)
    return float(np.nanmax(np.where(below > 0, values, np.nan)))


def williams(human_first: float, human_second: float, between: float, size: int) -> float:
    """Return the one-sided p-value of Williams' test that the first metric correlates better.

    The three numbers are the correlations of each metric with the human scores and of the metrics
    with each other, all over the same ``size`` items. Two identical metrics have p = .5.
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


def _share(above: Sequence[int], below: Sequence[int]) -> Statistic:
    """Return a statistic: weighted counts, divided by other ones."""
    return lambda counts: ratio(counts @ np.array(above), counts @ np.array(below))


def _tau_b(counts: FloatArray) -> FloatArray:
    """Let ties of one side shrink that side's share."""
    concordant, discordant, metric_tied, human_tied = np.moveaxis(counts[..., :4], -1, 0)
    decided = concordant + discordant
    below = np.sqrt((decided + human_tied) * (decided + metric_tied))
    return ratio(concordant - discordant, below)


accuracy = _share([1, 0, 0, 0, 0], [1, 1, 1, 0, 0])
"""The share of the pairs decided by humans that the metric orders alike."""
PAIRWISE: Mapping[str, Statistic] = {
    "tau-wmt12": _share([1, -1, -1, 0, 0], [1, 1, 1, 0, 0]),
    "tau-wmt13": _share([1, -1, 0, 0, 0], [1, 1, 0, 0, 0]),
    "tau-wmt14": tau_wmt14,
    "tau-b": _tau_b,
    "accuracy": accuracy,
    "accuracy-ties": _share([1, 0, 0, 0, 1], [1, 1, 1, 1, 1]),
}
"""Pairwise statistics by name, of counts of concordant and discordant pairs, and of pairs that the
metric, humans, or both tied. WMT12 takes a metric's tie as discordant, WMT13 drops it."""


def calibrate_ties(
    difference: npt.ArrayLike, preference: npt.ArrayLike, weight: npt.ArrayLike | None = None
) -> tuple[float, float]:
    """Return the best threshold ε over all pairs, and its accuracy; every difference is tried.

    ``weight`` gives each pair its share: 1 / (pairs of its item) averages accuracies per item,
    equal weights pool all pairs. The smallest of equally good thresholds wins.
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
    return epsilon, float(right[best] / share.sum())


def tied_difference(difference: npt.ArrayLike, epsilon: float) -> FloatArray:
    """Return differences with those of at most ``epsilon`` set to zero."""
    gap = np.asarray(difference, dtype=np.float64)
    return np.where(np.abs(gap) <= epsilon, 0.0, gap)


def draw_signs(samples: int, segments: int, rng: np.random.Generator) -> FloatArray:
    """Return random signs: (samples, segments)."""
    return np.asarray(rng.integers(0, 2, (samples, segments), dtype=np.int8) * 2.0 - 1.0, float)


def mtme_signs(segments: int) -> Floats32:
    """Return the signs that mt-metrics-eval draws: 1,000, by its seed, in single precision."""
    drawn = np.random.default_rng(_MTME_SEED).random((DRAWS, segments), dtype=np.float32)
    return np.rint(drawn) * np.float32(2) - np.float32(1)


def pairwise_p_values(scores: FloatArray, signs: FloatArray | Floats32) -> FloatArray:
    """Return for every pair of rows i < j how often exchanged segments put i as far above j.

    ``scores`` is (systems, segments); segments where either row is NaN don't count. Signs in single
    precision are mt-metrics-eval's, and sums are computed as there.
    """
    first, second = np.triu_indices(len(scores), k=1)
    if signs.dtype == np.float32:
        single = np.ascontiguousarray(scores, dtype=np.float32)  # sums depend on the layout
        sums, parts = single.sum(axis=1), signs @ single.T
        reached = parts[:, first] - parts[:, second] >= sums[first] - sums[second]
        return np.asarray(reached.mean(axis=0))
    difference = scores[first] - scores[second]
    if np.isnan(difference).any():
        difference = np.where(np.isnan(difference), 0.0, difference)
        null = signs @ difference.T
    else:
        parts = signs @ scores.T
        null = parts[:, first] - parts[:, second]
    observed = difference.sum(axis=1)
    slack = _ROUNDING * np.abs(difference).sum(axis=1)
    return np.asarray((null >= observed - slack).mean(axis=0))


@dataclass(frozen=True, eq=False)
class SoftAccuracy:
    """Soft pairwise accuracy against given human scores (systems, segments); NaN is unjudged.

    :param human: human scores
    :param mtme: whether to draw as mt-metrics-eval, on the segments judged for all systems
    :param seed: the seed of our own draws
    """

    human: FloatArray
    mtme: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.human) < 2:
            raise ValueError("soft pairwise accuracy needs at least two systems")

    @cached_property
    def _judged(self) -> BoolArray:
        return np.asarray(~np.isnan(self.human))

    @cached_property
    def _used(self) -> BoolArray:
        """Which segments count."""
        return np.asarray(self._judged.all(axis=0) | (not self.mtme))

    @cached_property
    def _signs(self) -> FloatArray | Floats32:
        if self.mtme:
            return mtme_signs(int(self._used.sum()))
        return draw_signs(DRAWS, len(self._used), np.random.default_rng(self.seed))

    @cached_property
    def _human_p(self) -> FloatArray:
        return pairwise_p_values(self.human[:, self._used], self._signs)

    def mask(self, scores: FloatArray) -> FloatArray:
        """Return the scores of judged translations, and NaN for all others."""
        return np.where(self._judged, scores, np.nan)

    def __call__(self, scores: FloatArray) -> float:
        """Return the accuracy of a metric's scores (systems, segments)."""
        p_metric = pairwise_p_values(self.mask(scores)[:, self._used], self._signs)
        return float(1.0 - np.abs(p_metric - self._human_p).mean())

    def resampled(self, scores: FloatArray, items: npt.NDArray[np.intp]) -> float:
        """Return the accuracy on these segments, each of which may occur several times."""
        drawn = SoftAccuracy(self.human[:, items], seed=self.seed)
        return drawn(scores[:, items])


class Null(NamedTuple):
    """The observed difference of two metrics, and the differences after exchanges."""

    observed: float
    exchanged: FloatArray


def p_value(tests: Sequence[Null]) -> float:
    """Return the p-value of the mean difference over test sets, exchanged independently."""
    observed = float(np.mean([test.observed for test in tests]))
    exchanged = np.mean([test.exchanged for test in tests], axis=0)
    reached = int((exchanged >= observed - _SLACK).sum())
    return (1 + reached) / (len(exchanged) + 1)


def standardise(scores: npt.ArrayLike) -> FloatArray:
    """Return scores with mean 0 and deviation 1 over all but NaN; a constant becomes 0."""
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
    """Exchange scores of two metrics, for any ``statistic`` of a score matrix.

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
    statistic: Statistic,
    first: FloatArray,
    second: FloatArray,
    pairs: Sides,
    preference: IntArray,
    *,
    exchange: Exchange = "input",
    samples: int = 1000,
    rng: np.random.Generator,
) -> Null:
    """Exchange scores for a statistic of pair counts, fast enough for millions of pairs.

    A pair's category depends only on which metric scores its left and which its right side: four
    cases, computed once.
    """
    segment, left, right = pairs
    inputs = first.shape[1]
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
    else:
        exchanged = _exchange_systems if exchange == "system" else _exchange_both
        x, y = exchanged(cases, pairs, first.shape, samples, rng)
    return Null(observed, np.asarray(statistic(x) - statistic(y)))


def outcome_permutation(gains: FloatArray, *, samples: int, rng: np.random.Generator) -> Null:
    """Exchange the outcomes of two metrics on each pair of translations (Deutsch et al. 2023).

    ``gains`` is what the first metric adds to its statistic on each pair, minus what the second
    adds. An exchange changes the sign of a gain, so gains of one size are drawn together.
    """
    sizes, counts = np.unique(np.abs(gains[gains != 0]), return_counts=True)
    kept = rng.binomial(counts, 0.5, size=(samples, len(counts)))
    return Null(float(gains.sum()), (2 * kept - counts) @ sizes)


def _exchange_systems(
    cases: Cases, pairs: Sides, shape: tuple[int, int], samples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    systems, _ = shape
    couple = pairs[1] * systems + pairs[2]
    table = np.stack([count_by(cases[:, k], couple, systems**2) for k in range(4)], axis=1)
    used = np.flatnonzero(table.sum(axis=(1, 2)))
    swap = rng.integers(0, 2, size=(samples, systems))
    case = swap[:, used // systems] * 2 + swap[:, used % systems]
    return table[used, case].sum(axis=1), table[used, 3 - case].sum(axis=1)


def _exchange_both(
    cases: Cases, pairs: Sides, shape: tuple[int, int], samples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    count = _compile_counter()
    systems, inputs = shape
    order = np.argsort(pairs[0], kind="stable")
    left, right = ((pairs[0] * systems + side)[order].astype(np.int32) for side in pairs[1:])
    cases = np.ascontiguousarray(cases[order])
    x, y = np.zeros((samples, 5)), np.zeros((samples, 5))
    for sample in range(samples):
        swap = rng.integers(0, 2, size=systems * inputs, dtype=np.uint8)
        count(cases, left, right, swap, x[sample], y[sample])
    return x, y


@cache
def _compile_counter() -> Callable[..., None]:
    from albeit.jit import jit  # Numba takes long to import

    return jit(_count_cases)


def _count_cases(cases, left, right, swap, x, y):  # type: ignore[no-untyped-def]
    """Add the categories of every pair to ``x``, and of the opposite exchange to ``y``."""
    for pair in range(len(left)):
        case = swap[left[pair]] * 2 + swap[right[pair]]
        x[cases[pair, case]] += 1.0
        y[cases[pair, 3 - case]] += 1.0
