from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from albeit.arrays import FloatArray
from albeit.stats import resample as sums
from albeit.stats.resample import group_means, running_sums, weighted_mean

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
rows = st.tuples(st.integers(1, 3), st.integers(1, 40), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=numbers)
)


def one_by_one(rows: FloatArray) -> FloatArray:
    total = rows[:, 0].copy()
    for row in range(1, rows.shape[1]):
        total += rows[:, row]
    return total


@given(rows, st.lists(st.integers(0, 40)), st.integers(1, 50))
def test_any_cut_gives_the_same_bits(rows: FloatArray, cuts: list[int], block: int) -> None:
    total: FloatArray | None = None
    ends = [0, *sorted(min(cut, rows.shape[1]) for cut in cuts), rows.shape[1]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "_BLOCK", block)
        for start, stop in pairwise(ends):
            if stop > start:
                total = running_sums(rows[:, start:stop], total)
    assert total is not None
    assert total.tobytes() == one_by_one(rows).tobytes()
    assert total.tobytes() == running_sums(rows).tobytes()


def test_the_order_matters_and_is_that_of_the_rows() -> None:
    rows = np.array([[[1e16], [1.0], [-1e16]]])
    assert running_sums(rows) == 0.0
    assert running_sums(rows[:, [0, 2, 1]]) == 1.0


def test_nothing_cannot_be_added_up() -> None:
    with pytest.raises(ValueError, match="no rows"):
        running_sums(np.zeros((2, 0, 3)))


def test_scores_of_earlier_versions_keep_their_bits() -> None:
    """They were added up by ``sum``, which goes row by row too where rows have several numbers."""
    values = np.random.default_rng(1).normal(size=(3, 10_000, 2))
    assert running_sums(values).tobytes() == values.sum(axis=1).tobytes()


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
