from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from albeit.combine.features import PairSet
from albeit.combine.learners import LargeMargin, Logistic, Network


def pairs(seed: int = 0, size: int = 3, n: int = 800) -> PairSet:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n, size))
    truth = np.array([2.0, -1.0, 0.5, 0.0])[:size]
    up = ((a - b) @ truth + rng.logistic(size=n) > 0)[:, None]
    weight = rng.integers(1, 4, n).astype(float)
    return PairSet(np.where(up, a, b), np.where(up, b, a), weight, rng.integers(0, 10, n))


@pytest.mark.parametrize("l2", [1e-6, 1e-2, 1.0])
def test_logistic_is_the_maximum_of_its_likelihood(l2: float) -> None:
    data = pairs()
    difference, share = data.better - data.worse, data.weight / data.weight.sum()

    def loss(w: np.ndarray) -> float:
        return float(share @ np.logaddexp(0, -difference @ w) + 0.5 * l2 * w @ w)

    best = minimize(loss, np.zeros(3), tol=1e-10)
    assert Logistic().fit(data, l2).weights == pytest.approx(best.x, abs=1e-3)


def test_logistic_finds_the_weights_the_data_were_made_with() -> None:
    found = Logistic().fit(pairs(n=40000), 1e-6).weights
    assert found == pytest.approx([2.0, -1.0, 0.5], abs=0.1)


def test_large_margin_is_the_minimum_of_its_loss() -> None:
    data = pairs()
    difference, share = data.better - data.worse, data.weight / data.weight.sum()

    def loss(w: np.ndarray) -> float:
        return float(share @ np.maximum(0, 1 - difference @ w) ** 2 + 0.005 * w @ w)

    best = minimize(loss, np.zeros(3), tol=1e-10)
    assert LargeMargin().fit(data, 0.01).weights == pytest.approx(best.x, abs=1e-3)


def test_separable_pairs_do_not_run_away() -> None:
    better = np.array([[1.0], [2.0]])
    data = PairSet(better, -better, np.ones(2), np.zeros(2, dtype=np.int64))
    for learner in (Logistic(), LargeMargin()):
        found = learner.fit(data, 1e-4).weights
        assert np.isfinite(found).all()
        assert found[0] > 0


def test_the_network_sees_what_no_line_can() -> None:
    """Quality is the product of two features: linear weights are blind to it."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4000, 2))
    up = (a.prod(axis=1) > b.prod(axis=1))[:, None]
    data = PairSet(
        np.where(up, a, b), np.where(up, b, a), np.ones(4000), np.zeros(4000, dtype=np.int64)
    )
    accuracy = {}
    for learner in (Logistic(), Network(hidden=6, steps=200)):
        scorer = learner.fit(data, 1e-6)
        accuracy[learner.kind] = float((scorer(data.better) > scorer(data.worse)).mean())
    assert accuracy["logistic"] < 0.6
    assert accuracy["network"] > 0.8


def test_a_network_is_repeatable_and_at_least_its_linear_start() -> None:
    data = pairs()
    first, second = Network().fit(data, 1e-3), Network().fit(data, 1e-3)
    assert np.array_equal(first.outward, second.outward)

    def loss(scores: np.ndarray) -> float:
        return float(data.weight @ np.logaddexp(0, -scores))

    linear = Logistic().fit(data, 1e-3)
    assert loss(first(data.better) - first(data.worse)) <= loss(
        linear(data.better) - linear(data.worse)
    )


def test_the_networks_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What L-BFGS is given is the derivative of what it is given."""
    import scipy.optimize

    seen: dict[str, Any] = {}
    real = scipy.optimize.minimize

    def spy(fun: object, start: np.ndarray, **kw: object) -> object:
        seen["fun"], seen["start"] = fun, start
        return real(fun, start, **kw)  # type: ignore[call-overload]

    monkeypatch.setattr(scipy.optimize, "minimize", spy)
    Network(hidden=2, steps=1).fit(pairs(n=50), 1e-2)
    fun = seen["fun"]
    point = seen["start"] + 0.1

    def value(w: np.ndarray) -> float:
        return float(fun(w)[0])

    def gradient(w: np.ndarray) -> np.ndarray:
        return np.asarray(fun(w)[1])

    assert check_grad(value, gradient, point) < 1e-5
