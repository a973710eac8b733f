"""Split segments into sentences.

A segment of a test set often has two or three sentences. They are found by final punctuation and
what follows it. Text without a capital letter (lower-cased output) is split at punctuation
alone.

:func:`split_sentences` is for English words, for which the tokenizer has decided what is an
abbreviation. A boundary is never inside a word. Sentences longer than ``LONGEST`` words are split
at a comma or similar, so that the cost of parsing is bounded. :func:`splitter` is for raw text in
any language: a stop ends a sentence unless an abbreviation of that language, an initial, or a
number is before it. Neither drops any text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from albeit.parsing.layers import Tokens
from albeit.parsing.tokenize import PATTERNS, tokenize
from albeit.resources.words import abbreviations

Span = tuple[int, int]
Places = dict[str, list[int]]

# Words of English.

LONGEST = 250
"""Maximum number of words in a sentence."""

_STOP = re.compile(r"^(?:[.!?…。！？؟।]+)$")
_ELLIPSIS = re.compile(r"^(?:\.{2,}|….*)$")
_CLOSERS = frozenset({'"', "”", "’", "''", "’’", "'", ")", "]", "}", "»", "›", "&quot;", "&apos;"})
_STRAIGHT = frozenset({'"', "'", "&quot;", "&apos;"})
_OPENER_LIST = "\" “ ‘ `` ‘‘ ' ( [ { « ‹ „ - – — -- * • ¿ ¡ &quot;"
_OPENERS = frozenset(_OPENER_LIST.split())
_BREAKS = frozenset({",", ";", ":", "-", "–", "—", "--", "•", "|", ")", "،", "、", "，"})
_TITLES = re.compile(rf"^(?:{PATTERNS['titles']})\.$", re.IGNORECASE)
_STARTERS = frozenset(PATTERNS["starters"].split("|"))


def split_sentences(forms: Sequence[str], offsets: Sequence[Span]) -> tuple[Span, ...]:
    """Return sentences as token ranges that cover all tokens."""
    count = len(forms)
    if not count:
        return ()
    stops = [i for i, form in enumerate(forms[:-1]) if form[-1] in ".!?…。！？؟।"]
    if not stops and count <= LONGEST:
        return ((0, count),)
    cased = any(c.isupper() for form in forms for c in form)
    quotes: Places = {form: [] for form in _STRAIGHT}
    for i, form in enumerate(forms):
        if form in quotes:
            quotes[form].append(i)
    starts = [0]
    for stop in stops:
        start = starts[-1]
        if stop + 1 <= start:
            continue
        follower = _skip_closers(forms, offsets, start, stop, quotes)
        attached = stop > 0 and offsets[stop - 1][1] == offsets[stop][0]
        if follower < count and _ends(forms, start, stop, follower, cased, attached):
            starts.append(follower)
    return tuple(_limit(forms, pairwise([*starts, count])))


def _limit(forms: Sequence[str], sentences: Iterable[Span]) -> Iterator[Span]:
    """Split sentences that are too long."""
    for start, stop in sentences:
        while stop - start > LONGEST:
            ahead = range(start + LONGEST, start + LONGEST // 2, -1)
            cut = next((i for i in ahead if forms[i - 1] in _BREAKS), start + LONGEST)
            yield start, cut
            start = cut
        yield start, stop


def _skip_closers(
    forms: Sequence[str], offsets: Sequence[Span], start: int, stop: int, quotes: Places
) -> int:
    """Return the first token after a stop that isn't a closing quote or bracket."""
    i = stop + 1
    while i < len(forms):
        if forms[i] == "[" and tuple(forms[i + 2 : i + 3]) == ("]",) and forms[i + 1].isdigit():
            i += 3  # the number of a note: "… of Paris. [12] He …"
            continue
        if forms[i] not in _CLOSERS:
            break
        if forms[i] in quotes:
            places = quotes[forms[i]]
            is_open = (bisect_left(places, i) - bisect_left(places, start)) % 2
            attached = offsets[i][0] == offsets[i - 1][1]
            last = attached and i + 1 < len(forms) and offsets[i + 1][0] > offsets[i][1]
            if not (is_open or last):
                break
        i += 1
    return i


def _ends(
    forms: Sequence[str], start: int, stop: int, follower: int, cased: bool, attached: bool
) -> bool:
    """Return whether the token at ``stop`` ends a sentence, given the first token after it.

    ``attached``: there is no space before the token.
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
    """Return whether a word that the tokenizer separated from its stop is an abbreviation.

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


@cache
def splitter(lang: str) -> Callable[[str], tuple[str, ...]]:
    """Return the function that splits a segment, with a language's abbreviations and ordinals.

    A segment without text is one empty sentence.
    """
    known = abbreviations(lang)

    def is_inside(word: str, following: str) -> bool:
        """Return whether the stop after a word doesn't end a sentence."""
        if len(word) == 1 and word.isalpha() and word != "I":
            return True
        if "." in word and not word.endswith("."):
            return True
        if word in known:
            return not known[word] or following.isdigit()
        return lang == "de" and word.isdigit()

    return lambda text: _split(text, is_inside)


def _split(text: str, is_inside: Callable[[str, str], bool]) -> tuple[str, ...]:
    if not _ANY_STOP.search(text, 0, len(text) - 1):  # most segments
        return (text,)
    cased = text != text.lower()
    starts = [0]
    letter = -1
    for stop in _STOP_IN_TEXT.finditer(text):
        following = stop["next"]
        if following is not None:  # Chinese and Japanese marks always end a sentence
            if letter < starts[-1]:
                rest = range(starts[-1], len(text))
                letter = next((i for i in rest if text[i].isalpha()), len(text))
            if letter >= stop.end() or (cased and following.islower()):
                continue
            word = _last_word(text, starts[-1], stop.end())
            if word is not None and is_inside(word, following):
                continue
        starts.append(stop.end())
    if len(starts) == 1:
        return (text,)
    cuts = [text[a:b].rstrip() for a, b in pairwise(starts)]
    last = text[starts[-1] :].strip()
    return (*cuts, last) if last else tuple(cuts)


def _last_word(text: str, start: int, end: int) -> str | None:
    """Return the word before the stop at the end of a range; ``None`` after other marks."""
    while end > start and text[end - 1].isspace():
        end -= 1
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    if end > start and text[end - 1] == "\n":
        end -= 1
    if end == start or text[end - 1] != ".":
        return None
    begin = end - 1
    while begin > start and not text[begin - 1].isspace():
        begin -= 1
    return text[begin : end - 1].lstrip(_OPENING)


def document_words(lines: Sequence[str]) -> tuple[Tokens, tuple[Span, ...]]:
    """Return the words of lines joined by line feeds, and sentences, which end with the line."""
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
