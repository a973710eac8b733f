"""Flag numbers that a translation changes.

A number in digits is flagged if it can't be any number of the source line, and the source line has
a number that nothing in the translation can be. So numbers that are spelled out on either side,
omitted, or added aren't flagged. Small numbers are often spelled out, so a pair with a small
number is flagged only if one looks like a typing error of the other. Converted units are false
alarms.

Digits in all formats, Chinese numerals, and multipliers are read. ``1.000`` is a thousand or one,
so a number may have several values. Multipliers are Chinese and Korean characters (``3亿5000万``)
and English words (``25 million``). Numbers in words aren't read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import prod

from albeit.diagnose.check import Check, Finding, Passage, distance

_DIGITS = re.compile(
    r"\d{1,4}(?P<sep>[./-])\d{1,2}(?P=sep)\d{1,4}(?!\d)"
    r"|\d{1,3}(?:[.,'’٬ \u00a0\u202f\u2009]\d{3}(?!\d))+(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)?"
)
_HAN_DIGITS = {**{c: k for k, c in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_EAST = _HAN_SCALES | _GROUPS | {"천": 1000, "만": 10**4, "억": 10**8, "조": 10**12}
_EASTERN = re.compile(f" ?[多余几来數数]?([{''.join(_EAST)}]+)(?![瓦克卡]|(?<=千)米)")
_ENGLISH = {"thousand million": 10**9, "thousand": 10**3, "hundred": 100, "million": 10**6}
_ENGLISH |= {"billion": 10**9, "bn": 10**9, "trillion": 10**12, "tn": 10**12}
_WESTERN = re.compile(rf"[\s-]?({'|'.join(_ENGLISH)})(?![^\W\d_])", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:to|至|到|[-–—~～])\s*")
_MORE = re.compile(r" ?(\d+)(?![.,]\d)")
_HAN = re.compile(
    f"[{''.join(_HAN_DIGITS)}{''.join(_HAN_SCALES)}{''.join(_GROUPS)}]+"
    "(?:[几幾多余來来数][十百千万亿萬億]+)?(?:点[〇零一二三四五六七八九]+)?"
)
_TENTHS = {"成": 10, "折": 10, "割": 10}
"""Tenths, which other languages give in percent."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a line.

    :param start: its first character
    :param end: the character after its last, a multiplier included
    :param text: the number as it is written
    :param values: its possible values, multiplied
    :param plain: its possible values without the multiplier
    :param sure: whether it can't be anything else than a number
    """

    start: int
    end: int
    text: str
    values: frozenset[Fraction]
    plain: frozenset[Fraction]
    sure: bool = True


@lru_cache(maxsize=1 << 14)
def numbers_in(line: str) -> tuple[Number, ...]:
    """Return the numbers of a line, in order.

    >>> [sorted(map(int, n.values)) for n in numbers_in("25 million in 1999")]
    [[25000000], [1999]]
    """
    text = re.sub(r"\d", lambda match: str(unicodedata.decimal(match[0])), line)
    text = re.sub(r"(?<=\d)[．・](?=\d)", ".", text)
    found = list(_in_digits(text))
    for place, (one, other) in enumerate(pairwise(found)):
        if other.values != other.plain and _RANGE.fullmatch(text[one.end : other.start]):
            factor = max(other.values) / max(other.plain)
            found[place] = replace(one, values=one.values | {n * factor for n in one.plain})
    taken = {k for each in found for k in range(each.start, each.end)}
    found += [each for each in _in_han(text) if each.start not in taken]
    return tuple(sorted(found, key=lambda each: each.start))


def same(one: Number, other: Number) -> bool:
    """Return whether two numbers can be the same: as values, as years, as hours.

    A number without a multiplier may be followed by one that isn't known (*5 Millionen*).
    """
    scaled = [number.values != number.plain for number in (one, other)]
    if one.values & other.values or (not all(scaled) and one.plain & other.plain):
        return True
    if not any(scaled) and (_lacks_multiplier(one, other) or _lacks_multiplier(other, one)):
        return True
    return any(_is_same_time(a, b) for a in one.values for b in other.values)


def _lacks_multiplier(short: Number, long: Number) -> bool:
    """Return whether one number is a power of 1,000 smaller: 22.9 for 22,900, not 22.90."""
    powers = (1000**k for k in range(1, 5))
    scaled = {value * power for power in powers for value in short.values}
    return bool(scaled & long.values) and not re.search(r"[.,]\d*0$", short.text)


def _is_same_time(one: Fraction, other: Fraction) -> bool:
    """Return whether two numbers are one hour (3 and 15) or one year (1990 and 90)."""
    low, high = sorted((one, other))
    return (high - low == 12 and high <= 24) or (1800 <= high < 2100 and high % 100 == low >= 10)


def _in_digits(text: str) -> Iterator[Number]:
    end = 0
    for match in _DIGITS.finditer(text):
        if match.start() < end:
            continue
        if match["sep"]:
            for part in re.compile(r"\d+").finditer(text, *match.span()):
                value = frozenset([Fraction(part[0])])
                yield Number(*part.span(), part[0], value, value)
            continue
        plain = _readings(match[0])
        plain |= {value * _TENTHS.get(text[match.end() : match.end() + 1], 1) for value in plain}
        factor, end = _multiplier(text, match.end())
        values = frozenset(value * factor for value in plain)
        while factor > 1 and (more := _MORE.match(text, end)):
            less, stop = _multiplier(text, more.end())
            loose = more[0][0] == " " and less == 1
            if loose or less >= factor or len(more[1]) >= len(str(factor)):
                break
            values = frozenset(value + int(more[1]) * less for value in values)
            factor, end = less, stop
        yield Number(match.start(), end, text[match.start() : end], values, plain)


def _readings(digits: str) -> frozenset[Fraction]:
    """Return what digits with separators may mean."""
    marks = re.findall(r"\D", digits)
    whole = Fraction(re.sub(r"\D", "", digits))
    if not marks or (len(marks) > 1 and len(set(marks)) == 1) or marks[0] not in ".,٫'’٬":
        return frozenset([whole])
    last = digits.rfind(marks[-1])
    decimal = Fraction(re.sub(r"\D", "", digits[:last]) + "." + digits[last + 1 :])
    ambiguous = len(marks) == 1 and len(digits) - last == 4 and digits[0] != "0"
    return frozenset([whole, decimal] if ambiguous else [decimal])


def _multiplier(text: str, end: int) -> tuple[int, int]:
    """Return the multiplier after a number, and its end; 1 if there is none."""
    if match := _EASTERN.match(text, end):
        return prod(_EAST[c] for c in match[1]), match.end()
    if match := _WESTERN.match(text, end):
        return _ENGLISH[match[1].lower()], match.end()
    return 1, end


def _in_han(text: str) -> Iterator[Number]:
    for match in _HAN.finditer(text):
        digits = re.sub("[几幾多余來来数]", "", match[0])
        factor = _TENTHS.get(text[match.end() : match.end() + 1], 1)
        if value := _han_value(digits):
            values = frozenset([value, value * factor])
            sure = len(digits) > 2 and any(c in _HAN_DIGITS for c in digits)
            yield Number(*match.span(), digits, values, values, sure)


def _han_value(digits: str) -> Fraction:
    whole, _, part = digits.partition("点")
    total = group = digit = 0
    for c in whole:
        if c in _HAN_DIGITS:
            digit = 10 * digit + _HAN_DIGITS[c]
        elif c in _HAN_SCALES:
            group, digit = group + max(digit, 1) * _HAN_SCALES[c], 0
        elif _GROUPS[c] > 10**4:
            total, group, digit = max(total + group + digit, 1) * _GROUPS[c], 0, 0
        else:
            total, group, digit = total + max(group + digit, 1) * _GROUPS[c], 0, 0
    tail = "".join(str(_HAN_DIGITS[c]) for c in part)
    return Fraction(total + group + digit) + Fraction(f"0.{tail or 0}")


CLOSE, DIFFERENT = 0.9, 0.7
"""Probability that a finding is an error: a number that is one typing error away, any other."""
_ADDRESS = re.compile(r"\S*(?:://|www\.|@)\S*")
SMALL = 31
"""Numbers up to this one may be spelled out, or mean a month or a day."""


def find(passage: Passage) -> Iterator[Finding]:
    """Yield the numbers of each line that replace a number of the source."""
    for number, line, source in passage.pairs():
        own, others = numbers_in(line), numbers_in(source)
        lost = _unmatched(source, others, own)
        for one in _unmatched(line, own, others):
            other = min(lost, key=lambda n: distance(one.text, n.text), default=None)
            if other is None:
                continue
            close = _is_close(one, other)
            coded = re.search(r"[^\W\d_][-–]?$", line[: one.start])  # COVID-19
            if close or (min(*one.plain, *other.plain) > SMALL and not coded):
                lost.remove(other)
                yield _finding(number, line, one, other, close)


def _finding(number: int, line: str, one: Number, other: Number, close: bool) -> Finding:
    words = line[one.start : one.end]
    message = f"{words!r} is not in the source, which has {other.text!r}"
    probability, likeness = (CLOSE, "differs little") if close else (DIFFERENT, "differs")
    suggestion = other.text if one.text.isdigit() and other.text.isdigit() else None
    evidence = (("source", other.text), ("likeness", likeness))
    span = one.start, one.end
    return Finding("numbers", number, *span, message, probability, suggestion, evidence)


def _unmatched(line: str, numbers: Sequence[Number], others: Sequence[Number]) -> list[Number]:
    """Return the numbers that can't be any of the others, without those in addresses."""
    skipped = [match.span() for match in _ADDRESS.finditer(line)]
    return [
        one
        for one in numbers
        if one.sure
        and one.plain != {0}
        and not any(start <= one.start < end for start, end in skipped)
        and not any(same(one, other) for other in others)
    ]


def _is_close(one: Number, other: Number) -> bool:
    """Return whether one could be the other mistyped: a digit changed, dropped, added, or moved."""
    mine, its = (re.sub(r"\D", "", n.text) for n in (one, other))
    return distance(mine, its) <= 1 or sorted(mine) == sorted(its)


CHECK = Check("numbers that the translation changes", find, precision=0.69)
