"""The edit distance with block shifts behind TER and TERp, compiled.

Shifts are chosen greedily: of all blocks of the hypothesis that occur in the reference, the one
whose move lowers the edit distance most is moved, until none helps.

TER counts edits as tercom and sacreBLEU do, in a beam around the diagonal. A move doesn't change
the words before and after it, so a candidate needs only the rows in between: the rows before come
from the matrix of the unmoved hypothesis, the rows after from a second matrix, filled from the end.

TERp has costs. A *phrase* edge lets words of the translation stand for words of the reference. A
block may move if its words match by stem or sense, unless all of them are stop words; it moves if
that saves more than it costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from albeit.arrays import BoolArray, FloatArray, IntArray, Ints32
from albeit.jit import jit

BEAM = 25
MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
_FAR = 1 << 28
_SMALL = 1e-9

Beam = tuple[IntArray, IntArray]
"""The first column, and the one after the last, that are filled in each row."""
Shift = tuple[int, int, int]
"""A block that may move: start, length, and target."""


class Costs(NamedTuple):
    """The costs of an extra word, a missing word, a wrong word, and a moved block."""

    insert: float
    delete: float
    substitute: float
    shift: float


class Phrases(NamedTuple):
    """Phrases of one hypothesis that may replace phrases of its reference.

    ``places`` has rows of the first and last word in the hypothesis, and of the first word in the
    reference and the one after its last, ordered by the last word in the hypothesis. ``costs`` has
    their costs. Those whose last word is ``w`` are rows ``ends[w]`` to ``ends[w + 1]``.
    """

    places: IntArray
    costs: FloatArray
    ends: IntArray


class Alignment(NamedTuple):
    """The last hypothesis place used when each reference word is reached; running error counts.

    A block has errors if the counts at its ends differ.
    """

    aligned: IntArray
    hypothesis_errors: IntArray
    reference_errors: IntArray


@jit
def count_edits(same: BoolArray, blocks: IntArray) -> tuple[int, IntArray, IntArray]:
    """Count edits and shifts of one pair; ``same[h, r]`` is true if the words match.

    Return the edits, the final order of the hypothesis, and for each word of the reference the last
    place in that order that is used up to it. The words of the first shifted blocks are written to
    the rows of ``blocks``.
    """
    n, m = same.shape
    beam = _beam(n, m)
    order, moved = np.arange(n), np.arange(n)
    heavy = np.ones(n, dtype=np.bool_)
    forward = np.full((n + 1, m + 1), _FAR, dtype=np.int32)
    scratch, backward = forward.copy(), forward.copy()
    forward[0] = np.arange(m + 1)
    costs = Costs(1.0, 1.0, 1.0, 1.0)
    no_rows = np.zeros((0, 4), dtype=np.int64)
    phrases = Phrases(no_rows, np.zeros(0), np.zeros(n + 1, dtype=np.int64))
    shifts = checked = 0
    while True:
        _fill(same, order, forward, beam, 1, n)
        before = int(forward[n, m])
        path = _align(same, order, forward, costs, phrases)
        if before == 0:
            break
        _fill_back(same, order, backward, beam)
        best_gain, best = -_FAR, (0, 0, 0)
        candidates = _find_shifts(same, order, heavy, path, checked)
        for candidate in candidates:
            low, high = _shift(order, moved, *candidate)
            after = before
            if low < high:
                scratch[low] = forward[low]
                _fill(same, moved, scratch, beam, low + 1, high)
                after = _join_rows(scratch[high], backward[high], beam[0][high], beam[1][high])
            gain = before - after
            if gain > best_gain or (gain == best_gain and _comes_first(candidate, best)):
                best_gain, best = gain, candidate
        checked += len(candidates)
        if checked >= MAX_CANDIDATES or best_gain <= 0:
            break
        start, length, _ = best
        if shifts < len(blocks):
            blocks[shifts, :length] = order[start : start + length]
        shifts += 1
        _shift(order, moved, *best)
        order, moved = moved, order
    return shifts + before, order, path.aligned


@jit
def _join_rows(forward: IntArray, backward: IntArray, start: int, stop: int) -> int:
    """Return the fewest edits through a row, from its costs from the start and to the end."""
    fewest = _FAR
    for j in range(start, stop):
        fewest = min(fewest, int(forward[j] + backward[j]))
    return fewest


@jit
def _comes_first(shift: Shift, other: Shift) -> bool:
    """Return whether a shift is preferred to another of the same gain: the longer, or earlier."""
    return (-shift[1], shift[0], shift[2]) < (-other[1], other[0], other[2])


@jit
def weigh_edits(
    same: BoolArray, heavy: BoolArray, costs: Costs, places: IntArray, phrase_costs: FloatArray
) -> float:
    """Return the least cost of the edits of one pair; words not marked ``heavy`` are stop words.

    ``places`` and ``phrase_costs`` are those of :class:`Phrases`.
    """
    n, m = same.shape
    ends = np.zeros(n + 1, dtype=np.int64)
    for p in range(len(places)):
        ends[places[p, 1] + 1] += 1
    phrases = Phrases(places, phrase_costs, np.cumsum(ends))
    order, moved = np.arange(n), np.arange(n)
    forward, scratch = np.zeros((n + 1, m + 1)), np.zeros((n + 1, m + 1))
    for j in range(m + 1):
        forward[0, j] = scratch[0, j] = j * costs.delete
    spent = 0.0
    checked = 0
    while True:
        _fill_weighted(same, order, forward, forward, 0, costs, phrases)
        before = forward[n, m]
        path = _align(same, order, forward, costs, phrases)
        best_gain, best = 0.0, (0, 0, 0)
        candidates = _find_shifts(same, order, heavy, path, checked)
        for candidate in candidates:
            low, _ = _shift(order, moved, *candidate)
            _fill_weighted(same, moved, forward, scratch, low, costs, phrases)
            gain = float(before - scratch[n, m] - costs.shift)
            if gain > best_gain + _SMALL or (
                gain > best_gain - _SMALL and best_gain > 0 and candidate[1] > best[1]
            ):
                best_gain, best = gain, candidate
        checked += len(candidates)
        if best_gain <= _SMALL or checked >= MAX_CANDIDATES:
            return float(spent + before)
        _shift(order, moved, *best)
        order, moved = moved, order
        spent += costs.shift


@jit
def _find_shifts(
    same: BoolArray, order: IntArray, heavy: BoolArray, path: Alignment, checked: int
) -> list[Shift]:
    """Return the blocks that may move: with an error on both sides, not aligned to their place.

    Together with those ``checked`` before, there are about :data:`MAX_CANDIDATES`.
    """
    n, m = same.shape
    aligned, hypothesis_errors, reference_errors = path
    shifts = [(0, 0, 0) for _ in range(0)]
    for start in range(n):
        for place in range(
            max(0, start - MAX_SHIFT_DISTANCE), min(m, start + MAX_SHIFT_DISTANCE + 1)
        ):
            some_heavy = False
            for length in range(1, min(MAX_SHIFT_SIZE, n - start, m - place) + 1):
                end = start + length
                full = checked + len(shifts) >= MAX_CANDIDATES
                if full or not same[order[end - 1], place + length - 1]:
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
                    if target != previous:
                        shifts.append((start, length, target))
                    previous = target
    return shifts


@jit
def _beam(n: int, m: int) -> Beam:
    """Return the columns to fill: around the diagonal."""
    ratio = m / n
    width = BEAM
    if ratio / 2 > BEAM:
        width = int(np.ceil(ratio / 2 + BEAM))
    first = np.zeros(n + 1, dtype=np.int64)
    last = np.full(n + 1, m + 1, dtype=np.int64)
    for i in range(1, n + 1):
        diagonal = int(np.floor(i * ratio))
        first[i] = max(0, diagonal - width)
        if i < n:
            last[i] = min(m + 1, diagonal + width)
    return first, last


@jit
def _fill(same: BoolArray, order: IntArray, table: Ints32, beam: Beam, low: int, high: int) -> None:
    """Fill rows ``low`` to ``high`` of the edit distance from the row before them."""
    first, last = beam
    for i in range(low, high + 1):
        word = order[i - 1]
        j = first[i]
        left = np.int32(_FAR)
        if j == 0:
            left = table[i - 1, 0] + np.int32(1)
            table[i, 0] = left
            j = 1
        for k in range(j, last[i]):
            cost = table[i - 1, k - 1] + (np.int32(0) if same[word, k - 1] else np.int32(1))
            cost = min(cost, table[i - 1, k] + np.int32(1), left + np.int32(1))
            table[i, k] = cost
            left = cost


@jit
def _fill_back(same: BoolArray, order: IntArray, matrix: Ints32, beam: Beam) -> None:
    """Fill the matrix of costs from each cell to the end, in the same beam."""
    n, m = same.shape
    first, last = beam
    matrix[n, m] = 0
    for j in range(m - 1, first[n] - 1, -1):
        matrix[n, j] = matrix[n, j + 1] + np.int32(1)
    for i in range(n - 1, -1, -1):
        word = order[i]
        right = np.int32(_FAR)
        for j in range(last[i] - 1, first[i] - 1, -1):
            cost = min(matrix[i + 1, j], right) + np.int32(1)
            if j < m:
                step = np.int32(0) if same[word, j] else np.int32(1)
                cost = min(cost, matrix[i + 1, j + 1] + step)
            matrix[i, j] = cost
            right = cost


@jit
def _fill_weighted(
    same: BoolArray,
    order: IntArray,
    above: FloatArray,
    matrix: FloatArray,
    low: int,
    costs: Costs,
    phrases: Phrases,
) -> None:
    """Fill the rows after ``low``; rows up to ``low`` are read from ``above``."""
    n, m = same.shape
    places, phrase_costs, ends = phrases
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
def _phrase_fits(order: IntArray, places: IntArray, p: int, i: int) -> bool:
    """Return whether phrase ``p`` is still unbroken and ends before place ``i``."""
    length = places[p, 1] - places[p, 0] + 1
    if i < length:
        return False
    k = 1
    while k <= length and order[i - k] == places[p, 1] - k + 1:
        k += 1
    return bool(k > length)


@jit
def _align(same, order, matrix, costs, phrases):  # type: ignore[no-untyped-def]
    """Read the alignment from a filled matrix.

    Of equal paths, substitution comes before phrases, phrases before deletion, deletion before
    insertion. Phrases aren't errors.
    """
    i, j = same.shape
    places, phrase_costs, ends = phrases
    aligned = np.zeros(j, dtype=np.int64)
    hypothesis_errors = np.zeros(i + 1, dtype=np.int64)
    reference_errors = np.zeros(j + 1, dtype=np.int64)
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
    return Alignment(aligned, np.cumsum(hypothesis_errors), np.cumsum(reference_errors))


@jit
def _shift(order: IntArray, moved: IntArray, start: int, size: int, target: int) -> tuple[int, int]:
    """Move a block before the word at ``target``, into ``moved``; return the rows that changed.

    A target inside the block moves it on by that much, as in sacreBLEU.
    """
    if target < start:
        low, high, turn = target, start + size, start - target
    else:
        end = target if target > start + size else size + target
        low, high, turn = start, min(len(order), end), size
    for i in range(len(order)):
        moved[i] = order[i]
    for i in range(low, high):
        moved[i] = order[i + turn] if i + turn < high else order[i + turn - high + low]
    return low, (high if turn < high - low else low)
