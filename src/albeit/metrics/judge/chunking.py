"""Rows of subwords that the learned networks read, in batches of one padded length.

A row is a translation with its reference, source, or both. Only rows whose length rounds up to the
same multiple of ``STEP`` share a batch, so that the shape in which a row is computed never depends
on other rows. Texts that are longer together than the network can read are cut into equally many
chunks, between sentences if possible, and the chunks of the same number are read together. A text
that is too short for that is cut into fewer chunks, and each of them is read with several chunks of
the others. Of a text many times as long as the other, only a part can have a counterpart
(:func:`covered`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from albeit.metrics import Batch, FloatArray, Floats32, IntArray
from albeit.parsing.encoder import Rows, batch_by_length
from albeit.parsing.layers import Tokens
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

Text = TypeVar("Text", bound=Hashable)
RowInputs = TypeVar("RowInputs")

STEP = 8
"""Lengths are rounded up to a multiple of this."""
FINEST = 32
"""A chunk should have at least this part (1/32) of a row, unless the other chunks are as short."""
TIMES, SLACK = 4, 16
"""A text can be the counterpart of ``TIMES`` as many subwords as it has, and ``SLACK`` more."""


@dataclass(frozen=True)
class Reading:
    """What a network returns for items: raw scores, and the number of chunks of each.

    ``covered`` is the part of each item's longer text that has a counterpart. ``spreads`` are
    standard errors of raw scores. ``marks`` are the logits of each word of the translation
    (words, kinds of errors): one kind, or major and minor errors.
    """

    scores: FloatArray
    chunks: IntArray
    covered: FloatArray
    spreads: FloatArray | None
    marks: Sequence[Floats32] = ()


class Encoding(ABC, Generic[RowInputs]):
    """Items of texts as subwords, and the rows in which a network reads them.

    :param starts: where the subwords of each text start, and the end of the last text
    :param items: the numbers of each item's texts (items, texts)
    :param longest: the length of the longest row that the network can read
    """

    def __init__(self, starts: IntArray, items: IntArray, longest: int) -> None:
        self.starts, self.items = starts, items
        self.rows = cut(starts, items, longest, self.sentence_ends)

    @abstractmethod
    def inputs(self, rows: IntArray, width: int) -> RowInputs:
        """Return what the network reads of rows."""

    @abstractmethod
    def sentence_ends(self, text: int) -> IntArray:
        """Return the numbers of subwords after which a sentence ends, without the last."""

    @abstractmethod
    def chunk(self, text: int, start: int, size: int) -> str:
        """Return a part of a text, by its subwords."""

    def batches(self, step: int = STEP) -> Iterator[tuple[IntArray, RowInputs]]:
        """Yield the numbers of rows, and what the network reads of them."""
        for rows, width in batch_by_length(self.rows.lengths, step):
            yield rows, self.inputs(rows, width)

    def facts(self, rows: IntArray, translation: int, reference: int) -> Floats32:
        """Return the character statistics of rows, where two texts have these numbers."""
        lines: list[list[str]] = [[], []]
        for row in rows.tolist():
            for side, found in zip((translation, reference), lines, strict=True):
                text = self.items[self.rows.item[row], side]
                start = self.rows.begin[side, row] - self.starts[text]
                found.append(self.chunk(text, start, self.rows.sizes[side, row]))
        return facts(*lines)

    def combine(
        self,
        scores: FloatArray,
        variances: FloatArray | None,
        slope: float = 1.0,
        offset: float = 0.0,
    ) -> Reading:
        """Average the scores of rows by item, and put them on another scale."""
        item, count, shares = self.rows.item, len(self.items), self.rows.shares()
        found = slope * np.bincount(item, shares * scores, count).astype(np.float64) + offset
        spreads = None
        if variances is not None:
            spreads = np.sqrt(slope**2 * np.bincount(item, shares**2 * variances, count))
        sizes = np.diff(self.starts)[self.items.T]
        chunks = np.bincount(item, minlength=count)
        return Reading(found, chunks, covered(sizes[-1], sizes[-2]), spreads)


def number_texts(items: Sequence[Sequence[Text]]) -> tuple[list[Text], IntArray]:
    """Return the distinct texts, and each item's texts by number."""
    numbers: dict[Text, int] = {}
    found = [[numbers.setdefault(text, len(numbers)) for text in item] for item in items]
    return list(numbers), np.array(found, np.int64).reshape(-1, len(items[0]) if items else 2)


def whitespace_tokens(text: str) -> Tokens:
    """Split a text at white space."""
    found = list(re.finditer(r"\S+", text))
    return Tokens(tuple(word.group() for word in found), tuple(word.span() for word in found))


