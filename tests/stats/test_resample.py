from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from albeit.arrays import FloatArray
from albeit.stats import resample
from albeit.stats.resample import (
    bootstrap_p_values,
    bootstrap_scores,
    percentile_interval,
    randomisation_p_values,
    smallest_p_values,
)


def mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sums[..., 1])


def rows_of(*systems: FloatArray) -> FloatArray:
    return np.stack([np.stack([s, np.ones_like(s)], axis=-1) for s in systems])


def test_bootstrap_equals_drawing_rows_one_by_one() -> None:
    rng = np.random.default_rng(0)
    statistics = rng.random((3, 17, 2)) + 1
    found = bootstrap_scores(statistics, mean, resamples=20, seed=5)
    drawn = np.random.default_rng(5).integers(0, 17, size=(20, 17))
    expected = [[mean(s[draw].sum(axis=0)) for s in statistics] for draw in drawn]
    np.testing.assert_allclose(found, expected)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = np.random.default_rng(1).random((2, 33, 2)) + 1
    whole = bootstrap_scores(statistics, mean, resamples=50, seed=3)
    monkeypatch.setattr(resample, "CHUNK_CELLS", 100)
    np.testing.assert_allclose(bootstrap_scores(statistics, mean, resamples=50, seed=3), whole)


def test_randomisation_equals_swapping_rows_one_by_one() -> None:
    """All 2^rows exchanges of a small set: the sampled p-value comes close to the exact one."""
    a = np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.6, 0.3, 0.55])
    b = np.array([0.3, 0.5, 0.30, 0.9, 0.6, 0.7, 0.35, 0.6])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T
    exact = (np.abs(signs @ (b - a)) >= abs((b - a).sum()) - 1e-12).mean()
    found = randomisation_p_values(rows_of(a, b), mean, np.array([[0, 1]]), trials=20_000, seed=1)
    assert found[0] == pytest.approx(exact, abs=0.005)


ALL = np.array([[0, 1], [0, 2], [1, 2]])


def test_equal_systems_do_not_differ_and_far_ones_do() -> None:
    rng = np.random.default_rng(2)
    a = rng.random(200)
    statistics = rows_of(a, a + 0.3 + 0.1 * rng.random(200), a)
    swapped = randomisation_p_values(statistics, mean, ALL, trials=999)
    samples = bootstrap_scores(statistics, mean, resamples=999)
    booted = bootstrap_p_values(samples, mean(statistics.sum(axis=1)), ALL)
    for found in (swapped, booted):
        assert found == pytest.approx([0.001, 1.0, 0.001])


def test_a_pair_does_not_depend_on_which_others_are_tested() -> None:
    statistics = np.random.default_rng(4).random((3, 41, 2)) + 1
    together = randomisation_p_values(statistics, mean, ALL, trials=200)
    alone = [randomisation_p_values(statistics, mean, ALL[[i]], trials=200)[0] for i in range(3)]
    assert together.tolist() == alone


def test_interval_covers_the_mean_of_a_normal_sample() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(10, 2, size=2000)
    samples = bootstrap_scores(rows_of(a), mean, resamples=2000)
    low, high = percentile_interval(samples, 0.95)[0]
    assert low < a.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 2 / np.sqrt(2000), rel=0.1)


def test_undefined_resamples_widen_doubt_and_leave_the_interval() -> None:
    samples = np.array([[1.0, 3.0, np.nan], [1.0, np.nan, np.nan], [1.0, 5.0, np.nan]])
    intervals = percentile_interval(samples, 0.5)
    assert intervals[1] == pytest.approx([3.5, 4.5])
    assert np.isnan(intervals[2]).all()
    p = bootstrap_p_values(samples, np.array([1.0, 4.0, np.nan]), ALL)
    assert p[0] == pytest.approx(2 / 4)
    assert np.isnan(p[1:]).all()


@settings(max_examples=40)
@given(
    hnp.arrays(np.float64, st.tuples(st.just(3), st.integers(2, 30)), elements=st.floats(0, 1)),
    st.integers(0, 2**32),
)
def test_p_values_are_probabilities_and_seeds_repeat(scores: FloatArray, seed: int) -> None:
    statistics = rows_of(*scores)
    found = randomisation_p_values(statistics, mean, ALL, trials=50, seed=seed)
    again = randomisation_p_values(statistics, mean, ALL, trials=50, seed=seed)
    np.testing.assert_array_equal(found, again)
    assert ((found > 0) & (found <= 1)).all()
    samples = bootstrap_scores(statistics, mean, resamples=50, seed=seed)
    low, high = percentile_interval(samples, 0.9).T
    assert (low <= high).all()
    assert (low >= scores.min(axis=1) - 1e-9).all()
    assert (high <= scores.max(axis=1) + 1e-9).all()


def test_no_p_is_smaller_than_the_data_allow() -> None:
    rows = np.zeros((3, 4, 2))
    rows[..., 1] = 1
    rows[1, :, 0] = 1  # differs everywhere
    rows[2, 0, 0] = 1  # differs once
    assert smallest_p_values(rows, ALL).tolist() == [0.125, 1.0, 0.25]
