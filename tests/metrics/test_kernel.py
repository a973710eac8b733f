"""The kernel against its recursive definition, and what every kernel must satisfy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.metrics.kernel import EncodedTree, Encoder, Handle, _lay_out, _log_kernels, similarities

Tree = tuple[str, tuple["Tree", ...]]
"""A labelled ordered tree: a label and its children; a leaf has none."""


def encode(tree: Tree) -> EncodedTree:
    encoder = Encoder()

    def add(node: Tree) -> Handle:
        return encoder.node(node[0], tuple(add(child) for child in node[1]))

    add(tree)
    return encoder.tree()


LABELS = st.sampled_from(["A", "B", "C"])
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.tuples(LABELS, st.just(())),
    lambda children: st.tuples(LABELS, st.lists(children, min_size=1, max_size=3).map(tuple)),
    max_leaves=12,
)
ROOTED = st.tuples(LABELS, st.lists(TREES, min_size=1, max_size=3).map(tuple))
DECAYS = st.sampled_from([0.1, 0.4, 1.0])


def inner(tree: Tree) -> list[Tree]:
    return [] if not tree[1] else [tree, *(node for child in tree[1] for node in inner(child))]


def delta(a: Tree, b: Tree, decay: float) -> float:
    """The definition, recursively."""
    if not a[1] or not b[1] or a[0] != b[0] or [c[0] for c in a[1]] != [c[0] for c in b[1]]:
        return 0.0
    product = decay
    for x, y in zip(a[1], b[1], strict=True):
        product *= 1 + delta(x, y, decay)
    return product


def plain_kernel(a: Tree, b: Tree, decay: float) -> float:
    return sum(delta(x, y, decay) for x in inner(a) for y in inner(b))


def kernel(a: Tree, b: Tree, decay: float) -> float:
    kernels = _log_kernels(_lay_out((encode(a), encode(b))), np.array([0]), np.array([1]), decay)
    return float(np.exp(kernels[0]))


@given(ROOTED, ROOTED, DECAYS)
def test_equals_the_recursive_definition(a: Tree, b: Tree, decay: float) -> None:
    assert kernel(a, b, decay) == pytest.approx(plain_kernel(a, b, decay), rel=1e-9)


@given(ROOTED, ROOTED, DECAYS)
def test_symmetric_bounded_and_one_on_identical_trees(a: Tree, b: Tree, decay: float) -> None:
    x, y = encode(a), encode(b)
    there, back, same = similarities([x, y, x], [y, x, encode(a)], decay)
    assert there == pytest.approx(back)
    assert 0 <= there <= 1
    assert same == pytest.approx(1)


@settings(max_examples=30)
@given(st.lists(ROOTED, min_size=2, max_size=8), DECAYS)
def test_gram_matrices_are_positive_semidefinite(trees: list[Tree], decay: float) -> None:
    encoded = [encode(tree) for tree in trees]
    left = [x for x in encoded for _ in encoded]
    gram = similarities(left, encoded * len(encoded), decay).reshape(len(trees), -1)
    assert np.linalg.eigvalsh(gram).min() > -1e-9


def test_long_edus_do_not_overflow() -> None:
    words: Tree = ("NGRAM", tuple((f"w{i}", (("*", ()),)) for i in range(5000)))
    other: Tree = ("NGRAM", words[1][:-1])
    same, near = similarities([encode(words)] * 2, [encode(words), encode(other)], 1.0)
    assert same == pytest.approx(1)
    assert 0 <= near < 1e-100
