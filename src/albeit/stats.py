"""Sums in a fixed order, resampling, significance, and correlations.

Rows are added in their order, so rows in several parts give the same bits as all at once. Means are
exact. All tests use the same level, seed, and correction, so the same data give the same answer in
all commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray

ALPHA = 0.05
"""Below this p-value, corrected if there are several tests, a difference is significant."""
DEFAULT_SEED = 12345
"""The seed of random choices unless a user gives another."""
TRIALS = 10_000
"""The number of trials of a paired randomisation test."""
CHUNK_CELLS = 1 << 21
"""The number of weights that are held at once (16 MiB)."""
TRIALS_AT_ONCE, ROWS_AT_ONCE = 1024, 2048
"""The number of exchanges that are held at once: as many."""

Bools = npt.NDArray[np.bool_]
ScoreFunction = Callable[[FloatArray], FloatArray]
"""From sums (..., k) to scores (...), vectorised."""


def weighted_mean(values: Iterable[float], weights: Iterable[float]) -> float:
    """Return the float nearest to the true mean; NaN if the weights sum to zero.

    Floats are fractions whose denominators are powers of two, so integers have their sums exactly.
    ``0.1 + 0.1 + 0.1`` in floats isn't three times 0.1; here its mean is 0.1.
    """
    parts = [
        (*float(value).as_integer_ratio(), *float(weight).as_integer_ratio())
        for value, weight in zip(values, weights, strict=True)
    ]
    common = max((below * of for _, below, _, of in parts), default=1)
    finest = max((of for *_, of in parts), default=1)
    total = sum(top * weight * (common // (below * of)) for top, below, weight, of in parts)
    below_it = sum(weight * (finest // of) for _, _, weight, of in parts)
    return total * finest / (below_it * common) if below_it else float("nan")


def group_means(
    values: FloatArray, group: IntArray, groups: int, weights: FloatArray | None = None
) -> FloatArray:
    """Return the mean of each group's values; NaN for a group without any."""
    means = np.full(groups, np.nan)
    weights = np.ones(len(values)) if weights is None else weights
    alone = (np.bincount(group, minlength=groups) == 1)[group] & (weights > 0)
    means[group[alone]] = values[alone]
    rest = np.flatnonzero(~alone)
    order = rest[np.argsort(group[rest], kind="stable")]
    numbers, starts = np.unique(group[order], return_index=True)
    for number, rows in zip(numbers, np.split(order, starts[1:]), strict=False):
        means[number] = weighted_mean(values[rows].tolist(), weights[rows].tolist())
    return means


def enough_trials(tests: int) -> int:
    """Return so many trials that the smallest p-value, corrected for all tests, is half the level.

    With n trials no p-value is below 1 / (n + 1): 10,000 are enough for 250 tests.
    """
    return max(TRIALS, int(np.ceil(2 * tests / ALPHA)))


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Correct p-values for the number of tests (Holm 1979); undefined ones stay undefined.

    The smallest of n is multiplied by n, the next by n - 1, and so on, and none becomes smaller
    than the one before. The probability of a single wrong claim among all stays below the level,
    however the tests depend on each other.
    """
    given = np.asarray(p_values, dtype=np.float64)
    flat = given.ravel()
    known = np.flatnonzero(~np.isnan(flat))
    order = known[np.argsort(flat[known], kind="stable")]
    times = np.arange(len(order), 0, -1)
    corrected = np.full(flat.shape, np.nan)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(flat[order] * times))
    return corrected.reshape(given.shape)


def significance_clusters(
    values: Sequence[float],
    p_value: Callable[[int, int], float],
    *,
    alpha: float = ALPHA,
    wmt: bool = False,
) -> list[int]:
    """Return the cluster (1 is best) of every system or metric; 0 for those with NaN.

    Going down the ranking, a new cluster begins when *every* member of the current one is
    significantly better. n items have n - 1 possible boundaries, so ``p_value(better, worse)`` must
    be below ``alpha`` / (n - 1). By the rule of the WMT metrics task, one better member is enough,
    and ``alpha`` isn't corrected.
    """
    order = [int(i) for i in np.argsort(-np.asarray(values), kind="stable")]
    order = [i for i in order if not np.isnan(values[i])]
    below = alpha if wmt else alpha / max(1, len(order) - 1)
    enough = any if wmt else all
    clusters = [0] * len(values)
    current: list[int] = []
    number = 0
    for item in order:
        if not current or enough(p_value(member, item) < below for member in current):
            number += 1
            current = []
        current.append(item)
        clusters[item] = number
    return clusters


def bootstrap_scores(
    statistics: FloatArray, score: ScoreFunction, *, resamples: int, seed: int = DEFAULT_SEED
) -> FloatArray:
    """Return scores of every system on the same bootstrap resamples: (resamples, systems)."""
    systems, rows, k = statistics.shape
    flat = _flatten(statistics)
    rng = np.random.default_rng(seed)
    at_once = max(1, CHUNK_CELLS // rows)
    scores = []
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        drawn = rng.integers(0, rows, size=(size, rows))
        drawn += np.arange(size)[:, None] * rows
        weights = np.bincount(drawn.ravel(), minlength=size * rows).reshape(size, rows)
        scores.append(score((weights.astype(np.float64) @ flat).reshape(-1, systems, k)))
    return np.concatenate(scores)


def percentile_interval(samples: FloatArray, level: float) -> FloatArray:
    """Return the central ``level`` of resampled scores (resamples, …) as (…, 2): low and high.

    Resamples whose score is undefined don't count. If all are undefined, so is the interval.
    """
    tail = (1 - level) / 2
    undefined = np.asarray(np.isnan(samples).all(axis=0))
    filled = np.where(undefined, 0.0, samples)
    low, high = np.nanquantile(filled, [tail, 1 - tail], axis=0)
    return np.where(undefined[..., None], np.nan, np.stack([low, high], axis=-1))


def interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Return the central ``level`` of resampled values without NaN; NaN if there is none."""
    if not np.size(values):
        return float("nan"), float("nan")
    low, high = percentile_interval(np.asarray(values, dtype=np.float64), level)
    return float(low), float(high)


