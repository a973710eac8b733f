"""METEOR's search for the best alignment: a beam over the words of the reference.

Candidate matches link a span of the reference to a span of the translation. Matches without a
conflict are taken at once. Among the rest, a beam over the words of the reference keeps the partial
alignments that cover most, then those in fewest chunks, then those whose matches are nearest. Ties
keep their order, and the figures are METEOR 1.5's, so that both find the same alignment:

* a match that isn't exact covers half its words, rounded down;
* the distance of a chosen match is charged to the alternatives tried after it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.jit import jit

__all__ = ["Ints", "align"]

Ints = npt.NDArray[np.int32]
BEAM = 40


@jit
def align(candidates: Ints, ends: Ints, words: int, length: int) -> Ints:
    """Return the chosen candidate at each word of the reference, or -1.

    ``candidates`` has one row per match: first word in the translation, words there, words in
    the reference, matcher; those of reference word ``j`` end before row ``ends[j]``.
    """
    chosen = np.zeros(length, dtype=np.int32)
    if _take_certain(candidates, ends, words, chosen) == 0:
        return chosen

    # One slot per live path. State: covered, chunks, distance, next free reference word, end
    # of the last match in the translation (-1: no chunk is open).
    blocks = words // 64 + 1
    state = np.zeros((2, BEAM, 5), dtype=np.int64)
    used = np.zeros((2, BEAM, blocks), dtype=np.int64)
    order = np.zeros((2, BEAM), dtype=np.int64)
    came_from = np.zeros((length, BEAM), dtype=np.int32)
    match_at = np.zeros((length, BEAM), dtype=np.int32)
    taken = np.zeros(length, dtype=np.bool_)
    for j in range(length):
        if chosen[j] >= 0:
            for k in range(j, j + candidates[chosen[j], 2]):
                taken[k] = True
            _use(used[0, 0], candidates[chosen[j]])
    state[0, 0, 4] = -1
    now, count = 0, 1
    fresh = np.zeros(5, dtype=np.int64)
    for j in range(length):
        begin = ends[j - 1] if j else 0
        if taken[j] or begin == ends[j]:  # nothing to choose: every path goes on in its slot
            for rank in range(count):
                slot = order[now, rank]
                path = state[now, slot]
                if j >= path[3]:
                    if taken[j]:
                        row = candidates[chosen[j]]
                        _extend(path, row, j, path)
                        path[2] += abs(j - row[0])
                    else:
                        _skip(path)
                came_from[j, slot], match_at[j, slot] = slot, -1
                _settle(state[now], order[now], rank, slot)
            continue
        then = 1 - now
        live = 0
        for rank in range(count):
            slot = order[now, rank]
            path = state[now, slot]
            if j >= path[3]:
                for c in range(begin, ends[j]):
                    row = candidates[c]
                    if _blocked(row, j, used[now, slot], taken):
                        continue
                    _extend(path, row, j, fresh)
                    path[2] += abs(j - row[0])
                    live, at = _insert(state[then], order[then], live, fresh)
                    if at >= 0:
                        for block in range(blocks):
                            used[then, at, block] = used[now, slot, block]
                        _use(used[then, at], row)
                        came_from[j, at], match_at[j, at] = slot, c
                _skip(path)
            live, at = _insert(state[then], order[then], live, path)
            if at >= 0:
                for block in range(blocks):
                    used[then, at, block] = used[now, slot, block]
                came_from[j, at], match_at[j, at] = slot, -1
        now, count = then, live

    best = order[now, 0]
    for rank in range(count):
        path = state[now, order[now, rank]]
        if path[4] != -1:
            path[1] += 1
        if _better(path, state[now, best]):
            best = order[now, rank]
    for j in range(length - 1, -1, -1):
        if match_at[j, best] >= 0:
            chosen[j] = match_at[j, best]
        best = came_from[j, best]
    return chosen


@jit
def _take_certain(candidates: Ints, ends: Ints, words: int, chosen: Ints) -> int:
    """Choose every match whose words appear in no other; count the matches left."""
    length = len(ends)
    cover = np.zeros(words, dtype=np.int32)
    cover_reference = np.zeros(length, dtype=np.int32)
    c = 0
    for j in range(length):
        while c < ends[j]:
            for i in range(candidates[c, 0], candidates[c, 0] + candidates[c, 1]):
                cover[i] += 1
            for k in range(j, j + candidates[c, 2]):
                cover_reference[k] += 1
            c += 1
    left = len(candidates)
    for j in range(length):
        chosen[j] = -1
        begin = ends[j - 1] if j else 0
        if ends[j] - begin != 1:
            continue
        alone = True
        for k in range(j, j + candidates[begin, 2]):
            alone = alone and cover_reference[k] == 1
        for i in range(candidates[begin, 0], candidates[begin, 0] + candidates[begin, 1]):
            alone = alone and cover[i] == 1
        if alone:
            chosen[j] = begin
            left -= 1
    return left


@jit
def _extend(path: IntArray, row: Ints, j: int, to: IntArray) -> None:
    """Add a match at reference word ``j`` to a path, all but its distance."""
    exact = row[3] == 0
    to[0] = path[0] + (row[1] if exact else row[1] // 2) + (row[2] if exact else row[2] // 2)
    to[1] = path[1] + (1 if path[4] != -1 and path[4] != row[0] else 0)
    to[2] = path[2]
    to[3] = j + row[2]
    to[4] = row[0] + row[1]


@jit
def _skip(path: IntArray) -> None:
    """Skip a word of the reference, which ends an open chunk."""
    if path[4] != -1:
        path[1] += 1
        path[4] = -1
    path[3] += 1


@jit
def _use(used: IntArray, row: Ints) -> None:
    """Mark the words of the translation in a match as in use, one bit per word."""
    for i in range(row[0], row[0] + row[1]):
        used[i >> 6] |= 1 << (i & 63)


@jit
def _blocked(row: Ints, j: int, used: IntArray, taken: npt.NDArray[np.bool_]) -> bool:
    """Return whether a match needs a word that is in use."""
    bits = 0
    for k in range(j, j + row[2]):
        bits |= taken[k]
    for i in range(row[0], row[0] + row[1]):
        bits |= (used[i >> 6] >> (i & 63)) & 1
    return bits != 0


@jit
def _better(path: IntArray, other: IntArray) -> bool:
    """Compare covered words, then chunks, then distance."""
    if path[0] != other[0]:
        return bool(path[0] > other[0])
    if path[1] != other[1]:
        return bool(path[1] < other[1])
    return bool(path[2] < other[2])


@jit
def _insert(
    state: IntArray,
    order: IntArray,
    live: int,
    path: IntArray,
) -> tuple[int, int]:
    """Insert a path behind its equals; return the number of paths, and its slot or -1."""
    if live == BEAM:
        slot = order[live - 1]
        if not _better(path, state[slot]):
            return live, -1
    else:
        slot = live
        live += 1
    for k in range(5):
        state[slot, k] = path[k]
    _settle(state, order, live - 1, slot)
    return live, slot


@jit
def _settle(state: IntArray, order: IntArray, place: int, slot: int) -> None:
    """Move the path in a slot up to its rank, behind its equals."""
    while place > 0 and _better(state[slot], state[order[place - 1]]):
        order[place] = order[place - 1]
        place -= 1
    order[place] = slot
