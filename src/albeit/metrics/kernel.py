"""The all-subtree kernel of Collins and Duffy (2001), over batches of tree pairs.

Only nodes with children take part. Two nodes match if their productions (own label and
the children's labels, in order) are identical; a matching pair counts

    Δ(a, b) = λ · ∏ (1 + Δ(children of a, children of b))

with Δ = 0 for leaves, so that a pre-terminal pair counts λ. The kernel K sums Δ over all
pairs of nodes, and the similarity is K(a, b) / √(K(a, a) · K(b, b)). Self-kernels grow
exponentially with the number of matching children, so all values are logarithms.

Only matching pairs are computed and stored: the nodes of each tree are sorted by production,
so the matches of a node are one run of the other tree's nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.jit import jit

Handle = tuple[str, int]
"""A node of an encoder: its label and index, -1 for a leaf."""

DUMMY = "*"
"""The leaf below words and bare EDUs, because leaves never count."""


class EncodedTree(NamedTuple):
    """A tree as arrays over its inner nodes, children before parents.

    ``productions`` holds a hash of each node's production; the children of node ``i`` are
    ``children[starts[i]:starts[i + 1]]``, as indexes of nodes, -1 for a leaf.
    ``key`` is never the same for two trees that differ.
    """

    productions: IntArray
    starts: IntArray
    children: IntArray
    key: bytes

    @property
    def size(self) -> int:
        """The number of inner nodes."""
        return len(self.productions)


class Encoder:
    """Encode a tree node by node, children first; hashes compare within one process."""

    def __init__(self) -> None:
        self._productions: list[int] = []
        self._starts = [0]
        self._children: list[int] = []

    def node(self, label: str, below: tuple[Handle, ...] = ()) -> Handle:
        """Add a node over nodes that exist already."""
        if not below:
            return label, -1
        self._productions.append(hash((label, *[child[0] for child in below])))
        self._children += [child[1] for child in below]
        self._starts.append(len(self._children))
        return label, len(self._productions) - 1

    def words(self, forms: Sequence[str]) -> tuple[Handle, ...]:
        """Add an NGRAM node per word, over the word and a dummy leaf; all words at once."""
        size, first, start = len(forms), len(self._productions), len(self._children)
        self._productions += [hash((form, DUMMY)) for form in forms]
        self._productions += [hash(("NGRAM", form)) for form in forms]
        self._children += [-1] * size
        self._children += range(first, first + size)
        self._starts += range(start + 1, start + 2 * size + 1)
        return tuple([("NGRAM", n) for n in range(first + size, first + 2 * size)])

    def tree(self) -> EncodedTree:
        """Return the tree of all nodes so far."""
        productions = np.array(self._productions, dtype=np.int64)
        children = np.array(self._children, dtype=np.int64)
        key = productions.tobytes() + children.tobytes()
        return EncodedTree(productions, np.array(self._starts, dtype=np.int64), children, key)


Trees = Sequence[EncodedTree]
Forest = tuple[tuple[IntArray, ...], tuple[IntArray, ...], tuple[IntArray, ...]]
"""Many trees as arrays, see :func:`_lay_out`."""


def similarities(left: Trees, right: Trees, decay: float) -> FloatArray:
    """Return normalized kernels of pairs, each in [0, 1]; equal trees are computed once."""
    if not left:
        return np.zeros(0)
    trees, a, b = _distinct(left, right)
    every = np.arange(len(trees))
    forest = _lay_out(trees)
    own = _log_kernels(forest, every, every, decay)
    both = _log_kernels(forest, a, b, decay)
    with np.errstate(invalid="ignore"):
        exponent = both - 0.5 * (own[a] + own[b])
    return np.minimum(np.exp(np.where(np.isneginf(both), -np.inf, exponent)), 1.0)


def log_deltas(a: EncodedTree, b: EncodedTree, decay: float) -> FloatArray:
    """Return log Δ of every node pair of two trees; minus infinity where productions differ."""
    forest = _lay_out((a, b))
    order = forest[2][0]
    runs, deltas = _deltas(*forest, 0, 1, log(decay), np.empty(0))
    filled = np.full((a.size, b.size), -np.inf)
    sizes = runs[:, 1] - runs[:, 0]
    matched = np.repeat(runs[:, 0] - runs[:, 2], sizes) + np.arange(sizes.sum())
    filled[np.repeat(np.arange(a.size), sizes), order[matched]] = deltas[: sizes.sum()]
    return filled


def _distinct(left: Trees, right: Trees) -> tuple[list[EncodedTree], IntArray, IntArray]:
    """Return the distinct trees, and the number of each pair's left and right one."""
    both = [*left, *right]
    names = np.fromiter(map(id, both), dtype=np.int64, count=len(both))
    _, first, object_of = np.unique(names, return_index=True, return_inverse=True)
    objects = [both[index] for index in first.tolist()]
    known = {tree.key: tree for tree in objects}
    number = {key: n for n, key in enumerate(known)}
    numbers = np.array([number[tree.key] for tree in objects])[object_of]
    return list(known.values()), numbers[: len(left)], numbers[len(left) :]


