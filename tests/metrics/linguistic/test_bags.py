"""Overlap and depth-wise matching, by hand and by property."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.metrics.linguistic.base import depth_precision, overlap

BAGS = st.lists(st.sampled_from("abcd")).map(Counter)


def test_overlap_is_min_over_max() -> None:
    assert overlap(Counter("aab"), Counter("abbc")) == pytest.approx(2 / 5)


def test_empty_bags_share_nothing() -> None:
    assert overlap({}, {}) == 0
    assert overlap(Counter("a"), {}) == 0


@given(BAGS, BAGS)
def test_overlap_is_symmetric_bounded_and_one_on_itself(a: Counter[str], b: Counter[str]) -> None:
    assert overlap(a, b) == pytest.approx(overlap(b, a))
    assert 0 <= overlap(a, b) <= 1
    assert overlap(a, a) == (1 if a else 0)
    slow = sum((a & b).values()) / max(1, sum((a | b).values()))
    assert overlap(a, b) == pytest.approx(slow)


def test_depths_are_averaged_and_clipped() -> None:
    hyp, ref = [Counter("aab"), Counter("xy")], [Counter("ab"), Counter("x")]
    assert depth_precision(hyp, ref) == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_a_depth_only_the_reference_reaches_counts_zero_and_one_nobody_reaches_not_at_all() -> None:
    one, none = Counter("a"), Counter[str]()
    assert depth_precision([one, none], [one, one]) == pytest.approx(1 / 2)
    assert depth_precision([one, none], [one, none]) == 1
    assert depth_precision([none], [none]) == 0
