"""Words that are hidden in training: those that are hidden at run time, and nouns that recur."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.metrics.judge.cloze import (
    CLASSES,
    CONNECTIVES,
    FIRST_CONNECTIVE,
    KINDS,
    NONE,
    NOUN,
    THIS,
    Target,
    bare,
    connectives,
    pronouns,
    sentence_starts,
)
from albeit.metrics.judge.network import PUNCTUATION

__all__ = [
    "CLASSES",
    "CONNECTIVES",
    "FIRST_CONNECTIVE",
    "KINDS",
    "NONE",
    "NOUN",
    "THIS",
    "Target",
    "bare",
    "connectives",
    "pronouns",
    "recurring",
]

FEWEST_LETTERS = 4


def recurring(words: Sequence[str], within: int = 120) -> list[Target]:
    """Names and long words that stood not far before: what is said again where a pronoun could be."""
    plain = [bare(word) for word in words]
    first = sentence_starts(words)
    last: dict[str, int] = {}
    found = []
    for k, word in enumerate(plain):
        named = words[k].strip(PUNCTUATION)[:1].isupper() and not first[k]
        known = word.isalpha() and len(word) >= FEWEST_LETTERS and (named or len(word) > 6)
        if known and 1 < k - last.get(word, -within - 1) <= within:
            found.append(Target(k, k + 1, NOUN))
        if known:
            last[word] = k
    return found
