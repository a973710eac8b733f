"""Resampling over rows of additive statistics: confidence, and two paired tests.

A metric's score of any set of rows is a function of their sum, so a resample is one row
of a weights matrix: ``weights @ statistics`` gives the sums of many resamples at once,
whatever the metric. The matrix is made in chunks, so memory stays small, and from a
seed, so every number can be had again. Rows are segments, or documents for blocks.

Statistics have shape (systems, rows, k). All systems see the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from albeit.arrays import FloatArray

__all__ = [
    "DEFAULT_SEED",
    "bootstrap_p_values",
    "bootstrap_scores",
    "percentile_interval",
    "randomisation_p_values",
    "smallest_p_values",
]

ScoreFunction = Callable[[FloatArray], FloatArray]
"""From sums (..., k) to scores (...), vectorised."""

DEFAULT_SEED = 12345

CHUNK_CELLS = 1 << 21
"""How many weights are held at once (16 MiB)."""


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


def bootstrap_p_values(samples: FloatArray, observed: FloatArray, baseline: int = 0) -> FloatArray:
    """Paired bootstrap: how often chance alone would part a system from the baseline so far.

    ``samples`` (resamples, systems) come from :func:`bootstrap_scores`, ``observed``
    (systems,) are the scores on the whole set. The statistic is that of Moses and
    sacrebleu: the size of the resampled difference less its mean, against the size of
    the observed one. The baseline's own p-value is undefined.
    """
    differences = np.abs(samples - samples[:, [baseline]])
    defined = ~np.isnan(differences)
    means = np.where(defined, differences, 0).sum(axis=0) / np.maximum(1, defined.sum(axis=0))
    return _p_values(differences - means, observed, baseline)


def smallest_p_values(statistics: FloatArray, baseline: int = 0) -> FloatArray:
    """The smallest two-sided p-value that the data allow each system against the baseline.

    If both were the same, the *n* rows in which they differ could each be the other's: of the
    2ⁿ ways, at least two (as it is, and all exchanged) give the observed difference. No test
    can know more, though a bootstrap over few rows, which seldom leaves one out, may say so.
    """
    differ = (statistics != statistics[[baseline]]).any(axis=2).sum(axis=1)
    return np.asarray(np.minimum(1.0, np.exp2(1.0 - differ)))


def randomisation_p_values(
    statistics: FloatArray,
    score: ScoreFunction,
    *,
    baseline: int = 0,
    trials: int,
    seed: int = DEFAULT_SEED,
) -> FloatArray:
    """Paired approximate randomisation, two-sided: (systems,) p-values against the baseline.

    In every trial each row changes hands between system and baseline with probability a
    half; a p-value is the share of trials whose difference is at least the observed one.
    """
    systems, rows, k = statistics.shape
    flat = _flat(statistics)
    parts = []
    for swap in _swaps(rows, trials, seed):
        swapped = (swap @ flat).reshape(-1, systems, k)
        kept = ((1 - swap) @ flat).reshape(-1, systems, k)
        one = score(kept + swapped[:, [baseline]])
        other = score(kept[:, [baseline]] + swapped)
        parts.append(np.abs(one - other))
    return _p_values(np.concatenate(parts), score(statistics.sum(axis=1)), baseline)


def _p_values(resampled: FloatArray, observed: FloatArray, baseline: int) -> FloatArray:
    """(c + 1) / (n + 1), where c counts differences that reach the observed one.

    A trial with an undefined score counts as reaching it, so that it can never make a
    difference look surer. Ties count, up to rounding: equal systems have p = 1.
    """
    differences = np.abs(observed - observed[baseline])
    slack = 1e-12 * np.maximum(1, np.abs(observed))
    reached = ~(resampled < differences - slack)
    found = (reached.sum(axis=0) + 1) / (len(resampled) + 1)
    found[np.isnan(differences)] = np.nan
    found[baseline] = np.nan
    return np.asarray(found)


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


def _swaps(rows: int, trials: int, seed: int) -> Iterator[FloatArray]:
    """Which rows change hands in each trial (1 or 0), in chunks of trials."""
    rng = np.random.default_rng(seed)
    width = -(-rows // 8)
    for size in _chunks(rows, trials):
        packed = np.frombuffer(rng.bytes(size * width), dtype=np.uint8).reshape(size, width)
        yield np.unpackbits(packed, axis=1, count=rows).astype(np.float64)
