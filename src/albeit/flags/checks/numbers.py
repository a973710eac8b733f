"""Numbers that a translation changes, drops or invents.

Flagged: a number in digits that can be no number of the source line, with the number of the
source that nothing in the translation can be, if there is one. Not flagged: numbers that are
missing without another in their place, for translators leave out what the reader knows; other formats (1.000,5 and 1,000.5; 1.2亿 and 120 million), numbers spelled
out on either side, months by name, hours by twelve or twenty-four, years by two digits, Roman
numerals, and digits within addresses. Units that translators convert
are known; where another is converted, the number is another: such a
finding is a false alarm, and so is a line that merged with its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from albeit.flags.checks.passage import Check, Passage
from albeit.flags.finding import Finding
from albeit.flags.text.numerals import Number, listed, numbers_in, same
from albeit.flags.text.words import distance

__all__ = ["CHECK", "converted"]

_UNITS: dict[str, tuple[str, float]] = {
    r"feet|foot|ft|fuß|pieds?|pies|英尺|футов": ("length", 0.3048),
    r"inch(?:es)?|zoll|pouces?|pulgadas|英寸": ("length", 0.0254),
    r"miles?|mph|meilen?|millas|milles|英里|миль": ("length", 1609.344),
    r"yards?|码": ("length", 0.9144),
    r"centimet(?:er|re)s?|cm|zentimetern?|centimètres?|centímetros|厘米|公分|センチ": (
        "length",
        0.01,
    ),
    r"kilomet(?:er|re)s?|km|kilometern?|kilomètres?|kilómetros|公里|千米|キロ|км": ("length", 1000),
    r"met(?:er|re)s?|m|metern?|mètres?|metros|米|メートル|метров": ("length", 1),
    r"里": ("length", 500),
    r"acres?|英亩": ("area", 4046.86),
    r"hectares?|ha|hektar|hectáreas|公顷|ヘクタール|га": ("area", 10000),
    r"亩": ("area", 666.667),
    r"square met(?:er|re)s|quadratmetern?|平方米|平米": ("area", 1),
    r"square kilomet(?:er|re)s|quadratkilometern?|平方公里": ("area", 1e6),
    r"square miles|quadratmeilen": ("area", 2.59e6),
    r"square (?:feet|foot)|quadratfuß": ("area", 0.0929),
    r"pounds?|lbs?|pfund|libras|livres|磅": ("weight", 0.4536),
    r"ounces?|oz|unzen": ("weight", 0.02835),
    r"stones?": ("weight", 6.35),
    r"斤": ("weight", 0.5),
    r"kilo(?:gram(?:me)?|gramm)?s?|kg|公斤|千克|кг": ("weight", 1),
    r"tonnes?|tons?|tonnen|toneladas|吨|トン": ("weight", 1000),
    r"grams?|gramm|克|g": ("weight", 0.001),
    r"gallons?|gallonen|galones": ("volume", 3.785),
    r"lit(?:er|re)s?|litern?|litros|升|リットル": ("volume", 1),
}
_WORDS = [
    (re.compile(rf"[\s-]*(?:{words})(?![^\W\d_])", re.I), *unit) for words, unit in _UNITS.items()
]
_DEGREES = re.compile(r"\s*(?:°|degrees?|grad|℃|℉|度)", re.I)
LEEWAY = 0.12
"""By how much a rounded amount may miss."""


def converted(
    ours: Iterable[Fraction], after: str, theirs: Iterable[Fraction], after_theirs: str
) -> bool:
    """Whether one of these amounts is one of those in another unit, about.

    :param ours: readings of one number
    :param after: the text that follows it
    :param theirs: readings of the other number
    :param after_theirs: the text that follows that

    >>> converted([Fraction(25)], " Meter", [Fraction(80)], " feet")
    True
    """
    if _DEGREES.match(after) and _DEGREES.match(after_theirs):
        return any(
            abs(float(f) - (float(c) * 1.8 + 32)) <= 5 or abs(float(c) - (float(f) * 1.8 + 32)) <= 5
            for f in theirs
            for c in ours
        )
    mine, its = _unit(after), _unit(after_theirs)
    if mine is None or its is None or mine[0] != its[0] or mine[1] == its[1]:
        return False
    factor = its[1] / mine[1]
    return any(
        its_value and abs(float(value) / (float(its_value) * factor) - 1) <= LEEWAY
        for value in ours
        for its_value in theirs
    )


def _unit(after: str) -> tuple[str, float] | None:
    """Measure and size of the unit that a text begins with, or has in one of its first words."""
    for pattern, measure, size in reversed(_WORDS):
        if pattern.match(after):
            return measure, size
    return None


NEAR, FAR, INVENTED = 0.9, 0.7, 0.55
"""How sure a finding is: a number like the source's, another, one too many."""
_ADDRESS = re.compile(r"\S*(?:://|www\.|@)\S*")
_CLOCK = re.compile(
    r"\s*(?::\d\d)?\s*(?:[ap]\.?\s?m\b|uhr|o['’]clock|h\b|hod|点|时|時|:|시|час|ч\.)", re.IGNORECASE
)
_HOURS = re.compile(r"[\s-]*(?:hours?|stunden|heures|horas|ore)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:下午|晚上|晚|午後|오후|凌晨|中午|上午|夜|深夜|傍晚|a las|à|um|at|в|v|ve)\s*$",
    re.IGNORECASE,
)


