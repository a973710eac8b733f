from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.annotate.decode import bio


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
    found = bio.viterbi(scores, np.array([words]))[0]
    best = max(
        (tags for tags in product(range(1 + 2 * labels), repeat=words) if valid(tags)),
        key=lambda tags: sum(float(scores[0, w, t]) for w, t in enumerate(tags)),
    )
    assert tuple(found.tolist()) == best


def test_padding_is_ignored() -> None:
    scores = np.zeros((2, 3, 3), np.float32)
    scores[0, :, 1] = 5
    scores[1, 0, 1] = 5
    scores[1, 1, 2] = 5
    tags = bio.viterbi(scores, np.array([1, 3]))
    assert tags.tolist() == [[1, 0, 0], [1, 2, 0]]


def test_spans_read_begin_inside_outside() -> None:
    tags = np.array([1, 2, 1, 0, 3, 4, 4], np.int32)
    assert bio.spans(tags, 7) == [(0, 2, 0), (2, 3, 0), (4, 7, 1)]
    assert bio.spans(tags, 6) == [(0, 2, 0), (2, 3, 0), (4, 6, 1)]
    assert bio.spans(tags, 0) == []


def test_a_sentence_without_words_has_no_tags() -> None:
    assert bio.viterbi(np.ones((1, 2, 3), np.float32), np.array([0])).tolist() == [[0, 0]]
