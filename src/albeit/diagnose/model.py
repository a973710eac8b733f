"""Evidence becomes a probability: one small logistic model per kind, its weights a file of the package.

Every weight is positive, so that more of any evidence never makes a fault less likely; evidence
that cannot be had counts as if it spoke little for a fault, so that less evidence means a lower
probability. Weights were learnt from what experts marked, the scale from flags that were read one
by one (``research/training/flags``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["LIKELY", "Model", "Weight", "model_of", "version"]

LIKELY = 0.5
"""The probability from which on a flag is a likely fault."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What a piece of evidence is worth, within which bounds, and as what it counts when missing."""

    weight: float
    low: float
    high: float
    missing: float

    def __call__(self, value: float | None) -> float:
        """What a value adds to the log odds."""
        held = self.missing if value is None else min(self.high, max(self.low, value))
        return self.weight * held


@dataclass(frozen=True)
class Model:
    """The model of one kind.

    :param bias: log odds where all evidence is nought
    :param weights: what each piece of evidence is worth, by its name

    >>> model = Model(-1.0, {"gain": Weight(2.0, 0.0, 1.0, 0.0)})
    >>> model({"gain": 0.5}), model({}) < model({"gain": 1.0})
    (0.5, True)
    """

    bias: float
    weights: Mapping[str, Weight]

    def __call__(self, evidence: Mapping[str, float | None]) -> float:
        """The probability that an editor would call it a fault."""
        total = self.bias + sum(w(evidence.get(name)) for name, w in self.weights.items())
        return 1 / (1 + math.exp(-total))


@cache
def model_of(kind: str) -> Model:
    """The model of a kind, as it ships."""
    data = _shipped()["kinds"][kind]
    weights = {name: Weight(**each) for name, each in data["weights"].items()}
    return Model(float(data["bias"]), weights)


def version() -> str:
    """The version of the models that ship: a digest of their weights."""
    return str(_shipped()["version"])


@cache
def _shipped() -> dict[str, Any]:
    text = (files("albeit.diagnose") / "weights.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
