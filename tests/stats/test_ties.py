from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.stats.correlation import (
    accuracy_with_ties,
    calibrate_ties,
    categories,
    count_by,
    tied_difference,
)

pairs = st.lists(
    st.tuples(st.integers(-5, 5).map(lambda k: k / 4), st.sampled_from([-1, 0, 1])),
    min_size=1,
    max_size=30,
)


def accuracy_at(difference: np.ndarray, preference: np.ndarray, epsilon: float) -> float:
    category = categories(tied_difference(difference, epsilon), preference)
    return float(accuracy_with_ties(count_by(category, np.zeros(len(category), int), 1)[0]))


@given(pairs)
def test_best_of_all_thresholds(data: list[tuple[float, int]]) -> None:
    difference, preference = (np.array(side) for side in zip(*data, strict=True))
    found = calibrate_ties(difference, preference)
    tried = [0.0, *np.abs(difference)]
    assert found.accuracy == pytest.approx(
        max(accuracy_at(difference, preference, e) for e in tried)
    )
    assert accuracy_at(difference, preference, found.epsilon) == pytest.approx(found.accuracy)


def test_a_metric_without_ties_gains_by_calibration() -> None:
    difference = np.array([0.01, -0.02, 0.5, 0.6])
    preference = np.array([0, 0, 1, 1])
    found = calibrate_ties(difference, preference)
    assert (found.epsilon, found.accuracy) == (0.02, 1.0)
    assert accuracy_at(difference, preference, 0.0) == 0.5


def test_weights_average_items() -> None:
    """Item one has one pair (right), item two has three (all wrong without ties)."""
    difference = np.array([1.0, 1.0, 1.0, 1.0])
    preference = np.array([1, -1, -1, -1])
    found = calibrate_ties(difference, preference, np.array([1, 1 / 3, 1 / 3, 1 / 3]))
    assert found.accuracy == pytest.approx(0.5)


def test_nothing_to_calibrate_on() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        calibrate_ties([], [])
