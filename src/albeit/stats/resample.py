"""Sums in a fixed order, resampling, and significance: one level, one seed, one correction.

Rows are added in their order, so rows in several pieces give the same bits as all at once. Means are
exact. All tests use the same level, seed, and correction, so the same data give the same answer in
all commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray

__all__ = [
    "ALPHA",
    "DEFAULT_SEED",
    "TRIALS",
    "bootstrap_p_values",
    "bootstrap_scores",
    "document_weights",
    "enough_trials",
    "group_means",
    "holm",
    "interval",
    "percentile_interval",
    "randomisation_p_values",
    "running_sums",
    "significance_clusters",
    "smallest_p_values",
    "weighted_mean",
]

_BLOCK = 4096
"""Rows that are added up at once; it bounds memory and changes nothing else."""


def running_sums(rows: FloatArray, before: FloatArray | None = None) -> FloatArray:
    """Sums over the second axis of (systems, rows, k), on top of those ``before``: (systems, k).

    ``np.add.accumulate`` adds one row after the other by definition, ``sum`` as it likes.
    """
    total = before
    for start in range(0, rows.shape[1], _BLOCK):
        block = rows[:, start : start + _BLOCK]
        if total is not None:
            block = np.concatenate([total[:, None], block], axis=1)
        total = np.add.accumulate(block, axis=1)[:, -1]
    if total is None:
        raise ValueError("there are no rows to add up")
    return total


def weighted_mean(values: Iterable[float], weights: Iterable[float]) -> float:
    """The float nearest to the true mean; NaN where the weights sum to zero.

    Floats are fractions whose denominators are powers of two, so whole numbers hold their
    sums exactly. ``0.1 + 0.1 + 0.1`` in floats is not three times 0.1; here its mean is 0.1.
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
    """The mean of each group's values; NaN for a group that has none."""
    found = np.full(groups, np.nan)
    weights = np.ones(len(values)) if weights is None else weights
    alone = (np.bincount(group, minlength=groups) == 1)[group] & (weights > 0)
    found[group[alone]] = values[alone]
    rest = np.flatnonzero(~alone)
    order = rest[np.argsort(group[rest], kind="stable")]
    numbers, starts = np.unique(group[order], return_index=True)
    for number, rows in zip(numbers, np.split(order, starts[1:]), strict=False):
        found[number] = weighted_mean(values[rows].tolist(), weights[rows].tolist())
    return found


ALPHA = 0.05
"""Below this p-value, corrected where several are looked at, a difference counts as real."""

DEFAULT_SEED = 12345
"""Where random choices start unless a user says otherwise."""

TRIALS = 10_000
"""How often rows are exchanged in a paired randomisation test."""


