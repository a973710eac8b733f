from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from albeit.stats.correlation import kendall, pearson, rank, spearman, williams

vectors = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=25
).filter(lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1)


@given(vectors)
def test_equal_scipy(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)


@given(vectors)
def test_symmetric_and_bounded(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    for statistic in (pearson, spearman):
        assert statistic(x, y) == pytest.approx(float(statistic(y, x)))
        assert statistic(-x, y) == pytest.approx(-float(statistic(x, y)))
        assert -1 <= statistic(x, y) <= 1


def test_gaps_are_left_out_row_by_row() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6, 9))
    x[0, 3] = y[1, 4] = y[1, 5] = np.nan
    for statistic in (pearson, spearman):
        found = statistic(x, y)
        for row in range(6):
            here = ~np.isnan(x[row] + y[row])
            assert found[row] == pytest.approx(float(statistic(x[row, here], y[row, here])))


@pytest.mark.parametrize("x", [[1.0, 1.0, 1.0], [1.0, np.nan, np.nan], [0.1 + 0.2, 0.3, 0.3]])
def test_no_correlation_is_nan_not_zero(x: list[float]) -> None:
    if x[0] == x[1] or np.isnan(x[1]):
        assert np.isnan(pearson(x, [1, 2, 3]))
        assert np.isnan(kendall(x, [1, 2, 3]))


def test_ranks_share_ties_and_keep_gaps() -> None:
    assert rank([3.0, 1.0, 3.0, np.nan]) == pytest.approx([2.5, 1.0, 2.5, np.nan], nan_ok=True)


def test_williams_against_the_published_formula() -> None:
    """Steiger (1980), T2 for r12 = .5, r13 = .4, r23 = .3 and 103 items, worked by hand."""
    r1, r2, r12, n = 0.5, 0.4, 0.3, 103
    determinant = np.linalg.det(np.array([[1, r1, r2], [r1, 1, r12], [r2, r12, 1]]))
    t = (r1 - r2) * np.sqrt(
        (n - 1)
        * (1 + r12)
        / (2 * (n - 1) / (n - 3) * determinant + ((r1 + r2) / 2) ** 2 * (1 - r12) ** 3)
    )
    assert williams(r1, r2, r12, n) == pytest.approx(stats.t.sf(t, n - 3))


@given(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9))
def test_williams_is_antisymmetric(r1: float, r2: float) -> None:
    between = r1 * r2  # always a possible correlation of the two metrics
    assert williams(r1, r2, between, 12) + williams(r2, r1, between, 12) == pytest.approx(1.0)


def test_williams_of_a_copy() -> None:
    assert williams(0.7, 0.7, 1.0, 10) == 0.5
    with pytest.raises(ValueError, match="four"):
        williams(0.7, 0.6, 0.5, 3)
