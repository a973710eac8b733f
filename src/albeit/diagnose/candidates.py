"""Candidates for errors: pronouns and connectives that a translation exchanges.

A line that has one *he* more than the reference, and one *she* less, has very likely exchanged them.
The words that both lines share show which positions correspond; words far from their counterpart
aren't compared. The rules favor recall: evidence decides the probability of each candidate.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from albeit.diagnose.words import Word, connectives_of, pronoun_like, pronouns_of, verb_after

__all__ = [
    "CONNECTIVES",
    "PRONOUNS",
    "RULES",
    "TERMS",
    "Candidate",
    "Exchange",
    "Rule",
    "capitalize_like",
    "exchanges",
    "line_candidates",
    "places",
]

_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class Places:
    """The words of two lines of one language, and which positions correspond.

    Words that both share are aligned; positions between two of them are distributed evenly.
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
CONNECTIVES = "connectives"
TERMS = "terms"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words of one line of one system that may be an error, and the suggested fix.

    :param kind: the row of the profile that it belongs to
    :param system: whose line it is
    :param line: the number of the line, from 0
    :param start: its first character in the line
    :param end: the character after its last
    :param said: the class of these words: ``he``, ``Comparison``, the stem of a term
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
Apart = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A word of the translation, the word of the reference at its position, and how close they are."""

    said: Word
    wanted: Word
    nearness: float


def exchanges(
    text: str,
    reference: str,
    words_of: Callable[[str], Sequence[Word]],
    apart: Apart = str.__ne__,
) -> list[Exchange]:
    """Find the exchanges of a line, nearest first.

    Words that both lines have near each other are removed; the others are paired by distance.

    :param words_of: finds the words of the closed class in a line
    :param apart: whether two names are incompatible

    >>> [one] = exchanges("Then he left.", "Then she left.", pronouns_of)
    >>> one.said.form, one.wanted.form, one.nearness
    ('he', 'she', 1.0)
    """
    ours, theirs = list(words_of(text)), list(words_of(reference))
    if not (ours and theirs and any(apart(a.name, b.name) for a in ours for b in theirs)):
        return []
    both = places(text, reference)
    distance = {
        (a, b): abs(both.expected(both.word_at(a.start)) - both.other_word_at(b.start))
        for a in ours
        for b in theirs
    }
    for a, b in _nearest(ours, theirs, distance, lambda a, b: not apart(a, b), _SAME):
        ours.remove(a)
        theirs.remove(b)
    return [
        Exchange(a, b, 1 - distance[a, b] / (_NEAR + 1))
        for a, b in _nearest(ours, theirs, distance, apart, _NEAR)
    ]


def _nearest(
    ours: Sequence[Word],
    theirs: Sequence[Word],
    distance: Mapping[tuple[Word, Word], float],
    fits: Apart,
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


def _is_expletive(line: str, end: int) -> bool:
    """Check whether an *it* that ends at a character is expletive: *it is clear that*."""
    return _EMPTY_IT.match(line, end) is not None


def _is_cleft(line: str, start: int) -> bool:
    """Check whether a pronoun is in a cleft: *it was they who came*."""
    return _CLEFT.search(line[:start]) is not None


def _is_reported(said: str, wanted: str, text: str, reference: str) -> bool:
    """Check whether one line quotes what the other reports, so that *I* and *he* are the same."""
    if (said in _SPEAKERS) == (wanted in _SPEAKERS):
        return False
    return len(_QUOTES.findall(text)) != len(_QUOTES.findall(reference))


def _is_harmless_pronoun(one: Exchange, text: str, reference: str) -> bool:
    """Check whether exchanged pronouns aren't an error by their form alone."""
    said, wanted = one.said, one.wanted
    return (
        (said.name == "it" and _is_expletive(text, said.end))
        or (wanted.name == "it" and _is_expletive(reference, wanted.end))
        or _is_cleft(text, said.start)
        or {said.name, wanted.name} == {"we", "you"}
        or _is_reported(said.name, wanted.name, text, reference)
    )


def _is_harmless_connective(one: Exchange, text: str, reference: str) -> bool:
    """Check whether exchanged connectives aren't an error by their form alone.

    Only contrast, cause, condition, and order in time are flagged: *and*, *or*, *namely* mean many
    things, and cause and time alone are too close.
    """
    said, wanted = set(one.said.name.split()), set(one.wanted.name.split())
    if not all(senses & _DECIDING and not senses & _LOOSE for senses in (said, wanted)):
        return True
    return not _OPPOSING & (said | wanted)


_OPPOSING = frozenset(
    (
        "Comparison.Concession",
        "Comparison.Contrast",
        "Contingency.Condition",
        "Contingency.Negative-condition",
        "Temporal.Before",
    )
)
"""At least one connective of an exchange has such a sense."""
_DECIDING = _OPPOSING | {"Contingency.Cause", "Temporal.Asynchronous"}
_LOOSE = frozenset(
    (
        "Expansion.Conjunction",
        "Expansion.Disjunction",
        "Expansion.Equivalence",
        "Expansion.Level-of-detail",
    )
)


def _have_other_senses(said: str, wanted: str) -> bool:
    """Check whether two connectives, named by their senses, have none in common."""
    return not set(said.split()) & set(wanted.split())


@dataclass(frozen=True)
class Rule:
    """A closed class: how to find, compare, and fix its words, and which exchanges are harmless."""

    kind: str
    words_of: Callable[[str], Sequence[Word]]
    apart: Apart
    fix: Callable[[Exchange, str], tuple[str, str]]
    harmless: Callable[[Exchange, str, str], bool]


def _fix_pronoun(one: Exchange, text: str) -> tuple[str, str]:
    word, other = one.said, one.wanted
    form = pronoun_like(word, other.name, other.form, text)
    return form, verb_after(text[word.end :], word.name, other.name)


def _fix_connective(one: Exchange, text: str) -> tuple[str, str]:
    return capitalize_like(one.said.form, one.wanted.form.lower()), text[one.said.end :]


def capitalize_like(model: str, form: str) -> str:
    """Capitalize a form if another one is capitalized."""
    return form[0].upper() + form[1:] if model[0].isupper() else form


RULES: dict[str, Rule] = {
    PRONOUNS: Rule(PRONOUNS, pronouns_of, str.__ne__, _fix_pronoun, _is_harmless_pronoun),
    CONNECTIVES: Rule(
        CONNECTIVES, connectives_of, _have_other_senses, _fix_connective, _is_harmless_connective
    ),
}


def line_candidates(
    rule: Rule, system: str, line: int, text: str, reference: str
) -> list[Candidate]:
    """Find the candidates of one line against one reference.

    :param system: whose line it is
    :param line: its number in the set, from 0

    >>> [one] = line_candidates(RULES[PRONOUNS], "A", 0, "Then he left.", "Then she left.")
    >>> one.suggestion, one.fixed
    ('she', 'Then she left.')
    """
    found = []
    for one in exchanges(text, reference, rule.words_of, rule.apart):
        if rule.harmless(one, text, reference):
            continue
        form, rest = rule.fix(one, text)
        found.append(
            Candidate(
                rule.kind,
                system,
                line,
                one.said.start,
                one.said.end,
                one.said.name,
                one.wanted.name,
                form,
                text[: one.said.start] + form + rest,
                one.nearness,
            )
        )
    return found
