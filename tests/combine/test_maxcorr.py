from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.combine.maxcorr import maximum_correlation
from albeit.errors import InputError
from albeit.stats import pearson


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_one_task_reaches_the_multiple_correlation(seed: int, size: int) -> None:
    """Without bounds the optimum of r is least squares' multiple correlation."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, size)) * rng.uniform(0.01, 100, size=size)
    y = x @ rng.normal(size=size) + rng.normal(size=60) * 3
    centred = x - x.mean(axis=0)
    fitted = centred @ np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    best = float(pearson(fitted, y))
    found = maximum_correlation([(x, y)])
    assert found.correlation == pytest.approx(best, abs=1e-6)
    assert float(pearson(found.predict(x), y)) == pytest.approx(found.correlation)
    assert np.abs(found.weights).sum() == pytest.approx(1.0)


def test_bounds_drop_a_metric_that_points_the_wrong_way() -> None:
    rng = np.random.default_rng(1)
    good, human = rng.normal(size=(2, 200))
    human = human + good
    found = maximum_correlation([(np.stack([good, -human], axis=1), human)], nonnegative=True)
    assert found.weights[1] == pytest.approx(0.0, abs=1e-6)
    assert found.weights[0] == pytest.approx(1.0)


def test_several_tasks_beat_each_feature_alone() -> None:
    rng = np.random.default_rng(2)
    tasks = []
    for shift in (0.0, 5.0):
        x = rng.normal(size=(80, 3)) + shift
        tasks.append((x, x @ np.array([1.0, 2.0, 0.5]) + rng.normal(size=80) - 30 * shift))
    found = maximum_correlation(tasks)
    for k in range(3):
        alone = np.mean([float(pearson(x[:, k], y)) for x, y in tasks])
        assert found.correlation > alone


@pytest.mark.parametrize(
    ("x", "y", "says"),
    [
        (np.ones((4, 1)), np.arange(4.0), "constant"),
        (np.ones((4, 1)), np.arange(3.0), "do not fit"),
        (np.full((4, 1), np.nan), np.arange(4.0), "missing"),
        (np.arange(4.0)[:, None], np.ones(4), "do not differ"),
    ],
)
def test_bad_input_is_named(x: np.ndarray, y: np.ndarray, says: str) -> None:
    with pytest.raises(InputError, match=says):
        maximum_correlation([(x, y)])
    with pytest.raises(InputError, match="nothing to tune on"):
        maximum_correlation([])
