from fractions import Fraction

import pytest

from albeit.diagnose.text.numerals import numbers_in, same


def values(line: str) -> list[set[float]]:
    return [{float(v) for v in each.values} for each in numbers_in(line) if each.sure]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("25 million in 1999", [{25e6}, {1999}]),
        ("$3.5bn", [{3.5e9}]),
        ("1,000.5", [{1000.5}]),
        ("1.000,5 und 4,5", [{1000.5}, {4.5}]),
        ("1.000 Menschen", [{1000, 1}]),
        ("10 000 francs", [{10000}]),
        ("0,500", [{0.5}]),
        ("12.05.2020", [{12}, {5}, {2020}]),
        ("3亿5000万元", [{350e6}]),
        ("1万4092人", [{14092}]),
        ("1100多万", [{11e6}]),
        ("25 million 300", [{25e6}, {300}]),
        ("60 to 85 billion", [{60, 60e9}, {85e9}]),
        ("二十五人，二〇二〇年", [{25}, {2020}]),
        ("三千二百万，三点一四", [{32e6}, {3.14}]),
        ("６成", [{6, 60}]),
        ("٢٥ كتابا", [{25}]),
    ],
)
def test_digits_numerals_and_multipliers(line: str, expected: list[set[float]]) -> None:
    assert values(line) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.2亿", "120 million"),
        ("20 million", "20"),
        ("22,9 Tausend", "22 900"),
        ("1990", "90年代"),
        ("3 pm", "15点"),
        ("100,000", "十几万"),
        ("两百", "200"),
    ],
)
def test_numbers_that_can_be_the_same(one: str, other: str) -> None:
    assert any(same(a, b) for a in numbers_in(one) for b in numbers_in(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.2 billion", "1.2亿"), ("158.4", "158.41"), ("1,234", "12345"), ("12,00", "12000")],
)
def test_numbers_that_are_not_the_same(one: str, other: str) -> None:
    assert not any(same(a, b) for a in numbers_in(one) for b in numbers_in(other))


def test_a_number_knows_its_place() -> None:
    (one,) = numbers_in("about 1.2 billion people")
    assert (one.start, one.end, one.plain) == (6, 17, frozenset([Fraction(12, 10)]))
