"""Sentence pairs as numbers: vocabularies, and one parameter a pair of words that co-occur.

Every cell (target word, source word) of every sentence pair gets the index of its word
pair once; the two directions of the model then only look numbers up.

A pair that was never seen together, or seldom, is judged by its letters alone: numbers, names and
words of one origin look alike in two languages. Words count as the same where all letters are, and as kin where the first four are (*nation* and
*national*, not *house* and *home*). It is the one thing that the aligner knows before it reads any text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = [
    "KIN",
    "OTHER",
    "SAME",
    "Corpus",
    "Looks",
    "PairIndex",
    "Vocabulary",
    "encode",
    "looks",
    "weights",
]


OTHER, KIN, SAME = -1, -2, -3
"""What a pair that has no parameter is, in place of its number."""
_LETTERS = 4
"""So many letters at the beginning make words kin."""
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Looks:
    """Words as two numbers each: equal ones for equal words, and for words that begin alike.

    Words too short to be kin of others have ``starts`` of -1.
    """

    wholes: Ints
    starts: Ints


def looks(source: Iterable[str], target: Iterable[str]) -> tuple[Looks, Looks]:
    """The numbers of the words of both sides, to be compared with each other."""
    wholes: dict[str, int] = {}
    starts: dict[str, int] = {}

    def numbered(words: list[str]) -> Looks:
        return Looks(
            np.fromiter((wholes.setdefault(w, len(wholes)) for w in words), np.int32, len(words)),
            np.fromiter(
                (
                    starts.setdefault(w[:_LETTERS], len(starts)) if len(w) >= _LETTERS else -1
                    for w in words
                ),
                np.int32,
                len(words),
            ),
        )

    return numbered(list(source)), numbered(list(target))


def weights(
    source: Looks, target: Looks, sources: Ints, targets: Ints, weight: float
) -> npt.NDArray[np.float32]:
    """For each pair of words, given by their places, its weight where they look alike, or nothing."""
    starts = source.starts[sources]
    same = source.wholes[sources] == target.wholes[targets]
    kin = (starts >= 0) & (starts == target.starts[targets])
    return np.where(same | kin, weight, 0.0).astype(np.float32)


Longs = npt.NDArray[np.int64]


@dataclass
class Vocabulary:
    """Words and their numbers, in order of first appearance."""

    ids: dict[str, int]

    @classmethod
    def of(cls, lines: Iterable[Sequence[str]]) -> Vocabulary:
        """All words of these lines."""
        ids: dict[str, int] = {}
        for line in lines:
            for word in line:
                ids.setdefault(word, len(ids))
        return cls(ids)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> list[str]:
        """The words by number."""
        return list(self.ids)


@dataclass(frozen=True)
class Corpus:
    """One side of the pairs: word numbers end to end, and where each line starts."""

    words: Ints
    starts: Longs


def encode(lines: Sequence[Sequence[str]], vocabulary: Vocabulary) -> Corpus:
    """Lines as numbers; -1 for a word that the vocabulary does not hold."""
    ids = vocabulary.ids
    lengths = np.fromiter((len(line) for line in lines), np.int64, len(lines))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    words = (ids.get(word, -1) for line in lines for word in line)
    return Corpus(np.fromiter(words, np.int32, int(starts[-1])), starts)


@dataclass
class PairIndex:
    """The word pairs that co-occur, in a hash table with open addressing.

    ``keys[slot]`` is source × target vocabulary + target, or -1; ``values[slot]`` is the
    pair's parameter. ``sources`` and ``targets`` give the words of a parameter.
    """

    keys: Longs
    values: Ints
    target_size: int
    sources: Ints
    targets: Ints

    @classmethod
    def build(cls, source: Corpus, target: Corpus, target_size: int) -> tuple[PairIndex, Ints]:
        """The index of these pairs, and the parameter of every cell in order."""
        cells = np.empty(_cell_count(source, target), np.int32)
        keys, values, sources, targets = _build(
            source.words, source.starts, target.words, target.starts, target_size, cells
        )
        return cls(keys, values, target_size, sources, targets), cells

    @classmethod
    def of_parameters(cls, sources: Ints, targets: Ints, target_size: int) -> PairIndex:
        """The index of a saved model."""
        keys, values = _refill(sources, targets, target_size)
        return cls(keys, values, target_size, sources, targets)

    def cells(self, source: Corpus, target: Corpus, looks: tuple[Looks, Looks]) -> Ints:
        """The parameter of every cell of other pairs; how alike they look where it is not known."""
        cells = np.empty(_cell_count(source, target), np.int32)
        left, right = looks
        _look_up(
            source.words,
            source.starts,
            target.words,
            target.starts,
            self.target_size,
            self.keys,
            self.values,
            left.wholes,
            left.starts,
            right.wholes,
            right.starts,
            cells,
        )
        return cells


def _cell_count(source: Corpus, target: Corpus) -> int:
    return int((np.diff(source.starts) * np.diff(target.starts)).sum())


@jit
def _slot(key, keys):  # type: ignore[no-untyped-def]
    mask = keys.size - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed >> np.uint64(20)) & np.uint64(mask))
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def _refill(sources, targets, target_size):  # type: ignore[no-untyped-def]
    size = 1024
    while size < 2 * sources.size:
        size *= 2
    keys = np.full(size, -1, np.int64)
    values = np.empty(size, np.int32)
    for k in range(sources.size):
        key = np.int64(sources[k]) * target_size + targets[k]
        slot = _slot(key, keys)
        keys[slot] = key
        values[slot] = k
    return keys, values


@jit
def _build(s_words, s_starts, t_words, t_starts, target_size, cells):  # type: ignore[no-untyped-def]
    capacity = 1 << 16
    keys = np.full(2 * capacity, -1, np.int64)
    values = np.empty(2 * capacity, np.int32)
    sources = np.empty(capacity, np.int32)
    targets = np.empty(capacity, np.int32)
    known = 0
    cell = 0
    for n in range(s_starts.size - 1):
        for j in range(t_starts[n], t_starts[n + 1]):
            for i in range(s_starts[n], s_starts[n + 1]):
                key = np.int64(s_words[i]) * target_size + t_words[j]
                slot = _slot(key, keys)
                if keys[slot] == -1:
                    keys[slot] = key
                    values[slot] = known
                    sources[known] = s_words[i]
                    targets[known] = t_words[j]
                    cells[cell] = known
                    known += 1
                    if known == capacity:
                        capacity *= 2
                        grown = np.empty(capacity, np.int32)
                        grown[:known] = sources
                        sources = grown
                        grown = np.empty(capacity, np.int32)
                        grown[:known] = targets
                        targets = grown
                        keys, values = _refill(sources[:known], targets[:known], target_size)
                        if keys.size < 2 * capacity:
                            wide = np.full(2 * capacity, -1, np.int64)
                            wider = np.empty(2 * capacity, np.int32)
                            for old in range(keys.size):
                                if keys[old] != -1:
                                    new = _slot(keys[old], wide)
                                    wide[new] = keys[old]
                                    wider[new] = values[old]
                            keys, values = wide, wider
                else:
                    cells[cell] = values[slot]
                cell += 1
    return keys, values, sources[:known].copy(), targets[:known].copy()


@jit
def _look_up(  # type: ignore[no-untyped-def]
    s_words,
    s_starts,
    t_words,
    t_starts,
    target_size,
    keys,
    values,
    s_wholes,
    s_begins,
    t_wholes,
    t_begins,
    cells,
):
    cell = 0
    for n in range(s_starts.size - 1):
        for j in range(t_starts[n], t_starts[n + 1]):
            for i in range(s_starts[n], s_starts[n + 1]):
                cells[cell] = OTHER
                if s_wholes[i] == t_wholes[j]:
                    cells[cell] = SAME
                elif s_begins[i] >= 0 and s_begins[i] == t_begins[j]:
                    cells[cell] = KIN
                if s_words[i] >= 0 and t_words[j] >= 0:
                    key = np.int64(s_words[i]) * target_size + t_words[j]
                    slot = _slot(key, keys)
                    if keys[slot] == key:
                        cells[cell] = values[slot]
                cell += 1
