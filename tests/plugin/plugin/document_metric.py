"""A metric of documents that reads the source too: are its numbers kept?"""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from albeit.metrics import (
    TEXT,
    Batch,
    FloatArray,
    MeanMetric,
    Need,
    Side,
    Unit,
    mean_statistics,
    read,
)


@dataclass(frozen=True)
class Kept(MeanMetric):
    name: ClassVar[str] = "kept"
    summary: ClassVar[str] = "documents that have the numbers of their source"
    unit: ClassVar[Unit] = Unit.DOCUMENT

    @property
    def needs(self) -> frozenset[Need]:
        return read(TEXT, side=Side.HYPOTHESIS) | read(TEXT, side=Side.SOURCE)

    def statistics(self, batch: Batch, context: Any) -> FloatArray:
        assert batch.sources is not None
        kept = []
        for document in batch.documents:
            ours, theirs = (
                sorted(re.findall(r"\d+", " ".join(lines[document.rows])))
                for lines in (batch.hypotheses, batch.sources)
            )
            kept.append(float(ours == theirs))
        return mean_statistics(kept)
