from __future__ import annotations

import numpy as np
import pytest

from albeit.stats.correlation import pairwise_p_values, soft_pairwise_accuracy
from albeit.stats.resample import (
    document_weights,
    enough_trials,
    holm,
    interval,
    significance_clusters,
)


def test_spa_is_one_for_people_themselves_and_low_for_the_opposite() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(5, 80)) + np.arange(5)[:, None]
    human[2, 7] = np.nan
    assert soft_pairwise_accuracy(human, human, rng=rng) == 1.0
    assert soft_pairwise_accuracy(-human, human, rng=rng) < 0.05
    assert soft_pairwise_accuracy(2 * human + 3, human, rng=rng) == 1.0


def test_p_values_are_sure_of_clear_differences() -> None:
    rng = np.random.default_rng(1)
    scores = np.stack([rng.normal(size=100) + 1, rng.normal(size=100)])
    assert pairwise_p_values(scores, rng=rng)[0] < 0.01
    assert pairwise_p_values(scores[::-1], rng=rng)[0] > 0.99


def test_equal_systems_are_no_pair_to_be_sure_of() -> None:
    scores = np.tile(np.linspace(0, 1, 30), (2, 1))
    assert pairwise_p_values(scores, rng=np.random.default_rng(0))[0] == 1.0
    with pytest.raises(ValueError, match="two systems"):
        soft_pairwise_accuracy(scores[:1], scores[:1], rng=np.random.default_rng(0))


def test_clusters_open_when_all_members_are_better() -> None:
    values = [0.3, 0.9, 0.8, float("nan"), 0.1]
    significant = {(1, 0), (1, 4), (2, 4), (0, 4), (2, 0)}
    found = significance_clusters(values, lambda a, b: 0.01 if (a, b) in significant else 0.4)
    assert found == [2, 1, 1, 0, 3]


def test_one_rule_of_clusters() -> None:
    """The best is surely better than the last, the second is not: no line can be drawn."""
    p = {(0, 1): 0.4, (0, 2): 0.001, (1, 2): 0.4}
    assert significance_clusters([0.9, 0.8, 0.7], lambda a, b: p[a, b]) == [1, 1, 1]


def test_clusters_are_corrected_for_the_lines_that_could_be_drawn() -> None:
    assert significance_clusters([0.9, 0.8], lambda a, b: 0.04) == [1, 2]
    assert significance_clusters([0.9, 0.8, 0.7], lambda a, b: 0.04) == [1, 1, 1]
    assert significance_clusters([0.9, 0.8, 0.7], lambda a, b: 0.02) == [1, 2, 3]


def test_holm() -> None:
    given = np.array([[0.01, np.nan], [0.04, 0.03]])
    np.testing.assert_allclose(holm(given), [[0.03, np.nan], [0.06, 0.06]])
    assert holm([0.02]).tolist() == [0.02]
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]


def test_very_many_tests_get_more_trials() -> None:
    assert enough_trials(1) == enough_trials(250) == 10_000
    for tests in (10, 253, 5000):
        assert tests / (enough_trials(tests) + 1) < 0.05


def test_document_weights_and_interval() -> None:
    weights = document_weights(7, 50, np.random.default_rng(0))
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
    low, high = interval([*np.linspace(0, 1, 101), np.nan], level=0.9)
    assert (low, high) == pytest.approx((0.05, 0.95))
    assert np.isnan(interval([])[0])
    with pytest.raises(ValueError, match="two documents"):
        document_weights(1, 5, np.random.default_rng(0))
