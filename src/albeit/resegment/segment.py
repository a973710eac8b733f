"""Give each segment of a reference the stretch of a running text that belongs to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from albeit.resegment.edits import cut_by_edits
from albeit.resegment.words import Words, read_words

__all__ = ["LOW", "Segmentation", "Way", "segment_text"]

Span = tuple[int, int]
Way = Literal["auto", "edits", "meaning"]
FEW = 0.35
"""Where fewer words than this are shared, ``auto`` goes by meaning, if it can."""
LOW = 0.25
"""Below this the text has hardly to do with the segments, which is warned of."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A text cut into as many pieces as there are segments.

    ``spans`` are offsets in the text, in order; together they hold all of it but the white
    space between. A segment that got nothing has an empty span. ``confidence``, from 0 to 1,
    is the share of words that segments and pieces have in common.
    """

    text: str
    spans: tuple[Span, ...]
    way: Way
    confidence: float

    def pieces(self) -> tuple[str, ...]:
        """One line a segment; a line break inside a piece becomes a space."""
        return tuple(" ".join(self.text[a:b].split("\n")) for a, b in self.spans)


def segment_text(
    segments: Sequence[str], text: str, lang: str = "en", way: Way = "auto"
) -> Segmentation:
    """Cut the text by word edits, by meaning, or as fits."""
    words = read_words(text)
    theirs = [read_words(segment) for segment in segments]
    if way != "meaning":
        made = _made(theirs, words, cut_by_edits(theirs, words), "edits")
        if way == "edits" or made.confidence >= FEW or not _has_meaning(lang):
            return made
    from albeit.resegment.meaning import cut_by_meaning

    return _made(theirs, words, cut_by_meaning(segments, text, lang), "meaning")


def _has_meaning(lang: str) -> bool:
    from albeit.annotate import is_english

    return is_english(lang)


def _made(segments: Sequence[Words], text: Words, cuts: Sequence[int], way: Way) -> Segmentation:
    spans = tuple(_trimmed(text.text, a, b) for a, b in pairwise([0, *cuts, len(text.text)]))
    shared = total = 0
    for segment, (start, stop) in zip(segments, spans, strict=True):
        ours = Counter(filter(_is_word, segment.stems))
        theirs = Counter(filter(_is_word, read_words(text.text[start:stop]).stems))
        shared += 2 * (ours & theirs).total()
        total += ours.total() + theirs.total()
    return Segmentation(text.text, spans, way, shared / total if total else float(not len(text)))


def _is_word(key: str) -> bool:
    return key[0].isalnum()


def _trimmed(text: str, start: int, stop: int) -> Span:
    """A span without the white space at its ends."""
    piece = text[start:stop]
    stripped = piece.strip()
    if not stripped:
        return start, start
    first = start + piece.index(stripped)
    return first, first + len(stripped)