def find(passage: Passage) -> Iterator[Finding]:
    """The numbers of each line that the two sides do not share."""
    for number, line, source in passage.pairs():
        yield from _of_line(number, line, source, passage)


def _of_line(number: int, line: str, source: str, passage: Passage) -> Iterator[Finding]:
    ours = numbers_in(line, passage.target_lang)
    theirs = numbers_in(source, passage.source_lang)
    torn = _torn(line, theirs)
    strange = [n for n in _digits(ours, line) if not _met(n, line, theirs) and n.start not in torn]
    lost = [n for n in _digits(theirs, source) if not _met(n, source, ours)]
    for one in strange:
        other = min(lost, key=lambda n: distance(one.text, n.text), default=None)
        named = _named(one, line)
        if other is not None and converted(
            one.plain, line[one.end :], other.plain, source[other.end :]
        ):
            lost.remove(other)
        elif other is not None and (_close(one, other) or not named):
            lost.remove(other)
            yield _changed(number, line, one, other)
        elif other is None and not (named or _year(one)):
            yield Finding(
                "numbers",
                number,
                one.start,
                one.end,
                f"{line[one.start : one.end]!r} is not in the source",
                INVENTED,
                None,
                (("source", "has no number left that it could be"),),
            )


_TORN = re.compile(r"(?<![\d.,])\d{1,3}(?:, \d{3})+(?!\d)")


def _torn(line: str, theirs: Sequence[Number]) -> set[int]:
    """Characters of numbers of the source that were written with spaces in them (*242, 769*)."""
    known = {value for each in theirs for value in each.values | each.plain}
    found: set[int] = set()
    for match in _TORN.finditer(line):
        if Fraction(re.sub(r"\D", "", match[0])) in known:
            found.update(range(*match.span()))
    return found


def _changed(number: int, line: str, one: Number, other: Number) -> Finding:
    close = _close(one, other)
    return Finding(
        "numbers",
        number,
        one.start,
        one.end,
        f"{line[one.start : one.end]!r} is not in the source, which has {other.text!r}",
        NEAR if close else FAR,
        other.text if one.text.isdigit() and other.text.isdigit() else None,
        (("source", other.text), ("likeness", "differs little" if close else "differs")),
    )


def _digits(found: Sequence[Number], line: str) -> list[Number]:
    """Numbers that may be flagged: in digits, outside addresses, no part of a longer code."""
    addresses = [match.span() for match in _ADDRESS.finditer(line)]
    return [
        each
        for each in found
        if each.written
        and not any(a <= each.start < b for a, b in addresses)
        and "⁄" not in line[max(0, each.start - 1) : each.end + 1]  # 2 1⁄2
    ]


def _met(one: Number, line: str, others: Sequence[Number]) -> bool:
    """Whether a number of one line can be one of the other."""
    if any(same(one, other) for other in others) or one.plain == {0}:
        return True
    known = {value for other in others for value in other.plain}
    if listed(one.text) and known.issuperset(map(Fraction, one.text.split(","))):
        return True
    after, before = line[one.end :], line[: one.start]
    if _CLOCK.match(after) or _BEFORE.search(before):
        hours = {value + 12 * k for value in one.plain for k in (-1, 1)}
        if any(hours & other.plain for other in others):
            return True
    if one.text == "24" and _HOURS.match(after):  # a day
        return True
    parts = re.fullmatch(r"(\d{1,2})[.,](\d\d)", one.text)  # 10.30 is 10:30
    if parts is not None:
        hour, minutes = map(int, parts.groups())
        return minutes in known and bool({hour, hour - 12, hour + 12} & known)
    if after.startswith(":") or before.endswith(":"):
        return any(
            re.fullmatch(rf"0?{one.text}[.,]\d\d|\d{{1,2}}[.,]{one.text}", other.text)
            for other in others
        )
    return False


def _close(one: Number, other: Number) -> bool:
    """Whether one could be the other mistyped: a digit changed, dropped, added, or moved."""
    mine, its = (re.sub(r"\D", "", n.text) for n in (one, other))
    return distance(mine, its) <= 1 or sorted(mine) == sorted(its)


def _named(one: Number, line: str) -> bool:
    """Whether a number is part of a name or code (*COVID-19*, *G20*), not a count."""
    return bool(re.search(r"[^\W\d_][-–]?$", line[: one.start]))


def _year(one: Number) -> bool:
    """Whether a number may be a year, which translators add."""
    return len(one.text) == 4 and any(1900 <= value < 2100 for value in one.plain)


CHECK = Check(
    "numbers that the translation changes, or that the source has not", find, precision=0.69
)
