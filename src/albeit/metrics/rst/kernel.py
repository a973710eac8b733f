"""The all-subtree kernel of Collins and Duffy (2001), over batches of tree pairs.

Only nodes with children take part. Two nodes match when their productions (own label and
the children's labels, in order) are identical; a matching pair counts

    Δ(a, b) = λ · ∏ (1 + Δ(children of a, children of b))

with Δ = 0 for leaves, so that a pre-terminal pair counts λ. The kernel K sums Δ over all
pairs of nodes, and the similarity is K(a, b) / √(K(a, a) · K(b, b)). Self-kernels grow
exponentially with the number of matching children, so everything is kept in logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from albeit.jit import jit
from albeit.metrics.rst.long_kernel import Nodes, long_log_kernel

__all__ = ["EncodedTree", "Encoder", "Tree", "encode", "log_deltas", "log_kernels", "similarities"]

Tree = tuple[str, tuple["Tree", ...]]
"""A labelled ordered tree: a label and its children; a leaf has none."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


LONG = 1 << 22
"""Pairs of trees with more pairs of nodes are computed in less memory, row by row."""


@dataclass(frozen=True, eq=False)
class EncodedTree:
    """A tree as arrays over its inner nodes, children before parents.

    ``productions`` holds a hash of each node's production; the children of node ``i`` are
    ``children[starts[i]:starts[i + 1]]``, as positions in this order, -1 for a leaf.
    ``key`` is never the same for two trees that differ.
    """

    productions: Ints
    starts: Ints
    children: Ints
    key: bytes

    def __len__(self) -> int:
        return len(self.productions)

    @property
    def nodes(self) -> Nodes:
        """What compiled code reads of it."""
        return self.productions, self.starts, self.children


