from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from albeit.stats.exact import group_means, weighted_mean

FLOATS = st.floats(-1e6, 1e6, allow_nan=False)


@given(FLOATS, st.lists(st.integers(0, 60), min_size=1).filter(any))
def test_equal_numbers_have_that_number_as_mean(value: float, weights: list[int]) -> None:
    assert weighted_mean([value] * len(weights), weights) == value


@given(st.lists(st.tuples(FLOATS, st.floats(0, 50)), min_size=1))
def test_the_mean_is_the_nearest_float(pairs: list[tuple[float, float]]) -> None:
    values, weights = zip(*pairs, strict=True)
    total = sum((Fraction(w) for w in weights), Fraction())
    found = weighted_mean(values, weights)
    if not total:
        assert np.isnan(found)
        return
    assert found == float(sum(Fraction(v) * Fraction(w) for v, w in pairs) / total)


def test_groups() -> None:
    values, group = np.array([0.1, 5.0, 0.1, 0.1]), np.array([2, 0, 2, 2])
    assert group_means(values, group, 4).tolist()[::2] == [5.0, 0.1]
    assert np.isnan(group_means(values, group, 4)[[1, 3]]).all()
    weights = np.array([1.0, 0.0, 2.0, 4.0])
    assert np.isnan(group_means(values, group, 3, weights)[0])
    assert group_means(values, group, 3, weights)[2] == 0.1
