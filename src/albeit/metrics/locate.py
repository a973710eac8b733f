"""Where the words that a metric compares stand in the text as it was given.

Metrics fold case, resolve entities, drop marks or cut words apart. Whatever they did, the
letters that are left stand in the text in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from albeit.parsing.layers import Tokens

__all__ = ["locate"]


def locate(text: str, words: Sequence[str]) -> Tokens:
    """The words with their places in the text; one that is not to be found has an empty place."""
    ours = [(letter, place) for place, c in enumerate(text) for letter in _letters(c)]
    theirs = [
        (letter, number) for number, w in enumerate(words) for c in w for letter in _letters(c)
    ]
    left, right = ["".join(letter for letter, _ in side) for side in (ours, theirs)]
    blocks = (
        [(0, 0, len(left))]
        if left == right
        else SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    )
    places: list[list[int]] = [[] for _ in words]
    for a, b, size in blocks:
        for k in range(size):
            places[theirs[b + k][1]].append(ours[a + k][1])
    offsets: list[tuple[int, int]] = []
    end = 0
    for found in places:
        start, end = (found[0], found[-1] + 1) if found else (end, end)
        offsets.append((start, end))
    return Tokens(tuple(words), tuple(offsets))


def _letters(character: str) -> str:
    """A character as it is compared: in lower case, nothing for white space."""
    return "" if character.isspace() else character.lower()
