"""Count and match n-grams of many segments at once, exactly, over integer symbols.

Words or characters are numbered, texts become flat arrays with offsets, and one compiled pass
counts for every segment and order: n-grams of the hypothesis, of each reference, and those they
share, clipped at the largest count in any one reference.

:class:`GramCounts` has the n-grams of many texts, so that all pairs of them are compared quickly,
as reranking does. What two texts share is a sum of smaller counts. In linear time, it counts what
one text shares with the mean counts of all.

Explanations list the n-grams of two texts, and the longest runs that they have in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from albeit.jit import jit
from albeit.metrics import BoolArray, FloatArray, IntArray, Link, MetricError, Ngrams, Place

LONGEST_NGRAM = 100
"""The maximum order of n-grams; statistics grow with it."""


def check_order(metric: str, parameter: str, order: int, least: int = 1) -> None:
    """Raise unless this can be the maximum order of n-grams."""
    if not least <= order <= LONGEST_NGRAM:
        raise MetricError(
            f"{metric}: {parameter} must be from {least} to {LONGEST_NGRAM}, not {order}."
        )


class Texts(NamedTuple):
    """Texts as symbols: text ``i`` is ``symbols[starts[i]:starts[i+1]]``."""

    symbols: IntArray
    starts: IntArray

    @classmethod
    def of(cls, texts: Iterable[Sequence[int]]) -> Texts:
        """Return the symbols of texts, end to end."""
        symbols: list[int] = []
        starts = [0]
        for text in texts:
            symbols += text
            starts.append(len(symbols))
        return cls(np.array(symbols, dtype=np.int64), np.array(starts, dtype=np.int64))

    @property
    def size(self) -> int:
        """The number of texts."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """The number of symbols in each text."""
        return np.diff(self.starts)

    def totals(self, longest: int) -> IntArray:
        """Count the n-grams of each text and order: (texts, orders)."""
        return np.asarray(np.maximum(self.lengths[:, None] - np.arange(longest), 0))

    def starts_of_ngrams(self, order: int) -> IntArray:
        """Return where n-grams of an order (from 0) start that stay within their text."""
        ends = np.repeat(self.starts[1:], self.lengths)
        return np.flatnonzero(np.arange(len(ends)) + order < ends)


@jit
def nth(texts: Texts, number: int) -> IntArray:
    """Return the symbols of one text."""
    return texts.symbols[texts.starts[number] : texts.starts[number + 1]]


@jit
def intersect(texts: Texts, one: int, other: int) -> bool:
    """Return whether two texts, whose symbols are sorted, have a symbol in common."""
    symbols, starts = texts
    a, b = starts[one], starts[other]
    while a < starts[one + 1] and b < starts[other + 1]:
        if symbols[a] == symbols[b]:
            return True
        if symbols[a] < symbols[b]:
            a += 1
        else:
            b += 1
    return False


def encode(numbers: dict[str, int], texts: Iterable[Sequence[str]]) -> Texts:
    """Replace words by numbers; ``numbers`` grows by new words."""
    return Texts.of([numbers.setdefault(word, len(numbers)) for word in text] for text in texts)


def encode_characters(lines: Sequence[str]) -> Texts:
    """Replace characters by code points."""
    joined = "".join(lines).encode("utf-32-le", "surrogatepass")
    starts = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    return Texts(np.frombuffer(joined, dtype="<u4").astype(np.int64), starts)


def match_ngrams(hypotheses: Texts, references: Sequence[Texts], order: int) -> IntArray:
    """Count the shared n-grams of every segment: shape (segments, order).

    With several references an n-gram counts as often as in the reference that has it most.
    """
    texts = (hypotheses, *references)
    symbols = np.concatenate([text.symbols for text in texts])
    shifts = np.cumsum([0, *(len(text.symbols) for text in texts)])
    starts = np.stack([text.starts + by for text, by in zip(texts, shifts, strict=False)])
    longest = max(1, int(np.diff(starts).sum(axis=0).max(initial=0)))
    slots = max(4, 1 << (2 * longest - 1).bit_length())
    return _match_all(symbols, starts, order, longest, slots)


class _Numbers(NamedTuple):
    """A hash table of n-grams: keys, and the number of each.

    Only the slots with the current stamp are in use.
    """

    keys: IntArray
    values: IntArray
    stamps: IntArray


@jit
def _find_slot(numbers: _Numbers, key: int, stamp: int) -> int:
    """Return the slot of a key, or the free slot for it."""
    last = len(numbers.keys) - 1
    slot = (key ^ (key >> 32) * 2654435761) & last
    while numbers.stamps[slot] == stamp and numbers.keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@jit
def _match_all(symbols: IntArray, starts: IntArray, order: int, most: int, slots: int) -> IntArray:
    """Match n-grams; ``starts`` has one row per text (the hypothesis first).

    Within a segment every distinct n-gram gets a number, which follows from the number of its first
    n-1 symbols and its last symbol.

    :param most: the largest number of symbols of a segment in all texts
    :param slots: the size of the hash table
    """
    texts, segments = starts.shape[0], starts.shape[1] - 1
    shared = np.zeros((segments, order), dtype=np.int64)
    stamps = np.zeros(slots, dtype=np.int64)
    numbers = _Numbers(np.empty_like(stamps), np.empty_like(stamps), stamps)
    prefixes = np.zeros((texts, most), dtype=np.int64)
    counts = np.zeros((most, texts), dtype=np.int64)
    stamp = 0
    for s in range(segments):
        for t in range(texts):
            prefixes[t, : starts[t, s + 1] - starts[t, s]] = 0
        for n in range(min(order, starts[0, s + 1] - starts[0, s])):
            stamp += 1
            distinct = 0
            for t in range(texts):
                text = symbols[starts[t, s] : starts[t, s + 1]]
                distinct = _count_text(text, n, prefixes[t], numbers, stamp, counts, t, distinct)
            shared[s, n] = _clip(counts[:distinct])
    return shared


@jit
def _count_text(
    text: IntArray,
    n: int,
    prefixes: IntArray,
    numbers: _Numbers,
    stamp: int,
    counts: IntArray,
    column: int,
    distinct: int,
) -> int:
    """Count the n-grams of order ``n`` (from 0) of a text; return how many have a number now.

    ``prefixes`` has the numbers of the shorter n-grams at each position, and is updated.
    """
    for i in range(len(text) - n):
        key = prefixes[i] * 4294967296 + text[i + n]
        slot = _find_slot(numbers, key, stamp)
        if numbers.stamps[slot] != stamp:
            numbers.stamps[slot], numbers.keys[slot] = stamp, key
            numbers.values[slot] = distinct
            counts[distinct] = 0
            distinct += 1
        prefixes[i] = numbers.values[slot]
        counts[prefixes[i], column] += 1
    return distinct


@jit
def _clip(counts: IntArray) -> int:
    """Count the n-grams of the first text, at most as often as in one of the others."""
    shared = 0
    for gram in range(counts.shape[0]):
        most = 0
        for t in range(1, counts.shape[1]):
            most = max(most, counts[gram, t])
        shared += min(counts[gram, 0], most)
    return shared


@dataclass(frozen=True)
class GramCounts:
    """Counts of the n-grams of many texts.

    Each order has numbers of n-grams, their counts, and starts: text ``i`` has the n-grams
    ``numbers[starts[i]:starts[i + 1]]``. ``totals`` (texts, orders) counts all of them.
    """

    orders: tuple[tuple[IntArray, IntArray, IntArray], ...]
    totals: FloatArray

    @classmethod
    def of(cls, *kinds: tuple[Texts, int]) -> GramCounts:
        """Index and count n-grams up to an order, of each kind of symbols of the same texts."""
        orders, totals = [], []
        for texts, longest in kinds:
            owner = np.repeat(np.arange(texts.size), texts.lengths)
            prefix = np.zeros(len(texts.symbols), np.int64)
            for n in range(longest):
                keep = texts.starts_of_ngrams(n)
                key = prefix[keep] << 32 | texts.symbols[keep + n]
                _, gram = np.unique(key, return_inverse=True)
                distinct, counts = np.unique(owner[keep] << 32 | gram, return_counts=True)
                starts = np.searchsorted(distinct >> 32, np.arange(texts.size + 1))
                orders.append((distinct & 0xFFFFFFFF, counts.astype(np.int64), starts))
                prefix[keep] = gram
            totals.append(texts.totals(longest).astype(np.float64))
        return cls(tuple(orders), np.concatenate(totals, axis=1))

    def shared(self) -> FloatArray:
        """Count the n-grams that each text shares with each text: (texts, texts, orders)."""
        size = len(self.totals)
        out = np.zeros((size, size, len(self.orders)))
        for n, (numbers, counts, starts) in enumerate(self.orders):
            _shared(numbers, counts, starts, numbers.max(initial=0) + 1, out[:, :, n])
        return out

    def shared_with_mean(self) -> FloatArray:
        """Count the n-grams that each text shares with the mean of all: (texts, orders)."""
        out = np.zeros(self.totals.shape)
        for n, (numbers, counts, starts) in enumerate(self.orders):
            mean = np.bincount(numbers, counts * (1 / len(out)), numbers.max(initial=0) + 1)
            sums = np.concatenate([[0.0], np.cumsum(np.minimum(counts, mean[numbers]))])
            out[:, n] = sums[starts[1:]] - sums[starts[:-1]]
        return out


@jit
def _shared(numbers, counts, starts, width, out):  # type: ignore[no-untyped-def]
    """Write the sums of smaller counts of every pair into ``out``."""
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


Words = str | tuple[str, ...]
"""Words, or characters as one string."""


def list_ngrams(
    of: Literal["words", "characters"], ours: Words, theirs: Sequence[Words], longest: int
) -> tuple[Ngrams, ...]:
    """List the n-grams of every order, with the largest count in any reference."""
    joint = " " if of == "words" else ""
    tables = []
    for order in range(1, longest + 1):
        mine, wanted = _count(ours, order), Counter[Words]()
        for reference in theirs:
            wanted = wanted | _count(reference, order)
        grams = dict.fromkeys([*mine, *wanted])
        rows = tuple((joint.join(gram), mine[gram], wanted[gram]) for gram in grams)
        tables.append(Ngrams(of, order, rows))
    return tuple(tables)


@lru_cache(maxsize=64)
def _count(text: Words, order: int) -> Counter[Words]:
    """Count n-grams; those of a reference are needed again for every system."""
    return Counter(text[i : i + order] for i in range(len(text) - order + 1))


def link_runs(ours: Words, theirs: Sequence[Words], longest: int) -> tuple[Link, ...]:
    """Link the longest runs that the first text of a view has in common with those after it.

    A token is in one run at most. A run at least as long as the longest n-gram has strength 1.
    """
    numbers: dict[str, int] = {}
    hypothesis = encode(numbers, [ours]).symbols
    starts: list[int] = []
    symbols: list[IntArray] = []
    for number, reference in enumerate(theirs):
        starts.append(sum(map(len, symbols)))
        gap = np.array([-1 - number])  # no run continues in the next reference
        symbols += [encode(numbers, [reference]).symbols, gap]
    links = []
    for here, there, length in _tiles(hypothesis, np.concatenate(symbols)).tolist():
        which = int(np.searchsorted(starts, there, side="right")) - 1
        first = there - starts[which]
        one = Place(0, tuple(range(here, here + length)))
        other = Place(which + 1, tuple(range(first, first + length)))
        links.append(Link(one, other, min(length / longest, 1.0), f"{length}-gram"))
    return tuple(sorted(links, key=lambda link: link.one.tokens))


@jit
def _tiles(ours: IntArray, theirs: IntArray) -> IntArray:
    """Return common runs as rows of (position, position, length): longest first, no overlaps."""
    n, m = len(ours), len(theirs)
    found = np.zeros((min(n, m), 3), dtype=np.int64)
    count = 0
    free = np.ones(n, dtype=np.bool_), np.ones(m, dtype=np.bool_)
    runs = np.zeros((n + 1, m + 1), dtype=np.int64)
    while True:
        longest = _fill_runs(ours, theirs, free, runs)
        if longest == 0:
            return found[:count]
        for i in range(n - longest + 1):
            for j in range(m - longest + 1):
                own, other = free[0][i : i + longest], free[1][j : j + longest]
                if runs[i, j] == longest and own.all() and other.all():
                    own[:] = False
                    other[:] = False
                    found[count, 0], found[count, 1], found[count, 2] = i, j, longest
                    count += 1


@jit
def _fill_runs(
    ours: IntArray, theirs: IntArray, free: tuple[BoolArray, BoolArray], runs: IntArray
) -> int:
    """Set the length of the free common run that starts at each pair; return the largest."""
    longest = 0
    for i in range(len(ours) - 1, -1, -1):
        for j in range(len(theirs) - 1, -1, -1):
            runs[i, j] = 0
            if free[0][i] and free[1][j] and ours[i] == theirs[j]:
                runs[i, j] = runs[i + 1, j + 1] + 1
                longest = max(longest, runs[i, j])
    return longest
