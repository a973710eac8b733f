"""Candidates for errors: pronouns that a translation exchanges.

A line that has one *he* more than the reference, and one *she* less, has very likely exchanged
them. The words that both lines share show which positions correspond; pronouns far from their
counterpart aren't compared. The rules favor recall: evidence decides the probability.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from albeit.diagnose.pronouns import Word, pronoun_like, pronouns_of, verb_after
from albeit.parsing.tokenize import WORDS_OR_MARKS


class Places:
    """The words of two lines of one language, and which positions correspond.

    Words that both share are aligned; positions between two of them are distributed evenly.
    """

    def __init__(self, one: str, other: str) -> None:
        self.ours = [match.span() for match in WORDS_OR_MARKS.finditer(one)]
        self.theirs = [match.span() for match in WORDS_OR_MARKS.finditer(other)]
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
        """Find the word of the first line at a character."""
        return max(0, bisect_right(self._starts, start) - 1)

    def other_word_at(self, start: int) -> int:
        """Find the word of the second line that starts at a character."""
        return bisect_left([a for a, _ in self.theirs], start)

    def expected(self, word: int) -> float:
        """Estimate the position in the second line of a word of the first."""
        a, b, size = self._blocks[bisect_right(self._firsts, word) - 1]
        if word < a + size:
            return float(b + word - a)
        first, last = self.facing(word)
        share = (word - a - size + 0.5) / (self._next(word)[0] - a - size)
        return first + share * (last - first) - 0.5

    def facing(self, word: int) -> tuple[int, int]:
        """Find the words of the second line between the shared words around a word of the first."""
        a, b, size = self._blocks[bisect_right(self._firsts, word) - 1]
        if word < a + size:
            return b + word - a, b + word - a + 1
        return b + size, self._next(word)[1]

    def width(self, word: int) -> int:
        """Count the words of the first line between the shared words around a word."""
        a, _, size = self._blocks[bisect_right(self._firsts, word) - 1]
        return 1 if word < a + size else self._next(word)[0] - a - size

    def _next(self, word: int) -> tuple[int, int]:
        at = bisect_right(self._firsts, word)
        if at < len(self._blocks):
            return self._blocks[at][0], self._blocks[at][1]
        return len(self.ours), len(self.theirs)


@lru_cache(maxsize=4096)
def places(one: str, other: str) -> Places:
    """Compare two lines; recent results are cached."""
    return Places(one, other)


PRONOUNS = "pronouns in context"
TERMS = "terms"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words of one line of one system that may be an error, and the suggested fix.

    :param kind: the row of the profile that it belongs to
    :param system: whose line it is
    :param line: the number of the line, from 0
    :param start: its first character in the line
    :param end: the character after its last
    :param said: the class of these words: ``he``, the stem of a term
    :param wanted: the class of the words of the reference (for terms: of other lines)
    :param suggestion: the words of the suggested fix
    :param fixed: the whole line after the fix
    :param nearness: how close the reference's words are to this position, from 0 to 1
    :param reference: the number of the reference that differs, from 0
    """

    kind: str
    system: str
    line: int
    start: int
    end: int
    said: str
    wanted: str
    suggestion: str
    fixed: str
    nearness: float = 1.0
    reference: int = 0


_NEAR = 5.0
"""How many words apart the two of an exchange may stand, at most."""
_SAME = 6.0
"""How many words apart two of one class may stand and still be the same."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A pronoun of the translation, that of the reference, and how close they are."""

    said: Word
    wanted: Word
    nearness: float


