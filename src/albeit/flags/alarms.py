"""False alarms that are known by their form, and are never flagged.

Each is a pure function of the words in question and the two lines.
"""

from __future__ import annotations

import re

from albeit.flags.exchanges import Exchange

__all__ = [
    "at_the_head",
    "harmless_connective",
    "harmless_pronoun",
    "means_nothing",
    "speech_turned",
]

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
