"""Sentences without a partner: what a translation added, and what it lost.

Inside each segment the sentences of both sides are matched in order by the words they share
(:func:`albeit.annotate.realign.match_sentences`); those matched with none are told of. They
are not taken away: an added sentence stays where it stands, a lost one is missing there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from albeit.annotate.realign import match_sentences
from albeit.resegment.meaning import sentence_spans
from albeit.resegment.segment import Segmentation
from albeit.resegment.words import read_words

__all__ = ["Partners", "partners"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Partners:
    """Added sentences as (segment, offsets in the text), lost ones as (segment, offsets in it)."""

    added: tuple[tuple[int, Span], ...]
    lost: tuple[tuple[int, Span], ...]


def partners(segments: Sequence[str], cut: Segmentation, lang: str) -> Partners:
    """The sentences of a document that have no partner."""
    added: list[tuple[int, Span]] = []
    lost: list[tuple[int, Span]] = []
    for n, (segment, (start, stop)) in enumerate(zip(segments, cut.spans, strict=True)):
        piece = cut.text[start:stop]
        theirs, ours = sentence_spans(segment, lang), sentence_spans(piece, lang)
        if len(theirs) == len(ours) == 1:
            continue
        matches = match_sentences(
            [_words(segment[a:b]) for a, b in theirs], [_words(piece[a:b]) for a, b in ours]
        )
        for (i, j), (k, m) in matches:
            if i == j:
                added += [(n, (start + a, start + b)) for a, b in ours[k:m]]
            if k == m:
                lost += [(n, span) for span in theirs[i:j]]
    return Partners(tuple(added), tuple(lost))


def _words(sentence: str) -> list[str]:
    return [stem for stem in read_words(sentence).stems if stem[0].isalnum()]
