from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.parsing.decode import best_trees, nested_spans, tagged_spans, viterbi


def valid(tags: tuple[int, ...]) -> bool:
    before = 0
    for tag in tags:
        if tag > 0 and tag % 2 == 0 and before not in (tag, tag - 1):
            return False
        before = tag
    return True


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(1, 2), st.integers(0, 10_000))
def test_viterbi_finds_the_best_valid_sequence(words: int, labels: int, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, words, 1 + 2 * labels)).astype(np.float32)
    found = viterbi(scores, np.array([words]))[0]
    best = max(
        (tags for tags in product(range(1 + 2 * labels), repeat=words) if valid(tags)),
        key=lambda tags: sum(float(scores[0, w, t]) for w, t in enumerate(tags)),
    )
    assert tuple(found.tolist()) == best


def test_padding_of_tags_is_ignored() -> None:
    scores = np.zeros((2, 3, 3), np.float32)
    scores[0, :, 1] = 5
    scores[1, 0, 1] = 5
    scores[1, 1, 2] = 5
    tags = viterbi(scores, np.array([1, 3]))
    assert tags.tolist() == [[1, 0, 0], [1, 2, 0]]


def test_spans_read_begin_inside_outside() -> None:
    tags = np.array([1, 2, 1, 0, 3, 4, 4], np.int32)
    assert tagged_spans(tags, 7) == [(0, 2, 0), (2, 3, 0), (4, 7, 1)]
    assert tagged_spans(tags, 6) == [(0, 2, 0), (2, 3, 0), (4, 6, 1)]
    assert tagged_spans(tags, 0) == []


def test_a_sentence_without_words_has_no_tags() -> None:
    assert viterbi(np.ones((1, 2, 3), np.float32), np.array([0])).tolist() == [[0, 0]]


def test_positive_spans_that_nest_are_all_kept() -> None:
    scores = np.full((1, 5, 5), -1, np.float32)
    for start, stop in ((0, 2), (2, 4), (3, 4)):
        scores[0, start, stop] = 2
    found = nested_spans(scores, np.array([4])).tolist()
    assert found == [[0, 0, 4], [0, 0, 2], [0, 2, 4], [0, 3, 4]]


def test_of_two_crossing_spans_the_better_stays() -> None:
    scores = np.full((1, 4, 4), -1, np.float32)
    scores[0, 0, 2] = 3
    scores[0, 1, 3] = 2
    assert nested_spans(scores, np.array([3])).tolist() == [[0, 0, 3], [0, 0, 2]]


def test_empty_and_one_word_sentences() -> None:
    scores = np.full((2, 3, 3), -5, np.float32)
    assert nested_spans(scores, np.array([0, 1])).tolist() == [[1, 0, 1]]


@settings(max_examples=40, deadline=None)
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
    found = tuple(best_trees(scores, np.array([size]))[0].tolist())
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
    assert is_tree(tuple(best_trees(scores, np.array([size]))[0].tolist()))


def test_padding_of_trees_is_ignored() -> None:
    rng = np.random.default_rng(3)
    alone = rng.normal(size=(1, 4, 5)).astype(np.float32)
    padded = np.full((2, 9, 10), 99, np.float32)
    padded[1, :4, :5] = alone[0]
    together = best_trees(padded, np.array([9, 4]))
    assert together[1, :4].tolist() == best_trees(alone, np.array([4]))[0].tolist()
