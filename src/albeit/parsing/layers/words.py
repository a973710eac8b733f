"""The content words of a document, by segment and sentence, and the lexical chains that they make.

Words are compared as stems, as lemmas or as they stand, so there are three such layers. A
rule-based annotator makes them in twelve languages, without the model. Lexical chains (Gong and Zhou
2015) are where a document says a content word again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from albeit.data.levels import Unit
from albeit.parsing.layer import Analysis, Layer
from albeit.parsing.layers.text import LINES

__all__ = [
    "CHAINS",
    "LEMMAS",
    "STEMS",
    "WORDS",
    "Chains",
    "DocumentWords",
    "Positions",
    "Sentence",
    "chains",
    "positions",
]


@dataclass(frozen=True, slots=True)
class Positions:
    """How something is counted through a document: sentences, words or characters.

    It leads from a place in a document to a place in one of its segments, and back.
    ``starts`` has the first place of each segment, and at its end the number of places.
    """

    starts: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Iterable[int]) -> Positions:
        """From the number of places in each segment."""
        return cls(tuple(accumulate(sizes, initial=0)))

    def __len__(self) -> int:
        """The number of places in the document."""
        return self.starts[-1]

    def in_segment(self, place: int) -> tuple[int, int]:
        """The segment of a place of the document, and the place within it."""
        if not 0 <= place < len(self):
            raise IndexError(f"there is no place {place} among {len(self)}")
        segment = bisect_right(self.starts, place) - 1
        return segment, place - self.starts[segment]

    def in_document(self, segment: int, place: int) -> int:
        """The place in the document of a segment's place."""
        found = self.starts[segment] + place
        if not self.starts[segment] <= found < self.starts[segment + 1]:
            raise IndexError(f"segment {segment} has no place {place}")
        return found


Sentence = Sequence[str]


def positions(sentences: Iterable[Sentence]) -> dict[str, int]:
    """In which sentences each word stands: bit ``i`` is set where sentence ``i`` holds it."""
    found: dict[str, int] = {}
    bit = 1
    for sentence in sentences:
        for key in sentence:
            found[key] = found.get(key, 0) | bit
        bit <<= 1
    return found


@dataclass(frozen=True)
class DocumentWords:
    """The content words of one text of a document: by segment, by sentence, in order."""

    segments: tuple[Sequence[Sentence], ...]

    @cached_property
    def single(self) -> bool:
        """Whether every segment is one sentence."""
        return all(len(sentences) == 1 for sentences in self.segments)

    @cached_property
    def places(self) -> dict[str, int]:
        """The positions of each word, sentences counted through the document."""
        return positions(self.sentences())

    @property
    def positions(self) -> Positions:
        """From a sentence of the document to one of a segment, and back."""
        return Positions.of(map(len, self.segments))

    def keys(self) -> Iterator[str]:
        """All content words in order."""
        for sentences in self.segments:
            for sentence in sentences:
                yield from sentence

    def sentences(self) -> Iterator[Sentence]:
        """All sentences in order, whatever segments they stand in."""
        for sentences in self.segments:
            yield from sentences

    @cached_property
    def whole_segments(self) -> DocumentWords:
        """The same with every segment taken as one sentence."""
        if self.single:
            return self
        joined = (([key for one in sentences for key in one],) for sentences in self.segments)
        return DocumentWords(tuple(joined))


class _Words(Layer[DocumentWords]):
    unit = Unit.DOCUMENT
    rests_on = (LINES,)

    def __init__(self, name: str) -> None:
        self.name = name

    def empty(self) -> DocumentWords:
        return DocumentWords(())

    def to_json(self, value: DocumentWords) -> Any:
        return [[list(sentence) for sentence in sentences] for sentences in value.segments]

    def from_json(self, data: Any) -> DocumentWords:
        return DocumentWords(
            tuple([tuple([[str(key) for key in one] for one in sentences]) for sentences in data])
        )

    def draw(self, value: DocumentWords, analysis: Analysis) -> Iterator[str]:
        for sentences in value.segments:
            yield " | ".join(" ".join(sentence) for sentence in sentences)


STEMS = _Words("stems")
LEMMAS = _Words("lemmas")
WORDS = _Words("words")

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
