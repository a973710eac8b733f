"""The sentences of a segment in any language, by punctuation alone.

Most segments of a test set are one sentence, so the common case is one failed search. A
stop ends a sentence if what follows does not begin in lower case and what stands before
is no abbreviation, initial or number. A text without capitals is split at every stop.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Protocol

from albeit.resources import nonbreaking_prefixes

__all__ = ["Splitter", "splitter"]

_CLOSERS = "\"'”’»›)]」』）"
_OPENERS = "\"'“‘«‹„([¿¡–—-"
_CLOSER, _OPENER = re.escape(_CLOSERS), re.escape(_OPENERS)
_STOP = re.compile(
    rf"[.!?…؟۔]+(?:[{_CLOSER}]|\s»)*\s+(?=[{_OPENER}\s]*(?P<next>[^\s{_OPENER}]))"
    rf"|[。！？]+[{_CLOSER}]*(?=[^\s{_CLOSER}。！？])"
)
_ANY_STOP = re.compile("[.!?…؟۔。！？]")
_LAST_WORD = re.compile(r"(\S*?)\.$")


class Splitter(Protocol):
    """Cuts a segment into its sentences; a segment without text is one empty sentence."""

    def __call__(self, text: str) -> tuple[str, ...]:
        """The sentences, in order."""


@cache
def splitter(lang: str) -> Splitter:
    """The splitter of a language: its abbreviations and ordinals."""
    abbreviations = nonbreaking_prefixes(lang)
    ordinals = lang == "de"

    def inside(before: str, following: str | None, cased: bool) -> bool:
        """Whether a stop at the end of ``before`` does not end a sentence."""
        if following is None:  # Chinese and Japanese marks say so themselves
            return False
        if cased and following.islower():
            return True
        if not any(map(str.isalpha, before)):
            return True
        last = _LAST_WORD.search(before.rstrip(_CLOSERS))
        if last is None:
            return False
        word = last[1].lstrip(_OPENERS)
        if len(word) == 1 and word.isalpha() and word != "I":
            return True
        if "." in word and not word.endswith("."):
            return True
        if word in abbreviations:
            return not abbreviations[word] or following.isdigit()
        return ordinals and word.isdigit()

    def split(text: str) -> tuple[str, ...]:
        if not _ANY_STOP.search(text, 0, len(text) - 1):  # by far the most segments
            return (text,)
        found = list(_STOP.finditer(text))
        if not found:
            return (text,)
        cased = text != text.lower()
        cuts, start = [], 0
        for stop in found:
            before = text[start : stop.end()].rstrip()
            if not inside(before, stop["next"], cased):
                cuts.append(before)
                start = stop.end()
        if not cuts:
            return (text,)
        rest = text[start:].strip()
        return (*cuts, rest) if rest else tuple(cuts)

    return split
