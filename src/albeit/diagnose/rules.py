"""Rules that find suspects in a line: exchanged pronouns, exchanged connectives.

Both are closed classes: a line that has one *he* more than the reference, and one *she* less, has
very likely exchanged them. What stands where is decided by the words that both lines share; nothing
is flagged that lies far from its counterpart. Rules err on the side of finding: what a suspect is
worth, its evidence says. What is known to be a false alarm by its form, by a pure function of the
words in question and the two lines, is left out at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from albeit.diagnose.connectives import connectives_of
from albeit.diagnose.pronouns import Word, pronouns_of, recast, verb_after
from albeit.diagnose.suspect import CONNECTIVES, PRONOUNS, Suspect, places

__all__ = [
    "RULES",
    "Exchange",
    "Rule",
    "at_the_head",
    "exchanges",
    "harmless_connective",
    "harmless_pronoun",
    "line_suspects",
    "means_nothing",
    "senses_apart",
    "speech_turned",
]

_NEAR = 5.0
"""How many words apart the two of an exchange may stand, at most."""
_SAME = 6.0
"""How many words apart two of one class may stand and still be the same."""
Apart = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A word of the translation, the reference's at its place, and how sure the place is."""

    said: Word
    wanted: Word
    nearness: float


def exchanges(
    text: str,
    reference: str,
    words_of: Callable[[str], Sequence[Word]],
    apart: Apart = str.__ne__,
) -> list[Exchange]:
    """The exchanges of a line, the nearest first.

    What both lines have, not too far apart, is put aside; of what remains, the words nearest to
    each other are pairs.

    :param words_of: finds the words of the closed class in a line
    :param apart: whether two names are so different that one cannot stand for the other

    >>> from albeit.diagnose.pronouns import pronouns_of
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
    """Pairs that fit, the nearest first, each word in one at most."""
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


def means_nothing(line: str, end: int) -> bool:
    """Whether an *it* that ends at a character stands for nothing: *it is clear that*.

    >>> means_nothing("It is clear that he came.", 2), means_nothing("It is red.", 2)
    (True, False)
    """
    return _EMPTY_IT.match(line, end) is not None


def at_the_head(line: str, start: int) -> bool:
    """Whether a pronoun is what *it was … who* puts first: *it was they who came*."""
    return _CLEFT.search(line[:start]) is not None


def speech_turned(said: str, wanted: str, text: str, reference: str) -> bool:
    """Whether one line quotes what the other reports, so that *I* and *he* are the same person."""
    if (said in _SPEAKERS) == (wanted in _SPEAKERS):
        return False
    return len(_QUOTES.findall(text)) != len(_QUOTES.findall(reference))


def harmless_pronoun(one: Exchange, text: str, reference: str) -> bool:
    """Whether exchanged pronouns are no fault by their form alone."""
    said, wanted = one.said, one.wanted
    return (
        (said.name == "it" and means_nothing(text, said.end))
        or (wanted.name == "it" and means_nothing(reference, wanted.end))
        or at_the_head(text, said.start)
        or {said.name, wanted.name} == {"we", "you"}
        or speech_turned(said.name, wanted.name, text, reference)
    )


def harmless_connective(one: Exchange, text: str, reference: str) -> bool:
    """Whether exchanged connectives are no fault by their form alone.

    Only connectives that decide how an argument goes (contrast, cause, condition, before or
    after) are worth a flag; *and*, *or*, *namely* stand for many things, and what happens when
    something else does may happen if, after or because it does.
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
"""One of an exchange's two has such a sense: cause and time alone are too close."""
_DECIDING = _OPPOSING | {"Contingency.Cause", "Temporal.Asynchronous"}
_LOOSE = frozenset(
    (
        "Expansion.Conjunction",
        "Expansion.Disjunction",
        "Expansion.Equivalence",
        "Expansion.Level-of-detail",
    )
)


def senses_apart(said: str, wanted: str) -> bool:
    """Whether two connectives, named by their senses, have none in common.

    >>> senses_apart("Comparison.Contrast", "Comparison.Contrast Temporal.Synchronous")
    False
    """
    return not set(said.split()) & set(wanted.split())


@dataclass(frozen=True)
class Rule:
    """A closed class: how its words are found, told apart, mended, and when nothing is wrong."""

    kind: str
    words_of: Callable[[str], Sequence[Word]]
    apart: Apart
    mend: Callable[[Exchange, str], tuple[str, str]]
    harmless: Callable[[Exchange, str, str], bool]


def _mend_pronoun(one: Exchange, text: str) -> tuple[str, str]:
    word, other = one.said, one.wanted
    form = recast(word, other.name, other.form, text)
    return form, verb_after(text[word.end :], word.name, other.name)


def _mend_connective(one: Exchange, text: str) -> tuple[str, str]:
    form = one.wanted.form.lower()
    if one.said.form[0].isupper():
        form = form[0].upper() + form[1:]
    return form, text[one.said.end :]


RULES: dict[str, Rule] = {
    PRONOUNS: Rule(PRONOUNS, pronouns_of, str.__ne__, _mend_pronoun, harmless_pronoun),
    CONNECTIVES: Rule(
        CONNECTIVES, connectives_of, senses_apart, _mend_connective, harmless_connective
    ),
}


def line_suspects(rule: Rule, system: str, line: int, text: str, reference: str) -> list[Suspect]:
    """The suspects of one line beside one reference.

    :param system: whose line it is
    :param line: its number in the set, from 0

    >>> [one] = line_suspects(RULES[PRONOUNS], "A", 0, "Then he left.", "Then she left.")
    >>> one.suggestion, one.mended
    ('she', 'Then she left.')
    """
    found = []
    for one in exchanges(text, reference, rule.words_of, rule.apart):
        if rule.harmless(one, text, reference):
            continue
        form, rest = rule.mend(one, text)
        found.append(
            Suspect(
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
