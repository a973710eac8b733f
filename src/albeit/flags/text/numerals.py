"""The numbers of a line, each with the values that it may stand for.

``1.000`` is a thousand or one; ``3亿5000万`` is one number; *twenty-five million* is one number in
words (:mod:`albeit.flags.text.spelled`). Where a format leaves it open, all readings are kept:
whoever compares two numbers asks whether they can be the same (:func:`same`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from albeit.flags.text.number_words import scales
from albeit.flags.text.spelled import HAN_GROUPS, HAN_SCALES, SHARES, in_han, in_words

__all__ = ["Number", "listed", "numbers_in", "same"]


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a line.

    :param start: its first character
    :param end: the character after its last, a multiplier included
    :param text: the number as it is written
    :param values: what it may be, multiplied
    :param plain: what it may be without its multiplier; equal to ``values`` where it has none
    :param written: in digits, or in Chinese numerals that can be nothing else
    """

    start: int
    end: int
    text: str
    values: frozenset[Fraction]
    plain: frozenset[Fraction]
    written: bool = True

    @property
    def scaled(self) -> bool:
        """Whether it has a multiplier."""
        return self.values != self.plain


_SPACES = "\u00a0\u202f\u2009"
_DATE = r"\d{1,4}(?P<sep>[./-])\d{1,2}(?P=sep)\d{1,4}(?![\d])"
_HANGUL_GROUPS = {"천": 1000, "만": 10**4, "억": 10**8, "조": 10**12}
_EAST = HAN_SCALES | HAN_GROUPS | _HANGUL_GROUPS
_EASTERN = re.compile(
    "[多余余几来數数]?([" + "".join(_EAST) + "]+)(?![瓦克卡]|(?<=千)米)"
)  # 千瓦 is kilowatt
_ERAS = {"平成": 1988, "令和": 2018, "昭和": 1925, "民国": 1911}
"""Years that a Japanese or Chinese era counts from."""


_GROUP = rf"(?:[.,'’٬ {_SPACES}]\d{{3}}(?!\d))"
_DIGITS = re.compile(rf"{_DATE}|\d{{1,3}}{_GROUP}+(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)?")
_MORE = re.compile(r" ?(\d+)(?![.,]\d)")


@lru_cache(maxsize=1 << 14)
def numbers_in(line: str, lang: str | None = None) -> tuple[Number, ...]:
    """The numbers of a line, in order: digits, then numerals and words.

    :param line: the text
    :param lang: its language, which says how numbers are grouped and spelled out

    >>> [sorted(map(int, n.values)) for n in numbers_in("25 million in 1999", "en")]
    [[25000000], [1999]]
    """
    text = _western(line)
    found = _shared(text, [*_in_digits(text, lang)])
    taken = {k for each in found for k in range(each.start, each.end)}
    found += [
        Number(each.start, each.end, each.text, each.values, each.values, each.written)
        for each in (*in_han(text), *in_words(text, lang))
        if not taken.intersection(range(each.start, each.end))
    ]
    return tuple(sorted(found, key=lambda each: (each.start, each.end)))


def same(one: Number, other: Number) -> bool:
    """Whether two numbers can be the same: in value, as years, as hours.

    Two numbers that both have multipliers are compared with these; if only one has, the other
    may share it (*10 to 20 million*). One may be the other rounded.
    """
    if one.values & other.values:
        return True
    if not (one.scaled and other.scaled) and one.plain & other.plain:
        return True
    if any(_rounded(a, b) or _rounded(b, a) for a in one.values for b in other.values):
        return True
    return _years(one, other) or _years(other, one)


_KEPT, _DROPPED = 3, 2
"""A rounded number keeps so many digits at least, and drops so many, where it is not rounded up."""


def _rounded(short: Fraction, long: Fraction) -> bool:
    """Whether one number is the other rounded: 19.93 million for 19,930,300."""
    if not long or abs(short / long - 1) > Fraction(1, 100):
        return False
    kept, known = _significant(short), _significant(long)
    cut = known.startswith(kept)  # as if digits were dropped by mistake
    if len(kept) < _KEPT or len(known) < len(kept) + (_DROPPED if cut else 1):
        return False
    places = len(kept) - 1
    return f"{float(long):.{places}e}" == f"{float(short):.{places}e}"


def _significant(value: Fraction) -> str:
    """The digits of a number from its first to its last that is not 0."""
    return format(float(value), ".12g").replace(".", "").strip("0")


def _years(long: Number, short: Number) -> bool:
    """1990 and 90, 2005 and 05."""
    return (
        len(short.text) == 2
        and short.text.isdigit()
        and any(1800 <= year < 2100 and year % 100 in short.plain for year in long.plain)
    )


