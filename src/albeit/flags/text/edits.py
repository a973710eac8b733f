"""How far apart two words are."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["distance"]


@lru_cache(maxsize=1 << 16)
def distance(one: str, other: str) -> int:
    """How many letters must be changed, added, dropped, or exchanged with their neighbour.

    >>> distance("Merkel", "Mekrel"), distance("Obama", "Osama"), distance("", "abc")
    (1, 1, 3)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, 1):
            best = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]
