"""ACT without references: the candidate's connective against the sense of the source's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.errors import InputError
from albeit.metrics.base import Batch, FloatArray, Metric, ratio
from albeit.metrics.connectives.act import Act, ActContext
from albeit.metrics.connectives.assess import Chosen
from albeit.metrics.connectives.lexicons import SenseTest, agreement
from albeit.metrics.connectives.source_sense import senses_of
from albeit.parsing.layers import CONNECTIVES, TEXT, TOKENS
from albeit.parsing.needs import Need, Side, read

__all__ = ["ActFree"]


@dataclass(frozen=True)
class ActFree(Metric):
    """How many source connectives have a translation that can express their sense.

    ``source_sense``: ``model`` lets the model read each connective's sense in its sentence
    (English sources), ``any`` accepts every sense the connective can have. A connective that
    is left out counts as not translated, though a reader may still see the relation.
    """

    name: ClassVar[str] = "act-free"
    summary: ClassVar[str] = "accuracy of connective translation, by the source alone"

    source_sense: Literal["model", "any"] = "model"
    sense: SenseTest = "graded"
    alignment: Literal["yes", "no"] | str = "yes"
    connectives: Chosen = "eight"
    lexicon: str = ""

    @property
    def needs(self) -> frozenset[Need]:
        """Source and translation; the source's connectives where the model reads them.

        The aligner learns from references, where there are any.
        """
        source = (TOKENS, CONNECTIVES) if self.source_sense == "model" else (TEXT,)
        learnt = read(TEXT, side=Side.REFERENCE, optional=True)
        own = read(TEXT, side=Side.HYPOTHESIS) | read(*source, side=Side.SOURCE)
        return own | learnt if self.alignment in ("yes", "eflomal") else own

    def _act(self) -> Act:
        return Act(alignment=self.alignment, connectives=self.connectives, lexicon=self.lexicon)

    @property
    def files(self) -> tuple[str, ...]:
        """As ACT's."""
        return self._act().files

    def check(self, evalset: EvalSet) -> None:
        """As ACT, but without references."""
        super().check(evalset)
        self._act().check_source(evalset)

    def prepare(self, evalset: EvalSet) -> ActContext:
        """ACT's context."""
        return self._act().prepare(evalset)

    def statistics(self, batch: Batch, context: ActContext) -> FloatArray:
        """One row per segment: credit, translated otherwise, not translated."""
        if batch.sources is None:
            raise InputError(f"{self} needs the source text.")
        assessor = context.assessor
        rows = np.zeros((len(batch), 3))
        lines = {n: c for n, text in enumerate(batch.sources) if (c := assessor.connectives(text))}
        decided = assessor.decide_lines(
            lines, batch.sources, batch.hypotheses, context.alignments, batch.system
        )
        for n, connectives in lines.items():
            row, source, decisions = rows[n], batch.sources[n], decided[n]
            analysis = batch.source_analyses[source] if self.source_sense == "model" else None
            meant = senses_of(connectives, source, analysis, assessor.inventory)
            for connective, decision, senses in zip(connectives, decisions, meant, strict=True):
                if decision.hit is None:
                    row[2] += 1
                    continue
                own = assessor.lexicon.senses(connective.name, decision.hit.form)
                credit = agreement(senses, own, self.sense)
                row[0] += credit
                row[1] += 1 - credit
        return rows

    def score(self, sums: FloatArray) -> FloatArray:
        """Credit over all connectives; not a number where there is none."""
        return ratio(sums[..., 0], sums.sum(axis=-1))

    def versions(self, context: ActContext | None = None) -> dict[str, str]:
        """ACT's, and the model's that read the senses."""
        return self._act().versions(context) | super().versions(context)