_MARKS = {"．": ".", "：": ":", "－": "-", "％": "%"}


def _western(line: str) -> str:
    """Digits of all scripts, and full-width marks, as ASCII; every character stays in its place."""
    if line.isascii():
        return line
    made = []
    for c in line:
        digit = unicodedata.decimal(c, None)
        made.append(str(digit) if digit is not None else _MARKS.get(c, c))
    return re.sub(r"(?<=\d)・(?=\d)", ".", "".join(made))


def _in_digits(text: str, lang: str | None) -> Iterator[Number]:
    end = 0
    for match in _DIGITS.finditer(text):
        start = match.start()
        if start < end:
            continue
        if listed(match[0]):
            for part in re.finditer(r"\d+", match[0]):
                at = frozenset([Fraction(part[0])])
                place = start + part.start(), start + part.end()
                yield Number(*place, part[0], at, at, written=False)
        if match["sep"]:
            for part in re.finditer(r"\d+", match[0]):
                at = frozenset([Fraction(part[0])])
                yield Number(start + part.start(), start + part.end(), part[0], at, at)
            continue
        plain = _readings(match[0])
        plain |= {value + _ERAS.get(text[max(0, start - 2) : start], 0) for value in plain}
        end = match.end()
        plain |= {value * SHARES.get(text[end : end + 1], 1) for value in plain}
        factor, end = _multiplier(text, end, lang)
        values = frozenset(value * factor for value in plain)
        while factor > 1 and (more := _MORE.match(text, end)):
            less, stop = _multiplier(text, more.end(), lang)
            loose = more[0][0] == " " and less == 1 and (factor != 1000 or len(more[1]) != 3)
            if loose or less >= factor or len(more[1]) >= len(str(factor)):
                break
            values = frozenset(value + int(more[1]) * less for value in values)
            factor, end = less, stop
        yield Number(start, end, text[start:end], values, plain)


_RANGE = re.compile(r"\s*(?:to|bis|à|a|至|到|[-–—~～])\s*", re.IGNORECASE)


def _shared(text: str, found: list[Number]) -> list[Number]:
    """The same numbers; one before a number with a multiplier may share it (*60 to 85 billion*)."""
    made = list(found)
    for place, (one, other) in enumerate(pairwise(found)):
        if other.scaled and not one.scaled and _RANGE.fullmatch(text[one.end : other.start]):
            factor = max(other.values) / max(other.plain)
            made[place] = replace(one, values=frozenset(value * factor for value in one.plain))
    return made


def listed(digits: str) -> bool:
    """Whether digits may be several numbers with commas between: *249,289,299*, *2000,2005*."""
    parts = digits.split(",")
    return len(parts) > 1 and (
        all(len(part) == 4 for part in parts) or (len(parts) > 2 and len(parts[0]) == 3)
    )


def _readings(digits: str) -> frozenset[Fraction]:
    """What digits with separators may mean."""
    marks = [c for c in digits if not c.isdigit()]
    bare = re.sub(r"\D", "", digits)
    if not marks:
        return frozenset([Fraction(bare)])
    last = digits.rfind(marks[-1])
    decimal = Fraction(re.sub(r"\D", "", digits[:last]) + "." + digits[last + 1 :])
    if len(set(marks)) > 1:
        return frozenset([decimal])
    if len(marks) > 1 or marks[0] not in ".,٫":
        return frozenset([Fraction(bare)])
    if len(digits) - last - 1 == 3 and not digits.startswith("0"):
        return frozenset([Fraction(bare), decimal])
    return frozenset([decimal])


def _multiplier(text: str, end: int, lang: str | None) -> tuple[int, int]:
    """The multiplier that follows a number, and where it ends; 1 where there is none."""
    if match := _EASTERN.match(text, end + (text[end : end + 1] == " ")):
        factor = 1
        for c in match[1]:
            factor *= _EAST[c]
        return factor, match.end()
    rest = re.compile(r"[\s\u00a0-]?[^\W\d_]+(?: [^\W\d_]+){0,2}").match(text, end)
    if rest is None:
        return 1, end
    words = rest[0].lower()
    glued = words.lstrip(" \u00a0-\t")
    for stem, factor in scales(lang).items():
        whole = stem.endswith("=")
        stem = stem.rstrip("=")
        first = glued.split(" ")[0]
        if glued.startswith(stem) if not whole else first == stem:
            if (
                whole
                and len(stem) < 3
                and words[0] in " \u00a0\t"
                and stem not in ("bn", "tn", "mn")
            ):
                continue  # "5 m" is metres
            length = len(words) - len(glued) + (len(stem) if " " in stem else len(first))
            return factor, end + length
    return 1, end
