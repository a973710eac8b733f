"""What metrics over labelled stretches of words share: roles and their arguments, named entities.

A text without such stretches has no items and scores 0, as in ASIYA. ``missing`` mends that:
``backoff`` scores such a segment by word overlap, ``interpolate`` averages every segment
with word overlap (ASIYA's ``_b`` and ``_i``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from albeit.annotate.layers import Analysis
from albeit.metrics.bags import Bag, SegmentMetric, Typed, overlap, words

__all__ = ["Span", "SpanMetric"]

Span = tuple[str, tuple[str, ...]]
"""A label and the words under it."""


@dataclass(frozen=True)
class SpanMetric(Typed, SegmentMetric[tuple[Bag, Bag]]):
    """Overlap of items that are drawn from labelled stretches of words."""

    missing: Literal["zero", "backoff", "interpolate"] = "zero"

    @abstractmethod
    def spans(self, analysis: Analysis) -> Iterable[Span]:
        """The labelled stretches of a text, of whatever type."""

    @abstractmethod
    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """What is compared of them."""

    def features(self, analysis: Analysis) -> tuple[Bag, Bag]:
        """The items of the wanted type; and the words, where they stand in for missing ones."""
        wanted = [s for s in self.spans(analysis) if self.type in ("", "*", "**", s[0])]
        lexical: Bag = Counter(words(analysis)) if self.missing != "zero" else {}
        return Counter(self.items(wanted)), lexical

    def compare(self, hypothesis: tuple[Bag, Bag], reference: tuple[Bag, Bag]) -> float:
        """The overlap of items, mended by that of words if so asked."""
        typed = overlap(hypothesis[0], reference[0])
        if self.missing == "interpolate":
            return (typed + overlap(hypothesis[1], reference[1])) / 2
        if self.missing == "backoff" and not (hypothesis[0] and reference[0]):
            return overlap(hypothesis[1], reference[1])
        return typed
