"""Statistics of agreement by their definitions, by scipy, and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from albeit.metaeval import statistics
from albeit.metaeval.statistics import PAIRWISE, standardise, williams
from albeit.stats import categories, count_by, pearson

SMALL = st.integers(-2, 2)
PAIRS = st.lists(st.tuples(SMALL, st.sampled_from([-1, 0, 1])), min_size=1, max_size=40)
VECTORS = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=25
).filter(lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1)


def pair_counts(difference: np.ndarray, preference: np.ndarray) -> np.ndarray:
    category = categories(difference, preference)
    return np.asarray(count_by(category, np.zeros(len(category), int), 1)[0])


@given(PAIRS)
def test_pairwise_statistics_by_definition(data: list[tuple[int, int]]) -> None:
    counts = pair_counts(*np.array(data).T)
    c = sum(m * h > 0 for m, h in data)
    d = sum(m * h < 0 for m, h in data)
    t = sum(m == 0 and h != 0 for m, h in data)
    both = sum(m == h == 0 for m, h in data)
    for name, numerator, denominator in (
        ("tau-wmt12", c - d - t, c + d + t),
        ("tau-wmt13", c - d, c + d),
        ("tau-wmt14", c - d, c + d + t),
        ("accuracy", c, c + d + t),
        ("accuracy-ties", c + both, len(data)),
    ):
        expected = numerator / denominator if denominator else np.nan
        assert PAIRWISE[name](counts) == pytest.approx(expected, nan_ok=True)


@given(PAIRS)
def test_exchanged_sides_change_nothing_and_negation_flips(data: list[tuple[int, int]]) -> None:
    difference, preference = np.array(data).T
    counts = pair_counts(difference, preference)
    assert np.array_equal(counts, pair_counts(-difference, -preference))
    for name in ("tau-wmt13", "tau-wmt14", "tau-b"):
        negated = PAIRWISE[name](pair_counts(-difference, preference))
        assert PAIRWISE[name](counts) == pytest.approx(-negated, nan_ok=True)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=12))
def test_tau_b_over_all_pairs_is_kendalls(items: list[tuple[int, int]]) -> None:
    x, y = np.array(items, dtype=float).T
    i, j = np.triu_indices(len(items), k=1)
    found = PAIRWISE["tau-b"](pair_counts(x[i] - x[j], np.sign(y[i] - y[j])))
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert found == pytest.approx(stats.kendalltau(x, y).statistic)
    else:
        assert np.isnan(found)


def test_an_unscored_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match="NaN"):
        categories([np.nan], [1])


@given(VECTORS)
def test_correlations_equal_scipys(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert statistics.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert statistics.kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
    assert -1 <= pearson(x, y) <= 1


def test_gaps_do_not_count() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 6, 9))
    x[0, 3] = y[1, 4] = y[1, 5] = np.nan
    for statistic in (pearson, statistics.spearman):
        found = statistic(x, y)
        for row in range(6):
            here = ~np.isnan(x[row] + y[row])
            assert found[row] == pytest.approx(float(statistic(x[row, here], y[row, here])))
    assert statistics.rank([3.0, 1.0, 3.0, np.nan]) == pytest.approx(
        [2.5, 1.0, 2.5, np.nan], nan_ok=True
    )


@pytest.mark.parametrize("x", [[1.0, 1.0, 1.0], [1.0, np.nan, np.nan]])
def test_no_correlation_is_nan_not_zero(x: list[float]) -> None:
    assert np.isnan(pearson(x, [1, 2, 3]))
    assert np.isnan(statistics.kendall(x, [1, 2, 3]))


def test_williams_by_the_published_formula() -> None:
    """Steiger (1980), T2 for r12 = .5, r13 = .4, r23 = .3 and 103 items."""
    r1, r2, r12, n = 0.5, 0.4, 0.3, 103
    determinant = np.linalg.det(np.array([[1, r1, r2], [r1, 1, r12], [r2, r12, 1]]))
    below = 2 * (n - 1) / (n - 3) * determinant + ((r1 + r2) / 2) ** 2 * (1 - r12) ** 3
    t = (r1 - r2) * np.sqrt((n - 1) * (1 + r12) / below)
    assert williams(r1, r2, r12, n) == pytest.approx(stats.t.sf(t, n - 3))
    assert williams(0.7, 0.7, 1.0, 10) == 0.5
    with pytest.raises(ValueError, match="four"):
        williams(0.7, 0.6, 0.5, 3)


@given(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9))
def test_williams_is_antisymmetric(r1: float, r2: float) -> None:
    between = r1 * r2  # always a possible correlation of the two metrics
    assert williams(r1, r2, between, 12) + williams(r2, r1, between, 12) == pytest.approx(1.0)


def accuracy_at(difference: np.ndarray, preference: np.ndarray, epsilon: float) -> float:
    counts = pair_counts(statistics.tied_difference(difference, epsilon), preference)
    return float(PAIRWISE["accuracy-ties"](counts))


@given(PAIRS)
def test_calibration_finds_the_best_threshold(data: list[tuple[int, int]]) -> None:
    difference, preference = np.array(data, dtype=float).T
    epsilon, accuracy = statistics.calibrate_ties(difference / 4, preference)
    tried = [0.0, *np.abs(difference / 4)]
    best = max(accuracy_at(difference / 4, preference, each) for each in tried)
    assert accuracy == pytest.approx(best)
    assert accuracy_at(difference / 4, preference, epsilon) == pytest.approx(accuracy)


def test_calibration_examples() -> None:
    difference, preference = np.array([0.01, -0.02, 0.5, 0.6]), np.array([0, 0, 1, 1])
    assert statistics.calibrate_ties(difference, preference) == (0.02, 1.0)
    # Item one has one pair (right), item two has three (all wrong without ties).
    weights = np.array([1, 1 / 3, 1 / 3, 1 / 3])
    _, accuracy = statistics.calibrate_ties(np.ones(4), np.array([1, -1, -1, -1]), weights)
    assert accuracy == pytest.approx(0.5)
    with pytest.raises(ValueError, match="no pairs"):
        statistics.calibrate_ties([], [])


@pytest.mark.parametrize("exchange", ["input", "system", "both"])
def test_pair_counts_give_the_null_distribution_of_matrices(exchange: statistics.Exchange) -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(5, 40))
    first, second = (standardise(truth + noise * rng.normal(size=(5, 40))) for noise in (1.0, 1.2))
    segment, left = rng.integers(0, 40, 300), rng.integers(0, 5, 300)
    right = (left + rng.integers(1, 5, 300)) % 5
    preference = np.sign(truth[left, segment] - truth[right, segment]).astype(np.int64)
    statistic = PAIRWISE["tau-wmt12"]

    def tau(scores: np.ndarray) -> float:
        difference = scores[left, segment] - scores[right, segment]
        return float(statistic(pair_counts(difference, preference)))

    slow = statistics.permutation(tau, first, second, exchange=exchange, samples=2000, rng=rng)
    data = first, second, (segment, left, right), preference
    fast = statistics.pair_permutation(statistic, *data, exchange=exchange, samples=2000, rng=rng)
    assert fast.observed == pytest.approx(slow.observed)
    assert statistics.p_value([fast]) == pytest.approx(statistics.p_value([slow]), abs=0.05)
    assert np.std(fast.exchanged) == pytest.approx(np.std(slow.exchanged), rel=0.1)
