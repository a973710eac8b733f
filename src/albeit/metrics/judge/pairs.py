"""From texts that belong together to what a judge's network reads, in batches of one padded length.

A row of the judge is ``[CLS] translation [SEP] reference [SEP]``; words are what stands between
spaces. Only rows whose length rounds up to the same multiple of ``STEP`` share a batch, so that the
shape a pair is computed in never depends on its neighbours. Texts that are longer together than
the network learned to read are read in pieces: all are cut into equally many, between sentences
where that is possible, and piece is read beside piece. A text too short for that is cut into fewer,
each of which is read beside several pieces of the others. Nothing is left out. What is many times
as long as the text beside it can be its counterpart in part only (``covered``). Beside its subwords
the wide network reads three facts about a pair's characters: subwords hide spelling, a name with
one wrong letter is cut into other pieces altogether, and what chrF counts shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.metrics.base import Batch
from albeit.metrics.judge.hidden import AROUND
from albeit.metrics.lexical.chrf import Chrf
from albeit.parsing.encoder import CLS, SEP, Encoded
from albeit.parsing.sentences import split_sentences
from albeit.parsing.tokenize import tokenize

__all__ = ["FACTS", "REFERENCE", "Rows", "core", "covered", "cut", "facts", "sentence_ends"]

Ints = npt.NDArray[np.int64]
Ends = Callable[[int], Ints]
"""By the number of a text: after how many of its subwords a sentence of it ends."""

REFERENCE = 6
"""Added to the casing class of the reference's subwords: the network's way to tell sides apart."""
STEP = 8
"""Lengths are rounded up to a multiple of this."""
FACTS = ("chrF", "precision", "recall")
BATCH_TOKENS = 1024
"""About how many subwords one batch holds."""
FINEST = 32
"""A piece that holds less than this part of what is read at once is next to nothing, unless what
stands beside it is as short."""
TIMES, SLACK = 4, 16
"""Of a text, as many subwords can be the counterpart of another: so many times its own, and a few."""


def core(word: str) -> str:
    """A word without the punctuation around it: its casing is what counts."""
    return word.strip(AROUND)


@dataclass(frozen=True)
class Rows:
    """What is read at once: of each text, ``sizes`` subwords from ``begin`` on, both (texts, rows);
    ``pair`` says whose row it is.

    A mark stands before the first text and after each. The judge's texts are a translation and its
    reference; another network may read three.
    """

    pair: Ints
    begin: Ints
    sizes: Ints

    @property
    def lengths(self) -> Ints:
        """How many places each row has, marks included."""
        return np.asarray(self.sizes.sum(axis=0) + len(self.sizes) + 1)

    def batches(self, step: int = STEP) -> Iterator[tuple[Ints, int]]:
        """Numbers of rows that are read together, and their common length."""
        padded = -(-self.lengths // step) * step
        order = np.argsort(padded, kind="stable")
        for alike in np.split(order, np.flatnonzero(np.diff(padded[order])) + 1):
            width = int(padded[alike[:1]].sum())
            size = max(1, BATCH_TOKENS // max(width, 1))
            for at in range(0, len(alike), size):
                yield alike[at : at + size], width

    def shares(self) -> FloatArray:
        """What each row is of its pair: by length, as a part of one."""
        weights = self.sizes.sum(axis=0).astype(np.float64)
        whole = np.bincount(self.pair, weights)[self.pair]
        return np.asarray(np.where(whole > 0, weights / np.maximum(whole, 1), 1.0))

    def places(self, rows: Ints, width: int) -> tuple[Ints, Ints]:
        """For each place of rows, each [rows, width]: whose subword stands there, by the number of
        the text, -1 for marks and what lies behind a row; and which subword (0 where there is none).
        """
        begin, marks = self.begin[:, rows].T, np.cumsum(self.sizes[:, rows] + 1, axis=0).T
        places = np.arange(width)
        text = (places > marks[..., None]).sum(axis=1)
        inside = (places > 0) & (text < len(self.sizes))
        inside &= (places != marks[..., None]).all(axis=1)
        own = np.where(inside, text, 0)
        before = np.take_along_axis(np.pad(marks, ((0, 0), (1, 0))), own, axis=1)
        subword = np.take_along_axis(begin, own, axis=1) + places - before - 1
        return np.where(inside, text, -1), np.where(inside, subword, 0)

    def inputs(self, encoded: Encoded, rows: Ints, width: int) -> tuple[Ints, Ints, Ints]:
        """Ids, mask and casing with side of the judge's rows, each [rows, width]."""
        text, subword = self.places(rows, width)
        places, ends = np.arange(width), self.lengths[rows, None]
        ids = np.where(text < 0, SEP * (places < ends), encoded.ids[subword])
        ids[:, 0] = CLS
        cases = np.where(text < 0, 0, encoded.cases[subword] + REFERENCE * (text == 1))
        return ids, (places < ends).astype(np.int64), cases


