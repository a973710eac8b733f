"""The n-grams of many texts counted once, so that every pair of them is compared quickly.

Reranking compares each candidate with all the others. Their n-grams are numbered together,
each text becomes counts by number, and what two texts share is a sum of smaller counts; or,
in time linear in the number of texts, what one text shares with the *mean* counts of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.jit import jit
from albeit.metrics.lexical.ngrams import Texts

__all__ = ["GramCounts", "GramMetric", "joined"]


@dataclass(frozen=True)
class GramCounts:
    """Counts of n-grams, one row of arrays an order.

    Text ``i`` holds the n-grams ``numbers[o][starts[o][i]:starts[o][i + 1]]`` as often as
    ``counts`` at the same places say; ``totals`` (texts, orders) counts all of them.
    """

    numbers: tuple[IntArray, ...]
    counts: tuple[IntArray, ...]
    starts: tuple[IntArray, ...]
    totals: FloatArray

    @classmethod
    def of(cls, texts: Texts, order: int) -> GramCounts:
        """Number and count the n-grams of all orders up to this one."""
        owner = np.repeat(np.arange(len(texts)), texts.lengths)
        prefix = np.zeros(len(texts.symbols), np.int64)
        numbers, counts, starts = [], [], []
        last = np.repeat(texts.starts[1:], texts.lengths)
        for n in range(order):
            keep = np.flatnonzero(np.arange(len(prefix)) + n < last)
            key = prefix[keep] << 32 | texts.symbols[keep + n]
            _, gram = np.unique(key, return_inverse=True)
            distinct, often = np.unique(owner[keep] << 32 | gram, return_counts=True)
            numbers.append(distinct & 0xFFFFFFFF)
            counts.append(often.astype(np.int64))
            starts.append(np.searchsorted(distinct >> 32, np.arange(len(texts) + 1)))
            prefix[keep] = gram
        totals = np.maximum(texts.lengths[:, None] - np.arange(order), 0).astype(np.float64)
        return cls(tuple(numbers), tuple(counts), tuple(starts), totals)

    def __len__(self) -> int:
        return len(self.totals)

    def shared(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """How many n-grams each of some texts shares with each of others: (rows, columns, orders)."""
        out = np.zeros((len(rows), len(columns), len(self.numbers)))
        for n, (numbers, counts, starts) in enumerate(self._orders()):
            _shared(numbers, counts, starts, rows, columns, _width(numbers), out[:, :, n])
        return out

    def shared_with_mean(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """The same with the weighted mean counts of all texts: (rows, orders)."""
        out = np.zeros((len(rows), len(self.numbers)))
        for n, (numbers, counts, starts) in enumerate(self._orders()):
            each = np.repeat(weights, np.diff(starts))
            mean = np.bincount(numbers, counts * each, _width(numbers))
            least = np.minimum(counts, mean[numbers])
            sums = np.concatenate([[0.0], np.cumsum(least)])
            out[:, n] = sums[starts[rows + 1]] - sums[starts[rows]]
        return out

    def _orders(self) -> Sequence[tuple[IntArray, IntArray, IntArray]]:
        return list(zip(self.numbers, self.counts, self.starts, strict=True))


def joined(parts: Sequence[GramCounts]) -> GramCounts:
    """Orders of several kinds (characters, words) of the same texts, one after the other."""
    return GramCounts(
        tuple(n for part in parts for n in part.numbers),
        tuple(c for part in parts for c in part.counts),
        tuple(s for part in parts for s in part.starts),
        np.concatenate([part.totals for part in parts], axis=1),
    )


@runtime_checkable
class GramMetric(Protocol):
    """A metric whose statistics follow from counts of n-grams."""

    def gram_counts(self, texts: Sequence[str], lang: str) -> GramCounts:
        """The n-grams of texts in a language."""

    def gram_rows(self, ours: FloatArray, theirs: FloatArray, shared: FloatArray) -> FloatArray:
        """Rows of statistics from n-grams (…, orders) of translation and reference, and shared ones."""


def _width(numbers: IntArray) -> int:
    return int(numbers.max()) + 1 if len(numbers) else 1


@jit
def _shared(  # type: ignore[no-untyped-def]
    numbers, counts, starts, rows, columns, width, out
):
    """Fill ``out`` with the sums of smaller counts of every pair."""
    mine = np.zeros(width, np.int64)
    for a in range(len(rows)):
        i = rows[a]
        for at in range(starts[i], starts[i + 1]):
            mine[numbers[at]] = counts[at]
        for b in range(len(columns)):
            j = columns[b]
            total = 0
            for at in range(starts[j], starts[j + 1]):
                total += min(mine[numbers[at]], counts[at])
            out[a, b] = total
        for at in range(starts[i], starts[i + 1]):
            mine[numbers[at]] = 0