def _lay_out(trees: Trees) -> Forest:
    """Return trees in one set of arrays: bounds, nodes, and the nodes sorted by production.

    The first array of the last part has the nodes of each tree in this order, as indexes within
    the tree.
    """
    sizes = [tree.size for tree in trees]
    nodes = np.cumsum([0, *sizes])
    kids = np.cumsum([0, *(len(tree.children) for tree in trees)])
    productions = np.concatenate([tree.productions for tree in trees])
    starts = np.concatenate([tree.starts for tree in trees])
    children = np.concatenate([tree.children for tree in trees])
    order = np.lexsort((productions, np.repeat(np.arange(len(trees)), sizes)))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    sorting = order - np.repeat(nodes[:-1], sizes), rank, productions[order]
    return (nodes, kids), (productions, starts, children), sorting


def _log_kernels(forest: Forest, left: IntArray, right: IntArray, decay: float) -> FloatArray:
    """Return log K of pairs of trees, given by their numbers."""
    kernels = np.empty(len(left))
    _kernels(*forest, left, right, log(decay), kernels)
    return kernels


@jit
def _deltas(bounds, trees, sorting, a, b, log_decay, buffer):  # type: ignore[no-untyped-def]
    """Return log Δ of all matching node pairs of trees ``a`` and ``b``, node by node of ``a``.

    Each row of the first result is the run of matches of a node in the sorted nodes of ``b``
    (start, stop), and the index of its first Δ in the second result.
    """
    nodes, kids = bounds
    productions, starts, children = trees
    order, rank, by_production = sorting
    a0, size = nodes[a], nodes[a + 1] - nodes[a]
    b0, b1 = nodes[b], nodes[b + 1]
    starts_a, starts_b = starts[a0 + a :], starts[b0 + b :]
    children_a, children_b = children[kids[a] :], children[kids[b] :]
    runs = np.empty((size, 3), np.int64)
    total = 0
    for i in range(size):
        own = productions[a0 + i]
        runs[i, 0] = b0 + np.searchsorted(by_production[b0:b1], own, side="left")
        runs[i, 1] = b0 + np.searchsorted(by_production[b0:b1], own, side="right")
        runs[i, 2] = total
        total += runs[i, 1] - runs[i, 0]
    deltas = buffer if len(buffer) >= total else np.empty(total)
    for i in range(size):
        for match in range(runs[i, 0], runs[i, 1]):
            j = order[match]
            value = log_decay
            for c in range(starts_a[i + 1] - starts_a[i]):
                x, y = children_a[starts_a[i] + c], children_b[starts_b[j] + c]
                if x >= 0 and y >= 0 and runs[x, 0] <= rank[b0 + y] < runs[x, 1]:
                    below = deltas[runs[x, 2] + rank[b0 + y] - runs[x, 0]]
                    # Above 35, 1 + Δ equals Δ in double precision.
                    value += below if below > 35.0 else np.log1p(np.exp(below))
            deltas[runs[i, 2] + match - runs[i, 0]] = value
    return runs, deltas


@jit
def _kernels(bounds, trees, sorting, left, right, log_decay, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` with log K of each pair."""
    buffer = np.empty(4096)
    for pair in range(len(out)):
        runs, buffer = _deltas(bounds, trees, sorting, left[pair], right[pair], log_decay, buffer)
        count = runs[-1, 2] + runs[-1, 1] - runs[-1, 0] if len(runs) else 0
        highest = -np.inf
        for value in buffer[:count]:
            highest = max(highest, value)
        total = 0.0
        for value in buffer[:count]:
            total += np.exp(value - highest)
        out[pair] = highest + np.log(total) if count else -np.inf
