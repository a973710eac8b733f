from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from albeit.parsing.alignment.kernels import grow_diag_final_and

MATRICES = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(arrays(np.bool_, shape), arrays(np.bool_, shape))
)


@settings(deadline=None)
@given(MATRICES)
def test_between_intersection_and_union(pair: tuple[np.ndarray, np.ndarray]) -> None:
    one, two = pair
    joined = grow_diag_final_and(one, two)
    assert ((one & two) <= joined).all()
    assert (joined <= (one | two)).all()


def test_the_textbook_steps() -> None:
    one = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0]], bool)
    two = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1]], bool)
    # the intersection is (0,0); (1,1) grows diagonally from it, (2,2) from (1,1)
    assert grow_diag_final_and(one, two).tolist() == np.eye(3, dtype=bool).tolist()


def test_final_and_needs_both_words_free() -> None:
    one = np.array([[1, 0, 0, 0], [0, 0, 0, 1]], bool)
    two = np.array([[1, 0, 0, 1], [0, 0, 0, 0]], bool)
    joined = grow_diag_final_and(one, two)
    assert joined[1, 3]
    assert not joined[0, 3]
