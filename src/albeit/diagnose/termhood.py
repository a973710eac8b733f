"""Is it a term at all? Names and rare words are; common verbs, adverbs and time words are none."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from albeit.resources import rarity, wordnet

__all__ = ["is_name", "mean_the_same", "no_term", "rareness"]

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_COMMON, _SPAN = 4.0, 6.0
_NO_NOUN = re.compile(r"(?:ly|ing|ed|ize|ise|ful|ous|ive|able|ible)$")
_TIME = frozenset(
    [
        "today",
        "tomorrow",
        "yesterday",
        "now",
        "year",
        "month",
        "week",
        "day",
        "hour",
        "minute",
        "time",
        "period",
        "morning",
        "evening",
        "afternoon",
        "night",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "spring",
        "summer",
        "autumn",
        "winter",
        "decade",
        "century",
        "recent",
        "current",
        "previous",
        "early",
        "late",
        "date",
    ]
)
_GENERAL = frozenset(
    [
        "thing",
        "way",
        "part",
        "number",
        "point",
        "people",
        "person",
        "man",
        "men",
        "woman",
        "women",
        "case",
        "example",
        "fact",
        "kind",
        "sort",
        "lot",
        "problem",
        "issue",
        "question",
        "situation",
        "matter",
        "place",
        "area",
        "level",
        "side",
        "end",
        "start",
        "beginning",
        "result",
        "reason",
        "percent",
        "many",
        "several",
        "first",
        "second",
        "third",
        "last",
        "next",
        "new",
        "old",
        "good",
        "great",
        "large",
        "small",
        "big",
        "high",
        "low",
        "long",
        "short",
        "important",
        "main",
        "major",
        "different",
        "same",
        "other",
        "many",
        "much",
        "well",
        "make",
        "made",
        "take",
        "took",
        "give",
        "gave",
        "get",
        "got",
        "say",
        "said",
        "tell",
        "told",
        "use",
        "used",
        "show",
        "shown",
        "see",
        "seen",
        "know",
        "known",
        "think",
        "believe",
        "want",
        "need",
        "help",
        "keep",
        "become",
        "continue",
        "include",
        "involve",
        "provide",
        "allow",
        "happen",
    ]
)


_NONE = _TIME | _GENERAL
_NOUN = 0.6
"""Which part of a word's senses are a noun's, at least, if it is a term."""


def is_name(word: str, line: str) -> bool:
    """Whether a line writes a word with a capital where a common word would have none.

    >>> is_name("Lang", "Coach Lang is calm."), is_name("Coach", "Coach Lang is calm.")
    (True, False)
    """
    titled = sum(match.group()[0].isupper() for match in _WORD.finditer(line))
    words = sum(1 for _ in _WORD.finditer(line))
    if words > 3 and titled > 0.7 * words:
        return False
    for match in re.finditer(rf"\b{re.escape(word)}\b", line):
        before = line[: match.start()].rstrip(" \"“'‘(")
        if match.group()[0].isupper() and before and before[-1] not in ".!?:;":
            return True
    return False


@lru_cache(maxsize=65536)
def no_term(word: str) -> bool:
    """Whether a word is none: time, general nouns, and what WordNet has mostly as no noun.

    >>> no_term("yesterday"), no_term("reported"), no_term("tanker")
    (True, True, False)
    """
    folded = word.lower()
    if folded in _NONE or folded.rstrip("s") in _NONE:
        return True
    every = wordnet().synsets(folded)
    return bool(every) and len(wordnet().synsets(folded, "noun")) < _NOUN * len(every)


def mean_the_same(one: str, other: str) -> bool:
    """Whether two nouns may mean the same, or are one name in two spellings (*Méndez*, *Mendez*).

    >>> mean_the_same("elevation", "altitudes"), mean_the_same("tanker", "ship")
    (True, False)
    """
    if _plain(one) == _plain(other):
        return True
    known = wordnet()
    return bool(known.synsets(one, "noun") & known.synsets(other, "noun"))


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.lower())
    return "".join(c for c in apart if c.isalnum())


def rareness(word: str) -> float:
    """How rare a word is in English, from 0 (common) to 1.

    >>> rareness("people") < rareness("tanker")
    True
    """
    table = rarity("en")
    known = table.get(word.lower(), table["*"])
    penalty = 0.5 if _NO_NOUN.search(word.lower()) else 1.0
    return penalty * min(1.0, max(0.0, (known - _COMMON) / _SPAN))
