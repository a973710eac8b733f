"""A tuned combination as a file: JSON that people can read, and that gives the same scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.combine.features import Standard
from albeit.combine.learners import Linear, SmallNetwork
from albeit.combine.tune import Fitted, Learner, Scorer, fit
from albeit.data.textio import read_text, write_text
from albeit.errors import InputError
from albeit.metaeval.task import Task
from albeit.stats import DEFAULT_SEED

FORMAT = "albeit-model/1"


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted combination with what one must know to use and to judge it.

    ``higher_is_better`` and ``signatures`` belong to the metrics, in their order;
    ``training`` says what the model was tuned on and what cross-validation found.
    """

    name: str
    learner: str
    fitted: Fitted
    higher_is_better: tuple[bool, ...]
    signatures: tuple[str, ...]
    training: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics combined, in the grammar."""
        return self.fitted.metrics

    def score(self, values: FloatArray) -> FloatArray:
        """Combined scores of the metrics' own scores: (..., k) to (...), higher better."""
        sign = np.where(self.higher_is_better, 1.0, -1.0)
        return self.fitted(values * sign)

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        fitted = self.fitted
        parameters = fitted.scorer.parameters()
        weights = parameters.pop("weights")
        if not isinstance(weights, list):
            raise TypeError("a scorer's weights must be a list")
        return {
            "format": FORMAT,
            "name": self.name,
            "albeit": __version__,
            "learner": self.learner,
            "l2": fitted.l2,
            "features": [
                {
                    "metric": metric,
                    "weight": weight,
                    "higher_is_better": better,
                    "mean": float(mean if better else -mean),
                    "deviation": float(deviation),
                    "signature": signature,
                }
                for metric, weight, better, mean, deviation, signature in zip(
                    fitted.metrics,
                    weights,
                    self.higher_is_better,
                    fitted.standard.mean,
                    fitted.standard.deviation,
                    self.signatures,
                    strict=True,
                )
            ],
            **({"network": parameters} if parameters else {}),
            "training": dict(self.training),
        }

    def digest(self) -> str:
        """Twelve hex digits that change whenever a number that matters does."""
        content = self.to_json()
        for part in ("name", "albeit", "training", "l2"):
            del content[part]
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def save(self, path: str | Path) -> None:
        """Write the model as indented JSON, making the folder."""
        content = self.to_json() | {"digest": self.digest()}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        write_text(text, path)

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model; a file that is none, or was changed by hand, is an error."""
        text = read_text(path)
        try:
            content: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(
                "is not a model of albeit.", path=path, hint="Make one with 'albeit tune'."
            )
        try:
            model = _from_json(content)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"is a damaged model: {error!r}.", path=path) from None
        if content.get("digest") != model.digest():
            raise InputError(
                "does not match its digest: it was changed after it was tuned.",
                path=path,
                hint="Tune it again; a model edited by hand has another signature.",
            )
        return model


def _from_json(content: Mapping[str, Any]) -> Model:
    rows = content["features"]
    names = tuple(str(row["metric"]) for row in rows)
    standard = Standard(
        np.array(
            [row["mean"] * (1 if row["higher_is_better"] else -1) for row in rows], dtype=float
        ),
        np.array([row["deviation"] for row in rows], dtype=np.float64),
    )
    weights = np.array([row["weight"] for row in rows], dtype=np.float64)
    scorer: Scorer = Linear(weights)
    if "network" in content:
        parts = {k: np.array(v, dtype=np.float64) for k, v in content["network"].items()}
        scorer = SmallNetwork(weights, parts["inward"], parts["bias"], parts["outward"])
        if scorer.inward.shape != (len(names), len(scorer.bias)):
            raise ValueError("the network does not fit the features")
    return Model(
        str(content["name"]),
        str(content["learner"]),
        Fitted(names, standard, scorer, float(content["l2"])),
        tuple(bool(row["higher_is_better"]) for row in rows),
        tuple(str(row["signature"]) for row in rows),
        content.get("training", {}),
    )


def tune(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    learner: Learner,
    *,
    name: str = "model",
    l2: float | None = None,
    seed: int = DEFAULT_SEED,
    balance: bool = False,
    training: Mapping[str, Any] | None = None,
) -> Model:
    """Tune a combination on the tasks and make it a model."""
    fitted = fit(tasks, metrics, learner, l2=l2, seed=seed, balance=balance)
    columns = [tasks[0].table[m] for m in fitted.metrics]
    facts = {
        "sets": [task.name for task in tasks],
        "pairs": int(sum(len(task.decided) for task in tasks)),
        "seed": seed,
        "balanced": balance,
    }
    return Model(
        name,
        learner.kind,
        fitted,
        tuple(c.higher_is_better for c in columns),
        tuple(str(c.signature) for c in columns),
        facts | dict(training or {}),
    )
