"""When two words count as the same: exactly, by their stem, or by a shared WordNet sense.

Words are numbers here. A :class:`WordMatch` holds, for the words of one batch, the number
of the stem and the sorted numbers of the senses, in a form compiled code can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.errors import LanguageError
from albeit.jit import jit

__all__ = [
    "MatchBy",
    "WordMatch",
    "check_language",
    "match_matrix",
    "match_versions",
    "same_words",
    "word_match",
]

Bools = npt.NDArray[np.bool_]
MatchBy = Literal["exact", "stem", "synonym"]


class WordMatch(NamedTuple):
    """Stem and senses of each word: senses of ``w`` are ``senses[starts[w]:starts[w+1]]``."""

    stems: IntArray
    starts: IntArray
    senses: IntArray


def word_match(words: Sequence[str], by: MatchBy, language: str) -> WordMatch:
    """Stems and senses of the words (in the order of their numbers) as far as asked for."""
    count = len(words)
    stems = np.arange(count, dtype=np.int64)
    starts = np.zeros(count + 1, dtype=np.int64)
    senses: list[int] = []
    if by != "exact":
        from albeit.resources import stemmer

        numbers: dict[str, int] = {}
        found = map(stemmer(language), words)
        stems = np.array([numbers.setdefault(s, len(numbers)) for s in found], dtype=np.int64)
    if by == "synonym":
        from albeit.resources import wordnet

        table = wordnet()
        for i, word in enumerate(words):
            senses += sorted(table.synsets(word))
            starts[i + 1] = len(senses)
    return WordMatch(stems, starts, np.array(senses, dtype=np.int64))


def check_language(by: MatchBy, language: str) -> None:
    """Raise where a language has no stemmer or no synonyms."""
    if by != "exact":
        from albeit.resources import stemmer

        stemmer(language)
    if by == "synonym" and language != "en":
        raise LanguageError(
            f"there are no synonyms for {language!r}, only for 'en'. Use match=stem."
        )


def match_versions(by: MatchBy) -> dict[str, str]:
    """What a way of matching depends on, for signatures."""
    found = {}
    if by != "exact":
        found["snowball"] = version("snowballstemmer")
    if by == "synonym":
        from albeit.resources import WordNet

        found["wordnet"] = WordNet.version
    return found


@jit
def same_words(one: int, other: int, match: WordMatch) -> bool:
    """Whether two words match by any of the ways their ``WordMatch`` holds."""
    if one == other or match.stems[one] == match.stems[other]:
        return True
    starts, senses = match.starts, match.senses
    i, j = starts[one], starts[other]
    while i < starts[one + 1] and j < starts[other + 1]:
        if senses[i] == senses[j]:
            return True
        if senses[i] < senses[j]:
            i += 1
        else:
            j += 1
    return False


@jit
def match_matrix(ours: IntArray, theirs: IntArray, match: WordMatch) -> Bools:
    """Which words of two texts match."""
    same = np.zeros((len(ours), len(theirs)), dtype=np.bool_)
    for i in range(len(ours)):
        for j in range(len(theirs)):
            same[i, j] = same_words(ours[i], theirs[j], match)
    return same
