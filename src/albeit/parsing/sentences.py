"""Where sentences begin inside a segment: one way to walk its stops, and two sets of rules.

A segment of a test set often holds two or three sentences. They are told apart by their
final punctuation and by what follows it; a text without a single capital (lower-cased
machine output) is split on punctuation alone.

:func:`split_sentences` is for English words, whose tokeniser has settled what is an
abbreviation; a boundary never falls inside a word, and what runs on for more than
``LONGEST`` words is cut at a comma or the like, so that the cost of parsing stays bounded.
:func:`splitter` is for raw text in any language: a stop ends a sentence if what stands
before is no abbreviation of that language, initial or number. Nothing is left out by either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Protocol, TypeVar

from albeit.parsing.layers import Tokens
from albeit.parsing.tokenize import tokenize
from albeit.resources import abbreviations

__all__ = ["Splitter", "document_words", "split_sentences", "splitter"]

Span = tuple[int, int]
Stop = TypeVar("Stop")


def _starts(stops: Iterable[Stop], begins: Callable[[int, Stop], int | None]) -> list[int]:
    """Where sentences begin: at 0, and wherever ``begins(start, stop)`` has one after a stop.

    ``start`` is where the sentence that the stop might end began.
    """
    starts = [0]
    for stop in stops:
        begin = begins(starts[-1], stop)
        if begin is not None:
            starts.append(begin)
    return starts


# Words of English.

LONGEST = 250
"""The most words of one sentence."""

_STOP = re.compile(r"^(?:[.!?…。！？؟।]+)$")
_ELLIPSIS = re.compile(r"^(?:\.{2,}|….*)$")
_CLOSERS = frozenset({'"', "”", "’", "''", "’’", "'", ")", "]", "}", "»", "›", "&quot;", "&apos;"})
_STRAIGHT = frozenset({'"', "'", "&quot;", "&apos;"})
_OPENER_LIST = "\" “ ‘ `` ‘‘ ' ( [ { « ‹ „ - – — -- * • ¿ ¡ &quot;"
_OPENERS = frozenset(_OPENER_LIST.split())
_BREAKS = frozenset({",", ";", ":", "-", "–", "—", "--", "•", "|", ")", "،", "、", "，"})
_TITLES = re.compile(
    r"^(?:mr|mrs|ms|dr|prof|st|gen|gov|sen|reps?|sens|rev|lt|col|sgt|capt|cpt|maj|cmdr|messrs|mlle"
    r"|mme|supt|hon|adm|fr|pres|vs|approx|cf|no|nos|art|figs?|p|pp|vols?|mt|ft|[a-z])\.$",
    re.IGNORECASE,
)
_STARTER_LIST = (
    "The A An This That These Those It Its He She We They I You His Her Their Our My Your In On At "
    "But And Or So Yet For If When While As After Before Since Because Although However Moreover "
    "There Here What Who Where Why How Not No Now Then Also To From With By Of One Some Many Most "
    "Both All Each Every Even According Meanwhile Still Only Such Is Are Was Were Do Does Did Have "
    "Has Had Can Could Will Would Should May Might Must Let Please"
)
_STARTERS = frozenset(_STARTER_LIST.split())


def split_sentences(forms: Sequence[str], offsets: Sequence[Span]) -> tuple[Span, ...]:
    """Sentences as token ranges that cover all tokens; no tokens, no sentences."""
    count = len(forms)
    if not count:
        return ()
    candidates = [i for i, form in enumerate(forms[:-1]) if form[-1] in ".!?…。！？؟।"]
    if not candidates and count <= LONGEST:
        return ((0, count),)
    cased = any(c.isupper() for form in forms for c in form)

    def begins(start: int, stop: int) -> int | None:
        if stop + 1 <= start:
            return None
        follower = _past_closers(forms, offsets, start, stop)
        attached = stop > 0 and offsets[stop - 1][1] == offsets[stop][0]
        ended = follower < count and _ends(forms, start, stop, follower, cased, attached)
        return follower if ended else None

    starts = _starts(candidates, begins)
    return tuple(_bounded(forms, zip(starts, [*starts[1:], count], strict=True)))


def _bounded(forms: Sequence[str], sentences: Iterable[Span]) -> Iterator[Span]:
    """Cut what is too long to be a sentence."""
    for start, stop in sentences:
        while stop - start > LONGEST:
            ahead = range(start + LONGEST, start + LONGEST // 2, -1)
            cut = next((i for i in ahead if forms[i - 1] in _BREAKS), start + LONGEST)
            yield start, cut
            start = cut
        yield start, stop


def _past_closers(forms: Sequence[str], offsets: Sequence[Span], start: int, stop: int) -> int:
    """The first token after a stop that is not a closing quote or bracket."""
    i = stop + 1
    while i < len(forms):
        if forms[i] == "[" and tuple(forms[i + 2 : i + 3]) == ("]",) and forms[i + 1].isdigit():
            i += 3  # a note's number: "… of Paris. [12] He …"
            continue
        if forms[i] not in _CLOSERS:
            break
        attached = offsets[i][0] == offsets[i - 1][1]
        open_quotes = sum(form == forms[i] for form in forms[start:i]) % 2
        if forms[i] in _STRAIGHT and not (
            open_quotes or (attached and i + 1 < len(forms) and offsets[i + 1][0] > offsets[i][1])
        ):
            break
        i += 1
    return i


def _ends(
    forms: Sequence[str], start: int, stop: int, follower: int, cased: bool, attached: bool
) -> bool:
    """Whether the token at ``stop`` ends a sentence, given the first token after it.

    ``attached``: the token follows the one before it without a space.
    """
    form = forms[stop]
    head = follower
    while head < len(forms) - 1 and forms[head] in _OPENERS:
        head += 1
    following = forms[head]
    first = following[0]
    if not _STOP.match(form):
        return bool(len(form) > 2 and not _TITLES.match(form) and following in _STARTERS)
    if _STOP.match(following):
        return False
    if form == "." and stop == start + 1 and (forms[start].isdigit() or len(forms[start]) == 1):
        return False  # "1 . Open the box"
    if form == "." and first.isdigit() and len(forms[stop - 1]) == 1:
        return False  # "(c. 1580)"
    if form == "." and attached and _abbreviated(forms[stop - 1], following):
        return False
    if not cased:
        return not _ELLIPSIS.match(form)
    if first.islower():
        return False
    if first.isalpha() or first.isdigit():
        return True
    return not _ELLIPSIS.match(form) and head > follower


def _abbreviated(word: str, following: str) -> bool:
    """Whether a word that the tokeniser parted from its stop is an abbreviation here.

    ``Roe v. Wade`` always, ``(D. Mass. 1998)`` and ``Amb. Rice`` unless a word that often begins a
    sentence follows, ``Sec. 2`` before a number.
    """
    if word in ("v", "vs"):
        return True
    known = abbreviations("en")
    if word == "I" or word not in known or following in _STARTERS:
        return False
    return not known[word] or following[0].isdigit()


# Raw text in any language.

_CLOSING = "\"'”’»›)]」』）"
_OPENING = "\"'“‘«‹„([¿¡–—-"
_CLOSER, _OPENER = re.escape(_CLOSING), re.escape(_OPENING)
_STOP_IN_TEXT = re.compile(
    rf"(?<![.!?…؟۔])[.!?…؟۔]++(?:[{_CLOSER}]|\s»)*\s++(?=[{_OPENER}\s]*+(?P<next>[^\s{_OPENER}]))"
    rf"|(?<![。！？])[。！？]++[{_CLOSER}]*+(?=[^\s{_CLOSER}。！？])"
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
    known = abbreviations(lang)
    ordinals = lang == "de"

    def inside(before: str, following: str | None, cased: bool) -> bool:
        """Whether a stop at the end of ``before`` does not end a sentence."""
        if following is None:  # Chinese and Japanese marks say so themselves
            return False
        if cased and following.islower():
            return True
        if not any(map(str.isalpha, before)):
            return True
        last = _LAST_WORD.search(before.rstrip(_CLOSING))
        if last is None:
            return False
        word = last[1].lstrip(_OPENING)
        if len(word) == 1 and word.isalpha() and word != "I":
            return True
        if "." in word and not word.endswith("."):
            return True
        if word in known:
            return not known[word] or following.isdigit()
        return ordinals and word.isdigit()

    def split(text: str) -> tuple[str, ...]:
        if not _ANY_STOP.search(text, 0, len(text) - 1):  # by far the most segments
            return (text,)
        cased = text != text.lower()

        def begins(start: int, stop: re.Match[str]) -> int | None:
            before = text[start : stop.end()].rstrip()
            return None if inside(before, stop["next"], cased) else stop.end()

        starts = _starts(_STOP_IN_TEXT.finditer(text), begins)
        if len(starts) == 1:
            return (text,)
        rest = text[starts[-1] :].strip()
        cuts = [text[a:b].rstrip() for a, b in pairwise(starts)]
        return (*cuts, rest) if rest else tuple(cuts)

    return split


def document_words(lines: Sequence[str]) -> tuple[Tokens, tuple[Span, ...]]:
    """Words, placed in the lines joined by line feeds, and sentences, which end with their line."""
    forms: list[str] = []
    offsets: list[Span] = []
    sentences: list[Span] = []
    at = 0
    for line in lines:
        tokens = tokenize(line)
        base = len(forms)
        for first, stop in split_sentences(tokens.forms, tokens.offsets):
            sentences.append((base + first, base + stop))
        forms += tokens.forms
        offsets += [(at + start, at + stop) for start, stop in tokens.offsets]
        at += len(line) + 1
    return Tokens(tuple(forms), tuple(offsets)), tuple(sentences)
