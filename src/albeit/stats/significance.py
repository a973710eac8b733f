"""When a difference counts as real: one level, one seed, one correction, one rule for clusters.

Everything that tests something reads it here: systems compared with each other, the report, the
profile, metrics compared by their agreement with people. So the same data give the same answer,
whichever command is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray

__all__ = ["ALPHA", "DEFAULT_SEED", "TRIALS", "enough_trials", "holm", "significance_clusters"]

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