def exchanges(text: str, reference: str) -> list[Exchange]:
    """Find the exchanged pronouns of a line, nearest first.

    Pronouns that both lines have near each other are removed; the others are paired by distance.

    >>> [one] = exchanges("Then he left.", "Then she left.")
    >>> one.said.form, one.wanted.form, one.nearness
    ('he', 'she', 1.0)
    """
    ours, theirs = pronouns_of(text), pronouns_of(reference)
    if not any(a.name != b.name for a in ours for b in theirs):
        return []
    both = places(text, reference)
    distance = {
        (a, b): abs(both.expected(both.word_at(a.start)) - both.other_word_at(b.start))
        for a in ours
        for b in theirs
    }
    for a, b in _nearest(ours, theirs, distance, str.__eq__, _SAME):
        ours.remove(a)
        theirs.remove(b)
    return [
        Exchange(a, b, 1 - distance[a, b] / (_NEAR + 1))
        for a, b in _nearest(ours, theirs, distance, str.__ne__, _NEAR)
    ]


def _nearest(
    ours: Sequence[Word],
    theirs: Sequence[Word],
    distance: Mapping[tuple[Word, Word], float],
    fits: Callable[[str, str], bool],
    reach: float,
) -> list[tuple[Word, Word]]:
    """Pair the words that fit, nearest first, each at most once."""
    pairs = [(a, b) for a in ours for b in theirs if fits(a.name, b.name)]
    found: list[tuple[Word, Word]] = []
    for a, b in sorted(pairs, key=lambda pair: (distance[pair], pair[0].start, pair[1].start)):
        if distance[a, b] <= reach and not any(a == c or b == d for c, d in found):
            found.append((a, b))
    return found


_SPEAKERS = frozenset(("i", "we", "you"))
_QUOTES = re.compile(r"[\"“”„«»]|''|``")
_EMPTY_IT = re.compile(
    r"\W+(?:(?:will|would|may|might|can|could|should|must|has|have|had|not|also|still|now)\W+)*"
    r"(?:is|was|'s|’s|be|been|seems?|seemed|appears?|appeared|takes?|took|remains?|turns?|turned)"
    r"\b(?:\W+\w+){0,4}?\W+(?:that|to|whether|how|why|who|when|if|for)\b",
    re.IGNORECASE,
)
_CLEFT = re.compile(r"\bit (?:is|was|were|'s) $", re.IGNORECASE)


def _is_harmless(one: Exchange, text: str, reference: str) -> bool:
    """Check whether exchanged pronouns aren't an error by their form alone.

    So are expletives (*it is clear that*), clefts (*it was they who came*), *we* and *you*, and
    pronouns of which one line quotes what the other reports.
    """
    said, wanted = one.said, one.wanted
    quotes = len(_QUOTES.findall(text)) - len(_QUOTES.findall(reference))
    return (
        (said.name == "it" and _EMPTY_IT.match(text, said.end) is not None)
        or (wanted.name == "it" and _EMPTY_IT.match(reference, wanted.end) is not None)
        or _CLEFT.search(text[: said.start]) is not None
        or {said.name, wanted.name} == {"we", "you"}
        or ((said.name in _SPEAKERS) != (wanted.name in _SPEAKERS) and quotes != 0)
    )


def fix_pronoun(one: Exchange, text: str) -> tuple[str, str]:
    """Choose the form of the other pronoun, and adapt the text after it."""
    word, other = one.said, one.wanted
    form = pronoun_like(word, other.name, other.form, text)
    return form, verb_after(text[word.end :], word.name, other.name)


def line_candidates(system: str, line: int, text: str, reference: str) -> list[Candidate]:
    """Find the candidates of one line against one reference.

    :param system: the system
    :param line: the number of the line, from 0

    >>> [one] = line_candidates("A", 0, "Then he left.", "Then she left.")
    >>> one.suggestion, one.fixed
    ('she', 'Then she left.')
    """
    found = []
    for one in exchanges(text, reference):
        if _is_harmless(one, text, reference):
            continue
        form, rest = fix_pronoun(one, text)
        start, end = one.said.start, one.said.end
        fixed = text[:start] + form + rest
        names = one.said.name, one.wanted.name
        found.append(
            Candidate(PRONOUNS, system, line, start, end, *names, form, fixed, one.nearness)
        )
    return found
