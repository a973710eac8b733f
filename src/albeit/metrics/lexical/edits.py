"""The search behind TER: word edits and block shifts, as tercom and sacreBLEU do it, compiled.

The edit distance keeps to a beam around the diagonal. Shifts are chosen greedily: of all
blocks of the hypothesis that occur in the reference, the one whose move lowers the edit
distance most is moved, until none helps. Which words count as the same is the caller's
matter (``same``), so that stems and synonyms need no other search.

Two things make it fast without changing a result. A move leaves the words before and
after it alone, so a candidate needs only the rows in between: the rows before come from
the matrix of the unmoved hypothesis, the rows after from a second matrix, filled from the
end. And no trace is kept; it is read off the one matrix that needs it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.jit import jit
from albeit.metrics.lexical.ngrams import Texts, nth
from albeit.metrics.lexical.wordmatch import Bools, WordMatch, match_matrix

__all__ = [
    "FAR",
    "MAX_CANDIDATES",
    "MAX_SHIFT_DISTANCE",
    "MAX_SHIFT_SIZE",
    "Matrix",
    "beam",
    "count_edits",
    "fill_forward",
    "running",
    "shift",
    "translation_edits",
]

BEAM = 25
MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
FAR = 1 << 28

Matrix = npt.NDArray[np.int32]


@jit
def count_edits(hypotheses: Texts, references: Texts, match: WordMatch) -> IntArray:
    """The number of edits, shifts among them, of every hypothesis against its reference."""
    segments = len(hypotheses.starts) - 1
    edits = np.zeros(segments, dtype=np.int64)
    no_moves = np.zeros((0, 3), dtype=np.int64)
    for s in range(segments):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        if len(hypothesis) == 0 or len(reference) == 0:
            edits[s] = len(hypothesis) + len(reference)
            continue
        same = match_matrix(hypothesis, reference, match)
        shifts, others = translation_edits(same, no_moves)
        edits[s] = shifts + others
    return edits


@jit
def translation_edits(same: Bools, moves: IntArray) -> tuple[int, int]:
    """Shifts and other edits of one pair; ``same[h, r]`` says whether the words there match.

    ``moves`` takes the first shifts, as many as it has rows: start, length, target.
    """
    n, m = same.shape
    first, last = beam(n, m)
    order = np.arange(n)
    moved = np.arange(n)
    forward = np.full((n + 1, m + 1), FAR, dtype=np.int32)
    scratch = np.full((n + 1, m + 1), FAR, dtype=np.int32)
    backward = np.full((n + 1, m + 1), FAR, dtype=np.int32)
    for j in range(m + 1):
        forward[0, j] = j
    aligned = np.zeros(m, dtype=np.int64)
    hypothesis_errors = np.zeros(n + 1, dtype=np.int64)
    reference_errors = np.zeros(m + 1, dtype=np.int64)
    shifts = checked = 0
    while True:
        fill_forward(same, order, forward, first, last, 1, n)
        before = int(forward[n, m])
        _align(same, order, forward, aligned, hypothesis_errors, reference_errors)
        if before == 0:
            break
        _fill_backward(same, order, backward, first, last)
        found = False
        best_gain = best_length = best_start = best_target = 0
        for start in range(n):
            if checked >= MAX_CANDIDATES:
                break
            for place in range(
                max(0, start - MAX_SHIFT_DISTANCE), min(m, start + MAX_SHIFT_DISTANCE + 1)
            ):
                if checked >= MAX_CANDIDATES:
                    break
                longest = min(MAX_SHIFT_SIZE, n - start, m - place)
                for length in range(1, longest + 1):
                    if not same[order[start + length - 1], place + length - 1]:
                        break
                    if hypothesis_errors[start + length] == hypothesis_errors[start]:
                        continue
                    if reference_errors[place + length] == reference_errors[place]:
                        continue
                    if start <= aligned[place] < start + length:
                        continue
                    previous = -1
                    for offset in range(-1, length):
                        target = 0 if place + offset == -1 else aligned[place + offset] + 1
                        if target == previous:
                            continue
                        previous = target
                        low, high = shift(order, moved, start, length, target)
                        after = before
                        if low < high:
                            for j in range(m + 1):
                                scratch[low, j] = forward[low, j]
                            fill_forward(same, moved, scratch, first, last, low + 1, high)
                            after = FAR
                            for j in range(first[high], last[high]):
                                after = min(after, int(scratch[high, j] + backward[high, j]))
                        gain = before - after
                        checked += 1
                        if (
                            not found
                            or gain > best_gain
                            or (gain == best_gain and length > best_length)
                            or (gain == best_gain and length == best_length and start < best_start)
                            or (
                                gain == best_gain
                                and length == best_length
                                and start == best_start
                                and target < best_target
                            )
                        ):
                            found = True
                            best_gain, best_length = gain, length
                            best_start, best_target = start, target
                    if checked >= MAX_CANDIDATES:
                        break
        if checked >= MAX_CANDIDATES or not found or best_gain <= 0:
            break
        if shifts < len(moves):
            moves[shifts, 0], moves[shifts, 1] = best_start, best_length
            moves[shifts, 2] = best_target
        shifts += 1
        shift(order, moved, best_start, best_length, best_target)
        order, moved = moved, order
    return shifts, before


@jit
def beam(n: int, m: int) -> tuple[IntArray, IntArray]:
    """For each row of the matrix the first column and the one after the last that are filled."""
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
def fill_forward(
    same: Bools,
    order: IntArray,
    matrix: Matrix,
    first: IntArray,
    last: IntArray,
    low: int,
    high: int,
) -> None:
    """Fill rows ``low`` to ``high`` of the edit distance from the row before them."""
    for i in range(low, high + 1):
        word = order[i - 1]
        j = first[i]
        left = np.int32(FAR)
        if j == 0:
            left = matrix[i - 1, 0] + np.int32(1)
            matrix[i, 0] = left
            j = 1
        for k in range(j, last[i]):
            cost = matrix[i - 1, k - 1] + (np.int32(0) if same[word, k - 1] else np.int32(1))
            cost = min(cost, matrix[i - 1, k] + np.int32(1), left + np.int32(1))
            matrix[i, k] = cost
            left = cost


@jit
def _fill_backward(
    same: Bools, order: IntArray, matrix: Matrix, first: IntArray, last: IntArray
) -> None:
    """Fill the whole matrix of costs from each cell to the end, in the same beam."""
    n, m = same.shape
    matrix[n, m] = 0
    for j in range(m - 1, first[n] - 1, -1):
        matrix[n, j] = matrix[n, j + 1] + np.int32(1)
    for i in range(n - 1, -1, -1):
        word = order[i]
        right = np.int32(FAR)
        for j in range(last[i] - 1, first[i] - 1, -1):
            cost = min(matrix[i + 1, j], right) + np.int32(1)
            if j < m:
                step = np.int32(0) if same[word, j] else np.int32(1)
                cost = min(cost, matrix[i + 1, j + 1] + step)
            matrix[i, j] = cost
            right = cost


@jit
def _align(
    same: Bools,
    order: IntArray,
    matrix: Matrix,
    aligned: IntArray,
    hypothesis_errors: IntArray,
    reference_errors: IntArray,
) -> None:
    """Read the alignment off a filled matrix.

    ``aligned[r]`` is the last hypothesis place used when reference word ``r`` is reached;
    the errors are running counts, so that a block has errors where the ends differ. Of
    equal ways back, substitution comes before deletion, deletion before insertion.
    """
    i, j = same.shape
    hypothesis_errors[0] = reference_errors[0] = 0
    while i > 0 or j > 0:
        step = 1
        if i > 0 and j > 0 and same[order[i - 1], j - 1]:
            step = 0
        if i > 0 and j > 0 and matrix[i - 1, j - 1] + step == matrix[i, j]:
            i -= 1
            j -= 1
            aligned[j] = i
            hypothesis_errors[i + 1] = step
            reference_errors[j + 1] = step
        elif i > 0 and matrix[i - 1, j] + 1 == matrix[i, j]:
            i -= 1
            hypothesis_errors[i + 1] = 1
        else:
            j -= 1
            aligned[j] = i - 1
            reference_errors[j + 1] = 1
    running(hypothesis_errors)
    running(reference_errors)


@jit
def running(counts: IntArray) -> None:
    """Make each count the sum of all up to it."""
    for k in range(1, len(counts)):
        counts[k] += counts[k - 1]


@jit
def shift(
    order: IntArray, moved: IntArray, start: int, length: int, target: int
) -> tuple[int, int]:
    """Move a block before the word at ``target``, into ``moved``; the rows that changed.

    A target inside the block moves it on by that much, as sacreBLEU has it.
    """
    if target < start:
        low, high, turn = target, start + length, start - target
    else:
        end = target if target > start + length else length + target
        low, high, turn = start, min(len(order), end), length
    for i in range(len(order)):
        moved[i] = order[i]
    for i in range(low, high):
        moved[i] = order[i + turn] if i + turn < high else order[i + turn - high + low]
    return low, (high if turn < high - low else low)
