"""Lexical cohesion devices (Wong and Kit 2012): how much of a text takes up its own words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from albeit.data.levels import Unit
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.parsing.content import LANGUAGES, related
from albeit.parsing.layers import LEMMAS, STEMS, DocumentWords, Layer
from albeit.parsing.needs import Need, Side, read
from albeit.resources import wordnet

__all__ = ["LexicalCohesion", "Repetition"]

NO_CONTENT = 0.0
"""The score of a document without content words: nothing is taken up."""


@dataclass(frozen=True)
class Repetition(Metric):
    """RC: the share of content words whose stem occurs again in the document.

    No reference is looked at, so repetition that ought not to be there counts too. The
    score of several documents is that of all their words together.
    """

    name: ClassVar[str] = "rc"
    summary: ClassVar[str] = "share of content words that are repeated in the document (no refs)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    languages: ClassVar[frozenset[str]] = LANGUAGES
    """Languages with a stop list."""
    width: ClassVar[int] = 2
    """How many numbers a row of statistics holds."""
    layer: ClassVar[Layer[DocumentWords]] = STEMS
    """How words are compared."""

    @property
    def needs(self) -> frozenset[Need]:
        """The content words of the translation alone."""
        return read(self.layer, side=Side.HYPOTHESIS)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Cohesion devices and content words of each document."""
        rows = []
        for document in batch.documents:
            lines = tuple(batch.hypotheses[document.rows])
            counts = Counter(batch.document_analyses[lines][self.layer].keys())
            rows.append((self.devices(counts), counts.total()))
        return np.array(rows, dtype=np.float64)

    def devices(self, counts: Counter[str]) -> int:
        """How many words take another one up."""
        return sum(count for count in counts.values() if count > 1)

    def score(self, sums: FloatArray) -> FloatArray:
        """Devices over content words."""
        devices, words = sums[..., 0], sums[..., 1]
        share = np.full(words.shape, NO_CONTENT)
        np.divide(devices, words, out=share, where=words > 0)
        return share

    def versions(self, context: Context = None) -> dict[str, str]:
        """The stemmer."""
        from importlib.metadata import version

        return {"snowball": version("snowballstemmer")}


@dataclass(frozen=True)
class LexicalCohesion(Repetition):
    """LC: the same with synonyms and direct superordinates of WordNet, for English."""

    name: ClassVar[str] = "lc"
    summary: ClassVar[str] = "share of content words taken up in the document, by WordNet too"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    """The language of WordNet; ``rc`` knows more."""
    layer: ClassVar[Layer[DocumentWords]] = LEMMAS

    def devices(self, counts: Counter[str]) -> int:
        """How many words take another one up."""
        others = related(counts, "hypernyms")
        return sum(count for word, count in counts.items() if count > 1 or word in others)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Stemmer and WordNet."""
        return super().versions(context) | {"wordnet": wordnet().version}
