"""The content words of a document, by segment and sentence: what lexical chains are made of.

Words are compared as stems, as lemmas or as they stand, so there are three such layers. A
rule-based annotator makes them in twelve languages, without the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from albeit.annotate.layer import Analysis, Layer
from albeit.annotate.layers.lines import LINES
from albeit.annotate.positions import Positions
from albeit.corpus.levels import Unit

__all__ = ["LEMMAS", "STEMS", "WORDS", "DocumentWords", "Sentence", "positions"]

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
