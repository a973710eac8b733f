"""A small network: linear weights plus a few tanh units, for metrics that interact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from albeit.arrays import FloatArray
from albeit.combine.features import PairSet
from albeit.combine.linear import Logistic

__all__ = ["Network", "SmallNetwork"]


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
