"""A tuned combination as a JSON file and as a metric."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.combine.tune import Fitted, fit
from albeit.data.textio import read_text, write_text
from albeit.metaeval.judged_set import Task
from albeit.metrics import InputError, MetricError, Signature, Unit, registry
from albeit.metrics.base import Batch, Composite, Context, MeanMetric, Metric, mean_statistics
from albeit.stats import DEFAULT_SEED

FORMAT = "albeit-model/1"


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted combination with its training data and results.

    ``higher_is_better`` and ``signatures`` are those of the metrics, in their order. ``training``
    lists the test sets, and the result of cross-validation.
    """

    name: str
    fitted: Fitted
    higher_is_better: tuple[bool, ...]
    signatures: tuple[str, ...]
    training: Mapping[str, Any] = field(default_factory=dict)
    learner: str = "logistic"

    def score(self, values: FloatArray) -> FloatArray:
        """Return combined scores of the metrics' own scores: (..., k) to (...), higher better."""
        return self.fitted(values * np.where(self.higher_is_better, 1.0, -1.0))

    def to_json(self) -> dict[str, Any]:
        """Return the file's content."""
        fitted = self.fitted
        means = np.where(self.higher_is_better, fitted.mean, -fitted.mean)
        columns = {
            "metric": fitted.metrics,
            "weight": fitted.weights.tolist(),
            "higher_is_better": self.higher_is_better,
            "mean": means.tolist(),
            "deviation": fitted.deviation.tolist(),
            "signature": self.signatures,
        }
        rows = zip(*columns.values(), strict=True)
        return {
            "format": FORMAT,
            "name": self.name,
            "albeit": __version__,
            "learner": self.learner,
            "l2": fitted.l2,
            "features": [dict(zip(columns, row, strict=True)) for row in rows],
            "training": dict(self.training),
        }

    def digest(self) -> str:
        """Return twelve hex digits that depend on everything that affects a score."""
        loose = ("name", "albeit", "training", "l2")
        content = {key: value for key, value in self.to_json().items() if key not in loose}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    def save(self, path: str | Path) -> None:
        """Write the model as indented JSON, and create the folder."""
        content = self.to_json() | {"digest": self.digest()}
        write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", path)

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a model; raise if the file isn't one, or was edited."""
        try:
            content: Any = json.loads(read_text(path))
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}.", path=path) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            hint = "Make one with 'albeit tune'."
            raise InputError("is not a model of albeit.", path=path, hint=hint)
        if "network" in content:
            what = "has a network, which version 0.3 removed."
            raise InputError(what, path=path, hint="Tune it again.")
        try:
            model = cls._from_json(content)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"is a damaged model: {error!r}.", path=path) from None
        if content.get("digest") != model.digest():
            what = "does not match its digest: it was changed after it was tuned."
            hint = "Tune it again; a model edited by hand has another signature."
            raise InputError(what, path=path, hint=hint)
        return model

    @classmethod
    def _from_json(cls, content: Mapping[str, Any]) -> Model:
        rows = content["features"]
        better = tuple(bool(row["higher_is_better"]) for row in rows)
        weights, means, deviations = (
            np.array([row[key] for row in rows], dtype=np.float64)
            for key in ("weight", "mean", "deviation")
        )
        names = tuple(str(row["metric"]) for row in rows)
        means = np.where(better, means, -means)
        fitted = Fitted(names, means, deviations, weights, float(content["l2"]))
        signatures = tuple(str(row["signature"]) for row in rows)
        name, learner = str(content["name"]), str(content["learner"])
        return cls(name, fitted, better, signatures, content.get("training", {}), learner)


def tune(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    *,
    name: str = "model",
    l2: float | None = None,
    seed: int = DEFAULT_SEED,
    training: Mapping[str, Any] | None = None,
) -> Model:
    """Tune a combination on the tasks and return it as a model."""
    fitted = fit(tasks, metrics, l2=l2, seed=seed)
    columns = [tasks[0].table[metric] for metric in fitted.metrics]
    pairs = sum(len(task.decided) for task in tasks)
    facts = {"sets": [task.name for task in tasks], "pairs": pairs, "seed": seed}
    better = tuple(column.higher_is_better for column in columns)
    signatures = tuple(str(column.signature) for column in columns)
    return Model(name, fitted, better, signatures, facts | dict(training or {}))


@dataclass(frozen=True)
class Combined(MeanMetric, Composite):
    """A model that ``albeit tune`` saved.

    A segment's score doesn't depend on other segments. Documents and systems have the mean of their
    segments.
    """

    path: str
    trust: bool = field(default=False, compare=False)
    """Whether features may start programs, run code, or read files."""

    name: ClassVar[str] = "combined"
    summary: ClassVar[str] = "a tuned combination saved by 'albeit tune' (give the file's path)"

    def __str__(self) -> str:
        """Return the path, which is the model's name in the grammar."""
        return self.path

    @cached_property
    def model(self) -> Model:
        """The model; without trust, features that aren't safe raise an error."""
        model = Model.load(self.path)
        hint = "If you trust this model, use it with --trust; in Python,"
        hint += " albeit.metric(PATH, trust=True)."
        for name in () if self.trust else model.fitted.metrics:
            try:
                registry.check_safe(name)
            except MetricError as error:
                what = f"has the feature {name}: {error}"
                raise InputError(what, path=self.path, hint=hint) from None
        return model

    @cached_property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics of the model."""
        parts = tuple(registry.metric(name, trust=True) for name in self.model.fitted.metrics)
        for part in parts:
            if part.unit is not Unit.SEGMENT:
                raise MetricError(f"{self}: {part} scores documents, and cannot be combined here.")
        return parts

    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        """Return the combined score of every segment."""
        values = [part.segment_score(own) for part, own in zip(self.parts, rows, strict=True)]
        return mean_statistics(self.model.score(np.stack(values, axis=-1)))

    def signature(self, context: Context = None) -> Signature:
        """Return the model's name and digest, and a checksum of its parts' signatures."""
        inside = ";".join(str(p.without("annotator")) for p in self.part_signatures(context))
        checksum = hashlib.sha256(inside.encode()).hexdigest()[:8]
        own = (("model", self.model.digest()), ("parts", f"{len(self.parts)}-{checksum}"))
        return Signature(self.model.name, (*own, *self.versions(context).items()))
