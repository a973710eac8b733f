"""Overlap of named entities (ASIYA's NE family).

``ne-oe``       words of the entities, by kind; ``ne-oe(person)`` for one kind
``ne-oe(**)``   the same, and the words outside entities as a kind of their own
``ne-me``       whole entities, by kind

Most sentences name nobody: ``ne-oe(**)``, or ``missing`` (see `albeit.metrics.spans`), says
what such a segment scores; otherwise it is 0, as in ASIYA.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from albeit.annotate.layers import ENTITIES, TOKENS, Analysis
from albeit.annotate.needs import Need, compared
from albeit.metrics.bags import model_labels, words
from albeit.metrics.spans import Span, SpanMetric

__all__ = ["NeMe", "NeOe"]

OUTSIDE = ""
"""The kind of the words that belong to no entity."""


@dataclass(frozen=True)
class _Entities(SpanMetric):
    def types(self) -> Collection[str]:
        """The model's kinds of entities."""
        return model_labels("entity")

    @property
    def needs(self) -> frozenset[Need]:
        """Words and entities."""
        return compared(TOKENS, ENTITIES)

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """The entities."""
        forms = words(analysis)
        for entity in analysis[ENTITIES]:
            yield entity.kind, forms[entity.start : entity.stop]


@dataclass(frozen=True)
class NeOe(_Entities):
    """Words of entities, by kind."""

    name: ClassVar[str] = "ne-oe"
    summary: ClassVar[str] = "words of named entities, by kind; ne-oe(**): all words (ASIYA NE-Oe)"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """The entities, and for ``**`` each word outside them."""
        yield from super().spans(analysis)
        if self.type == "**":
            named = {
                place for entity in analysis[ENTITIES] for place in range(entity.start, entity.stop)
            }
            yield OUTSIDE, tuple(w for k, w in enumerate(words(analysis)) if k not in named)

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """(kind, word)."""
        return [(kind, word) for kind, filler in spans for word in filler]


@dataclass(frozen=True)
class NeMe(_Entities):
    """Whole entities, by kind."""

    name: ClassVar[str] = "ne-me"
    summary: ClassVar[str] = "whole named entities, by kind (ASIYA NE-Me(*))"

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """(kind, all its words)."""
        return list(spans)
