"""Coreference chains of a translation against those of its reference."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from albeit.annotate.layers import COREFERENCE, LINES, SENTENCES, TOKENS
from albeit.annotate.needs import Need
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray
from albeit.metrics.cohesion.compare import NOTHING_KEPT, NOTHING_TO_KEEP, Average
from albeit.metrics.coreference.match import Matched, match
from albeit.metrics.coreference.mentions import Mentions, read_mentions
from albeit.metrics.coreference.view import coref_view
from albeit.metrics.documents import DocumentMetric, document_needs, texts_of
from albeit.metrics.view import View

__all__ = ["Coref"]

COLUMNS = ("credit", "held", "wanted", "met", "same kind", "pronoun for name", "name for pronoun")
"""The statistics of a document; *name* here is a name or a noun."""


@dataclass(frozen=True)
class Coref(DocumentMetric):
    """The share of mentions that stand where the reference has one, of the same entity.

    ``average`` is over the translation's mentions (precision), the reference's (recall) or
    both (f). ``other`` is what a mention is worth where the reference says it with another
    word, or with a pronoun for a name. Statistics are counts of mentions, so the score of
    several documents is that of their mentions together.
    """

    average: Average = "f"
    other: float = 0.5

    name: ClassVar[str] = "coref"
    summary: ClassVar[str] = "who is meant where: coreference chains by reference (document)"
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("mentions of the reference", ("wanted",))
    width: ClassVar[int] = len(COLUMNS)
    """How many numbers a row of statistics holds."""

    def __post_init__(self) -> None:
        if not 0 <= self.other <= 1:
            raise MetricError(f"{self.name}: other is between 0 and 1, not {self.other:g}.")

    @property
    def needs(self) -> frozenset[Need]:
        """Coreference, and words by line and sentence."""
        return document_needs(LINES, TOKENS, SENTENCES, COREFERENCE)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Counts of mentions a document, against its best reference."""
        rows = np.zeros((len(batch.references), len(batch.documents), len(COLUMNS)))
        for d, document in enumerate(batch.documents):
            hypothesis, references = texts_of(batch, document)
            ours = hypothesis.draw(Mentions, read_mentions)
            for r, reference in enumerate(references):
                theirs = reference.draw(Mentions, read_mentions)
                rows[r, d] = self._counts(ours, theirs, match(ours, theirs, self.other))
        best = self.score(rows).argmax(axis=0)
        return np.asarray(rows[best, np.arange(len(batch.documents))])

    def _counts(self, ours: Mentions, theirs: Mentions, matched: Matched) -> list[float]:
        credit = sum(1.0 if same else self.other for _, _, same in matched.met)
        kinds = Counter((ours.mentions[a].kind, theirs.mentions[b].kind) for a, b, _ in matched.met)
        return [
            credit,
            len(ours.mentions),
            len(theirs.mentions),
            len(matched.met),
            sum(n for (mine, yours), n in kinds.items() if mine == yours),
            sum(n for (mine, yours), n in kinds.items() if mine == "pronoun" != yours),
            sum(n for (mine, yours), n in kinds.items() if yours == "pronoun" != mine),
        ]

    def score(self, sums: FloatArray) -> FloatArray:
        """Precision, recall or F of mentions."""
        credit, held, wanted = (sums[..., n] for n in range(3))
        whole = {"precision": held, "recall": wanted, "f": (held + wanted) / 2}[self.average]
        found = np.where(whole > 0, credit / np.maximum(whole, 1e-9), NOTHING_KEPT)
        return np.asarray(np.where(held + wanted > 0, found, NOTHING_TO_KEEP))

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """The counts: how many mentions, how many met, and what stood for what."""
        return {name: float(value) for name, value in zip(COLUMNS, sums, strict=True)}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """The chains of a document beside the reference's, and what each took from the score."""
        hypothesis, references = texts_of(batch, batch.documents[0])
        ours = hypothesis.draw(Mentions, read_mentions)
        read = [reference.draw(Mentions, read_mentions) for reference in references]
        matched = [match(ours, theirs, self.other) for theirs in read]
        rows = [self._counts(ours, *pair) for pair in zip(read, matched, strict=True)]
        best = int(self.score(np.array(rows)).argmax())
        score = float(self.segment_score(row))
        texts = ((hypothesis, ours), (references[best], read[best]))
        return coref_view(str(self), score, texts, matched[best], best, self.average, self.other)
