"""Texts of any of the fifteen languages as unit vectors, one a subword, beside their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from albeit.annotate.layers import Tokens, Vectors
from albeit.annotate.multilingual.pieces import Ints, pieces_of
from albeit.annotate.multilingual.states import Rows, load_encoder
from albeit.annotate.multilingual.words import cut_words, readable

__all__ = ["Text", "read_texts"]


class Text(NamedTuple):
    """A text as the encoder sees it: ``owner`` is the word that each subword begins in."""

    tokens: Tokens
    ids: Ints
    owner: Ints
    states: Rows

    @property
    def vectors(self) -> Vectors:
        """The layer."""
        return Vectors(self.states, self.owner)


def read_texts(texts: Sequence[str]) -> Iterator[Text]:
    """The texts in order. A text without a word, whatever else it holds, has no rows."""
    cut = [cut_words(text) for text in texts]
    plain = [
        readable(text) if words else ("", None) for text, words in zip(texts, cut, strict=True)
    ]
    pieces = pieces_of([text for text, _ in plain])
    read = load_encoder().read([one.ids for one in pieces])
    for words, (_, places), own, rows in zip(cut, plain, pieces, read, strict=True):
        first = own.spans[:, 0]
        if places is not None and len(first):
            first = np.asarray(places, np.int32)[np.minimum(first, len(places) - 1)]
        yield Text(words, own.ids, _owners(words, first), rows)


def _owners(words: Tokens, first: Ints) -> Ints:
    """The word that each subword begins in; one that begins between words belongs to the next."""
    stops = np.array([stop for _, stop in words.offsets], np.int32)
    owner = np.searchsorted(stops, first, side="right")
    return np.minimum(owner, len(words) - 1).astype(np.int32)
