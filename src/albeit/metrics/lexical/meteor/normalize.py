"""METEOR's tokeniser: punctuation split off, quotes and dashes made alike, lower case.

The rules are those of METEOR 1.5's ``-norm``, themselves near the Moses tokeniser: commas
stay inside numbers, hyphens between words are dropped so that parts can match, dots leave
acronyms (``U.S.`` becomes ``us``) and stay on known abbreviations. Each rule looks at one
character on either side, so only stretches of text with a character that is neither a
letter nor a digit need any work, and those recur: they are remembered.
"""

from __future__ import annotations

import re
from functools import lru_cache

from albeit.resources import nonbreaking_prefixes

__all__ = ["normalize"]

_LETTERS = (
    r"A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    r"\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_SPACE = r" \t\n\x0b\f\r"
_PADDING = frozenset(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""Spaces of Unicode: separate tokens while dots are judged, then dropped."""
_DOTS = "\ue000"
"""Stands for one dot of an ellipsis while single dots are judged."""

_SPECIAL = re.compile(
    rf"(?<![^{_SPACE}])[{_LETTERS}0-9]*+[^{_LETTERS}0-9{_SPACE}][^{_SPACE}]*+"
    rf"(?:[{_SPACE}]++[{_LETTERS}0-9]*+[^{_LETTERS}0-9{_SPACE}][^{_SPACE}]*+)*+"
)
"""Neighbouring words that hold a character other than letters and digits."""
_LETTER = re.compile(f"[{_LETTERS}]")
_Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(*pairs: tuple[str, str]) -> _Rules:
    return tuple((re.compile(pattern), new) for pattern, new in pairs)


_PUNCTUATION = _rules(
    (rf"([^{_LETTERS}0-9{_SPACE}.'`,\-‘’])", r" \1 "),
    (r"\.(?=\.)|(?<=\.)\.", _DOTS),
    (f"({_DOTS}+)", r" \1 "),
    (r"([^0-9]),([^0-9])", r"\1 , \2"),
    (r"([0-9]),([^0-9])", r"\1 , \2"),
    (r"([^0-9]),([0-9])", r"\1 , \2"),
    (r"[`‘’]", "'"),
    (r"[“”]|''", ' " '),
    ("–", "-"),
    ("--", "-"),
    (rf"([{_LETTERS}0-9.])-([{_LETTERS}0-9])", r"\1 \2"),
)
_LONE_QUOTES = (
    (rf"([^{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
    (rf"([{_LETTERS}])'([^{_LETTERS}])", r"\1 ' \2"),
)
_APOSTROPHES: dict[str, _Rules] = {
    # English clitics go right (it 's), French ones left (l' eau); others stand alone.
    "en": _rules(
        _LONE_QUOTES[0],
        (rf"([^{_LETTERS}0-9])'([{_LETTERS}])", r"\1 ' \2"),
        _LONE_QUOTES[1],
        (rf"([{_LETTERS}])'([{_LETTERS}])", r"\1 '\2"),
        (r"([0-9])'(s)", r"\1 '\2"),
    ),
    "fr": _rules(
        _LONE_QUOTES[0],
        (rf"([^{_LETTERS}])'([{_LETTERS}])", r"\1 ' \2"),
        _LONE_QUOTES[1],
        (rf"([{_LETTERS}])'([{_LETTERS}])", r"\1' \2"),
    ),
}
_BARE_APOSTROPHE = _rules(("'", " ' "))


def normalize(line: str, lang: str) -> list[str]:
    """The tokens of a line, lower case, as METEOR's normaliser gives them."""
    words: list[str] = []
    done = 0
    for match in _SPECIAL.finditer(line):
        start, end = match.span()
        words += _split(line[done:start])
        words += _separate(match[0], lang)
        done = end
    words += _split(line[done:])
    if any(word[-1] == "." for word in words):
        words = _judge_dots(words, lang)
    kept = [word for word in words if word not in _PADDING]
    return " ".join(kept).replace(_DOTS, ".").lower().split(" ") if kept else []


def _split(text: str) -> list[str]:
    """Words between ASCII white space; other spaces count as characters here."""
    if text.isascii():
        return text.split()
    return [word for word in re.split(f"[{_SPACE}]+", text) if word]


@lru_cache(maxsize=100_000)
def _separate(text: str, lang: str) -> tuple[str, ...]:
    """Split off punctuation, except dots at the end of a word."""
    word, mark = text[:-1], text[-1]
    if mark in ".,;:?!" and word.isascii() and word.isalnum():  # the most common case by far
        return (text,) if mark == "." else (word, mark)
    text = f" {text} "
    for pattern, new in (*_PUNCTUATION, *_APOSTROPHES.get(lang, _BARE_APOSTROPHE)):
        text = pattern.sub(new, text)
    return tuple(_split(text))


def _judge_dots(words: list[str], lang: str) -> list[str]:
    """Split a final dot off, unless it belongs to an abbreviation; acronyms lose theirs."""
    prefixes = nonbreaking_prefixes(lang)
    judged: list[str] = []
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word[-1] != "." or len(word) == 1:
            judged.append(word)
            continue
        stem = word[:-1]
        before_number = prefixes.get(stem)
        if "." in stem and _LETTER.search(stem):
            judged.append(word.replace(".", ""))
        elif (
            before_number is False
            or "a" <= after[:1] <= "z"
            or (before_number and "0" <= after[:1] <= "9")
        ):
            judged.append(word)
        else:
            judged += [stem, "."]
    return judged
