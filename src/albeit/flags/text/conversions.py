"""Units that translators convert: whether one amount is the other in another unit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

__all__ = ["converted"]

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
