"""Cut a running text by what its sentences mean: vectors of both sides, matched in order.

The sentences of the text and of the segments are matched one to one, one to several, several
to one or to several, or to none, so that the whole costs least; a match costs less the more
alike the vectors are. Where a match holds sentences of several segments, the text is cut
between them by word edits. Matching itself is :func:`albeit.annotate.realign.cheapest`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from albeit.annotate import annotate
from albeit.annotate.layers import VECTORS
from albeit.annotate.realign import SHAPES, SKIP_COST, Match, cheapest, pair_cost
from albeit.annotate.sentences import splitter
from albeit.resegment.edits import cut_by_edits
from albeit.resegment.words import read_words

__all__ = ["cut_by_meaning", "sentence_spans"]

Floats = npt.NDArray[np.float32]
Span = tuple[int, int]

ALL_SHAPES = (*SHAPES, (2, 2), (2, 3), (3, 2))
"""The shapes of matching inside a segment, and several to several."""
SMALL = 40_000
"""Up to so many pairs of sentences, all are compared."""
REACH = 15
"""In longer texts, how many sentences around the place that word edits give."""

INNER = 1.0
"""What a cut inside a sentence costs where a match holds several segments."""


def sentence_spans(text: str, lang: str) -> list[Span]:
    """Where the sentences of a text stand; a line break ends one, too."""
    split = splitter(lang)
    spans: list[Span] = []
    at = 0
    for line in text.split("\n"):
        for sentence in split(line):
            if sentence.strip():
                start = text.index(sentence, at)
                at = start + len(sentence)
                spans.append((start, at))
    return spans


def cut_by_meaning(segments: Sequence[str], text: str, lang: str) -> list[int]:
    """The offset of the cut after each segment but the last."""
    ours = [(s, part) for s, segment in enumerate(segments) for part in _parts(segment, lang)]
    theirs = sentence_spans(text, lang)
    if not ours or not theirs:
        return [len(text)] * (len(segments) - 1)
    left = _vectors([part for _, part in ours], lang)
    right = _vectors([text[a:b] for a, b in theirs], lang)
    matches = _matched(left, right, _windows(segments, ours, text, theirs))
    cuts = [0] * (len(segments) - 1)
    for (i, j), (k, m) in matches:
        start = theirs[k][0] if k < len(theirs) else len(text)
        stop = theirs[m][0] if m < len(theirs) else len(text)
        inside = [ours[n] for n in range(i, j)]
        # an added sentence goes with what stands before it
        named = sorted({s for s, _ in inside}) or [ours[i - 1][0]] * (i > 0)
        pieces = [" ".join(part for s, part in inside if s == name) for name in named]
        for name, cut in zip(
            named, [*_inner(pieces, text[start:stop]), stop - start], strict=False
        ):
            cuts[name:] = [start + cut] * (len(cuts) - name)
    return cuts


def _matched(left: Floats, right: Floats, windows: Sequence[range] | None) -> tuple[Match, ...]:
    """The cheapest matching of sentences by their vectors, seen from the middle of them all."""
    middle = np.concatenate([left, right]).mean(axis=0)
    lefts, rights = _runs(left - middle), _runs(right - middle)

    def price(match: Match) -> float:
        (i, j), (k, m) = match
        if i == j or k == m:
            return SKIP_COST
        return pair_cost(j - i, m - k, 1.0 - float(lefts[j - i][i] @ rights[m - k][k]))

    return cheapest(len(left), len(right), ALL_SHAPES, price, windows)


def _inner(pieces: Sequence[str], text: str) -> list[int]:
    """Where a stretch that stands for several segments is cut, by word edits."""
    if len(pieces) < 2:
        return []
    return cut_by_edits([read_words(piece) for piece in pieces], read_words(text), INNER)


def _windows(
    segments: Sequence[str], ours: Sequence[tuple[int, str]], text: str, theirs: Sequence[Span]
) -> list[range] | None:
    """In a long text, the sentences around the place where word edits put each segment."""
    if len(ours) * len(theirs) <= SMALL:
        return None
    cuts = [0, *cut_by_edits([read_words(s) for s in segments], read_words(text)), len(text)]
    starts = [start for start, _ in theirs]
    windows: list[range] = []
    reached = 1  # windows overlap, so that there is always a way on
    for s, _ in ours:
        first, last = (bisect_left(starts, cuts[s + end]) for end in (0, 1))
        stop = min(last + REACH, len(theirs)) + 1
        windows.append(range(max(0, min(first - REACH, reached - 1)), stop))
        reached = stop
    windows[-1] = range(windows[-1].start, len(theirs) + 1)
    windows.insert(0, range(windows[0].stop))
    return windows


def _parts(segment: str, lang: str) -> list[str]:
    return [segment[a:b] for a, b in sentence_spans(segment, lang)]


def _vectors(sentences: Sequence[str], lang: str) -> Floats:
    """One vector a sentence: the mean of its words'; zeros where it has none."""
    analyses = annotate(sentences, frozenset({VECTORS}), lang)
    rows = [analyses[s][VECTORS].rows for s in sentences]
    width = max(each.shape[1] for each in rows)
    return np.stack(
        [each.mean(axis=0) if len(each) else np.zeros(width, np.float32) for each in rows]
    )


def _runs(vectors: Floats) -> dict[int, Floats]:
    """Unit vectors of every run of one to four sentences, by its length and first sentence."""
    sums = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0)])
    runs = {}
    for size in range(1, 5):
        total = sums[size:] - sums[:-size]
        runs[size] = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
    return runs
