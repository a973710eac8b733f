"""Hybrids: a metric's document score mixed with the document's cohesion.

    H = α · cohesion + (1 − α) · metric

as in Wong and Kit (2012) and Gong and Zhou (2015), with the metric scaled to a range
from 0 to 1. Cohesion is taken by recall, and α is what agrees best with people over WMT13
and WMT21 (``research/experiments/gong2015.py``); ``cohesion=cohesion`` is the paper's own form, and
``cohesion=coref(average=recall)`` takes chains of coreference in place of lexical ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from albeit.data.levels import Unit
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Composite, Context, FloatArray, Metric
from albeit.metrics.cohesion.cohesion import Cohesion
from albeit.metrics.grammar import Signature
from albeit.metrics.lexical.bleu import Bleu
from albeit.metrics.lexical.meteor import Meteor

__all__ = ["Hbleu", "Hmeteor", "Hybrid"]

_COHESION, _BLEU, _METEOR = Cohesion(average="recall"), Bleu(), Meteor()


@runtime_checkable
class Cohesive(Protocol):
    """A metric of chains in documents, from 0 to 1, that says how wide its rows are."""

    @property
    def width(self) -> int:
        """How many numbers a row of statistics holds."""


@dataclass(frozen=True)
class Hybrid(Composite):
    """Any metric, whose rows are summed by document, mixed with a cohesion metric.

    The metric must be better when higher; its score is divided by its ``scale``. Cohesion is
    that of lexical chains, or of coreference (``coref``).
    """

    name: ClassVar[str] = "hybrid"
    summary: ClassVar[str] = "any metric mixed with document cohesion: hybrid(chrf,alpha=.1)"
    unit: ClassVar[Unit] = Unit.DOCUMENT

    metric: Metric
    alpha: float = 0.1
    cohesion: Metric = _COHESION

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise MetricError(f"{self.name}: alpha must lie between 0 and 1, not {self.alpha:g}.")
        if not isinstance(self.cohesion, Cohesive):
            raise MetricError(
                f"{self.name}: {self.cohesion} is no cohesion metric."
                " Take cohesion, lc, rc or coref."
            )
        if not self.metric.higher_is_better:
            raise MetricError(
                f"{self.name}: {self.metric} is better when lower and cannot be mixed with cohesion."
            )

    @property
    def parts(self) -> tuple[Metric, ...]:
        """Cohesion, then the metric."""
        return self.cohesion, self.metric

    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        """Cohesion's row of each document, then the metric's rows summed."""
        cohesion, inner = rows
        if self.metric.unit is Unit.SEGMENT:
            inner = np.add.reduceat(inner, [d.start for d in batch.documents], axis=0)
        return np.hstack([cohesion, inner])

    def score(self, sums: FloatArray) -> FloatArray:
        """The mixture of both scores."""
        assert isinstance(self.cohesion, Cohesive)
        width = self.cohesion.width
        cohesion = self.cohesion.score(sums[..., :width])
        inner = self.metric.score(sums[..., width:]) / self.metric.scale
        return np.asarray(self.alpha * cohesion + (1 - self.alpha) * inner)

    def signature(self, context: Context = None) -> Signature:
        """The mixture, with the signatures of its parts."""
        return super().signature(context).with_("parts", self.part_signatures(context))


@dataclass(frozen=True)
class Hbleu(Hybrid):
    """BLEU of the document mixed with its cohesion."""

    name: ClassVar[str] = "hbleu"
    summary: ClassVar[str] = "BLEU of the document mixed with its cohesion"

    metric: Metric = field(default=_BLEU, init=False)
    alpha: float = 0.3


@dataclass(frozen=True)
class Hmeteor(Hybrid):
    """METEOR of the document mixed with its cohesion."""

    name: ClassVar[str] = "hmeteor"
    summary: ClassVar[str] = "METEOR of the document mixed with its cohesion"

    metric: Metric = field(default=_METEOR, init=False)
    alpha: float = 0.07
