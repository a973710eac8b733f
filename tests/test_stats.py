"""Sums, means, resampling, corrections, and clusters."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from albeit import stats
from albeit.arrays import FloatArray
from albeit.metrics import table
from albeit.metrics.table import running_sums
from albeit.stats import (
    bootstrap_p_values,
    bootstrap_scores,
    percentile_interval,
    randomisation_p_values,
    significance_clusters,
    weighted_mean,
)

FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False)
ROWS = st.tuples(st.integers(1, 3), st.integers(1, 40), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=FLOATS)
)
ALL = np.array([[0, 1], [0, 2], [1, 2]])


@given(ROWS, st.lists(st.integers(0, 40)), st.integers(1, 50))
def test_any_partition_gives_the_same_bits(rows: FloatArray, cuts: list[int], block: int) -> None:
    total: FloatArray | None = None
    ends = [0, *sorted(min(cut, rows.shape[1]) for cut in cuts), rows.shape[1]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "_BLOCK", block)
        for start, stop in pairwise(ends):
            if stop > start:
                total = running_sums(rows[:, start:stop], total)
    expected = rows[:, 0].copy()
    for row in range(1, rows.shape[1]):
        expected += rows[:, row]
    assert total is not None
    assert total.tobytes() == expected.tobytes() == running_sums(rows).tobytes()


def test_rows_are_added_in_their_order() -> None:
    rows = np.array([[[1e16], [1.0], [-1e16]]])
    assert running_sums(rows) == 0.0
    assert running_sums(rows[:, [0, 2, 1]]) == 1.0
    with pytest.raises(ValueError, match="no rows"):
        running_sums(np.zeros((2, 0, 3)))


@given(st.lists(st.tuples(FLOATS, st.floats(0, 50)), min_size=1))
def test_the_mean_is_the_nearest_float(pairs: list[tuple[float, float]]) -> None:
    values, weights = zip(*pairs, strict=True)
    total = sum((Fraction(w) for w in weights), Fraction())
    found = weighted_mean(values, weights)
    if not total:
        assert np.isnan(found)
        return
    assert found == float(sum(Fraction(v) * Fraction(w) for v, w in pairs) / total)
    assert weighted_mean([0.1] * len(weights), weights) == 0.1


def test_groups() -> None:
    values, group = np.array([0.1, 5.0, 0.1, 0.1]), np.array([2, 0, 2, 2])
    assert stats.group_means(values, group, 4).tolist()[::2] == [5.0, 0.1]
    assert np.isnan(stats.group_means(values, group, 4)[[1, 3]]).all()
    weights = np.array([1.0, 0.0, 2.0, 4.0])
    assert np.isnan(stats.group_means(values, group, 3, weights)[0])
    assert stats.group_means(values, group, 3, weights)[2] == 0.1


def mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])


def rows_of(*systems: FloatArray) -> FloatArray:
    return np.stack([np.stack([s, np.ones_like(s)], axis=-1) for s in systems])


def test_bootstrap_equals_drawing_rows_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = np.random.default_rng(0).random((3, 17, 2)) + 1
    drawn = np.random.default_rng(5).integers(0, 17, size=(20, 17))
    expected = [[mean(s[draw].sum(axis=0)) for s in statistics] for draw in drawn]
    for cells in (stats.CHUNK_CELLS, 100):
        monkeypatch.setattr(stats, "CHUNK_CELLS", cells)
        found = bootstrap_scores(statistics, mean, resamples=20, seed=5)
        np.testing.assert_allclose(found, expected)


def test_randomisation_approximates_all_exchanges() -> None:
    a = np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.6, 0.3, 0.55])
    b = np.array([0.3, 0.5, 0.30, 0.9, 0.6, 0.7, 0.35, 0.6])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = (np.abs(signs @ (b - a)) >= abs((b - a).sum()) - 1e-12).mean()
    found = randomisation_p_values(rows_of(a, b), mean, np.array([[0, 1]]), trials=20_000, seed=1)
    assert found[0] == pytest.approx(exact, abs=0.005)


def test_equal_systems_do_not_differ_and_far_ones_do() -> None:
    rng = np.random.default_rng(2)
    a = rng.random(200)
    statistics = rows_of(a, a + 0.3 + 0.1 * rng.random(200), a)
    swapped = randomisation_p_values(statistics, mean, ALL, trials=999)
    samples = bootstrap_scores(statistics, mean, resamples=999)
    booted = bootstrap_p_values(samples, mean(statistics.sum(axis=1)), ALL)
    for found in (swapped, booted):
        assert found == pytest.approx([0.001, 1.0, 0.001])


def test_a_pair_does_not_depend_on_other_pairs() -> None:
    statistics = np.random.default_rng(4).random((3, 41, 2)) + 1
    together = randomisation_p_values(statistics, mean, ALL, trials=200)
    alone = [randomisation_p_values(statistics, mean, ALL[[i]], trials=200)[0] for i in range(3)]
    assert together.tolist() == alone


def test_intervals() -> None:
    a = np.random.default_rng(3).normal(10, 2, size=2000)
    low, high = percentile_interval(bootstrap_scores(rows_of(a), mean, resamples=2000), 0.95)[0]
    assert low < a.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 2 / np.sqrt(2000), rel=0.1)
    ends = stats.interval([*np.linspace(0, 1, 101), np.nan], level=0.9)
    assert ends == pytest.approx((0.05, 0.95))
    assert np.isnan(stats.interval([])[0])


def test_undefined_resamples_do_not_count_in_intervals() -> None:
    samples = np.array([[1.0, 3.0, np.nan], [1.0, np.nan, np.nan], [1.0, 5.0, np.nan]])
    intervals = percentile_interval(samples, 0.5)
    assert intervals[1] == pytest.approx([3.5, 4.5])
    assert np.isnan(intervals[2]).all()
    p = bootstrap_p_values(samples, np.array([1.0, 4.0, np.nan]), ALL)
    assert p[0] == pytest.approx(2 / 4)
    assert np.isnan(p[1:]).all()


@settings(max_examples=40)
@given(
    arrays(np.float64, st.tuples(st.just(3), st.integers(2, 30)), elements=st.floats(0, 1)),
    st.integers(0, 2**32),
)
def test_p_values_are_probabilities_and_seeds_repeat(scores: FloatArray, seed: int) -> None:
    statistics = rows_of(*scores)
    found = randomisation_p_values(statistics, mean, ALL, trials=50, seed=seed)
    again = randomisation_p_values(statistics, mean, ALL, trials=50, seed=seed)
    np.testing.assert_array_equal(found, again)
    assert ((found > 0) & (found <= 1)).all()
    low, high = percentile_interval(
        bootstrap_scores(statistics, mean, resamples=50, seed=seed), 0.9
    ).T
    assert (scores.min(axis=1) - 1e-9 <= low).all()
    assert (low <= high).all()
    assert (high <= scores.max(axis=1) + 1e-9).all()


def test_no_p_is_smaller_than_the_data_allow() -> None:
    rows = np.zeros((3, 4, 2))
    rows[..., 1] = 1
    rows[1, :, 0] = 1  # differs everywhere
    rows[2, 0, 0] = 1  # differs once
    assert stats.smallest_p_values(rows, ALL).tolist() == [0.125, 1.0, 0.25]


def test_clusters_begin_when_all_members_are_better() -> None:
    values = [0.3, 0.9, 0.8, float("nan"), 0.1]
    significant = {(1, 0), (1, 4), (2, 4), (0, 4), (2, 0)}
    found = significance_clusters(values, lambda a, b: 0.01 if (a, b) in significant else 0.4)
    assert found == [2, 1, 1, 0, 3]
    p = {(0, 1): 0.4, (0, 2): 0.001, (1, 2): 0.4}
    assert significance_clusters([0.9, 0.8, 0.7], lambda a, b: p[a, b]) == [1, 1, 1]


@pytest.mark.parametrize(
    ("size", "p", "clusters"), [(2, 0.04, [1, 2]), (3, 0.04, [1, 1, 1]), (3, 0.02, [1, 2, 3])]
)
def test_clusters_are_corrected_for_boundaries(size: int, p: float, clusters: list[int]) -> None:
    assert significance_clusters([0.9, 0.8, 0.7][:size], lambda a, b: p) == clusters


def test_corrections() -> None:
    given = np.array([[0.01, np.nan], [0.04, 0.03]])
    np.testing.assert_allclose(stats.holm(given), [[0.03, np.nan], [0.06, 0.06]])
    assert stats.holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert stats.enough_trials(1) == stats.enough_trials(250) == 10_000
    assert 5000 / (stats.enough_trials(5000) + 1) < 0.05


def test_document_weights() -> None:
    weights = stats.document_weights(7, 50, np.random.default_rng(0))
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
    with pytest.raises(ValueError, match="two documents"):
        stats.document_weights(1, 5, np.random.default_rng(0))
