"""Cohesion devices (Wong and Kit 2012), and hybrids of a metric with document cohesion.

    H = α · cohesion + (1 − α) · metric

as in Wong and Kit (2012) and Gong and Zhou (2015), with the metric scaled to a range
from 0 to 1. By default, cohesion is formula 3 of Gong and Zhou, and ``albeit tune`` gave α on WMT13
and WMT21. ``cohesion=coref(average=recall)`` uses chains of coreference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from albeit.metrics import FloatArray, MetricError, Need, Side, Signature, Unit, read
from albeit.metrics.base import Batch, Composite, Context, Metric
from albeit.metrics.cohesion import Cohesion
from albeit.metrics.lexical.bleu import Bleu
from albeit.metrics.lexical.meteor import Meteor
from albeit.parsing.content import LANGUAGES, related
from albeit.parsing.layers import LEMMAS, STEMS, DocumentWords, Layer
from albeit.resources.wordnet import wordnet

NO_CONTENT = 0.0
"""The score of a document without content words."""


@dataclass(frozen=True)
class Repetition(Metric):
    """RC: the share of content words whose stem occurs again in the document.

    There is no reference, so wrong repetition counts too. The score of several documents is
    that of all their words together.
    """

    name = "rc"
    summary = "share of content words that are repeated in the document (no refs)"
    unit = Unit.DOCUMENT
    languages = LANGUAGES
    """Languages with a stop list."""
    width: ClassVar[int] = 2
    """How many numbers a row of statistics has."""
    layer: ClassVar[Layer[DocumentWords]] = STEMS
    """How words are compared."""

    @property
    def needs(self) -> frozenset[Need]:
        """Content words of the translation."""
        return read(self.layer, side=Side.HYPOTHESIS)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the number of cohesion devices and of content words per document."""
        rows = []
        for document in batch.documents:
            lines = tuple(batch.hypotheses[document.rows])
            counts = Counter(batch.document_analyses[lines][self.layer].keys())
            rows.append((self.devices(counts), counts.total()))
        return np.array(rows, dtype=np.float64)

    def devices(self, counts: Counter[str]) -> int:
        """Return how many words repeat another one."""
        return sum(count for count in counts.values() if count > 1)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return devices over content words."""
        devices, words = sums[..., 0], sums[..., 1]
        share = np.full(words.shape, NO_CONTENT)
        np.divide(devices, words, out=share, where=words > 0)
        return share

    def versions(self, context: Context = None) -> dict[str, str]:
        """Add the stemmer."""
        return {"snowball": version("snowballstemmer")}


@dataclass(frozen=True)
class LexicalCohesion(Repetition):
    """LC: ``rc`` with synonyms and direct superordinates of WordNet, for English."""

    name = "lc"
    summary = "share of content words that are repeated, or related by WordNet"
    languages = frozenset({"en"})
    """The language of WordNet."""
    layer: ClassVar[Layer[DocumentWords]] = LEMMAS

    def devices(self, counts: Counter[str]) -> int:
        """Return how many words repeat another one."""
        others = related(counts)
        return sum(count for word, count in counts.items() if count > 1 or word in others)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Add WordNet."""
        return super().versions(context) | {"wordnet": wordnet().version}


_COHESION, _BLEU, _METEOR = Cohesion(), Bleu(), Meteor()


@dataclass(frozen=True)
class Hybrid(Composite):
    """Any metric, whose rows are summed by document, mixed with a cohesion metric.

    The metric must be better when higher; its score is divided by its ``scale``. Cohesion is
    that of lexical chains, or of coreference (``coref``).
    """

    name = "hybrid"
    summary = "any metric mixed with document cohesion: hybrid(chrf,alpha=.1)"
    unit = Unit.DOCUMENT

    metric: Metric
    alpha: float = 0.01
    cohesion: Metric = _COHESION

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise MetricError(f"{self.name}: alpha must lie between 0 and 1, not {self.alpha:g}.")
        if not self._width:
            raise MetricError(
                f"{self.name}: {self.cohesion} isn't a cohesion metric."
                " Use cohesion, lc, rc, or coref."
            )
        if not self.metric.higher_is_better:
            raise MetricError(
                f"{self.name}: {self.metric} is better when lower and can't be mixed with cohesion."
            )

    @property
    def _width(self) -> int:
        """How many numbers a row of the cohesion metric has; 0 for another metric."""
        return int(getattr(self.cohesion, "width", 0))

    @property
    def parts(self) -> tuple[Metric, ...]:
        """Return cohesion, then the metric."""
        return self.cohesion, self.metric

    def combine(self, rows: Sequence[FloatArray], batch: Batch) -> FloatArray:
        """Return cohesion's row of each document, then the sum of the metric's rows."""
        cohesion, inner = rows
        if self.metric.unit is Unit.SEGMENT:
            inner = np.add.reduceat(inner, [d.start for d in batch.documents], axis=0)
        return np.hstack([cohesion, inner])

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the weighted mean of both scores."""
        cohesion = self.cohesion.score(sums[..., : self._width])
        inner = self.metric.score(sums[..., self._width :]) / self.metric.scale
        return np.asarray(self.alpha * cohesion + (1 - self.alpha) * inner)

    def signature(self, context: Context = None) -> Signature:
        """Add the signatures of the parts."""
        return super().signature(context).with_("parts", self.part_signatures(context))


@dataclass(frozen=True)
class Hbleu(Hybrid):
    """BLEU of the document mixed with its cohesion."""

    name = "hbleu"
    summary = "BLEU of the document mixed with its cohesion"

    metric: Metric = field(default=_BLEU, init=False)
    alpha: float = 0.14


@dataclass(frozen=True)
class Hmeteor(Hybrid):
    """METEOR of the document mixed with its cohesion."""

    name = "hmeteor"
    summary = "METEOR of the document mixed with its cohesion"

    metric: Metric = field(default=_METEOR, init=False)
    alpha: float = 0.01
