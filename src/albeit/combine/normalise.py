"""Metrics on one scale: min–max as in the papers' tables, or standardised by training data.

Min–max over the data at hand makes a score depend on what else is scored, so it serves
tables only; a saved model carries the constants of its training data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.errors import MetricError

__all__ = ["Standard", "min_max", "share_of_maximum"]


def min_max(scores: FloatArray, name: str = "the metric") -> FloatArray:
    """Scores stretched to [0, 1] over everything given; a constant metric is an error."""
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    if low == high:
        raise MetricError(f"{name} is constant ({low:g}), so it cannot be normalised.")
    return np.asarray((scores - low) / (high - low))


def share_of_maximum(scores: FloatArray, name: str = "the metric") -> FloatArray:
    """ASIYA's ULC scaling: score / maximum, after a shift to zero where scores go below it."""
    shifted = scores - min(0.0, float(np.nanmin(scores)))
    top = float(np.nanmax(shifted))
    if top == 0.0:
        raise MetricError(f"{name} is zero everywhere, so it cannot be normalised.")
    return np.asarray(shifted / top)


@dataclass(frozen=True, eq=False)
class Standard:
    """Means and deviations of the features over the translations tuned on."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def fit(cls, features: FloatArray, names: tuple[str, ...]) -> Standard:
        """From features of shape (..., k); a constant one is an error that names it."""
        rows = features.reshape(-1, features.shape[-1])
        deviation = rows.std(axis=0)
        flat = np.flatnonzero(rows.max(axis=0) == rows.min(axis=0))
        if len(flat):
            raise MetricError(f"{names[flat[0]]} is constant over the training data.")
        return cls(rows.mean(axis=0), deviation)

    def __call__(self, features: FloatArray) -> FloatArray:
        """Features with mean 0 and deviation 1 over the training data."""
        return np.asarray((features - self.mean) / self.deviation)
