from fractions import Fraction

import pytest

from albeit.flags.checks.numbers import converted
from albeit.flags.text.numerals import numbers_in, same


def values(line: str, lang: str | None) -> list[set[float]]:
    return [{float(v) for v in each.values} for each in numbers_in(line, lang) if each.written]


@pytest.mark.parametrize(
    ("line", "lang", "expected"),
    [
        ("25 million in 1999", "en", [{25e6}, {1999}]),
        ("$3.5bn and 40k", "en", [{3.5e9}, {40e3}]),
        ("1,000.5", "en", [{1000.5}]),
        ("1.000,5 und 4,5 Millionen", "de", [{1000.5}, {4.5e6}]),
        ("1.000 Menschen", "de", [{1000, 1}]),
        ("10 000 francs, 2,5 milliards", "fr", [{10000}, {2.5e9}]),
        ("12,5 miles de millones", "es", [{12.5e9}]),
        ("1,5 млрд рублей", "ru", [{1.5e9}]),
        ("12.05.2020", "de", [{12}, {5}, {2020}]),
        ("3亿5000万元", "zh", [{350e6}]),
        ("1万4092人", "ja", [{14092}]),
        ("1100多万", "zh", [{11e6}]),
        ("二十五人，二〇二〇年", "zh", [{25}, {2020}]),
        ("６成", "ja", [{6, 60}]),
        ("平成18年", "ja", [{18, 2006}]),
        ("٢٥ كتابا", "ar", [{25}]),
    ],
)
def test_digits_and_numerals_in_the_formats_of_languages(
    line: str, lang: str, expected: list[set[float]]
) -> None:
    assert values(line, lang) == expected


@pytest.mark.parametrize(
    ("one", "one_lang", "other", "other_lang"),
    [
        ("twenty-five million", "en", "2500万", "zh"),
        ("three hundred and five", "en", "305", "de"),
        ("fünfundzwanzig", "de", "25", "en"),
        ("May", "en", "5月", "zh"),
        ("XIV", "fr", "14", "en"),
        ("half", "en", "50", "de"),
        ("the 1990s", "en", "90年代", "zh"),
        ("12th", "en", "zwölfte", "de"),
        ("quatre", "fr", "4", "en"),
        ("20 million", "en", "20", "de"),
        ("16,000", "en", "一万六七千", "zh"),
        ("17,000", "en", "一万六七千", "zh"),
        ("18", "en", "十七八", "zh"),
        ("2005", "en", "2000,2005年", "zh"),
        ("289", "en", "249,289,299", "zh"),
        ("19.93 million", "en", "1993.03万", "zh"),
        ("centenary", "en", "100", "de"),
        ("3.293 million", "en", "329.29万", "zh"),
        ("100,000", "en", "十几万", "zh"),
    ],
)
def test_numbers_that_can_be_the_same(one: str, one_lang: str, other: str, other_lang: str) -> None:
    ours, theirs = numbers_in(one, one_lang), numbers_in(other, other_lang)
    assert any(same(a, b) for a in ours for b in theirs)


def test_multipliers_are_compared_where_both_have_one() -> None:
    (one,), (other,) = numbers_in("1.2 billion", "en"), numbers_in("1.2亿", "zh")
    assert not same(one, other)


def test_units_that_translators_convert() -> None:
    assert converted([Fraction(25)], " Meter", [Fraction(80)], " feet")
    assert converted([Fraction(32)], " Grad", [Fraction(90)], " degrees")
    assert not converted([Fraction(52)], " Meter", [Fraction(80)], " feet")
    assert not converted([Fraction(25)], " Menschen", [Fraction(80)], " people")


@pytest.mark.parametrize(
    ("one", "other"),
    [("158.4", "158.41"), ("1,234", "12345"), ("19.95 million", "19,930,300"), ("1.9", "1.93")],
)
def test_a_digit_dropped_is_not_rounding(one: str, other: str) -> None:
    ours, theirs = numbers_in(one, "en"), numbers_in(other, "en")
    assert not any(same(a, b) for a in ours for b in theirs)