class Encoder:
    """Makes an encoded tree node by node, children first; hashes compare within one process.

    Nodes are distinguished by their label and place, -1 for a leaf.
    """

    def __init__(self) -> None:
        self._productions: list[int] = []
        self._starts = [0]
        self._children: list[int] = []

    def node(self, label: str, below: tuple[tuple[str, int], ...] = ()) -> tuple[str, int]:
        """A node over nodes that exist already."""
        if not below:
            return label, -1
        self._productions.append(hash((label, *[child[0] for child in below])))
        self._children += [child[1] for child in below]
        self._starts.append(len(self._children))
        return label, len(self._productions) - 1

    def over(self, labels: Sequence[str], leaf: str) -> tuple[tuple[str, int], ...]:
        """One node a label, each over a leaf of its own: many at once, for words."""
        first, start = len(self._productions), len(self._children) + 1
        self._productions += [hash((label, leaf)) for label in labels]
        self._children += [-1] * len(labels)
        self._starts += range(start, start + len(labels))
        return tuple(zip(labels, range(first, first + len(labels)), strict=True))

    def each(self, label: str, below: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
        """One node of this label over each of some nodes: many at once, for words."""
        first, start = len(self._productions), len(self._children) + 1
        self._productions += [hash((label, child[0])) for child in below]
        self._children += [child[1] for child in below]
        self._starts += range(start, start + len(below))
        return tuple([(label, n) for n in range(first, first + len(below))])

    def tree(self) -> EncodedTree:
        """What was made so far."""
        productions = np.array(self._productions, dtype=np.int64)
        children = np.array(self._children, dtype=np.int64)
        key = productions.tobytes() + children.tobytes()
        return EncodedTree(productions, np.array(self._starts, dtype=np.int64), children, key)


def encode(tree: Tree) -> EncodedTree:
    """Hash each production once; without recursion, whatever the depth."""
    encoder = Encoder()
    stack: list[tuple[Tree, list[tuple[str, int]]]] = [(tree, [])]
    while stack:
        (label, below), done = stack[-1]
        if len(done) < len(below):
            stack.append((below[len(done)], []))
            continue
        stack.pop()
        made = encoder.node(label, tuple(done))
        if stack:
            stack[-1][1].append(made)
    return encoder.tree()


def log_kernels(left: Sequence[EncodedTree], right: Sequence[EncodedTree], decay: float) -> Floats:
    """log K of each pair (left[i], right[i]); minus infinity where nothing is shared."""
    if len(left) != len(right):
        raise ValueError("as many left trees as right trees are needed")
    if not left:
        return np.zeros(0)
    return _Forest((*left, *right)).log_kernels(
        np.arange(len(left)), np.arange(len(left), 2 * len(left)), decay
    )


def similarities(left: Sequence[EncodedTree], right: Sequence[EncodedTree], decay: float) -> Floats:
    """Normalised kernels of pairs, each in [0, 1]; equal trees are packed once."""
    if len(left) != len(right):
        raise ValueError("as many left trees as right trees are needed")
    if not left:
        return np.zeros(0)
    trees, a, b = _distinct(left, right)
    forest = _Forest(trees)
    everyone = np.arange(len(trees))
    own = forest.log_kernels(everyone, everyone, decay)
    both = forest.log_kernels(a, b, decay)
    with np.errstate(invalid="ignore"):
        exponent = both - 0.5 * (own[a] + own[b])
    return np.minimum(np.exp(np.where(np.isneginf(both), -np.inf, exponent)), 1.0)


def _distinct(
    left: Sequence[EncodedTree], right: Sequence[EncodedTree]
) -> tuple[list[EncodedTree], Ints, Ints]:
    """Trees that differ, and the number of each pair's left and right one among them."""
    both = [*left, *right]
    names = np.fromiter(map(id, both), dtype=np.int64, count=len(both))
    _, first, object_of = np.unique(names, return_index=True, return_inverse=True)
    objects = [both[at] for at in first.tolist()]
    known = {tree.key: tree for tree in objects}
    number = {key: n for n, key in enumerate(known)}
    places = np.array([number[tree.key] for tree in objects])[object_of]
    return list(known.values()), places[: len(left)], places[len(left) :]


def log_deltas(a: EncodedTree, b: EncodedTree, decay: float) -> Floats:
    """log Δ of every node pair of two trees; minus infinity where productions differ."""
    delta = np.empty((len(a), len(b)))
    _fill(delta, a.nodes, b.nodes, log(decay))
    return delta


class _Forest:
    """Many trees in one set of arrays."""

    def __init__(self, trees: Sequence[EncodedTree]) -> None:
        self._trees = trees
        self._nodes = np.cumsum([0, *map(len, trees)])
        self._kids = np.cumsum([0, *(len(tree.children) for tree in trees)])
        productions, starts, children = zip(*(tree.nodes for tree in trees), strict=True)
        self._all = np.concatenate(productions), np.concatenate(starts), np.concatenate(children)

    def log_kernels(self, left: Ints, right: Ints, decay: float) -> Floats:
        """log K of pairs of trees, given by their numbers."""
        sizes = np.diff(self._nodes)
        long = sizes[left] * sizes[right] > LONG
        out = np.empty(len(left))
        short = np.empty(len(left) - int(long.sum()))
        _kernels(self._nodes, self._kids, self._all, left[~long], right[~long], log(decay), short)
        out[~long] = short
        for at in np.flatnonzero(long).tolist():
            a, b = self._trees[left[at]], self._trees[right[at]]
            out[at] = long_log_kernel(a.nodes, b.nodes, log(decay))
        return out


@jit
def _fill(delta, one, other, log_decay):  # type: ignore[no-untyped-def]
    """Fill ``delta[i, j]`` with log Δ of all node pairs of two trees; return the highest."""
    (prods_a, starts_a, children_a), (prods_b, starts_b, children_b) = one, other
    highest = -np.inf
    for i in range(len(prods_a)):
        first_a, end_a = starts_a[i], starts_a[i + 1]
        for j in range(len(prods_b)):
            if prods_b[j] != prods_a[i]:
                delta[i, j] = -np.inf
                continue
            first_b = starts_b[j]
            value = log_decay
            for c in range(end_a - first_a):
                x, y = children_a[first_a + c], children_b[first_b + c]
                if x >= 0 and y >= 0 and delta[x, y] > -np.inf:
                    below = delta[x, y]
                    # Above 35, 1 + Δ equals Δ in double precision.
                    value += below if below > 35.0 else np.log1p(np.exp(below))
            delta[i, j] = value
            highest = max(highest, value)
    return highest


@jit
def _kernels(nodes, kids, trees, left, right, log_decay, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` with log K of each pair."""
    productions, starts, children = trees
    delta = np.empty((64, 64))
    for pair in range(len(out)):
        a, b = left[pair], right[pair]
        a0, a1, b0, b1 = nodes[a], nodes[a + 1], nodes[b], nodes[b + 1]
        size_a, size_b = a1 - a0, b1 - b0
        if size_a > delta.shape[0] or size_b > delta.shape[1]:
            delta = np.empty((max(size_a, delta.shape[0]), max(size_b, delta.shape[1])))
        one = productions[a0:a1], starts[a0 + a : a1 + a + 1], children[kids[a] :]
        other = productions[b0:b1], starts[b0 + b : b1 + b + 1], children[kids[b] :]
        highest = _fill(delta, one, other, log_decay)
        if highest == -np.inf:
            out[pair] = -np.inf
            continue
        total = 0.0
        for i in range(size_a):
            for j in range(size_b):
                if delta[i, j] > -np.inf:
                    total += np.exp(delta[i, j] - highest)
        out[pair] = highest + np.log(total)
