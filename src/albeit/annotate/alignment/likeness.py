"""Which words of two languages look alike: numbers, names, and words of one origin.

A pair that was never seen together, or seldom, is judged by its letters alone. Words count as the
same where all letters are, and as kin where the first four are (*nation* and
*national*, not *house* and *home*). It is the one thing that the aligner knows before it reads any text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["KIN", "OTHER", "SAME", "Looks", "looks", "weights"]

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