def bootstrap_p_values(samples: FloatArray, observed: FloatArray, pairs: IntArray) -> FloatArray:
    """Return the paired bootstrap's p-value of each pair of systems.

    ``samples`` (resamples, systems) come from :func:`bootstrap_scores`, ``observed`` (systems,) are
    the scores on the whole set, ``pairs`` (n, 2) are rows of both. The statistic is that of Moses
    and sacrebleu: the size of the resampled difference minus its mean, against the size of the
    observed difference.
    """
    one, other = pairs.T
    differences = np.abs(samples[:, one] - samples[:, other])
    defined = ~np.isnan(differences)
    means = np.where(defined, differences, 0).sum(axis=0) / np.maximum(1, defined.sum(axis=0))
    reached = _count_reached(differences - means, observed, pairs)
    return _p_values(reached, len(samples), observed, pairs)


def smallest_p_values(statistics: FloatArray, pairs: IntArray) -> FloatArray:
    """Return the smallest two-sided p-value that the data allow each pair of systems.

    If both were the same, the *n* rows in which they differ could each be the other's: of the 2ⁿ
    ways, at least two (as it is, and all exchanged) give the observed difference. No test can do
    better, although a bootstrap over few rows may return less.
    """
    rows = [(statistics[i] != statistics[j]).any(axis=1).sum() for i, j in pairs]
    return np.asarray(np.minimum(1.0, np.exp2(1.0 - np.array(rows, dtype=np.float64))))


