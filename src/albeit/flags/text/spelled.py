"""Numbers that are not written in digits: Chinese numerals, words, Roman numerals.

A run of them may be one number or several (*twenty, five*), so each is given by itself, and all
together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from albeit.flags.text.number_words import scales, small

__all__ = ["HAN_GROUPS", "HAN_SCALES", "SHARES", "Spelled", "in_han", "in_words"]

_HAN = "〇零一二三四五六七八九十百千万亿兆两萬億"
_HAN_DIGITS = {**{c: k for k, c in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
HAN_GROUPS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_ROMAN = re.compile(
    r"\b(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?<=[IVXL])(?=\b|(?:e|er|ère|ème|o|a|th|st|nd|rd)\b)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
SHARES = {"成": 10, "折": 10, "割": 10}
"""Tenths, which other languages give in per cent."""


class Spelled(NamedTuple):
    """A number: its first character, the one after its last, how it is written, what it may be, and
    whether it can be nothing but a number."""

    start: int
    end: int
    text: str
    values: frozenset[Fraction]
    written: bool


_SOME = re.compile("[几幾多余來来数]")
_IN_HAN = re.compile(
    f"[{_HAN}]+(?:{_SOME.pattern}[十百千万亿萬億]+)?(?:点[〇零一二三四五六七八九]+)?"
)


def in_han(text: str) -> Iterator[Spelled]:
    """Chinese numerals; sure are those that no common word is made of."""
    for match in _IN_HAN.finditer(text):
        digits = _SOME.sub("", match[0])
        read = {value for each in _either(digits) if (value := _han(each)) is not None}
        if not read:
            continue
        after = text[match.end() : match.end() + 1]
        values = read | {value * SHARES.get(after, 1) for value in read}
        if after == "半":
            values |= {value + Fraction(1, 2) for value in read}
        long = len(digits) > 2 and any(c in _HAN_DIGITS for c in digits)
        at = frozenset(values)
        yield Spelled(match.start(), match.end(), digits, at, long)
    for match in re.finditer("半", text):
        half = frozenset([Fraction(1, 2), Fraction(50), Fraction(6), Fraction(30)])
        yield Spelled(match.start(), match.end(), "半", half, False)


_NEIGHBOURS = re.compile("([一二两三四五六七八])([二三四五六七八九])(?![〇零一二三四五六七八九])")


def _either(digits: str) -> tuple[str, ...]:
    """What a numeral may say: *六七千* is six or seven thousand, *五一* the first of May."""
    match = _NEIGHBOURS.search(digits)
    if all(c in _HAN_DIGITS for c in digits):
        return (digits, *digits) if len(digits) == 2 else (digits,)
    if match is None or "点" in digits[: match.start()]:
        return (digits,)
    return tuple(digits[: match.start()] + one + digits[match.end() :] for one in match.groups())


def _han(digits: str) -> Fraction | None:
    """The value of a run of Chinese numerals."""
    whole, _, part = digits.partition("点")
    if all(c in _HAN_DIGITS for c in whole):
        value = Fraction("".join(str(_HAN_DIGITS[c]) for c in whole))
    else:
        total = group = digit = 0
        for c in whole:
            if c in _HAN_DIGITS:
                digit = _HAN_DIGITS[c]
            elif c in HAN_SCALES:
                group += max(digit, 1) * HAN_SCALES[c]
                digit = 0
            else:
                factor = HAN_GROUPS[c]
                total = (
                    max(total + group + digit, 1) * factor
                    if factor > 10**4
                    else total + max(group + digit, 1) * factor
                )
                group = digit = 0
        value = Fraction(total + group + digit)
    if part:
        value += Fraction("0." + "".join(str(_HAN_DIGITS[c]) for c in part))
    return value or None


_JOINTS = frozenset(("and", "a", "und", "et", "y", "e"))
"""Words that may stand within a number, or between two."""


def in_words(text: str, lang: str | None) -> Iterator[Spelled]:
    """Numbers spelled out, several words of one number together, and Roman numerals."""
    known, factors = small(lang), scales(lang)
    run: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(text):
        word = match[0].lower()
        numeric = word in known or _scale(word, factors) or _fused(word, lang)
        linked = run and text[run[-1][1] : match.start()] in (" ", "-", "-", "\u00a0")
        if run and not (linked and (numeric or word in _JOINTS)):
            yield from _spelled(text, run, lang)
            run = []
        if numeric or (run and linked):
            run.append((match.start(), match.end(), word))
    yield from _spelled(text, run, lang)
    for match in _ROMAN.finditer(text):
        if value := _roman(match[0]):
            at = frozenset([Fraction(value)])
            yield Spelled(match.start(), match.end(), match[0], at, False)


def _scale(word: str, factors: dict[str, int]) -> int:
    """The factor of a multiplier that is a word of its own, 0 for other words."""
    for stem, factor in factors.items():
        if " " not in stem and len(stem) >= 3 and word.startswith(stem.rstrip("=")):
            return factor
    return 0


_GERMAN = re.compile(
    "(?:(?:(?P<hundreds>ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)?hundert)?"
    "(?:und)?(?:(?P<unit>ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und)?"
    "(?P<tens>zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)?)(?:s?te[nrsm]?)?"
)
_GERMAN_UNITS = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
_GERMAN_TENS = [
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
]


@lru_cache(maxsize=1 << 14)
def _fused(word: str, lang: str | None) -> int:
    """German numbers in one word (*fünfundzwanzig*), 0 for other words."""
    if lang not in (None, "de") or len(word) < 7 or not (match := _GERMAN.fullmatch(word)):
        return 0
    value = 0
    if "hundert" in word:
        value += 100 * (_GERMAN_UNITS.index(match["hundreds"]) + 1 if match["hundreds"] else 1)
    if match["unit"]:
        value += _GERMAN_UNITS.index(match["unit"]) + 1
    if match["tens"]:
        value += 10 * (_GERMAN_TENS.index(match["tens"].replace("ss", "ß")) + 2)
    return value


def _spelled(text: str, run: list[tuple[int, int, str]], lang: str | None) -> Iterator[Spelled]:
    """The numbers of a run of number words: each by itself, and all together."""
    known, factors = small(lang), scales(lang)
    while (
        run
        and run[-1][2] not in known
        and not (_scale(run[-1][2], factors) or _fused(run[-1][2], lang))
    ):
        run.pop()
    if not run:
        return
    for start, end, word in run:
        if not (word in known or _fused(word, lang) or _scale(word, factors)):
            continue  # "and"
        values = frozenset(known.get(word, ())) or frozenset(
            [Fraction(_fused(word, lang) or _scale(word, factors))]
        )
        yield Spelled(start, end, text[start:end], values, False)
    joined = [n for n, (_, _, word) in enumerate(run) if word in _JOINTS]
    parts = [run] + [run[a:b] for a, b in pairwise([0, *joined, len(run)]) if joined]
    for part in parts:
        total = group = Fraction(0)
        for _, _, word in part:
            factor = _scale(word, factors)
            if factor and (group or word not in known):  # "cent" is a hundred, or multiplies
                group = max(group, Fraction(1)) * factor
                if factor >= 1000:
                    total, group = total + group, Fraction(0)
            elif word in known:
                group += known[word][0]
            else:
                group += _fused(word, lang)
        start, end = part[0][0], part[-1][1]
        if len(part) > 1 and total + group:
            values = frozenset([total + group])
            yield Spelled(start, end, text[start:end], values, False)


def _roman(text: str) -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50}
    total = 0
    for here, after in zip(text, text[1:] + " ", strict=True):
        value = values[here]
        total += -value if values.get(after, 0) > value else value
    return total
