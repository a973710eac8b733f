"""Words of a text that can be hidden and guessed: pronouns by what they stand for, connectives by form.

What a word is follows from its form and its neighbours, no analysis is read. Words are what stands
between spaces, punctuation left aside, as everywhere in the judge. Training finds them by these
very functions (``research/training/cloze``), so that nothing is read that was not learned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "AROUND",
    "CLASSES",
    "CONNECTIVES",
    "FIRST_CONNECTIVE",
    "KINDS",
    "NONE",
    "NOUN",
    "PRONOUNS",
    "THIS",
    "Target",
    "bare",
    "begins",
    "connectives",
    "pronouns",
]

PRONOUNS = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "it": ("it", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
}
THIS, NOUN = "this/that", "noun"
"""Demonstratives that stand for something by themselves; a name or noun that is said again."""
DEMONSTRATIVES = ("this", "that", "these", "those")
CONNECTIVES = (
    "after",
    "also",
    "although",
    "and",
    "as",
    "because",
    "before",
    "but",
    "even though",
    "finally",
    "first",
    "for example",
    "for instance",
    "furthermore",
    "hence",
    "however",
    "if",
    "in addition",
    "in fact",
    "in other words",
    "indeed",
    "instead",
    "later",
    "meanwhile",
    "moreover",
    "nevertheless",
    "nonetheless",
    "on the other hand",
    "once",
    "or",
    "otherwise",
    "similarly",
    "since",
    "so",
    "so that",
    "still",
    "then",
    "therefore",
    "though",
    "thus",
    "unless",
    "until",
    "when",
    "whereas",
    "while",
    "yet",
)
NONE = "none"
"""No connective, where one could stand."""
CLASSES = (*PRONOUNS, THIS, NOUN, NONE, *CONNECTIVES)
FIRST_CONNECTIVE = CLASSES.index(NONE)
"""Classes before it are said of pronouns' places, the others of connectives'."""
KINDS = {form: kind for kind, forms in PRONOUNS.items() for form in forms}
AFTER = frozenset(
    [
        "is",
        "was",
        "are",
        "were",
        "has",
        "had",
        "have",
        "will",
        "would",
        "can",
        "could",
        "may",
        "might",
        "should",
        "must",
        "means",
        "meant",
        "does",
        "did",
    ]
)
"""What follows a demonstrative that stands for something by itself."""
AROUND = ".,;:!?\"'()[]{}“”‘’«»-–—…"
_END = re.compile(r"[.!?][\"'”’)\]]*$")


class Target(NamedTuple):
    """Words ``start`` to ``stop`` of a document are of this class; an empty run says that nothing is there."""

    start: int
    stop: int
    name: str


def bare(word: str) -> str:
    """A word without punctuation, in lower case."""
    return word.strip(AROUND).lower()


def begins(words: Sequence[str]) -> list[bool]:
    """Which words begin a sentence, by the punctuation before them."""
    return [k == 0 or bool(_END.search(words[k - 1])) for k in range(len(words))]


def pronouns(words: Sequence[str]) -> list[Target]:
    """Third-person pronouns, and demonstratives that stand alone."""
    plain = [bare(word) for word in words]
    first = begins(words)
    found = []
    for k, word in enumerate(plain):
        if word in KINDS:
            found.append(Target(k, k + 1, KINDS[word]))
        elif word in DEMONSTRATIVES and (word in ("this", "these") or first[k]):
            alone = words[k][-1] in ".,;:!?" or (k + 1 < len(plain) and plain[k + 1] in AFTER)
            if alone:
                found.append(Target(k, k + 1, THIS))
    return found


def connectives(words: Sequence[str]) -> list[Target]:
    """Connectives at the beginning of a sentence or after a comma or semicolon, and sentences that
    begin without one; the longest counts."""
    plain = [bare(word) for word in words]
    first = begins(words)
    ways = sorted((tuple(form.split()) for form in CONNECTIVES), key=len, reverse=True)
    found = []
    for k in range(len(plain)):
        clause = first[k] or words[k - 1][-1] in ",;:–—"
        if not clause:
            continue
        for way in ways:
            inside = words[k : k + len(way) - 1]
            if tuple(plain[k : k + len(way)]) == way and all(w[-1].isalpha() for w in inside):
                found.append(Target(k, k + len(way), " ".join(way)))
                break
        else:
            if first[k] and k:
                found.append(Target(k, k, NONE))
    return found
