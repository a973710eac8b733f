"""A tuned combination as a metric: it scores, resamples and signs like any other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from albeit.combine.saved import Model
from albeit.data.levels import Unit
from albeit.errors import InputError, MetricError
from albeit.metrics.base import (
    Batch,
    Composite,
    Context,
    FloatArray,
    MeanMetric,
    Metric,
    mean_statistics,
)
from albeit.metrics.grammar import Signature
from albeit.metrics.registry import check_safe
from albeit.metrics.registry import metric as metric_of


@dataclass(frozen=True)
class Combined(MeanMetric, Composite):
    """A model that ``albeit tune`` saved: metrics standardised by its training data, combined by it.

    A segment's score depends on that segment alone, as far as those of its parts do, and
    that of a document or system is the mean over its segments.
    """

    path: str
    trust: bool = field(default=False, compare=False)
    """Whether features may start programs, run code, or read files."""

    name: ClassVar[str] = "combined"
    summary: ClassVar[str] = "a tuned combination saved by 'albeit tune' (give the file's path)"

    def __str__(self) -> str:
        """The path, which is the model's name in the grammar."""
        return self.path

    @cached_property
    def model(self) -> Model:
        """The model behind the path; without trust, features that aren't safe raise an error."""
        model = Model.load(self.path)
        for name in () if self.trust else model.metrics:
            try:
                check_safe(name)
            except MetricError as error:
                raise InputError(
                    f"has the feature {name}: {error}",
                    path=self.path,
                    hint="If you trust this model, use it with --trust; in Python,"
                    " albeit.metric(PATH, trust=True).",
                ) from None
        return model

    @cached_property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics combined, which :attr:`model` has checked."""
        made = tuple(metric_of(name, trust=True) for name in self.model.metrics)
        for part in made:
            if part.unit is not Unit.SEGMENT:
                raise MetricError(f"{self}: {part} scores documents, and cannot be combined here.")
        return made

    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        """The combined score of every segment."""
        values = [part.segment_score(own) for part, own in zip(self.parts, rows, strict=True)]
        return mean_statistics(self.model.score(np.stack(values, axis=-1)))

    def signature(self, context: Context = None) -> Signature:
        """The model's name and digest, and a checksum of its parts as they run now.

        The model's file lists the parts; spelt out here they would fill a screen.
        """
        inside = ";".join(str(p.without("annotator")) for p in self.part_signatures(context))
        checksum = hashlib.sha256(inside.encode()).hexdigest()[:8]
        own = (("model", self.model.digest()), ("parts", f"{len(self.parts)}-{checksum}"))
        return Signature(self.model.name, (*own, *self.versions(context).items()))
