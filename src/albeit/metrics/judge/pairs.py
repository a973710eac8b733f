"""From pairs of texts to what the judge's network reads, in batches of one padded length.

A row is ``[CLS] translation [SEP] reference [SEP]``; words are what stands between spaces.
Only rows whose length rounds up to the same multiple of ``STEP`` share a batch, so that the
shape a pair is computed in never depends on its neighbours. A longer pair than the network
learned to read is read in pieces: both texts are cut into equally many, between sentences
where that is possible, and piece is read beside piece. Nothing is left out. Beside its subwords
the wide network reads three facts about a pair's characters: subwords hide spelling, a name with
one wrong letter is cut into other pieces altogether, and what chrF counts shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.annotate.sentences import split_sentences
from albeit.annotate.subwords import CLS, SEP, Encoded
from albeit.annotate.tokenize import tokenize
from albeit.arrays import FloatArray
from albeit.metrics.base import Batch
from albeit.metrics.judge.hidden import AROUND
from albeit.metrics.lexical.chrf import Chrf

__all__ = ["FACTS", "REFERENCE", "Rows", "core", "cut", "facts", "sentence_ends"]

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


def core(word: str) -> str:
    """A word without the punctuation around it: its casing is what counts."""
    return word.strip(AROUND)


@dataclass(frozen=True)
class Rows:
    """What is read at once: ``sizes[0]`` subwords of a translation from ``begin[0]`` on,
    ``sizes[1]`` of its reference from ``begin[1]`` on, and so forth; ``pair`` says whose row it is."""

    pair: Ints
    begin: Ints
    sizes: Ints

    def batches(self, step: int = STEP) -> Iterator[tuple[Ints, int]]:
        """Numbers of rows that are read together, and their common length."""
        padded = -(-(self.sizes.sum(axis=0) + len(self.sizes) + 1) // step) * step
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

    def inputs(self, encoded: Encoded, rows: Ints, width: int) -> tuple[Ints, Ints, Ints]:
        """Ids, mask and casing with side, each [rows, width]."""
        (ours, theirs), (n, m) = self.begin[:, rows, None], self.sizes[:, rows, None]
        places = np.arange(width)
        left = (places >= 1) & (places <= n)
        right = (places >= n + 2) & (places <= n + m + 1)
        source = np.where(left, ours + places - 1, np.where(right, theirs + places - n - 2, 0))
        ids = np.where(left | right, encoded.ids[source], 0)
        ids[:, 0] = CLS
        ids[(places == n + 1) | (places == n + m + 2)] = SEP
        cases = np.where(left | right, encoded.cases[source] + REFERENCE * right, 0)
        return ids, (places <= n + m + 2).astype(np.int64), cases


def cut(starts: Ints, items: Sequence[tuple[int, ...]] | Ints, longest: int, ends: Ends) -> Rows:
    """The rows of texts that are read together: one each, or pieces where they are too long.

    :param starts: where the subwords of each text begin, and last where those of all end
    :param items: a translation, what it is compared with, and perhaps more, by the numbers of texts
    """
    texts = np.array(items, np.int64).reshape(len(items), -1 if len(items) else 2).T
    lengths = np.diff(starts)[texts]
    room = longest - len(texts) - 1
    bounds: dict[int, Ints] = {}
    for k in np.flatnonzero(lengths.sum(axis=0) > room).tolist():
        bounds[k] = _bounds(lengths[:, k], [ends(text) for text in texts[:, k].tolist()], room)
    count = np.ones(texts.shape[1], np.int64)
    for k, found in bounds.items():
        count[k] = found.shape[1] - 1
    pair = np.repeat(np.arange(texts.shape[1]), count)
    begin, size = np.zeros((len(texts), len(pair)), np.int64), lengths[:, pair]
    firsts = np.cumsum(count) - count
    for k, found in bounds.items():
        rows = slice(firsts[k], firsts[k] + count[k])
        begin[:, rows], size[:, rows] = found[:, :-1], np.diff(found, axis=1)
    return Rows(pair, starts[texts][:, pair] + begin, size)


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


def _bounds(lengths: Ints, ends: Sequence[Ints], room: int) -> Ints:
    """Where pieces of texts that belong together begin and end: shape (texts, pieces + 1).

    Pieces of the second text, the reference, are as near to equal length as its sentences allow.
    The others are cut at the same share of their length, moved to the nearest end of a sentence;
    at the same sentence where both have equally many. What does not fit then is cut into more
    pieces, and at last wherever the share falls.
    """
    least = -(-lengths.sum() // room)
    tried = dict.fromkeys(-(-least * eighths // 8) for eighths in range(8, 17))
    for count in tried if all(map(len, ends)) else ():
        lead = _nearest(ends[1], np.arange(1, count) * lengths[1] // count)
        found = np.array(
            [
                [0, *_beside(lead, own, ends[1], (length, lengths[1])), length]
                for own, length in zip(ends, lengths, strict=True)
            ]
        )
        sizes = np.diff(found, axis=1)
        if (sizes > 0).all() and (sizes.sum(axis=0) <= room).all():
            return found
    # texts in parts of equal length: rounding adds at most one subword to each
    count = -(-lengths.sum() // (room - len(lengths)))
    return np.asarray(np.arange(count + 1) * lengths[:, None] // count)


def _beside(lead: Ints, ends: Ints, their_ends: Ints, lengths: tuple[int, int]) -> Ints:
    """Where a text is cut whose reference is cut at ``lead``."""
    if len(ends) == len(their_ends):
        return np.asarray(ends[np.searchsorted(their_ends, lead)])
    return _nearest(ends, lead * lengths[0] // lengths[1])


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
