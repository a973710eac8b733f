"""Which words of one line stand where others do in a line that says the same.

Both lines are of one language, so the words that they share are the landmarks; between two
landmarks places are shared out evenly.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from difflib import SequenceMatcher
from functools import lru_cache

__all__ = ["Places", "places"]

_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class Places:
    """Two lines in words, and which stretch of the second belongs to each word of the first."""

    def __init__(self, one: str, other: str) -> None:
        self.ours = [match.span() for match in _WORD.finditer(one)]
        self.theirs = [match.span() for match in _WORD.finditer(other)]
        self._starts = [start for start, _ in self.ours]
        matcher = SequenceMatcher(
            None,
            [one[a:b].lower() for a, b in self.ours],
            [other[a:b].lower() for a, b in self.theirs],
            autojunk=False,
        )
        self._blocks = [(-1, -1, 1), *matcher.get_matching_blocks()]
        self._firsts = [a for a, _, _ in self._blocks]

    def word_at(self, start: int) -> int:
        """Which word of the first line begins at a character, or holds it."""
        return max(0, bisect_right(self._starts, start) - 1)

    def other_word_at(self, start: int) -> int:
        """Which word of the second line begins at a character."""
        return bisect_left([a for a, _ in self.theirs], start)

    def expected(self, word: int) -> float:
        """Where a word of the first line belongs in the second, in words."""
        a, b, size = self._blocks[bisect_right(self._firsts, word) - 1]
        if word < a + size:
            return float(b + word - a)
        first, last = self.facing(word)
        share = (word - a - size + 0.5) / (self._next(word)[0] - a - size)
        return first + share * (last - first) - 0.5

    def facing(self, word: int) -> tuple[int, int]:
        """The stretch of the second line, from and up to, between the landmarks around a word."""
        a, b, size = self._blocks[bisect_right(self._firsts, word) - 1]
        if word < a + size:
            return b + word - a, b + word - a + 1
        return b + size, self._next(word)[1]

    def width(self, word: int) -> int:
        """How many words of the first line lie between the landmarks around a word."""
        a, _, size = self._blocks[bisect_right(self._firsts, word) - 1]
        return 1 if word < a + size else self._next(word)[0] - a - size

    def _next(self, word: int) -> tuple[int, int]:
        at = bisect_right(self._firsts, word)
        if at < len(self._blocks):
            return self._blocks[at][0], self._blocks[at][1]
        return len(self.ours), len(self.theirs)


@lru_cache(maxsize=4096)
def places(one: str, other: str) -> Places:
    """The places of two lines; the last few thousand are remembered."""
    return Places(one, other)