def cut(starts: IntArray, items: IntArray, longest: int, ends: Callable[[int], IntArray]) -> Rows:
    """Return the rows of items: one each, or several chunks if the texts are too long.

    :param starts: where the subwords of each text start, and the end of the last text
    :param items: the numbers of each item's texts (items, texts)
    :param ends: returns the numbers of subwords of a text after which a sentence ends
    """
    texts = items.T
    lengths = np.diff(starts)[texts]
    room = longest - len(texts) - 1
    chunks = {
        k: _chunks(lengths[:, k].tolist(), [ends(text) for text in texts[:, k].tolist()], room)
        for k in np.flatnonzero(lengths.sum(axis=0) > room).tolist()
    }
    count = np.ones(len(items), np.int64)
    for k, (begins, _) in chunks.items():
        count[k] = begins.shape[1]
    item = np.repeat(np.arange(len(items)), count)
    begin, size = np.zeros((len(texts), len(item)), np.int64), lengths[:, item]
    firsts = np.cumsum(count) - count
    for k, found in chunks.items():
        rows = slice(firsts[k], firsts[k] + count[k])
        begin[:, rows], size[:, rows] = found
    return Rows(item, starts[texts][:, item] + begin, size)


def covered(ours: IntArray, theirs: IntArray) -> FloatArray:
    """Return the part of the longer of two texts that has a counterpart, by their sizes.

    >>> covered(np.array([30, 5, 400]), np.array([25, 20, 21])).tolist()
    [1.0, 1.0, 0.25]
    """
    longer, shorter = np.maximum(ours, theirs), np.minimum(ours, theirs)
    return np.asarray(np.minimum(1.0, (TIMES * shorter + SLACK) / np.maximum(longer, 1)))


def word_sentence_ends(words: Sequence[str], first: IntArray, size: int) -> IntArray:
    """Return the numbers of subwords after which a sentence ends, without the last of ``size``.

    ``first`` are the words' first subwords. A sentence ends only where a word ends.
    """
    tokens = tokenize(" ".join(words))
    begins = np.cumsum([0, *(len(word) + 1 for word in words)])[:-1]
    found = [tokens.offsets[start][0] for start, _ in split_sentences(tokens.forms, tokens.offsets)]
    starts = np.intersect1d(np.array(found, np.int64), begins)
    ends = first[np.searchsorted(begins, starts)]
    return ends[(ends > 0) & (ends < size)]


def _chunks(sizes: Sequence[int], ends: Sequence[IntArray], room: int) -> tuple[IntArray, IntArray]:
    """Return where chunks of texts that are too long together begin, and their sizes.

    Texts are cut between sentences. If the chunks don't fit then, or one is almost empty, try more
    chunks, and at last equal shares. There, a text that is too short is cut into fewer chunks.
    """
    fewest = max(1, room // FINEST)
    least = -(-sum(sizes) // room)
    tried = dict.fromkeys(-(-least * eighths // 8) for eighths in range(8, 17))
    for count in tried if all(map(len, ends)) else ():
        bounds = _between_sentences(sizes, ends, count)
        found = np.diff(bounds, axis=1)
        enough = np.minimum(fewest, found.max(axis=0) // TIMES + 1)
        if (found >= enough).all() and (found.sum(axis=0) <= room).all():
            return bounds[:, :-1], found
    count = -(-sum(sizes) // (room - len(sizes)))  # rounding adds at most one subword to each
    while True:
        begin, found = np.empty((2, len(sizes), count), np.int64)
        for text, size in enumerate(sizes):
            own = min(count, max(1, size // fewest))
            shares = np.arange(own + 1) * size // own
            which = np.arange(count) * own // count
            begin[text], found[text] = shares[which], np.diff(shares)[which]
        if (found.sum(axis=0) <= room).all():
            return begin, found
        count += 1


def _between_sentences(sizes: Sequence[int], ends: Sequence[IntArray], count: int) -> IntArray:
    """Return the bounds of chunks if all texts are cut between sentences: (texts, chunks + 1).

    Chunks of the second text are as equal in length as its sentences allow. The others are cut at
    the same share of their length, or at the same sentence if both have equally many.
    """
    second = _nearest(ends[1], np.arange(1, count) * sizes[1] // count)
    bounds = []
    for size, own in zip(sizes, ends, strict=True):
        if len(own) == len(ends[1]):
            inner = own[np.searchsorted(ends[1], second)]
        else:
            inner = _nearest(own, second * size // sizes[1])
        bounds.append([0, *inner, size])
    return np.array(bounds)


def _nearest(ends: IntArray, wanted: IntArray) -> IntArray:
    """Return the sentence end that is nearest to each position."""
    after = np.searchsorted(ends, wanted).clip(max=len(ends) - 1)
    before = np.maximum(after - 1, 0)
    closer = np.where(wanted - ends[before] <= ends[after] - wanted, before, after)
    return np.asarray(ends[closer])


def facts(translations: Sequence[str], references: Sequence[str]) -> Floats32:
    """Return chrF, and the mean precision and recall of its six orders: (pairs, 3), from 0 to 1.

    Subwords hide spelling, and these features show it. Orders for which a text is too short don't
    count; without any, all are 0.
    """
    from albeit.metrics.lexical.chrf import Chrf  # it imports Numba

    chrf = Chrf()
    rows = chrf.statistics(Batch(translations, [references], None, ()), None)
    ours, theirs, shared = np.moveaxis(rows.reshape(len(rows), -1, 3), 2, 0)
    both = (ours > 0) & (theirs > 0)
    orders = np.maximum(both.sum(axis=1), 1)
    precision, recall = (
        (shared / np.where(both, whole, 1.0) * both).sum(axis=1) / orders
        for whole in (ours, theirs)
    )
    return np.stack([chrf.score(rows) / 100, precision, recall], axis=1).astype(np.float32)
