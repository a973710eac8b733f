"""Sentences, as ranges of words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from albeit.annotate.layer import Analysis, Layer, Span
from albeit.annotate.layers.spans import spans_from_json, words
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["SENTENCES"]


class _Sentences(Layer[tuple[Span, ...]]):
    name = "sentences"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Span, ...]:
        return ()

    def to_json(self, value: tuple[Span, ...]) -> Any:
        return [list(span) for span in value]

    def from_json(self, data: Any) -> tuple[Span, ...]:
        return spans_from_json(data)

    def draw(self, value: tuple[Span, ...], analysis: Analysis) -> Iterator[str]:
        for start, stop in value:
            yield words(analysis, start, stop)


SENTENCES = _Sentences()
