from __future__ import annotations

import time

import numpy as np
import pytest

from albeit.stats.correlation import (
    Exchange,
    categories,
    count_by,
    p_value,
    pair_permutation,
    permutation,
    standardise,
    tau_wmt12,
)


def setup(
    systems: int, inputs: int, pairs: int, noise: tuple[float, float], seed: int = 0
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, inputs))
    first = standardise(truth + noise[0] * rng.normal(size=truth.shape))
    second = standardise(truth + noise[1] * rng.normal(size=truth.shape))
    segment = rng.integers(0, inputs, pairs)
    left = rng.integers(0, systems, pairs)
    right = (left + rng.integers(1, systems, pairs)) % systems
    preference = np.sign(truth[left, segment] - truth[right, segment]).astype(np.int64)
    return first, second, (segment, left, right, preference)


@pytest.mark.parametrize("exchange", ["input", "system", "both"])
def test_fast_counts_are_those_of_the_definition(exchange: Exchange) -> None:
    """The tables of cases give the p-value that exchanging whole score matrices gives."""
    first, second, data = setup(5, 40, 300, (1.0, 1.2))
    segment, left, right, preference = data

    def tau(scores: np.ndarray) -> float:
        category = categories(scores[left, segment] - scores[right, segment], preference)
        return float(tau_wmt12(count_by(category, np.zeros(len(segment), int), 1)[0]))

    slow = permutation(
        tau, first, second, exchange=exchange, samples=2000, rng=np.random.default_rng(1)
    )
    fast = pair_permutation(
        tau_wmt12,
        first,
        second,
        *data,
        exchange=exchange,
        samples=2000,
        rng=np.random.default_rng(2),
    )
    assert fast.observed == pytest.approx(slow.observed)
    assert fast.p_value == pytest.approx(slow.p_value, abs=0.05)
    assert np.std(fast.exchanged) == pytest.approx(np.std(slow.exchanged), rel=0.1)


@pytest.mark.parametrize("exchange", ["input", "both"])
def test_a_clear_difference_is_found_and_a_copy_is_not(exchange: Exchange) -> None:
    first, second, data = setup(8, 200, 3000, (0.3, 3.0))
    rng = np.random.default_rng(3)

    def p(a: np.ndarray, b: np.ndarray) -> float:
        return pair_permutation(tau_wmt12, a, b, *data, exchange=exchange, rng=rng).p_value

    assert p(first, second) < 0.01
    assert p(second, first) > 0.99
    assert p(first, first) == 1.0


@pytest.mark.slow
def test_a_million_pairs_take_seconds() -> None:
    first, second, data = setup(15, 3000, 1_000_000, (1.0, 1.05))
    started = time.perf_counter()
    for exchange in ("input", "system", "both"):
        pair_permutation(
            tau_wmt12,
            first,
            second,
            *data,
            exchange=exchange,
            samples=200,
            rng=np.random.default_rng(0),
        )
    assert time.perf_counter() - started < 20


def test_a_constant_metric_standardises_to_zero() -> None:
    assert np.array_equal(standardise([[2.0, 2.0]]), [[0.0, 0.0]])


def test_several_sets_are_surer_than_one() -> None:
    nulls = []
    for seed in range(4):
        first, second, data = setup(5, 60, 400, (1.0, 1.3), seed)
        rng = np.random.default_rng(seed)
        nulls.append(pair_permutation(tau_wmt12, first, second, *data, rng=rng))
    assert p_value(nulls) < max(null.p_value for null in nulls)
    assert p_value(nulls[:1]) == nulls[0].p_value
