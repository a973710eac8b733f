"""Simplified lexical chains (Gong and Zhou 2015): where a document says a content word again.

A chain is a content word (or its stem) with the positions of the sentences that hold it,
two or more. Positions are kept as the bits of an integer, so what two chains share is one
``&``. Usually a segment is a sentence and positions are segments. Where a segment of
either text holds several sentences, both are matched in order first
(:mod:`albeit.annotate.realign`), and a position is what was matched together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

from albeit.annotate.content import ContentWords, WordForm, content_words
from albeit.annotate.layers import DEPENDENCIES, ENTITIES, SENTENCES, TOKENS, Analysis
from albeit.annotate.realign import match_sentences
from albeit.annotate.splitter import Splitter, splitter

__all__ = [
    "AnalysedReader",
    "Chains",
    "DocumentWords",
    "PlainReader",
    "Reader",
    "aligned_positions",
    "chains",
    "document_words",
    "plain_reader",
    "positions",
]

Sentence = Sequence[str]
Chains = Mapping[str, int]
"""A word's key to its positions: bit ``i`` is set where sentence ``i`` holds the word."""

CONTENT_POS = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV"})


class Reader(Protocol):
    """From a segment to the content words of each of its sentences."""

    def __call__(self, text: str) -> Sequence[Sentence]:
        """One list of keys a sentence; at least one sentence."""


@dataclass(frozen=True)
class PlainReader:
    """Content words by stop list; sentences by punctuation, or each segment one sentence."""

    content: ContentWords
    split: Splitter | None

    def __call__(self, text: str) -> Sequence[Sentence]:
        """Keys of each sentence."""
        if self.split is None:
            return (self.content.keys(text),)
        return [self.content.keys(sentence) for sentence in self.split(text)]


@cache
def plain_reader(lang: str, form: WordForm = "stem", split: bool = True) -> PlainReader:
    """The reader of a language, one a process, so that texts read by it are remembered."""
    return PlainReader(content_words(lang, form), splitter(lang) if split else None)


@dataclass(frozen=True)
class AnalysedReader:
    """Content words with the help of analyses: by part of speech, entities as one word."""

    analyses: Mapping[str, Analysis]
    content: ContentWords
    by_pos: bool
    entities: bool
    split: bool

    def __call__(self, text: str) -> Sequence[Sentence]:
        """Keys of each sentence."""
        analysis = self.analyses[text]
        forms = analysis[TOKENS].forms
        spans = analysis[SENTENCES] if self.split else ((0, len(forms)),)
        tags = analysis[DEPENDENCIES].upos if self.by_pos else None
        inside: dict[int, int] = {}
        if self.entities:
            for entity in analysis[ENTITIES]:
                inside[entity.start] = entity.stop

        def keys(start: int, stop: int) -> Iterator[str]:
            place = start
            while place < stop:
                end = inside.get(place, place + 1)
                if end > place + 1:
                    yield "_".join(form.lower() for form in forms[place:end])
                elif tags is None or tags[place] in CONTENT_POS:
                    key = self.content.key(forms[place])
                    if key:
                        yield key
                place = end

        return [list(keys(start, stop)) for start, stop in spans] or [[]]


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """The content words of one text of a document: by segment, by sentence, in order.

    ``single`` is true where every segment is one sentence; ``places`` are then, and only
    then, the positions of each word.
    """

    segments: tuple[Sequence[Sentence], ...]
    single: bool
    places: dict[str, int]

    def keys(self) -> Iterator[str]:
        """All content words in order."""
        for sentences in self.segments:
            for sentence in sentences:
                yield from sentence

    def sentences(self) -> Iterator[Sentence]:
        """All sentences in order, whatever segments they stand in."""
        for sentences in self.segments:
            yield from sentences


def read_document(lines: Iterable[str], reader: Reader) -> DocumentWords:
    """Read one text of a document."""
    segments = tuple([reader(line) for line in lines])
    single = all(len(sentences) == 1 for sentences in segments)
    return DocumentWords(segments, single, positions(s[0] for s in segments) if single else {})


@lru_cache(maxsize=2048)
def document_words(lines: tuple[str, ...], reader: PlainReader) -> DocumentWords:
    """The same, remembered: a reference serves every system, a translation every metric."""
    return read_document(lines, reader)


def positions(sentences: Iterable[Sentence]) -> dict[str, int]:
    """In which sentences each word stands."""
    found: dict[str, int] = {}
    bit = 1
    for sentence in sentences:
        for key in sentence:
            found[key] = found.get(key, 0) | bit
        bit <<= 1
    return found


def aligned_positions(
    left: DocumentWords, right: DocumentWords
) -> tuple[dict[str, int], dict[str, int]]:
    """Positions of two texts of one document that can be compared with each other."""
    if left.single and right.single:
        return left.places, right.places
    sides: tuple[list[Sentence], list[Sentence]] = ([], [])
    for ours, theirs in zip(left.segments, right.segments, strict=True):
        for spans in match_sentences(ours, theirs):
            for side, sentences, (start, stop) in zip(sides, (ours, theirs), spans, strict=True):
                side.append([key for sentence in sentences[start:stop] for key in sentence])
    return positions(sides[0]), positions(sides[1])


def chains(places: Mapping[str, int]) -> dict[str, int]:
    """Words in two sentences or more."""
    return {key: bits for key, bits in places.items() if bits & (bits - 1)}
