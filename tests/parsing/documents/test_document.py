"""Words in blocks, and which sentences each block may see."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing.documents import APART, BLOCK, in_blocks, in_sight


def test_the_last_block_is_filled_up() -> None:
    found = in_blocks(np.arange(1, 6), -7, size=3)
    assert found.tolist() == [[1, 2, 3], [4, 5, -7]]


@given(st.lists(st.lists(st.integers(1, 90), min_size=1, max_size=30), min_size=1, max_size=3))
def test_a_block_sees_its_neighbours_each_sentence_in_a_column_of_its_own(
    documents: list[list[int]],
) -> None:
    empty = np.full((1, BLOCK), -APART)
    parts = [
        np.concatenate([in_blocks(np.repeat(np.arange(len(sizes)), sizes) + base, -APART), empty])
        for base, sizes in zip(range(0, 12 * APART, 4 * APART), documents, strict=False)
    ]
    numbers = np.concatenate(parts)
    sight = in_sight(numbers)
    for block, seen in enumerate(sight.tolist()):
        assert {n % len(seen): n for n in seen} == dict(enumerate(seen))
        if numbers[block, 0] >= 0:
            beside = numbers[max(0, block - 1) : block + 2].ravel()
            assert set(beside[beside >= 0].tolist()) <= set(seen)
            assert -APART not in seen
