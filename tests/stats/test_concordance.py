from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from albeit.stats.correlation import (
    PAIRWISE,
    accuracy,
    accuracy_with_ties,
    categories,
    count_by,
    tau_b,
    tau_wmt12,
    tau_wmt13,
    tau_wmt14,
)

small = st.integers(-2, 2)
pairs = st.lists(st.tuples(small, st.sampled_from([-1, 0, 1])), min_size=1, max_size=40)


def counts(data: list[tuple[int, int]]) -> np.ndarray:
    difference, preference = zip(*data, strict=True)
    return np.asarray(count_by(categories(difference, preference), np.zeros(len(data), int), 1)[0])


def test_the_three_campaigns_on_one_example() -> None:
    """Six concordant, two discordant, two metric ties, and a human tie nobody counts."""
    data = [(1, 1)] * 6 + [(-1, 1)] * 2 + [(0, -1)] * 2 + [(1, 0)]
    found = counts(data)
    assert tau_wmt12(found) == pytest.approx((6 - 2 - 2) / 10)
    assert tau_wmt13(found) == pytest.approx((6 - 2) / 8)
    assert tau_wmt14(found) == pytest.approx((6 - 2) / 10)
    assert accuracy(found) == pytest.approx(6 / 10)
    assert accuracy_with_ties(found) == pytest.approx(6 / 11)


@given(pairs)
def test_definitions_by_brute_force(data: list[tuple[int, int]]) -> None:
    found = counts(data)
    c = sum(m * h > 0 for m, h in data)
    d = sum(m * h < 0 for m, h in data)
    t = sum(m == 0 and h != 0 for m, h in data)
    for value, numerator, denominator in (
        (tau_wmt12(found), c - d - t, c + d + t),
        (tau_wmt13(found), c - d, c + d),
        (tau_wmt14(found), c - d, c + d + t),
    ):
        if denominator:
            assert value == pytest.approx(numerator / denominator)
        else:
            assert np.isnan(value)


@given(pairs)
def test_bounds_and_order(data: list[tuple[int, int]]) -> None:
    found = counts(data)
    for statistic in PAIRWISE.values():
        value = float(statistic(found))
        assert np.isnan(value) or -1 <= value <= 1
    if not np.isnan(tau_wmt12(found)):
        assert tau_wmt12(found) <= tau_wmt14(found)


@given(pairs)
def test_swapping_sides_changes_nothing_and_negation_flips(data: list[tuple[int, int]]) -> None:
    swapped = counts([(-m, -h) for m, h in data])
    assert np.array_equal(counts(data), swapped)
    negated = counts([(-m, h) for m, h in data])
    for statistic in (tau_wmt13, tau_wmt14, tau_b):
        assert statistic(counts(data)) == pytest.approx(-statistic(negated), nan_ok=True)


@given(st.lists(st.tuples(small, small), min_size=2, max_size=12))
def test_tau_b_over_all_pairs_is_kendalls(items: list[tuple[int, int]]) -> None:
    x, y = np.array(items, dtype=float).T
    i, j = np.triu_indices(len(items), k=1)
    found = count_by(categories(x[i] - x[j], np.sign(y[i] - y[j])), np.zeros(len(i), int), 1)[0]
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert tau_b(found) == pytest.approx(kendalltau(x, y).statistic)
    else:
        assert np.isnan(tau_b(found))


def test_counts_of_units_add_up() -> None:
    rng = np.random.default_rng(0)
    category = categories(rng.integers(-1, 2, 500), rng.integers(-1, 2, 500))
    unit = rng.integers(0, 7, 500)
    whole = count_by(category, np.zeros(500, int), 1)[0]
    assert np.array_equal(count_by(category, unit, 7).sum(axis=0), whole)


def test_an_unscored_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        categories([np.nan], [1])
