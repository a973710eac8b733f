"""Simplified lexical chains (Gong and Zhou 2015): where a document says a content word again.

A chain is a content word (or its stem) with the positions of the sentences that hold it,
two or more. Positions are kept as the bits of an integer, so what two chains share is one
``&``. Usually a segment is a sentence and positions are segments. Where a segment of
either text holds several sentences, both are matched in order first
(:mod:`albeit.parsing.realign`), and a position is what was matched together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from albeit.parsing.content import ContentWords, WordForm, content_words
from albeit.parsing.layers import DocumentWords
from albeit.parsing.layers.words import Sentence, positions
from albeit.parsing.realign import match_sentences
from albeit.parsing.sentences import Splitter, splitter

__all__ = [
    "PlainReader",
    "aligned_positions",
    "plain_reader",
    "read_document",
]


@dataclass(frozen=True)
class PlainReader:
    """Content words by stop list; sentences by punctuation."""

    content: ContentWords
    split: Splitter

    def __call__(self, text: str) -> Sequence[Sentence]:
        """Keys of each sentence."""
        return [self.content.keys(sentence) for sentence in self.split(text)]


@cache
def plain_reader(lang: str, form: WordForm = "stem") -> PlainReader:
    """The reader of a language, one per process, so that words decided by it are remembered."""
    return PlainReader(content_words(lang, form), splitter(lang))


def read_document(lines: Iterable[str], reader: PlainReader) -> DocumentWords:
    """Read one text of a document."""
    return DocumentWords(tuple([reader(line) for line in lines]))


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
