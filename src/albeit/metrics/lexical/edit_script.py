"""The edits that TER counts, one by one: shifts, substitutions, words too many and too few.

The search is that of :mod:`albeit.metrics.lexical.edits`; here its shifts are done again, and
the way through its matrix is read off word by word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from albeit.arrays import IntArray
from albeit.jit import jit
from albeit.metrics.lexical.edits import (
    FAR,
    Matrix,
    beam,
    fill_forward,
    shift,
    translation_edits,
)
from albeit.metrics.lexical.wordmatch import Bools
from albeit.metrics.view import Link, Loss, Place

__all__ = ["edit_script"]


def edit_script(
    same: Bools, hypothesis: Sequence[str], reference: Sequence[str], cost: float
) -> tuple[tuple[Link, ...], tuple[Loss, ...]]:
    """Words that met their like, and the edits, each at this cost.

    ``same[h, r]`` says which words match. Texts 0 and 1 of the view are hypothesis and reference.
    """
    moved, order = _shifted(same)
    losses = [
        Loss(f"shift: {_quoted(hypothesis, block)}", cost, (Place(0, block),)) for block in moved
    ]
    anywhere = {word for block in moved for word in block}
    links: list[Link] = []
    for ours, theirs in _way(same, order):
        if ours is None or theirs is None:
            label, place = (
                (f"too much: {hypothesis[ours]}", Place(0, (ours,)))
                if ours is not None
                else (f"missing: {reference[theirs or 0]}", Place(1, (theirs or 0,)))
            )
            losses.append(Loss(label, cost, (place,)))
            continue
        places = Place(0, (ours,)), Place(1, (theirs,))
        if same[ours, theirs]:
            links.append(Link(*places, kind="shifted" if ours in anywhere else "same"))
        else:
            label = f"instead: {hypothesis[ours]} for {reference[theirs]}"
            losses.append(Loss(label, cost, places))
    return tuple(links), tuple(losses)


def _quoted(words: Sequence[str], places: Sequence[int]) -> str:
    return " ".join(words[place] for place in places)


def _shifted(same: Bools) -> tuple[list[tuple[int, ...]], IntArray]:
    """The blocks that were moved, by their places in the hypothesis, and the order after it."""
    n, m = same.shape
    order = np.arange(n)
    if not n or not m:
        return [], order
    moves = np.zeros((n + m, 3), dtype=np.int64)  # each shift saves an edit, so there is room
    shifts, _ = translation_edits(same, moves)
    blocks = []
    for start, length, target in moves[:shifts].tolist():
        blocks.append(tuple(order[start : start + length].tolist()))
        moved = np.empty_like(order)
        shift(order, moved, start, length, target)
        order = moved
    return blocks, order


def _way(same: Bools, order: IntArray) -> Iterator[tuple[int | None, int | None]]:
    """Words side by side in the reference's order; ``None`` where one side has none.

    Of equal ways, substitution comes before deletion, deletion before insertion, as in the search.
    """
    i, j = same.shape
    matrix = _distances(same, order) if i and j else np.zeros((1, 1), dtype=np.int32)
    steps: list[tuple[int | None, int | None]] = []
    while i and j:
        cost = 0 if same[order[i - 1], j - 1] else 1
        if matrix[i - 1, j - 1] + cost == matrix[i, j]:
            i, j = i - 1, j - 1
            steps.append((int(order[i]), j))
        elif matrix[i - 1, j] + 1 == matrix[i, j]:
            i -= 1
            steps.append((int(order[i]), None))
        else:
            j -= 1
            steps.append((None, j))
    steps += [(int(order[k]), None) for k in range(i - 1, -1, -1)]
    steps += [(None, k) for k in range(j - 1, -1, -1)]
    return reversed(steps)


@jit
def _distances(same: Bools, order: IntArray) -> Matrix:
    """The matrix of edit distances, with the words of the hypothesis in this order."""
    n, m = same.shape
    first, last = beam(n, m)
    matrix = np.full((n + 1, m + 1), FAR, dtype=np.int32)
    for j in range(m + 1):
        matrix[0, j] = j
    fill_forward(same, order, matrix, first, last, 1, n)
    return matrix
