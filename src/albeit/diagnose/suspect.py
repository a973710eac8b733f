"""A suspect: words of a translation that may be a fault, and what would stand there instead.

Rules find suspects (:mod:`albeit.diagnose.rules`, :mod:`albeit.diagnose.straying`); evidence is
gathered for each and becomes a probability (:mod:`albeit.diagnose.model`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

__all__ = ["CONNECTIVES", "PRONOUNS", "TERMS", "Places", "Suspect", "places"]

_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class Places:
    """Two lines in words, and which stretch of the second belongs to each word of the first.

    Both lines are of one language, so the words that they share are the landmarks; between two
    landmarks places are shared out evenly.
    """

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


PRONOUNS = "pronouns in context"
CONNECTIVES = "connectives"
TERMS = "terms"


@dataclass(frozen=True, slots=True)
class Suspect:
    """Some characters of one line of one system, and what the mend puts there.

    :param kind: the row of the profile that it belongs to
    :param system: whose line it is
    :param line: the line's number in the set, from 0
    :param start: its first character in the line
    :param end: the character after its last
    :param said: the class of the words that stand there: ``he``, ``Comparison``, a term's key
    :param wanted: the class of what the reference (of terms: the rest of the text) has there
    :param suggestion: the words that the mend puts there
    :param mended: the whole line after the mend
    :param nearness: from 0 to 1, how surely the reference has the other words at this very place
    :param reference: the number of the reference that it was found by, from 0
    """

    kind: str
    system: str
    line: int
    start: int
    end: int
    said: str
    wanted: str
    suggestion: str
    mended: str
    nearness: float = 1.0
    reference: int = 0
