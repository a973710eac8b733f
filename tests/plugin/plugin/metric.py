"""A metric of segments with its explanation: is as much shouted as in the reference?"""

from dataclasses import dataclass
from typing import Any, ClassVar

from albeit.metrics import (
    Batch,
    Compared,
    FloatArray,
    Loss,
    MeanMetric,
    Need,
    Side,
    View,
    compared,
    locate,
    mean_statistics,
)

from .annotator import SHOUTS


@dataclass(frozen=True)
class Shouting(MeanMetric):
    name: ClassVar[str] = "shouting"
    summary: ClassVar[str] = "lines that shout as much as the reference does"

    @property
    def needs(self) -> frozenset[Need]:
        return compared(SHOUTS)

    def statistics(self, batch: Batch, context: Any) -> FloatArray:
        def loud(line: str) -> int:
            return len(batch.analyses[line][SHOUTS])

        pairs = zip(batch.hypotheses, batch.references[0], strict=True)
        return mean_statistics([float(loud(ours) == loud(theirs)) for ours, theirs in pairs])

    def explain(self, batch: Batch, context: Any, row: FloatArray) -> View:
        score = float(self.segment_score(row))
        ours, theirs = batch.hypotheses[0], batch.references[0][0]
        texts = (
            Compared(Side.HYPOTHESIS, ours, locate(ours, ours.split())),
            Compared(Side.REFERENCE, theirs, locate(theirs, theirs.split())),
        )
        losses = (Loss("another voice", 1 - score),) if score < 1 else ()
        return View(str(self), score, 1.0, texts, losses=losses)
