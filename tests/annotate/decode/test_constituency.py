from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.annotate.decode import constituency


def test_positive_spans_that_nest_are_all_kept() -> None:
    scores = np.full((1, 5, 5), -1, np.float32)
    for start, stop in ((0, 2), (2, 4), (3, 4)):
        scores[0, start, stop] = 2
    found = constituency.brackets(scores, np.array([4])).tolist()
    assert found == [[0, 0, 4], [0, 0, 2], [0, 2, 4], [0, 3, 4]]


def test_of_two_crossing_spans_the_better_stays() -> None:
    scores = np.full((1, 4, 4), -1, np.float32)
    scores[0, 0, 2] = 3
    scores[0, 1, 3] = 2
    assert constituency.brackets(scores, np.array([3])).tolist() == [[0, 0, 3], [0, 0, 2]]


def test_empty_and_one_word_sentences() -> None:
    scores = np.full((2, 3, 3), -5, np.float32)
    assert constituency.brackets(scores, np.array([0, 1])).tolist() == [[1, 0, 1]]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_brackets_never_cross_and_come_parents_first(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, size + 1, size + 1)).astype(np.float32)
    found = [tuple(row[1:]) for row in constituency.brackets(scores, np.array([size])).tolist()]
    assert found[0] == (0, size)
    assert len(set(found)) == len(found)
    for number, (a, b) in enumerate(found):
        for c, d in found[:number]:
            assert b <= c or d <= a or (c <= a and b <= d)
