"""Resampling over rows of additive statistics: confidence, and two paired tests.

A metric's score of any set of rows is a function of their sum, so a resample is one row
of a weights matrix: ``weights @ statistics`` gives the sums of many resamples at once,
whatever the metric. The matrix is made in chunks, so memory stays small, and from a
seed, so every number can be had again. Rows are segments, or documents for blocks.

Statistics have shape (systems, rows, k). All systems see the same resamples.
Where segments of a document are not independent, whole documents are resampled
(:func:`document_weights`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray
from albeit.stats.significance import DEFAULT_SEED

__all__ = [
    "bootstrap_p_values",
    "bootstrap_scores",
    "document_weights",
    "interval",
    "percentile_interval",
    "randomisation_p_values",
    "smallest_p_values",
]


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
