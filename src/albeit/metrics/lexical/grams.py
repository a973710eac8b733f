"""N-grams for people to read: which ones two texts share, and the longest runs in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from albeit.arrays import IntArray
from albeit.jit import jit
from albeit.metrics.lexical.ngrams import Vocabulary
from albeit.metrics.view import Link, Ngrams, Place

__all__ = ["common_runs", "ngram_tables"]

Words = Sequence[str]
Text = str | tuple[str, ...]


def ngram_tables(
    of: Literal["words", "characters"], ours: Words, theirs: Sequence[Words], longest: int
) -> tuple[Ngrams, ...]:
    """The n-grams of every order; of several references, the one that has it most counts."""
    return _tables(of, _text(of, ours), tuple(_text(of, each) for each in theirs), longest)


def _text(of: Literal["words", "characters"], words: Words) -> Text:
    """Words as a tuple; characters, where each is one, as a string, which is quicker to cut."""
    if of == "characters" and all(len(word) == 1 for word in words):
        return "".join(words)
    return tuple(words)


@lru_cache(maxsize=8)
def _tables(
    of: Literal["words", "characters"], ours: Text, theirs: tuple[Text, ...], longest: int
) -> tuple[Ngrams, ...]:
    """Remembered, since whoever folds a view asks for its tables once more."""
    joint = " " if of == "words" else ""
    tables = []
    for order in range(1, longest + 1):
        mine, wanted = _counted(ours, order), _counted(theirs[0], order) if theirs else Counter()
        for reference in theirs[1:]:
            wanted = wanted | _counted(reference, order)
        grams = dict.fromkeys([*mine, *wanted])
        rows = tuple((joint.join(gram), mine[gram], wanted[gram]) for gram in grams)
        tables.append(Ngrams(of, order, rows))
    return tuple(tables)


@lru_cache(maxsize=64)
def _counted(text: Text, order: int) -> Counter[Text]:
    """The n-grams of a text; those of a reference are asked for again with every system."""
    return Counter(text[i : i + order] for i in range(len(text) - order + 1))


def common_runs(ours: Words, theirs: Sequence[Words], longest: int) -> tuple[Link, ...]:
    """Links between the first text of a view and those after it: the longest runs in common.

    A token is in one run at most. A run as long as the longest n-gram, or longer, has
    strength 1.
    """
    return _runs(tuple(ours), tuple(map(tuple, theirs)), longest)


@lru_cache(maxsize=8)
def _runs(
    ours: tuple[str, ...], theirs: tuple[tuple[str, ...], ...], longest: int
) -> tuple[Link, ...]:
    vocabulary = Vocabulary()
    hypothesis = vocabulary.encode([ours]).symbols
    starts: list[int] = []
    symbols: list[IntArray] = []
    for number, reference in enumerate(theirs):
        starts.append(sum(len(part) for part in symbols))
        gap = np.array([-1 - number])  # no run goes from one reference on to the next
        symbols += [vocabulary.encode([reference]).symbols, gap]
    links = []
    for here, there, length in _tiles(hypothesis, np.concatenate(symbols)).tolist():
        which = int(np.searchsorted(starts, there, side="right")) - 1
        first = there - starts[which]
        links.append(
            Link(
                Place(0, tuple(range(here, here + length))),
                Place(which + 1, tuple(range(first, first + length))),
                min(length / longest, 1.0),
                f"{length}-gram",
            )
        )
    return tuple(sorted(links, key=lambda link: link.one.tokens))


@jit
def _tiles(ours: IntArray, theirs: IntArray) -> IntArray:
    """Runs in common as rows of (place, place, length): the longest first, none overlapping."""
    n, m = len(ours), len(theirs)
    found = np.zeros((min(n, m), 3), dtype=np.int64)
    count = 0
    ours_free, theirs_free = np.ones(n, dtype=np.bool_), np.ones(m, dtype=np.bool_)
    runs = np.zeros((n + 1, m + 1), dtype=np.int64)
    while True:
        longest = 0
        for i in range(n - 1, -1, -1):
            for j in range(m - 1, -1, -1):
                runs[i, j] = 0
                if ours_free[i] and theirs_free[j] and ours[i] == theirs[j]:
                    runs[i, j] = runs[i + 1, j + 1] + 1
                    longest = max(longest, runs[i, j])
        if longest == 0:
            return found[:count]
        for i in range(n):
            for j in range(m):
                if runs[i, j] < longest:
                    continue
                free = True
                for k in range(longest):
                    free = free and ours_free[i + k] and theirs_free[j + k]
                if free:
                    ours_free[i : i + longest] = False
                    theirs_free[j : j + longest] = False
                    found[count, 0], found[count, 1], found[count, 2] = i, j, longest
                    count += 1
