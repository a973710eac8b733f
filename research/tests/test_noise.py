from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from training.noise import noisy_row, resample
from training.rows import Frame, Row


def test_dropping_a_comma_moves_everything_after_it(example_row: Callable[[], Row]) -> None:
    row = example_row()
    keep = [0, 1, 2, 4, 5, 6]
    found = resample(row, keep, [row.words[k] for k in keep])
    assert found is not None
    assert found.words == ["Although", "it", "rained", "we", "left", "."]
    assert found.edus == [0, 3]
    assert found.heads == [3, 3, 5, 5, 0, 5]
    assert found.brackets == [(0, 6, "S"), (0, 3, "SBAR"), (3, 4, "NP")]
    left = Frame(4, [(0, 3, "ARGM-ADV"), (3, 4, "ARG0")])
    assert found.frames == [Frame(2, [(1, 2, "ARG0")]), left]


def test_a_doubled_full_stop_hangs_on_the_same_head(example_row: Callable[[], Row]) -> None:
    row = example_row()
    keep = [0, 1, 2, 3, 4, 5, 6, 6]
    found = resample(row, keep, [row.words[k] for k in keep])
    assert found is not None
    assert found.heads == [3, 3, 6, 3, 6, 0, 6, 6]
    assert (found.brackets or [])[0] == (0, 8, "S")


def test_an_edu_never_vanishes(example_row: Callable[[], Row]) -> None:
    row = example_row()
    assert resample(row, [4, 5, 6], row.words[4:]) is None


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6))
def test_noise_keeps_rows_sound(example_row: Callable[[], Row], seed: int) -> None:
    row = example_row()
    found = noisy_row(row, random.Random(seed), ["vielleicht", "demain"])
    size = len(found.words)
    assert found.edus is not None
    assert found.edus[0] == 0
    assert len(found.edus) == 2
    assert found.edus[1] < size
    assert found.heads is not None
    assert sum(head == 0 for head in found.heads) == 1
    assert all(0 <= head <= size for head in found.heads)
    assert len(found.upos or []) == size
    assert len(found.frames or []) == 2
    for start, stop, _ in found.brackets or []:
        assert 0 <= start < stop <= size
