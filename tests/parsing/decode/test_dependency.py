from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.parsing.decode import dependency


def is_tree(heads: tuple[int, ...]) -> bool:
    if sum(head == 0 for head in heads) != 1:
        return False
    for start in range(1, len(heads) + 1):
        at, steps = start, 0
        while at != 0 and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at != 0:
            return False
    return True


def total(scores: npt.NDArray[np.float32], heads: tuple[int, ...]) -> float:
    return float(sum(scores[d, h] for d, h in enumerate(heads)))


@settings(max_examples=120, deadline=None)
@given(st.integers(1, 5), st.integers(0, 100_000))
def test_the_best_single_root_tree_is_found(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, size, size + 1)).astype(np.float32)
    found = tuple(dependency.trees(scores, np.array([size]))[0].tolist())
    assert is_tree(found)
    best = max(
        (h for h in product(range(size + 1), repeat=size) if is_tree(h)),
        key=lambda heads: total(scores[0], heads),
    )
    assert abs(total(scores[0], found) - total(scores[0], best)) < 1e-4


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(0, 1000))
def test_long_sentences_get_trees_too(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, size, size + 1)).astype(np.float32)
    assert is_tree(tuple(dependency.trees(scores, np.array([size]))[0].tolist()))


def test_padding_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    alone = rng.normal(size=(1, 4, 5)).astype(np.float32)
    padded = np.full((2, 9, 10), 99, np.float32)
    padded[1, :4, :5] = alone[0]
    together = dependency.trees(padded, np.array([9, 4]))
    assert together[1, :4].tolist() == dependency.trees(alone, np.array([4]))[0].tolist()
