"""Give each segment of a reference the stretch of a running text that belongs to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from albeit.resegment.edits import cut_by_edits
from albeit.resegment.words import read_words

__all__ = ["LOW", "Segmentation", "measured", "segment_text"]

Span = tuple[int, int]
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
    confidence: float

    def pieces(self) -> tuple[str, ...]:
        """One line per segment; a line break inside a piece becomes a space."""
        return tuple(" ".join(self.text[a:b].split("\n")) for a, b in self.spans)


def segment_text(segments: Sequence[str], text: str) -> Segmentation:
    """Cut the text by word edits."""
    cuts = cut_by_edits([read_words(segment) for segment in segments], read_words(text))
    spans = tuple(_trimmed(text, a, b) for a, b in pairwise([0, *cuts, len(text)]))
    return Segmentation(text, spans, measured(segments, text, spans))


def measured(segments: Sequence[str], text: str, spans: Sequence[Span]) -> float:
    """The share of words that segments and pieces have in common, from 0 to 1."""
    shared = total = 0
    for segment, (start, stop) in zip(segments, spans, strict=True):
        ours, theirs = (
            Counter(stem for stem in read_words(side).stems if stem[0].isalnum())
            for side in (segment, text[start:stop])
        )
        shared += 2 * (ours & theirs).total()
        total += ours.total() + theirs.total()
    return shared / total if total else 1.0


def _trimmed(text: str, start: int, stop: int) -> Span:
    """A span without the white space at its ends."""
    piece = text[start:stop]
    stripped = piece.strip()
    if not stripped:
        return start, start
    first = start + piece.index(stripped)
    return first, first + len(stripped)
