"""Tokens as a rule and its exceptions say where the tokens are, whatever the text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.report.page.cuts import GAPS, RULES, packed_tokens


def unpacked(text: str, packed: int | list[int]) -> list[tuple[int, int]]:
    """What ``assets/cuts.js`` does."""
    rule, *numbers = [packed] if isinstance(packed, int) else packed
    tokens: list[tuple[int, int]] = []
    if rule == GAPS:
        end = 0
        for gap, length in zip(numbers[::2], numbers[1::2], strict=True):
            tokens.append((end + gap, end + gap + length))
            end += gap + length
        return tokens
    begins = {match.start() for match in RULES[rule].finditer(text)}
    place = 0
    for step in numbers:
        place += step
        begins ^= {place}
    for word in RULES[0].finditer(text):
        starts = [word.start(), *sorted(b for b in begins if word.start() < b < word.end())]
        tokens += zip(starts, [*starts[1:], word.end()], strict=True)
    return tokens


@pytest.mark.parametrize(
    ("tokens", "packed"),
    [
        (["It's", "well-known,", "(now)."], 0),
        (["It's", "well-known", ",", "(", "now", ")", "."], 1),
        (list("It'swell-known,(now)."), 2),
        (["It", "'s", "well-known", ",", "(", "now", ")", "."], [1, 2]),
    ],
)
def test_what_metrics_do_is_a_rule(tokens: list[str], packed: int | list[int]) -> None:
    text = "It's well-known, (now)."
    offsets, end = [], 0
    for token in tokens:
        start = text.index(token, end)
        offsets.append((start, end := start + len(token)))
    assert packed_tokens(text, offsets) == packed


@given(st.text(max_size=30), st.data())
def test_any_tokens_come_back(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    offsets = list(zip(cuts[::2], cuts[1::2], strict=False))
    assert unpacked(text, packed_tokens(text, offsets)) == offsets


@given(st.text(alphabet="ab ,.'-\u2003\u4e2d😀", max_size=30), st.data())
def test_tokens_that_cover_a_text_need_no_lengths(text: str, data: st.DataObject) -> None:
    offsets: list[tuple[int, int]] = []
    for word in RULES[0].finditer(text):
        inner = data.draw(st.sets(st.integers(word.start(), word.end()), max_size=3))
        cuts = sorted({word.start(), word.end(), *inner})
        offsets += pairwise(cuts)
    packed = packed_tokens(text, offsets)
    assert isinstance(packed, int) or packed[0] < GAPS
    assert unpacked(text, packed) == offsets