def randomisation_p_values(
    statistics: FloatArray,
    score: ScoreFunction,
    pairs: IntArray,
    *,
    trials: int,
    seed: int = DEFAULT_SEED,
) -> FloatArray:
    """Return the p-values of paired approximate randomisation, two-sided, of each pair.

    In every trial each row is exchanged with probability 1/2; a p-value is the share of trials
    whose difference is at least the observed one. All pairs have the same exchanges: exchanged rows
    are summed once per system, so many pairs cost little more than one, and a pair's p-value
    doesn't depend on the other pairs.
    """
    systems, _, k = statistics.shape
    totals = statistics.sum(axis=1)
    observed = score(totals)
    reached = np.zeros(len(pairs), dtype=np.int64)
    for sums in _exchanged_sums(_flatten(statistics), trials, seed):
        moved = sums.reshape(-1, systems, k)
        at_once = max(1, CHUNK_CELLS // (len(moved) * k))
        for start in range(0, len(pairs), at_once):
            block = pairs[start : start + at_once]
            one, other = block.T
            gained = moved[:, other] - moved[:, one]
            parted = np.abs(score(totals[one] + gained) - score(totals[other] - gained))
            reached[start : start + at_once] += _count_reached(parted, observed, block)
    return _p_values(reached, trials, observed, pairs)


def _count_reached(resampled: FloatArray, observed: FloatArray, pairs: IntArray) -> IntArray:
    """Count the resampled differences (resamples, pairs) that reach the observed one.

    One with an undefined score counts, so that it can't make a difference look surer. Ties count,
    up to rounding: equal systems have p = 1.
    """
    one, other = pairs.T
    size = np.maximum(np.abs(observed[one]), np.abs(observed[other]))
    least = np.abs(observed[one] - observed[other]) - 1e-12 * np.maximum(1, size)
    return np.asarray((~(resampled < least)).sum(axis=0))


def _p_values(reached: IntArray, count: int, observed: FloatArray, pairs: IntArray) -> FloatArray:
    """Return (c + 1) / (n + 1); undefined if one of the two scores is."""
    p_values = (reached + 1.0) / (count + 1)
    return np.where(np.isnan(observed[pairs]).any(axis=1), np.nan, p_values)


def _flatten(statistics: FloatArray) -> FloatArray:
    """Return (systems, rows, k) as one matrix (rows, systems × k)."""
    return statistics.transpose(1, 0, 2).reshape(statistics.shape[1], -1)


def _exchanged_sums(flat: FloatArray, trials: int, seed: int) -> Iterator[FloatArray]:
    """Yield sums of the rows that are exchanged in each trial, in chunks of trials.

    Rows are taken in blocks too: a product of two matrices is fast if neither is thin.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, trials, TRIALS_AT_ONCE):
        size = min(TRIALS_AT_ONCE, trials - start)
        sums = np.zeros((size, flat.shape[1]))
        for first in range(0, len(flat), ROWS_AT_ONCE):
            block = flat[first : first + ROWS_AT_ONCE]
            width = -(-len(block) // 8)
            packed = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
            sums += np.unpackbits(packed, axis=1, count=len(block)).astype(np.float64) @ block
        yield sums


def document_weights(documents: int, samples: int, rng: np.random.Generator) -> FloatArray:
    """Draw documents; return how often each is in each sample: (samples, documents).

    Anything additive over documents (pair counts, sums of scores) is resampled by one product:
    ``weights @ sums``.
    """
    if documents < 2:
        raise ValueError("resampling needs at least two documents")
    drawn = rng.multinomial(documents, np.full(documents, 1.0 / documents), size=samples)
    return drawn.astype(np.float64)


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Return Pearson's r along the last axis, without places where either is NaN."""
    a, b = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    here = ~(np.isnan(a) | np.isnan(b))
    with np.errstate(invalid="ignore", divide="ignore"):
        (a, a_flat), (b, b_flat) = _center(a, here), _center(b, here)
        result = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
        return np.asarray(np.where(a_flat | b_flat, np.nan, np.clip(result, -1.0, 1.0)))


def _center(x: FloatArray, here: Bools) -> tuple[FloatArray, Bools]:
    """Return deviations from the mean, scaled by the largest, and whether all values are equal.

    Scaling keeps squares of tiny or huge scores in range.
    """
    size = here.sum(axis=-1, keepdims=True)
    centered = np.where(here, x - np.where(here, x, 0.0).sum(-1, keepdims=True) / size, 0.0)
    constant = ~(np.where(here, x, np.inf).min(-1) < np.where(here, x, -np.inf).max(-1))
    return centered / np.abs(centered).max(-1, keepdims=True), np.asarray(constant)


CONCORDANT, BOTH_TIED = 0, 4
"""Categories of pairs that count as correct where ties count."""
_CATEGORIES = np.array([0, 3, 1, 2, 4, 2, 1, 3, 0], dtype=np.int8)
"""By three times the sign of the metric's difference plus the human preference, from -4 to 4."""


def categories(difference: npt.ArrayLike, preference: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Return the category of each pair: the metric's difference against the human preference.

    ``difference`` is left minus right (higher better), ``preference`` 1, 0 or -1. The categories
    are concordant, discordant, tied by the metric, tied by humans, tied by both.
    """
    metric = np.sign(np.asarray(difference, dtype=np.float64))
    human = np.asarray(preference)
    if np.isnan(metric).any():
        raise ValueError("a score difference is NaN")
    return np.asarray(_CATEGORIES[(3 * metric + human).astype(np.intp) + 4])


def count_by(category: npt.NDArray[np.int8], unit: npt.ArrayLike, units: int) -> FloatArray:
    """Count the five categories within each unit (segment, document): (units, 5)."""
    place = np.asarray(unit, dtype=np.int64) * 5 + category
    return np.bincount(place, minlength=units * 5).reshape(units, 5).astype(np.float64)


def tau_wmt14(counts: FloatArray) -> FloatArray:
    """Return Kendall's τ as WMT14: a metric's ties count in the denominator only."""
    concordant, discordant, tied = np.moveaxis(counts[..., :3], -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((concordant - discordant) / (concordant + discordant + tied))