def cut(starts: Ints, items: Sequence[tuple[int, ...]] | Ints, longest: int, ends: Ends) -> Rows:
    """The rows of texts that are read together: one each, or pieces where they are too long.

    :param starts: where the subwords of each text begin, and last where those of all end
    :param items: a translation, what it is compared with, and perhaps more, by the numbers of texts
    """
    texts = np.array(items, np.int64).reshape(len(items), -1 if len(items) else 2).T
    lengths = np.diff(starts)[texts]
    room = longest - len(texts) - 1
    pieces = {
        k: _pieces(lengths[:, k].tolist(), [ends(text) for text in texts[:, k].tolist()], room)
        for k in np.flatnonzero(lengths.sum(axis=0) > room).tolist()
    }
    count = np.ones(texts.shape[1], np.int64)
    for k, (begins, _) in pieces.items():
        count[k] = begins.shape[1]
    pair = np.repeat(np.arange(texts.shape[1]), count)
    begin, size = np.zeros((len(texts), len(pair)), np.int64), lengths[:, pair]
    firsts = np.cumsum(count) - count
    for k, found in pieces.items():
        rows = slice(firsts[k], firsts[k] + count[k])
        begin[:, rows], size[:, rows] = found
    return Rows(pair, starts[texts][:, pair] + begin, size)


def covered(ours: Ints, theirs: Ints) -> FloatArray:
    """Which part of the longer of two texts the other can be the counterpart of, by their sizes.

    All of it, unless it is more than ``TIMES`` as long (and ``SLACK`` subwords, for short ones):
    then the rest has nothing beside it, whatever it says.

    >>> covered(np.array([30, 5, 400]), np.array([25, 20, 21])).tolist()
    [1.0, 1.0, 0.25]
    """
    longer, shorter = np.maximum(ours, theirs), np.minimum(ours, theirs)
    return np.asarray(np.minimum(1.0, (TIMES * shorter + SLACK) / np.maximum(longer, 1)))


def sentence_ends(words: Sequence[str], first: Ints, size: int) -> Ints:
    """After how many of a text's ``size`` subwords a sentence ends, the last one's end left out.

    ``first`` are the words' first subwords; a sentence ends only where a word does.
    """
    tokens = tokenize(" ".join(words))
    begins = np.cumsum([0, *(len(word) + 1 for word in words)])[:-1]
    found = [tokens.offsets[start][0] for start, _ in split_sentences(tokens.forms, tokens.offsets)]
    starts = np.intersect1d(np.array(found, np.int64), begins)
    ends = first[np.searchsorted(begins, starts)]
    return ends[(ends > 0) & (ends < size)]


def _pieces(sizes: Sequence[int], ends: Sequence[Ints], room: int) -> tuple[Ints, Ints]:
    """Where pieces of texts that are too long together begin, and their sizes: (texts, pieces).

    They are cut between sentences. Where pieces do not fit then, or one has next to nothing beside
    it, the texts are cut into more, and at last wherever equal shares fall. There a text that is
    too short for so many pieces is cut into fewer, each of which stands beside several of the others.
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
            beside = np.arange(count) * own // count
            begin[text], found[text] = shares[beside], np.diff(shares)[beside]
        if (found.sum(axis=0) <= room).all():
            return begin, found
        count += 1


def _between_sentences(sizes: Sequence[int], ends: Sequence[Ints], count: int) -> Ints:
    """Where pieces begin and end if all texts are cut between sentences: (texts, pieces + 1).

    Pieces of the second text, the reference, are as near to equal length as its sentences allow. The others are cut
    at the same share of their length, moved to the nearest end of a sentence; at the same sentence
    where both have equally many.
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


def _nearest(ends: Ints, wanted: Ints) -> Ints:
    """The end of a sentence that is nearest to each place."""
    after = np.searchsorted(ends, wanted).clip(max=len(ends) - 1)
    before = np.maximum(after - 1, 0)
    closer = np.where(wanted - ends[before] <= ends[after] - wanted, before, after)
    return np.asarray(ends[closer])


def facts(translations: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float32]:
    """chrF, the mean precision and the mean recall of its six orders: (pairs, 3), from 0 to 1.

    Orders for which one of the two texts is too short do not count; without any, all are 0.
    """
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
