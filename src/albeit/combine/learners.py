"""Learners: weights that put the preferred translation above the other.

The linear ones minimise a convex loss of the margin (weights · feature difference) plus an L2
penalty. Combinations have few features and very many pairs, so Newton's method, which
needs a handful of passes over the data, is the fastest there is. A small network adds a few tanh
units to linear weights, for metrics that interact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from albeit.arrays import FloatArray
from albeit.combine.features import PairSet

Loss = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]
"""Margins to loss, slope and curvature."""

_PASSES = 50
_CLOSE = 1e-8


@dataclass(frozen=True, eq=False)
class Linear:
    """Score = weights · features."""

    weights: FloatArray

    def __call__(self, features: FloatArray) -> FloatArray:
        """Scores of standardised features: (..., k) to (...)."""
        return np.asarray(features @ self.weights)

    def parameters(self) -> dict[str, object]:
        """What a saved model keeps."""
        return {"weights": self.weights.tolist()}


@dataclass(frozen=True)
class Logistic:
    """Maximum entropy: the probability of a preference is logistic in the score difference."""

    kind: ClassVar[str] = "logistic"

    def fit(self, pairs: PairSet, l2: float) -> Linear:
        """Weights for standardised features."""
        return Linear(_newton(_logistic, pairs, l2))


@dataclass(frozen=True)
class LargeMargin:
    """A ranking support vector machine with squared hinge loss."""

    kind: ClassVar[str] = "margin"

    def fit(self, pairs: PairSet, l2: float) -> Linear:
        """Weights for standardised features."""
        return Linear(_newton(_squared_hinge, pairs, l2))


def _logistic(margin: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    right = 0.5 * (1.0 + np.tanh(0.5 * margin))
    return np.logaddexp(0.0, -margin), right - 1.0, right * (1.0 - right)


def _squared_hinge(margin: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    short = np.maximum(0.0, 1.0 - margin)
    return short * short, -2.0 * short, np.where(short > 0.0, 2.0, 0.0)


def _newton(loss: Loss, pairs: PairSet, l2: float) -> FloatArray:
    """Damped Newton steps on the mean loss until they no longer matter."""
    difference = pairs.better - pairs.worse
    share = pairs.weight / pairs.weight.sum()
    size = difference.shape[1]
    weights = np.zeros(size)

    def value(w: FloatArray) -> float:
        return float(share @ loss(difference @ w)[0] + 0.5 * l2 * (w @ w))

    current = value(weights)
    for _ in range(_PASSES):
        _, slope, curvature = loss(difference @ weights)
        gradient = difference.T @ (share * slope) + l2 * weights
        hessian = difference.T @ (difference * (share * curvature)[:, None])
        step = np.linalg.solve(hessian + (l2 + 1e-12) * np.eye(size), gradient)
        expected = float(gradient @ step)
        length = 1.0
        while (tried := value(weights - length * step)) > current - 1e-4 * length * expected:
            length *= 0.5
            if length < 1e-6:
                return weights
        weights = weights - length * step
        if expected < _CLOSE * max(1.0, current):
            break
        current = tried
    return weights


@dataclass(frozen=True, eq=False)
class SmallNetwork:
    """Score = weights · x + outward · tanh(x · inward + bias)."""

    weights: FloatArray
    inward: FloatArray
    bias: FloatArray
    outward: FloatArray

    def __call__(self, features: FloatArray) -> FloatArray:
        """Scores of standardised features: (..., k) to (...)."""
        hidden = np.tanh(features @ self.inward + self.bias)
        return np.asarray(features @ self.weights + hidden @ self.outward)

    def parameters(self) -> dict[str, object]:
        """What a saved model keeps."""
        return {
            "weights": self.weights.tolist(),
            "inward": self.inward.tolist(),
            "bias": self.bias.tolist(),
            "outward": self.outward.tolist(),
        }


@dataclass(frozen=True)
class Network:
    """Learns a :class:`SmallNetwork` on pairs, from the logistic solution as its start.

    Each pair is one example: the probability of the preference is logistic in the
    difference of the two sides' scores. The start is seeded, so a fit can be repeated.
    """

    hidden: int = 8
    steps: int = 120
    seed: int = 0
    kind: ClassVar[str] = "network"

    def fit(self, pairs: PairSet, l2: float) -> SmallNetwork:
        """Parameters for standardised features, by L-BFGS."""
        from scipy.optimize import minimize

        size, hidden = pairs.better.shape[1], self.hidden
        share = pairs.weight / pairs.weight.sum()
        rng = np.random.default_rng(self.seed)
        start = np.concatenate(
            [
                Logistic().fit(pairs, l2).weights,
                rng.normal(scale=1.0 / np.sqrt(size), size=size * hidden),
                rng.normal(scale=0.5, size=hidden),
                np.zeros(hidden),
            ]
        )

        def unpack(flat: FloatArray) -> SmallNetwork:
            cuts = np.cumsum([size, size * hidden, hidden])
            w, inward, bias, outward = np.split(flat, cuts)
            return SmallNetwork(w, inward.reshape(size, hidden), bias, outward)

        def descent(flat: FloatArray) -> tuple[float, FloatArray]:
            net = unpack(flat)
            up = np.tanh(pairs.better @ net.inward + net.bias)
            down = np.tanh(pairs.worse @ net.inward + net.bias)
            margin = (pairs.better - pairs.worse) @ net.weights + (up - down) @ net.outward
            loss = float(share @ np.logaddexp(0.0, -margin)) + 0.5 * l2 * float(flat @ flat)
            pull = -share / (1.0 + np.exp(np.minimum(margin, 700.0)))
            up_pull = pull[:, None] * (1.0 - up**2) * net.outward
            down_pull = pull[:, None] * (1.0 - down**2) * net.outward
            gradient = np.concatenate(
                [
                    pairs.better.T @ pull - pairs.worse.T @ pull,
                    (pairs.better.T @ up_pull - pairs.worse.T @ down_pull).ravel(),
                    (up_pull - down_pull).sum(axis=0),
                    (up - down).T @ pull,
                ]
            )
            return loss, gradient + l2 * flat

        found = minimize(
            descent, start, jac=True, method="L-BFGS-B", options={"maxiter": self.steps}
        )
        return unpack(np.asarray(found.x, dtype=np.float64))
