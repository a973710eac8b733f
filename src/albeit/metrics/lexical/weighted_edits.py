"""The search behind TERp: edits that differ in cost, phrases that stand for phrases, shifts.

It is the search of :mod:`albeit.metrics.lexical.edits` with three differences. Edits have
costs. A *phrase* edge lets words of the translation stand for words of the reference. And
a block may be moved where its words match by stem or sense, unless all of them are stop
words; the move is taken where it saves more than it costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from albeit.arrays import IntArray
from albeit.jit import jit
from albeit.metrics.base import FloatArray
from albeit.metrics.lexical.edits import (
    MAX_CANDIDATES,
    MAX_SHIFT_DISTANCE,
    MAX_SHIFT_SIZE,
    running,
    shift,
)
from albeit.metrics.lexical.ngrams import Texts, nth
from albeit.metrics.lexical.wordmatch import Bools, WordMatch, match_matrix

__all__ = ["Costs", "Phrases", "weighted_edits"]

_SMALL = 1e-9


class Costs(NamedTuple):
    """What an edit costs: a word too many, a word missing, a wrong word, a moved block."""

    insert: float
    delete: float
    substitute: float
    shift: float


class Phrases(NamedTuple):
    """Phrases of translations that may stand for phrases of their references.

    Those of segment ``s`` are the rows from ``starts[s]`` to before ``starts[s + 1]`` of
    ``places`` (first and last word in the translation, first word in the reference and the
    one after its last), ordered by the last word in the translation; ``costs`` has theirs.
    """

    starts: IntArray
    places: IntArray
    costs: FloatArray

    @classmethod
    def none(cls, segments: int) -> Phrases:
        """No phrases for any of so many segments."""
        empty = np.zeros((0, 4), dtype=np.int64)
        return cls(np.zeros(segments + 1, dtype=np.int64), empty, np.zeros(0))


@jit
def weighted_edits(
    hypotheses: Texts,
    references: Texts,
    match: WordMatch,
    stop: Bools,
    costs: Costs,
    phrases: Phrases,
) -> FloatArray:
    """The cost of turning every hypothesis into its reference; ``stop`` marks stop words."""
    segments = len(hypotheses.starts) - 1
    edits = np.zeros(segments)
    for s in range(segments):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        n, m = len(hypothesis), len(reference)
        if n == 0 or m == 0:
            edits[s] = n * costs.insert + m * costs.delete
            continue
        same = match_matrix(hypothesis, reference, match)
        heavy = ~stop[hypothesis]
        first, last = phrases.starts[s], phrases.starts[s + 1]
        own = phrases.places[first:last], phrases.costs[first:last]
        edits[s] = _edit_cost(same, heavy, costs, own)
    return edits


@jit
def _edit_cost(
    same: Bools, heavy: Bools, costs: Costs, phrases: tuple[IntArray, FloatArray]
) -> float:
    """The cost of one pair; ``heavy`` marks hypothesis words that are no stop words.

    ``phrases`` are the places and costs of those that may stand for others here.
    """
    n, m = same.shape
    places = phrases[0]
    ends = np.zeros(n + 1, dtype=np.int64)
    for p in range(len(places)):
        ends[places[p, 1] + 1] += 1
    running(ends)
    order = np.arange(n)
    moved = np.arange(n)
    forward = np.zeros((n + 1, m + 1))
    scratch = np.zeros((n + 1, m + 1))
    for j in range(m + 1):
        forward[0, j] = scratch[0, j] = j * costs.delete
    aligned = np.zeros(m, dtype=np.int64)
    hypothesis_errors = np.zeros(n + 1, dtype=np.int64)
    reference_errors = np.zeros(m + 1, dtype=np.int64)
    spent = 0.0
    checked = 0
    while True:
        _fill(same, order, forward, forward, 0, costs, ends, phrases)
        before = forward[n, m]
        errors = hypothesis_errors, reference_errors
        _align(same, order, forward, costs, ends, phrases, aligned, errors)
        best_gain = 0.0
        best_length = best_start = best_target = 0
        for start in range(n):
            for place in range(
                max(0, start - MAX_SHIFT_DISTANCE), min(m, start + MAX_SHIFT_DISTANCE + 1)
            ):
                some_heavy = False
                for length in range(1, min(MAX_SHIFT_SIZE, n - start, m - place) + 1):
                    end = start + length
                    if checked >= MAX_CANDIDATES or not same[order[end - 1], place + length - 1]:
                        break
                    some_heavy = some_heavy or heavy[order[end - 1]]
                    if (
                        not some_heavy
                        or hypothesis_errors[end] == hypothesis_errors[start]
                        or reference_errors[place + length] == reference_errors[place]
                        or start <= aligned[place] < end
                    ):
                        continue
                    previous = -1
                    for offset in range(-1, length):
                        target = 0 if place + offset == -1 else aligned[place + offset] + 1
                        if target == previous:
                            continue
                        previous = target
                        low, _ = shift(order, moved, start, length, target)
                        _fill(same, moved, forward, scratch, low, costs, ends, phrases)
                        gain = float(before - scratch[n, m] - costs.shift)
                        checked += 1
                        if gain > best_gain + _SMALL or (
                            gain > best_gain - _SMALL and best_gain > 0 and length > best_length
                        ):
                            best_gain, best_length = gain, length
                            best_start, best_target = start, target
        if best_gain <= _SMALL or checked >= MAX_CANDIDATES:
            return float(spent + before)
        shift(order, moved, best_start, best_length, best_target)
        order, moved = moved, order
        spent += costs.shift


@jit
def _phrase_fits(order: IntArray, places: IntArray, p: int, i: int) -> bool:
    """Whether phrase ``p`` still stands unbroken, ending before place ``i``."""
    length = places[p, 1] - places[p, 0] + 1
    if i < length:
        return False
    k = 1
    while k <= length and order[i - k] == places[p, 1] - k + 1:
        k += 1
    return bool(k > length)


@jit
def _fill(
    same: Bools,
    order: IntArray,
    above: FloatArray,
    matrix: FloatArray,
    low: int,
    costs: Costs,
    ends: IntArray,
    phrases: tuple[IntArray, FloatArray],
) -> None:
    """Fill the rows after ``low``; rows up to ``low`` are read from ``above``."""
    n, m = same.shape
    places, phrase_costs = phrases
    for i in range(low + 1, n + 1):
        word = order[i - 1]
        up = above if i - 1 <= low else matrix
        matrix[i, 0] = up[i - 1, 0] + costs.insert
        for j in range(1, m + 1):
            step = 0.0 if same[word, j - 1] else costs.substitute
            cost = up[i - 1, j - 1] + step
            cost = min(cost, up[i - 1, j] + costs.insert)
            matrix[i, j] = min(cost, matrix[i, j - 1] + costs.delete)
            for p in range(ends[word], ends[word + 1]):
                if places[p, 3] == j and _phrase_fits(order, places, p, i):
                    row = i - (places[p, 1] - places[p, 0] + 1)
                    back = above if row <= low else matrix
                    cost = back[row, places[p, 2]] + phrase_costs[p]
                    matrix[i, j] = min(matrix[i, j], cost)


@jit
def _align(
    same: Bools,
    order: IntArray,
    matrix: FloatArray,
    costs: Costs,
    ends: IntArray,
    phrases: tuple[IntArray, FloatArray],
    aligned: IntArray,
    errors: tuple[IntArray, IntArray],
) -> None:
    """Read the alignment off a filled matrix, as in plain TER; a phrase is no error."""
    i, j = same.shape
    places, phrase_costs = phrases
    hypothesis_errors, reference_errors = errors
    hypothesis_errors[:] = 0
    reference_errors[:] = 0
    while i > 0 or j > 0:
        if i > 0 and j > 0:
            word = order[i - 1]
            wrong = 0 if same[word, j - 1] else 1
            if matrix[i, j] == matrix[i - 1, j - 1] + wrong * costs.substitute:
                i -= 1
                j -= 1
                aligned[j] = i
                hypothesis_errors[i + 1] = reference_errors[j + 1] = wrong
                continue
            taken = -1
            for p in range(ends[word], ends[word + 1]):
                if places[p, 3] == j and _phrase_fits(order, places, p, i):
                    row = i - (places[p, 1] - places[p, 0] + 1)
                    if matrix[i, j] == matrix[row, places[p, 2]] + phrase_costs[p]:
                        taken = p
                        break
            if taken >= 0:
                for k in range(places[taken, 2], j):
                    aligned[k] = i - 1
                i -= places[taken, 1] - places[taken, 0] + 1
                j = places[taken, 2]
                continue
        if i > 0 and matrix[i, j] == matrix[i - 1, j] + costs.insert:
            i -= 1
            hypothesis_errors[i + 1] = 1
        else:
            j -= 1
            aligned[j] = i - 1
            reference_errors[j + 1] = 1
    running(hypothesis_errors)
    running(reference_errors)
