from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.arrays import Floats32
from albeit.parsing import decode as rst


def scored(planned: rst.Plan, seed: int, labels: int = 3) -> tuple[Floats32, Floats32]:
    rng = np.random.default_rng(seed)
    size = len(planned.candidates)
    return (
        rng.normal(size=size).astype(np.float32),
        rng.normal(size=(size, labels)).astype(np.float32),
    )


def check_tree(nodes: list[list[int]], first: int, last: int) -> None:
    """The nodes are exactly those of one binary tree over the EDUs."""
    spans = {(a, b): m for a, b, m, _ in nodes}
    assert len(spans) == len(nodes) == last - first
    stack = [(first, last)]
    while stack:
        a, b = stack.pop()
        if a < b:
            m = spans.pop((a, b))
            assert a <= m < b
            stack += [(a, m), (m + 1, b)]
    assert not spans


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), min_size=1, max_size=4),
    st.integers(0, 999),
)
def test_every_text_gets_one_binary_tree_with_whole_sentences(
    texts: list[list[int]], seed: int
) -> None:
    sentences: list[int] = []
    offsets = [0]
    number = 0
    for text in texts:
        for edus in text:
            sentences += [number] * edus
            number += 1
        offsets.append(len(sentences))
    planned = rst.plan_trees(np.array(sentences), np.array(offsets))
    nodes, bounds = rst.rst_trees(planned, *scored(planned, seed))
    for k in range(len(texts)):
        own = nodes[bounds[k] : bounds[k + 1]].tolist()
        check_tree(own, offsets[k], offsets[k + 1] - 1)
        for a, b, _, _ in own:
            if sentences[a] != sentences[b]:
                assert a == offsets[k] or sentences[a - 1] != sentences[a]
                assert b == offsets[k + 1] - 1 or sentences[b + 1] != sentences[b]


def test_the_most_probable_tree_wins() -> None:
    planned = rst.plan_trees(np.zeros(3, np.int32), np.array([0, 3]))
    rows = [tuple(row) for row in planned.candidates.tolist()]
    splits = np.zeros(len(rows), np.float32)
    splits[rows.index((0, 1, 2, 2))] = 2
    labels = np.zeros((len(rows), 2), np.float32)
    labels[rows.index((0, 0, 1, 1)), 1] = 1
    nodes, _ = rst.rst_trees(planned, splits, labels)
    assert nodes.tolist() == [[0, 2, 1, 0], [0, 1, 0, 1]]


def test_a_tree_does_not_depend_on_its_neighbours() -> None:
    alone = rst.plan_trees(np.zeros(4, np.int32), np.array([0, 4]))
    splits, labels = scored(alone, 5)
    together = rst.plan_trees(np.array([7, 7, 8, 8, 8, 8]), np.array([0, 2, 6]))
    extra = scored(together, 6)
    extra[0][1:], extra[1][1:] = splits, labels
    nodes, bounds = rst.rst_trees(together, *extra)
    expected = rst.rst_trees(alone, splits, labels)[0] + [2, 2, 2, 0]
    assert nodes[bounds[1] :].tolist() == expected.tolist()


def test_texts_of_one_edu_have_nothing_to_score() -> None:
    planned = rst.plan_trees(np.array([0, 1]), np.array([0, 1, 2]))
    assert len(planned.candidates) == 0
    assert planned.texts.tolist() == [0, 0, 0]


def test_a_very_long_text_stays_bounded() -> None:
    edus = 5000
    planned = rst.plan_trees(np.zeros(edus, np.int32), np.array([0, edus]))
    assert len(planned.candidates) < 30 * edus * rst.MAX_ATOMS
    nodes, _ = rst.rst_trees(planned, *scored(planned, 1, 2))
    check_tree(nodes.tolist(), 0, edus - 1)


def test_features_say_what_a_candidate_is() -> None:
    planned = rst.plan_trees(np.array([0, 0, 1]), np.array([0, 3]))
    assert planned.candidates.tolist() == [[0, 0, 1, 1], [0, 1, 2, 2]]
    assert planned.features[:, :4].tolist() == [[0, 1, 1, 1], [1, 0, 1, 1]]
    assert planned.features[1, 4:].tolist() == pytest.approx([np.log(2), 0])
