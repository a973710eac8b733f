"""Where in a long text each segment can lie at all, by word triples that both have just once.

Such triples, in the longest chain that runs in the same order on both sides, are anchors. A
segment is looked for between the anchors around it, and some way beyond; without anchors,
around the place that its share of the words points to.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

__all__ = ["corridor"]

Ints = npt.NDArray[np.int32]

SMALL = 1 << 24
"""Up to so many pairs of words, all are compared."""
MARGIN = 500
"""How many words beyond an anchor a segment is still looked for."""
WIDEST = 8_000
"""The most words a segment is looked for in."""


def corridor(ours: Ints, theirs: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The first and last place in ``theirs`` where each segment may begin or end.

    ``ends`` are where the segments end in ``ours``. Neither bound ever goes back, the first
    segment may begin at 0, and the last may end at the end.
    """
    count, size = len(ends), len(theirs)
    low, high = np.zeros(count, np.int64), np.full(count, size, np.int64)
    if len(ours) * size > SMALL:
        mine, its = (
            np.array([0, *a, b])
            for a, b in zip(_anchors(ours, theirs), (len(ours), size), strict=True)
        )
        begins = np.concatenate([[0], ends[:-1]])
        low = its[np.searchsorted(mine, begins, side="right") - 1] - MARGIN
        high = its[np.minimum(np.searchsorted(mine, ends, side="left"), len(mine) - 1)] + MARGIN
        middle = np.interp((begins + ends) / 2, mine, its).astype(np.int64)
        low = np.maximum(low, middle - WIDEST // 2)
        high = np.minimum(high, middle + WIDEST // 2)
        low, high = (
            np.maximum.accumulate(low.clip(0, size)),
            np.maximum.accumulate(high.clip(0, size)),
        )
        low[0], high[-1] = 0, size
        # a segment begins where the one before it can end
        high[:-1] = np.maximum(high[:-1], low[1:])
    return low.astype(np.int32), high.astype(np.int32)


def _anchors(ours: Ints, theirs: Ints) -> tuple[list[int], list[int]]:
    """Places of triples that stand once on each side, in the longest chain of equal order."""
    left, right = _once(ours), _once(theirs)
    pairs = sorted((left[triple], right[triple]) for triple in left.keys() & right.keys())
    tails: list[int] = []
    tops: list[int] = []
    before = [-1] * len(pairs)
    for n, (_, place) in enumerate(pairs):
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
        tops[at : at + 1] = [n]
        before[n] = tops[at - 1] if at else -1
    chain: list[int] = []
    n = tops[-1] if tops else -1
    while n >= 0:
        chain.append(n)
        n = before[n]
    chain.reverse()
    return [pairs[n][0] for n in chain], [pairs[n][1] for n in chain]


def _once(words: Ints) -> dict[tuple[int, int, int], int]:
    """Where each triple of words stands that stands only once."""
    found: dict[tuple[int, int, int], int] = {}
    numbers = words.tolist()
    for i, triple in enumerate(zip(numbers, numbers[1:], numbers[2:], strict=False)):
        found[triple] = -1 if triple in found else i
    return {triple: i for triple, i in found.items() if i >= 0}
