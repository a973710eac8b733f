"""A tuned combination as a metric: it scores, resamples and signs like any other."""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from albeit._version import __version__
from albeit.annotate.layers import Layer
from albeit.combine.saved import Model
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.errors import MetricError
from albeit.metrics.base import (
    Batch,
    Context,
    FloatArray,
    Metric,
    mean_score,
    mean_statistics,
)
from albeit.metrics.registry import metric as metric_of

__all__ = ["Combined", "ModelMetric"]


@cache
def _model(path: str) -> Model:
    return Model.load(path)


@dataclass(frozen=True)
class ModelMetric(Metric):
    """Metrics standardised by a model's training data, then combined by it.

    A segment's score depends on that segment alone, as far as those of its parts do, and
    that of a document or system is the mean over its segments.
    """

    @property
    @abstractmethod
    def model(self) -> Model:
        """The model behind the metric."""

    @cached_property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics combined."""
        made = tuple(metric_of(name) for name in self.model.metrics)
        for part in made:
            if part.unit is not Unit.SEGMENT:
                raise MetricError(f"{self}: {part} scores documents, and cannot be combined here.")
        return made

    @property
    def requires(self) -> frozenset[Layer]:
        """All layers that a part asks for."""
        return frozenset[Layer]().union(*(part.requires for part in self.parts))

    @property
    def needs_references(self) -> bool:
        """Whether a part compares with references."""
        return any(part.needs_references for part in self.parts)

    def check(self, evalset: EvalSet) -> None:
        """Every part must be able to score the set."""
        for part in self.parts:
            part.check(evalset)

    def prepare(self, evalset: EvalSet) -> Context:
        """The parts' contexts."""
        return tuple(part.prepare(evalset) for part in self.parts)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """The combined score of every segment."""
        values = [
            part.segment_score(part.statistics(batch, own))
            for part, own in zip(self.parts, context, strict=True)
        ]
        return mean_statistics(self.model.score(np.stack(values, axis=-1)))

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean over segments."""
        return mean_score(sums)

    def signature(self, context: Context = None) -> str:
        """The model's name and digest, and a checksum of its parts as they run now.

        The model's file lists the parts; spelt out here they would fill a screen.
        """
        contexts = context if context is not None else (None,) * len(self.parts)
        inside = ";".join(p.signature(c) for p, c in zip(self.parts, contexts, strict=True))
        own = re.sub(r"\|annotator:[^|;]*", "", inside)
        checksum = hashlib.sha256(own.encode()).hexdigest()[:8]
        head = f"{self.model.name}|model:{self.model.digest()}|parts:{len(self.parts)}-{checksum}"
        versions = (f"|{key}:{value}" for key, value in self.versions(context).items())
        return f"{head}{''.join(versions)}|v:{__version__}"


@dataclass(frozen=True)
class Combined(ModelMetric):
    """A model that ``albeit tune`` saved."""

    path: str

    name: ClassVar[str] = "combined"
    summary: ClassVar[str] = "a tuned combination saved by 'albeit tune' (give the file's path)"

    @property
    def model(self) -> Model:
        """The model behind the path."""
        return _model(str(Path(self.path)))

    def __str__(self) -> str:
        """The path, which is the model's name in the grammar."""
        return self.path
