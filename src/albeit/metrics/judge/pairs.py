"""From pairs of texts to what the judge's network reads, in batches of one padded length.

A row is ``[CLS] translation [SEP] reference [SEP]``; words are what stands between spaces.
Only rows whose length rounds up to the same multiple of ``STEP`` share a batch, so that the
shape a pair is computed in never depends on its neighbours. A longer pair than the network
learned to read is read in pieces: both texts are cut into as many parts of equal length, and
part is read beside part. Nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.annotate.subwords import CLS, SEP, Encoded

__all__ = ["AROUND", "REFERENCE", "Rows", "core", "cut"]

Ints = npt.NDArray[np.int64]

REFERENCE = 6
"""Added to the casing class of the reference's subwords: the network's way to tell sides apart."""
STEP = 8
"""Lengths are rounded up to a multiple of this."""
BATCH_TOKENS = 1024
"""About how many subwords one batch holds."""
AROUND = ".,;:!?\"'()[]{}“”‘’«»-–—…"


def core(word: str) -> str:
    """A word without the punctuation around it: its casing is what counts."""
    return word.strip(AROUND)


@dataclass(frozen=True)
class Rows:
    """What is read at once: ``sizes[0]`` subwords of a translation from ``begin[0]`` on, and
    ``sizes[1]`` of its reference from ``begin[1]`` on; ``pair`` says whose row it is."""

    pair: Ints
    begin: Ints
    sizes: Ints

    def batches(self) -> Iterator[tuple[Ints, int]]:
        """Numbers of rows that are read together, and their common length."""
        padded = -(-(self.sizes.sum(axis=0) + 3) // STEP) * STEP
        order = np.argsort(padded, kind="stable")
        for alike in np.split(order, np.flatnonzero(np.diff(padded[order])) + 1):
            width = int(padded[alike[:1]].sum())
            size = max(1, BATCH_TOKENS // max(width, 1))
            for at in range(0, len(alike), size):
                yield alike[at : at + size], width

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


def cut(encoded: Encoded, pairs: Sequence[tuple[int, int]], longest: int) -> Rows:
    """The rows of pairs of encoded texts, by number: one each, or pieces where one is too long."""
    texts = np.array(pairs, np.int64).reshape(-1, 2).T
    starts, lengths = encoded.starts[texts], np.diff(encoded.starts)[texts]
    room = longest - 3
    # two texts in parts of equal length: rounding adds at most one subword to each
    count = np.where(lengths.sum(axis=0) <= room, 1, -(-lengths.sum(axis=0) // (room - 2)))
    pair = np.repeat(np.arange(texts.shape[1]), count)
    number = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
    begin = number * lengths[:, pair] // count[pair]
    stop = (number + 1) * lengths[:, pair] // count[pair]
    return Rows(pair, starts[:, pair] + begin, stop - begin)
