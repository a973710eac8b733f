"""Lexical chains (Gong and Zhou 2015): where a document says a content word again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from albeit.annotate.layer import Analysis, Layer
from albeit.annotate.layers.words import STEMS
from albeit.corpus.levels import Unit

__all__ = ["CHAINS", "Chains", "chains"]

Chains = Mapping[str, int]
"""A word's key to its positions: bit ``i`` is set where sentence ``i`` holds the word."""


def chains(places: Mapping[str, int]) -> dict[str, int]:
    """Words in two sentences or more."""
    return {key: bits for key, bits in places.items() if bits & (bits - 1)}


class _Chains(Layer[Chains]):
    """The chains of stems, with the positions of sentences in the document."""

    name = "chains"
    unit = Unit.DOCUMENT
    rests_on = (STEMS,)
    derived = True

    def empty(self) -> Chains:
        return {}

    def derive(self, analysis: Analysis) -> Chains:
        return chains(analysis[STEMS].places)

    def to_json(self, value: Chains) -> Any:
        return {key: _places(bits) for key, bits in value.items()}

    def from_json(self, data: Any) -> Chains:
        return {str(key): sum(1 << int(n) for n in places) for key, places in data.items()}

    def draw(self, value: Chains, analysis: Analysis) -> Iterator[str]:
        for key, bits in value.items():
            yield f"{key}  {' '.join(str(n + 1) for n in _places(bits))}"


def _places(bits: int) -> list[int]:
    return [n for n in range(bits.bit_length()) if bits >> n & 1]


CHAINS = _Chains()
