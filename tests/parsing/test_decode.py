"""Tags, brackets, dependencies, and RST trees from scores."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.parsing import decode as rst
from albeit.parsing.decode import best_trees, nested_spans, tagged_spans, viterbi


def valid(tags: tuple[int, ...]) -> bool:
    return all(
        tag == 0 or tag % 2 or before in (tag, tag - 1) for before, tag in pairwise((0, *tags))
    )


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 2), st.integers(0, 10_000))
def test_viterbi_finds_the_best_valid_sequence(words: int, labels: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, words, 1 + 2 * labels)).astype(np.float32)
    found = viterbi(scores, np.array([words]))[0]
    best = max(
        (tags for tags in product(range(1 + 2 * labels), repeat=words) if valid(tags)),
        key=lambda tags: sum(float(scores[0, w, t]) for w, t in enumerate(tags)),
    )
    assert tuple(found.tolist()) == best


def test_spans_read_begin_inside_outside() -> None:
    tags = np.array([1, 2, 1, 0, 3, 4, 4], np.int32)
    assert tagged_spans(tags, 7) == [(0, 2, 0), (2, 3, 0), (4, 7, 1)]
    assert tagged_spans(tags, 6) == [(0, 2, 0), (2, 3, 0), (4, 6, 1)]
    assert tagged_spans(tags, 0) == []


def test_padding_of_tags_is_ignored() -> None:
    scores = np.zeros((3, 3, 3), np.float32)
    scores[0, :, 1] = scores[1, 0, 1] = scores[1, 1, 2] = scores[2, :, 1] = 5
    tags = viterbi(scores, np.array([1, 3, 0]))
    assert tags.tolist() == [[1, 0, 0], [1, 2, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("sizes", "positive", "found"),
    [
        # all of these nest
        ([4], {(0, 0, 2): 2, (0, 2, 4): 2, (0, 3, 4): 2}, [(0, 4), (0, 2), (2, 4), (3, 4)]),
        # of two that cross, the better one is kept
        ([3], {(0, 0, 2): 3, (0, 1, 3): 2}, [(0, 3), (0, 2)]),
        ([0, 1], {}, [(0, 1)]),
    ],
)
def test_nested_spans(
    sizes: list[int], positive: dict[tuple[int, ...], int], found: list[tuple[int, int]]
) -> None:
    scores = np.full((len(sizes), 5, 5), -1, np.float32)
    for place, score in positive.items():
        scores[place] = score
    rows = nested_spans(scores, np.array(sizes)).tolist()
    assert rows == [[len(sizes) - 1, *span] for span in found]


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_brackets_never_cross_and_come_parents_first(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, size + 1, size + 1)).astype(np.float32)
    found = [tuple(row[1:]) for row in nested_spans(scores, np.array([size])).tolist()]
    assert found[0] == (0, size)
    assert len(set(found)) == len(found)
    for number, (a, b) in enumerate(found):
        for c, d in found[:number]:
            assert b <= c or d <= a or (c <= a and b <= d)


def is_tree(heads: tuple[int, ...]) -> bool:
    """Whether one word depends on 0, and all others on it."""
    below, reached = [0], 0
    while below:
        head = below.pop()
        reached += 1
        below += [word for word, other in enumerate(heads, 1) if other == head]
    return reached == len(heads) + 1 and heads.count(0) == 1


@settings(max_examples=120)
@given(st.integers(1, 5) | st.integers(6, 40), st.integers(0, 100_000))
def test_the_best_tree_with_one_root_is_found(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, size, size + 1)).astype(np.float32)

    def total(heads: tuple[int, ...]) -> float:
        return float(sum(scores[0, d, h] for d, h in enumerate(heads)))

    found = tuple(best_trees(scores, np.array([size]))[0].tolist())
    assert is_tree(found)
    if size <= 5:
        best = max(filter(is_tree, product(range(size + 1), repeat=size)), key=total)
        assert abs(total(found) - total(best)) < 1e-4


def test_padding_of_trees_is_ignored() -> None:
    rng = np.random.default_rng(3)
    alone = rng.normal(size=(1, 4, 5)).astype(np.float32)
    padded = np.full((2, 9, 10), 99, np.float32)
    padded[1, :4, :5] = alone[0]
    together = best_trees(padded, np.array([9, 4]))
    assert together[1, :4].tolist() == best_trees(alone, np.array([4]))[0].tolist()


Floats = npt.NDArray[np.float32]


def scored(planned: rst.Plan, seed: int, labels: int = 3) -> tuple[Floats, Floats]:
    draw = np.random.default_rng(seed).standard_normal
    size = len(planned.candidates)
    return draw(size, np.float32), draw((size, labels), np.float32)


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


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), min_size=1, max_size=4),
    st.integers(0, 999),
)
def test_every_text_gets_one_binary_tree_with_whole_sentences(
    texts: list[list[int]], seed: int
) -> None:
    edus = [count for text in texts for count in text]
    sentences = np.repeat(np.arange(len(edus)), edus).tolist()
    offsets = np.cumsum([0, *map(sum, texts)]).tolist()
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


def test_a_very_long_text_stays_bounded() -> None:
    edus = 5000
    planned = rst.plan_trees(np.zeros(edus, np.int32), np.array([0, edus]))
    assert len(planned.candidates) < 30 * edus * rst.MAX_ATOMS
    nodes, _ = rst.rst_trees(planned, *scored(planned, 1, 2))
    check_tree(nodes.tolist(), 0, edus - 1)


def test_features_say_what_a_candidate_is() -> None:
    alone = rst.plan_trees(np.array([0, 1]), np.array([0, 1, 2]))
    assert len(alone.candidates) == 0, "texts of one EDU have nothing to score"
    assert alone.texts.tolist() == [0, 0, 0]
    planned = rst.plan_trees(np.array([0, 0, 1]), np.array([0, 3]))
    assert planned.candidates.tolist() == [[0, 0, 1, 1], [0, 1, 2, 2]]
    assert planned.features[:, :4].tolist() == [[0, 1, 1, 1], [1, 0, 1, 1]]
    assert planned.features[1, 4:].tolist() == pytest.approx([np.log(2), 0])
