"""The kernel in little memory gives what the kernel gives."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.metrics.rst import kernel
from albeit.metrics.rst.kernel import Tree, encode, log_kernels, similarities
from albeit.metrics.rst.long_kernel import _heights, _order, long_log_kernel


def words(*forms: str) -> tuple[Tree, ...]:
    return tuple(("NGRAM", ((form, (("*", ()),)),)) for form in forms)


LEAVES = st.one_of(
    st.sampled_from(["N:EDU", "S:EDU"]).map(lambda label: (label, (("*", ()),))),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(
        lambda forms: ("EDU", (("NUC", (("N", ()),)), *words(*forms)))
    ),
)
TREES = st.recursive(
    LEAVES,
    lambda below: st.tuples(
        st.sampled_from(["N:joint", "S:joint", "SPAN"]), st.tuples(below, below)
    ),
    max_leaves=20,
)


@settings(max_examples=200)
@given(TREES, TREES, st.sampled_from([0.05, 0.4, 1.0]))
def test_the_same_kernel(left: Tree, right: Tree, decay: float) -> None:
    a, b = encode(left), encode(right)
    for one, other in ((a, b), (b, a), (a, a)):
        expected = log_kernels([one], [other], decay)[0]
        found = long_log_kernel(one.nodes, other.nodes, log(decay))
        assert found == pytest.approx(expected, abs=1e-9)


def test_nothing_shared() -> None:
    one, other = encode(("a", (("b", ()),))), encode(("c", (("d", ()),)))
    assert long_log_kernel(one.nodes, other.nodes, 0) == -np.inf


@pytest.mark.parametrize("towards", [0, 1])
def test_rows_of_a_chain_are_few(towards: int) -> None:
    tree: Tree = ("EDU", words("a"))
    for _ in range(500):
        pair = (tree, ("EDU", words("a"))) if towards else (("EDU", words("a")), tree)
        tree = ("SPAN", pair)
    encoded = encode(tree)
    heights = _heights(encoded.starts, encoded.children)
    order, rows = _order(encoded.starts, encoded.children, heights)
    assert len(order) == 1001
    assert rows == 3


def test_long_trees_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = [
        encode(("SPAN", (("EDU", words(*"ab")), ("EDU", words(*form))))) for form in ("b", "c")
    ]
    expected = similarities(trees, trees[::-1], 0.4)
    monkeypatch.setattr(kernel, "LONG", 0)
    assert similarities(trees, trees[::-1], 0.4) == pytest.approx(expected)
