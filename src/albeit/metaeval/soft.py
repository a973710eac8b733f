"""Soft pairwise accuracy of Thompson et al. (2024), with our own draws or mt-metrics-eval's.

A metric and humans compare each pair of systems by a paired permutation test over segments. The
accuracy is 1 minus the mean difference of the two p-values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from albeit.arrays import BoolArray, FloatArray, Floats32

SOFT = ("spa", "spa-mtme")
"""Statistics of this module; the second one has mt-metrics-eval's draws."""
DRAWS = 1000
_MTME_SEED = 4
_ROUNDING = 1e-9
"""Rounding of equal sums must not make an exchange look smaller than the observation."""


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