def enough_trials(tests: int) -> int:
    """So many that the smallest p-value, corrected for ``tests`` tests, is half of the level.

    With n trials no p-value lies below 1 / (n + 1): 10,000 serve up to 250 tests.
    """
    return max(TRIALS, int(np.ceil(2 * tests / ALPHA)))


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """P-values corrected for being looked at together (Holm 1979); undefined ones stay so.

    The smallest of n is multiplied by n, the next by n − 1 and so on, and none becomes smaller
    than one before it. The chance of a single wrong claim among all of them stays below the
    level at which they are read, however they depend on each other.
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
) -> list[int]:
    """The cluster (1 is best) of every system or metric; NaN values get 0, no cluster.

    Going down the ranking, one opens a new cluster when *every* member of the current one is
    significantly better. Between n of them a line may be drawn in n − 1 places, so that
    ``p_value(better, worse)`` must lie below ``alpha`` / (n − 1).
    """
    order = [int(i) for i in np.argsort(-np.asarray(values), kind="stable")]
    order = [i for i in order if not np.isnan(values[i])]
    below = alpha / max(1, len(order) - 1)
    clusters = [0] * len(values)
    current: list[int] = []
    number = 0
    for place in order:
        if not current or all(p_value(member, place) < below for member in current):
            number += 1
            current = []
        current.append(place)
        clusters[place] = number
    return clusters


ScoreFunction = Callable[[FloatArray], FloatArray]
"""From sums (..., k) to scores (...), vectorised."""

CHUNK_CELLS = 1 << 21
"""How many weights are held at once (16 MiB)."""

TRIALS_AT_ONCE, ROWS_AT_ONCE = 1024, 2048
"""How many exchanges are held at once: as many."""


def bootstrap_scores(
    statistics: FloatArray, score: ScoreFunction, *, resamples: int, seed: int = DEFAULT_SEED
) -> FloatArray:
    """Scores of every system on the same bootstrap resamples: (resamples, systems)."""
    systems, rows, k = statistics.shape
    flat = _flat(statistics)
    parts = [
        score((weights @ flat).reshape(-1, systems, k))
        for weights in _bootstrap_weights(rows, resamples, seed)
    ]
    return np.concatenate(parts)


def percentile_interval(samples: FloatArray, level: float) -> FloatArray:
    """The central ``level`` of resampled scores (resamples, …) as (…, 2): low and high.

    Resamples on which a score is undefined are left out; where none is defined, so is
    the interval.
    """
    tail = (1 - level) / 2
    undefined = np.asarray(np.isnan(samples).all(axis=0))
    filled = np.where(undefined, 0.0, samples)
    low, high = np.nanquantile(filled, [tail, 1 - tail], axis=0)
    return np.where(undefined[..., None], np.nan, np.stack([low, high], axis=-1))


def bootstrap_p_values(samples: FloatArray, observed: FloatArray, pairs: IntArray) -> FloatArray:
    """Paired bootstrap: how often chance alone would part two systems so far; one p a pair.

    ``samples`` (resamples, systems) come from :func:`bootstrap_scores`, ``observed``
    (systems,) are the scores on the whole set, ``pairs`` (n, 2) are rows of both. The statistic
    is that of Moses and sacrebleu: the size of the resampled difference less its mean, against
    the size of the observed one.
    """
    one, other = pairs.T
    differences = np.abs(samples[:, one] - samples[:, other])
    defined = ~np.isnan(differences)
    means = np.where(defined, differences, 0).sum(axis=0) / np.maximum(1, defined.sum(axis=0))
    return _p_values(_reached(differences - means, observed, pairs), len(samples), observed, pairs)


def smallest_p_values(statistics: FloatArray, pairs: IntArray) -> FloatArray:
    """The smallest two-sided p-value that the data allow each pair of systems.

    If both were the same, the *n* rows in which they differ could each be the other's: of the
    2ⁿ ways, at least two (as it is, and all exchanged) give the observed difference. No test
    can know more, though a bootstrap over few rows, which seldom leaves one out, may say so.
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
    """Paired approximate randomisation, two-sided: the p-value of each pair of systems.

    In every trial each row changes hands between the two with probability a half; a p-value
    is the share of trials whose difference is at least the observed one. All pairs see the
    same exchanges: what changed hands is summed up once for each system, so that many pairs
    cost little more than one, and a pair's p-value does not depend on which others are tested.
    """
    systems, _, k = statistics.shape
    flat, totals = _flat(statistics), statistics.sum(axis=1)
    observed = score(totals)
    reached = np.zeros(len(pairs), dtype=np.int64)
    for sums in _changed_hands(flat, trials, seed):
        moved = sums.reshape(-1, systems, k)
        at_once = max(1, CHUNK_CELLS // (len(moved) * k))
        for start in range(0, len(pairs), at_once):
            block = pairs[start : start + at_once]
            one, other = block.T
            gained = moved[:, other] - moved[:, one]
            parted = np.abs(score(totals[one] + gained) - score(totals[other] - gained))
            reached[start : start + at_once] += _reached(parted, observed, block)
    return _p_values(reached, trials, observed, pairs)


def _reached(resampled: FloatArray, observed: FloatArray, pairs: IntArray) -> IntArray:
    """How many resampled differences (resamples, pairs) reach the observed one of their pair.

    One with an undefined score counts, so that it can never make a difference look surer. Ties
    count, up to rounding: equal systems have p = 1.
    """
    one, other = pairs.T
    size = np.maximum(np.abs(observed[one]), np.abs(observed[other]))
    least = np.abs(observed[one] - observed[other]) - 1e-12 * np.maximum(1, size)
    return np.asarray((~(resampled < least)).sum(axis=0))


def _p_values(reached: IntArray, count: int, observed: FloatArray, pairs: IntArray) -> FloatArray:
    """(c + 1) / (n + 1); undefined where one of the two scores is."""
    found = (reached + 1.0) / (count + 1)
    return np.where(np.isnan(observed[pairs]).any(axis=1), np.nan, found)


def _flat(statistics: FloatArray) -> FloatArray:
    """(systems, rows, k) as one matrix (rows, systems × k)."""
    systems, rows, k = statistics.shape
    return statistics.transpose(1, 0, 2).reshape(rows, systems * k)


def _chunks(rows: int, total: int) -> Iterator[int]:
    size = max(1, CHUNK_CELLS // rows)
    for start in range(0, total, size):
        yield min(size, total - start)


def _bootstrap_weights(rows: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each row is drawn in each resample, in chunks of resamples."""
    rng = np.random.default_rng(seed)
    for size in _chunks(rows, resamples):
        drawn = rng.integers(0, rows, size=(size, rows))
        drawn += np.arange(size)[:, None] * rows
        counts = np.bincount(drawn.ravel(), minlength=size * rows)
        yield counts.reshape(size, rows).astype(np.float64)


def _changed_hands(flat: FloatArray, trials: int, seed: int) -> Iterator[FloatArray]:
    """Sums of the rows that change hands in each trial (1 or 0), in chunks of trials.

    Rows are taken in blocks too: a product of two matrices is fast where neither is thin.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, trials, TRIALS_AT_ONCE):
        size = min(TRIALS_AT_ONCE, trials - start)
        found = np.zeros((size, flat.shape[1]))
        for first in range(0, len(flat), ROWS_AT_ONCE):
            block = flat[first : first + ROWS_AT_ONCE]
            width = -(-len(block) // 8)
            packed = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
            found += np.unpackbits(packed, axis=1, count=len(block)).astype(np.float64) @ block
        yield found


def document_weights(documents: int, samples: int, rng: np.random.Generator) -> FloatArray:
    """How often each document is drawn in each sample: (samples, documents), rows sum to n.

    Anything additive over documents (pair counts, sums of scores) is resampled by one
    product: ``weights @ sums``.
    """
    if documents < 2:
        raise ValueError("resampling needs at least two documents")
    drawn = rng.multinomial(documents, np.full(documents, 1.0 / documents), size=samples)
    return drawn.astype(np.float64)


def interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """The middle ``level`` of resampled values, NaN left out; NaN where none is left."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not known.size:
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
