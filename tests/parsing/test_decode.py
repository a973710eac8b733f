"""Tags, brackets, dependencies, and RST trees from scores."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.parsing import decode as rst
from albeit.parsing.decode import best_trees, nested_spans, viterbi


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


def cross(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    (a, b), (c, d) = sorted((one, other))
    return a < c < b < d


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_the_best_brackets_that_never_cross_come_parents_first(size: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, size + 1, size + 1)).astype(np.float32)
    found = [tuple(row[1:]) for row in nested_spans(scores, np.array([size])).tolist()]
    assert found[0] == (0, size)
    assert len(set(found)) == len(found)
    for number, (a, b) in enumerate(found):
        assert not any(cross((a, b), other) for other in found[:number])
        assert not any(a <= c and d <= b for c, d in found[:number])
    for a, b in combinations(range(size + 1), 2):
        kept_instead = sum(scores[0][span] for span in found if cross((a, b), span))
        assert (a, b) in found or scores[0, a, b] <= kept_instead


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
def test_trees_have_whole_sentences(texts: list[list[int]], seed: int) -> None:
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


def test_a_very_long_text_stays_bounded() -> None:
    edus = 5000
    planned = rst.plan_trees(np.zeros(edus, np.int32), np.array([0, edus]))
    assert len(planned.candidates) < 30 * edus * rst.MAX_ATOMS
    nodes, _ = rst.rst_trees(planned, *scored(planned, 1, 2))
    check_tree(nodes.tolist(), 0, edus - 1)
