"""Weights that make a combination's Pearson correlation with human scores largest.

Liu and Gildea (2007) climb the gradient of the correlation itself instead of a
substitute such as squared error. With several tasks (test sets, language pairs) the mean
of their correlations is climbed, which no regression does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.errors import InputError


@dataclass(frozen=True, eq=False)
class MaximumCorrelation:
    """Weights of the features as they were given (absolute values sum to 1), and the mean r."""

    weights: FloatArray
    correlation: float

    def predict(self, features: npt.ArrayLike) -> FloatArray:
        """The combined score: features (..., k) to (...)."""
        return np.asarray(np.asarray(features, dtype=np.float64) @ self.weights)


def maximum_correlation(
    tasks: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]], *, nonnegative: bool = False
) -> MaximumCorrelation:
    """Climb the mean Pearson correlation of ``features @ weights`` with human scores.

    Each task is (features of shape (items, k), human scores of shape (items,)). With
    ``nonnegative`` no weight goes below zero: an interpolation of metrics that all point
    the same way. Features are standardised for the climb, and the weights turned back.
    """
    from scipy.optimize import minimize

    pairs = [_task(x, y) for x, y in tasks]
    if not pairs:
        raise InputError("there is nothing to tune on.")
    spread = np.concatenate([x for x, _ in pairs]).std(axis=0)
    if (spread == 0).any():
        place = int(np.flatnonzero(spread == 0)[0])
        raise InputError(f"feature {place + 1} of the combination is constant.")
    scaled = [((x - x.mean(axis=0)) / spread, _unit(y)) for x, y in pairs]

    def descent(w: FloatArray) -> tuple[float, FloatArray]:
        total, gradient = 0.0, np.zeros_like(w)
        for x, y in scaled:
            z = x @ w
            length = float(np.linalg.norm(z))
            if length == 0.0:
                continue
            r = float(z @ y) / length
            total += r
            gradient += x.T @ (y - r * z / length) / length
        return -total / len(scaled), -gradient / len(scaled)

    size = len(spread)
    bounds = [(0.0, None)] * size if nonnegative else None
    best: tuple[float, FloatArray] | None = None
    for start in _starts(scaled, nonnegative):
        found = minimize(descent, start, jac=True, method="L-BFGS-B", bounds=bounds)
        if best is None or found.fun < best[0]:
            best = float(found.fun), np.asarray(found.x, dtype=np.float64)
    if best is None:
        raise InputError("the combination has no features.")
    weights = best[1] / spread
    total = np.abs(weights).sum()
    if total == 0:
        raise InputError("no combination with weights of at least zero correlates with people.")
    return MaximumCorrelation(weights / total, -best[0])


def _task(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    features, human = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if features.ndim != 2 or features.shape[0] != human.shape[0]:
        raise InputError(
            f"features of shape {features.shape} do not fit {human.shape[0]} human scores."
        )
    if not (np.isfinite(features).all() and np.isfinite(human).all()):
        raise InputError("a feature or human score is missing (not a finite number).")
    if len(human) < 3 or (human == human[0]).all():
        raise InputError("the human scores do not differ, or there are fewer than three.")
    return features, human


def _unit(y: FloatArray) -> FloatArray:
    centred = y - y.mean()
    return np.asarray(centred / np.linalg.norm(centred))


def _starts(tasks: Sequence[tuple[FloatArray, FloatArray]], nonnegative: bool) -> list[FloatArray]:
    """Where to climb from: equal weights, least squares, and each feature alone."""
    size = tasks[0][0].shape[1]
    x, y = np.concatenate([t[0] for t in tasks]), np.concatenate([t[1] for t in tasks])
    least_squares = np.linalg.lstsq(x, y, rcond=None)[0]
    if nonnegative:
        least_squares = np.maximum(least_squares, 0.0) + 1e-6
    alone = [row if row @ (x.T @ y) >= 0 or nonnegative else -row for row in np.eye(size)]
    return [np.full(size, 1.0 / size), least_squares, *alone]
