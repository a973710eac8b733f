"""Count and match n-grams of many segments at once, exactly, over integer symbols.

Words or characters are numbered, texts become flat arrays with offsets, and one compiled
pass counts for every segment and order: n-grams of the hypothesis, of each reference, and
those they share, clipped at the largest count in any one reference.

:class:`GramCounts` holds the n-grams of many texts counted once, so that every pair of them is
compared quickly. Reranking compares each candidate with all the others. Their n-grams are numbered together,
each text becomes counts by number, and what two texts share is a sum of smaller counts; or,
in time linear in the number of texts, what one text shares with the *mean* counts of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.jit import jit

__all__ = [
    "LONGEST_NGRAM",
    "GramCounts",
    "GramMetric",
    "Texts",
    "Vocabulary",
    "from_characters",
    "joined",
    "matches",
    "nth",
]

LONGEST_NGRAM = 100
"""Longer n-grams than any metric is defined with; statistics grow with their order."""


class Texts(NamedTuple):
    """Texts as symbols: text ``i`` is ``symbols[starts[i]:starts[i+1]]``; compiled code reads them too."""

    symbols: IntArray
    starts: IntArray

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """The number of symbols in each text."""
        return np.diff(self.starts)


@jit
def nth(texts: Texts, number: int) -> IntArray:
    """The symbols of one text."""
    return texts.symbols[texts.starts[number] : texts.starts[number + 1]]


class Vocabulary:
    """Numbers for words: the same word, the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def words(self) -> list[str]:
        """All words, in the order of their numbers."""
        return list(self._numbers)

    def encode(self, texts: Iterable[Sequence[str]]) -> Texts:
        """Texts of words as texts of numbers."""
        numbers = self._numbers
        symbols: list[int] = []
        starts = [0]
        for words in texts:
            symbols += [numbers.setdefault(word, len(numbers)) for word in words]
            starts.append(len(symbols))
        return Texts(np.array(symbols, dtype=np.int64), np.array(starts, dtype=np.int64))


def from_characters(lines: Sequence[str]) -> Texts:
    """Texts whose symbols are the code points of the lines."""
    joined = "".join(lines).encode("utf-32-le", "surrogatepass")
    starts = np.zeros(len(lines) + 1, dtype=np.int64)
    np.cumsum([len(line) for line in lines], out=starts[1:])
    return Texts(np.frombuffer(joined, dtype="<u4").astype(np.int64), starts)


def matches(hypotheses: Texts, references: Sequence[Texts], order: int) -> IntArray:
    """Shared n-grams of every segment: shape (segments, order).

    With several references an n-gram counts as often as in the reference that has it most.
    """
    symbols = np.concatenate([t.symbols for t in (hypotheses, *references)])
    shift = np.cumsum([0] + [len(t.symbols) for t in (hypotheses, *references)])
    starts = np.stack(
        [t.starts + s for t, s in zip((hypotheses, *references), shift, strict=False)]
    )
    return _matches(symbols, starts, order)


@jit
def _matches(symbols: IntArray, starts: IntArray, order: int) -> IntArray:
    """The compiled part of :func:`matches`.

    Within a segment every distinct n-gram gets a number, found from the number of its
    first n-1 symbols and its last symbol in a small hash table; counting is then a matter
    of arrays. ``starts`` has one row per text (the hypothesis first).
    """
    texts, segments = starts.shape[0], starts.shape[1] - 1
    shared = np.zeros((segments, order), dtype=np.int64)
    longest = 1
    for s in range(segments):
        size = 0
        for t in range(texts):
            size += starts[t, s + 1] - starts[t, s]
        longest = max(longest, size)
    slots = 4
    while slots < 2 * longest:
        slots *= 2
    keys = np.empty(slots, dtype=np.int64)
    values = np.empty(slots, dtype=np.int64)
    stamp = np.zeros(slots, dtype=np.int64)
    now = 0
    prefix = np.zeros((texts, longest), dtype=np.int64)
    in_hypothesis = np.zeros(longest, dtype=np.int64)
    in_reference = np.zeros(longest, dtype=np.int64)
    best = np.zeros(longest, dtype=np.int64)
    for s in range(segments):
        for t in range(texts):
            for i in range(starts[t, s + 1] - starts[t, s]):
                prefix[t, i] = 0
        for n in range(order):
            if starts[0, s + 1] - starts[0, s] <= n:
                break
            now += 1
            distinct = 0
            for t in range(texts):
                begin = starts[t, s]
                for i in range(starts[t, s + 1] - begin - n):
                    key = prefix[t, i] * 4294967296 + symbols[begin + i + n]
                    slot = (key ^ (key >> 32) * 2654435761) & (slots - 1)
                    while stamp[slot] == now and keys[slot] != key:
                        slot = (slot + 1) & (slots - 1)
                    if stamp[slot] != now:
                        stamp[slot], keys[slot], values[slot] = now, key, distinct
                        in_hypothesis[distinct] = in_reference[distinct] = best[distinct] = 0
                        distinct += 1
                    gram = values[slot]
                    prefix[t, i] = gram
                    if t == 0:
                        in_hypothesis[gram] += 1
                    else:
                        in_reference[gram] += 1
                        best[gram] = max(best[gram], in_reference[gram])
                if t > 0:
                    for gram in range(distinct):
                        in_reference[gram] = 0
            for gram in range(distinct):
                shared[s, n] += min(in_hypothesis[gram], best[gram])
    return shared


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
        owner = np.repeat(np.arange(texts.size), texts.lengths)
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
            starts.append(np.searchsorted(distinct >> 32, np.arange(texts.size + 1)))
            prefix[keep] = gram
        totals = np.maximum(texts.lengths[:, None] - np.arange(order), 0).astype(np.float64)
        return cls(tuple(numbers), tuple(counts), tuple(starts), totals)

    def __len__(self) -> int:
        return len(self.totals)

    def shared(self) -> FloatArray:
        """Count the n-grams that each text shares with each text: (texts, texts, orders)."""
        out = np.zeros((len(self), len(self), len(self.numbers)))
        for n, (numbers, counts, starts) in enumerate(self._orders()):
            _shared(numbers, counts, starts, _width(numbers), out[:, :, n])
        return out

    def shared_with_mean(self) -> FloatArray:
        """Count the n-grams that each text shares with the mean of all: (texts, orders)."""
        out = np.zeros((len(self), len(self.numbers)))
        for n, (numbers, counts, starts) in enumerate(self._orders()):
            mean = np.bincount(numbers, counts * (1 / len(self)), _width(numbers))
            least = np.minimum(counts, mean[numbers])
            sums = np.concatenate([[0.0], np.cumsum(least)])
            out[:, n] = sums[starts[1:]] - sums[starts[:-1]]
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
def _shared(numbers, counts, starts, width, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` with the sums of smaller counts of every pair."""
    mine = np.zeros(width, np.int64)
    for i in range(len(out)):
        for at in range(starts[i], starts[i + 1]):
            mine[numbers[at]] = counts[at]
        for j in range(len(out)):
            total = 0
            for at in range(starts[j], starts[j + 1]):
                total += min(mine[numbers[at]], counts[at])
            out[i, j] = total
        for at in range(starts[i], starts[i + 1]):
            mine[numbers[at]] = 0
