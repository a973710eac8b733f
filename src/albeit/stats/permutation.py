"""Is one metric better than another? Permutation tests over inputs, systems or both.

Under the null hypothesis the two metrics' (standardised) scores may be exchanged: for all
systems of an input, for all inputs of a system, or for each translation by itself
(Deutsch, Dror and Roth 2021). The p-value is the share of exchanges, the observed
assignment among them, after which the first metric leads by at least as much as observed.

Soft pairwise accuracy (Thompson et al. 2024) is agreement on how sure a difference is. Plain accuracy asks whether metric and people order two systems alike. Here each side
gives a p-value that one system is better than the other, from a paired permutation test
over segments, and the score is one minus the mean difference of those p-values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray, IntArray
from albeit.stats.concordance import categories, count_by

__all__ = [
    "Exchange",
    "Null",
    "p_value",
    "pair_permutation",
    "pairwise_p_values",
    "permutation",
    "soft_pairwise_accuracy",
    "standardise",
]


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
