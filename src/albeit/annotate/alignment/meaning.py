"""Word alignment by meaning: states of the multilingual encoder, nothing trained.

Two words are linked where each is the other's most similar one, by their most similar
subwords. It needs no other text than the two lines, so it aligns a single sentence as well as
a corpus (``pip install 'albeit[multilingual]'``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from albeit.annotate.alignment.aligner import Lines, Link

__all__ = ["meaning_align"]


def meaning_align(source: Lines, target: Lines) -> Iterator[list[Link]]:
    """The links of each pair of lines, given as words."""
    from albeit.annotate.multilingual.pieces import pieces_of
    from albeit.annotate.multilingual.states import Rows, load_encoder

    def read(lines: Lines) -> Iterator[tuple[Rows, list[int]]]:
        texts = [" ".join(line) for line in lines]
        pieces = pieces_of(texts)
        states = load_encoder().read([one.ids for one in pieces])
        for line, one, rows in zip(lines, pieces, states, strict=True):
            yield rows, _owners(line, one.spans[:, 0].tolist())

    for (left, ours), (right, theirs) in zip(read(source), read(target), strict=True):
        if not len(left) or not len(right):
            yield []
            continue
        alike = left @ right.T
        shape = ours[-1] + 1, theirs[-1] + 1
        words = np.full(shape, -np.inf)
        np.maximum.at(words, (np.array(ours)[:, None], np.array(theirs)[None, :]), alike)
        forward, backward = words.argmax(axis=1), words.argmax(axis=0)
        mutual = backward[forward] == np.arange(shape[0])
        real = np.isfinite(words[np.arange(shape[0]), forward])
        yield [(int(i), int(forward[i])) for i in np.flatnonzero(mutual & real)]


def _owners(words: Sequence[str], first: Sequence[int]) -> list[int]:
    """The word in which each subword begins, words standing one space apart."""
    stops = np.cumsum([len(word) + 1 for word in words]) - 1
    found: list[int] = np.searchsorted(stops, first, side="right").tolist()
    return [min(owner, len(words) - 1) for owner in found]
