"""The all-subtree kernel of Collins and Duffy (2001), over batches of tree pairs.

Only nodes with children take part. Two nodes match when their productions (own label and
the children's labels, in order) are identical; a matching pair counts

    Δ(a, b) = λ · ∏ (1 + Δ(children of a, children of b))

with Δ = 0 for leaves, so that a pre-terminal pair counts λ. The kernel K sums Δ over all
pairs of nodes, and the similarity is K(a, b) / √(K(a, a) · K(b, b)). Self-kernels grow
exponentially with the number of matching children, so everything is kept in logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["EncodedTree", "Tree", "encode", "log_deltas", "log_kernels", "similarities"]

Tree = tuple[str, tuple["Tree", ...]]
"""A labelled ordered tree: a label and its children; a leaf has none."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EncodedTree:
    """A tree as arrays over its inner nodes, children before parents.

    ``productions`` holds a hash of each node's production; the children of node ``i`` are
    ``children[starts[i]:starts[i + 1]]``, as positions in this order, -1 for a leaf.
    """

    productions: Ints
    starts: Ints
    children: Ints

    def __len__(self) -> int:
        return len(self.productions)


def encode(tree: Tree) -> EncodedTree:
    """Hash each production once; hashes compare within one process."""
    productions: list[int] = []
    starts = [0]
    children: list[int] = []
    for label, below, places in _postorder(tree):
        productions.append(hash((label, *(child[0] for child in below))))
        children.extend(places)
        starts.append(len(children))
    return EncodedTree(
        np.array(productions, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(children, dtype=np.int64),
    )


def _postorder(tree: Tree) -> Iterator[tuple[str, tuple[Tree, ...], list[int]]]:
    """Inner nodes, children first, each with its children's places; no recursion limit."""
    count = 0
    stack: list[tuple[Tree, list[int]]] = [(tree, [])]
    while stack:
        (label, below), places = stack[-1]
        while len(places) < len(below) and not below[len(places)][1]:
            places.append(-1)
        if len(places) < len(below):
            stack.append((below[len(places)], []))
            continue
        stack.pop()
        if below:
            yield label, below, places
            if stack:
                stack[-1][1].append(count)
            count += 1


def log_kernels(left: Sequence[EncodedTree], right: Sequence[EncodedTree], decay: float) -> Floats:
    """log K of each pair (left[i], right[i]); minus infinity where nothing is shared."""
    if len(left) != len(right):
        raise ValueError("as many left trees as right trees are needed")
    if not left:
        return np.zeros(0)
    out = np.empty(len(left))
    _kernels(*_pack(left), *_pack(right), log(decay), out)
    return out


def similarities(left: Sequence[EncodedTree], right: Sequence[EncodedTree], decay: float) -> Floats:
    """Normalised kernels of pairs, each in [0, 1]; self-kernels once a distinct tree."""
    both = log_kernels(left, right, decay)
    place = {id(tree): tree for tree in (*left, *right)}
    trees = list(place.values())
    own = dict(zip(place, log_kernels(trees, trees, decay).tolist(), strict=True))
    a = np.array([own[id(tree)] for tree in left])
    b = np.array([own[id(tree)] for tree in right])
    with np.errstate(invalid="ignore"):
        exponent = both - 0.5 * (a + b)
    return np.minimum(np.exp(np.where(np.isneginf(both), -np.inf, exponent)), 1.0)


def log_deltas(a: EncodedTree, b: EncodedTree, decay: float) -> Floats:
    """log Δ of every node pair of two trees; minus infinity where productions differ."""
    delta = np.empty((len(a), len(b)))
    _fill(
        delta, a.productions, a.starts, a.children, b.productions, b.starts, b.children, log(decay)
    )
    return delta


def _pack(trees: Sequence[EncodedTree]) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Many trees in one set of arrays: node and child offsets a tree, then their contents."""
    nodes = np.concatenate([[0], np.cumsum([len(t) for t in trees])]).astype(np.int64)
    kids = np.concatenate([[0], np.cumsum([len(t.children) for t in trees])]).astype(np.int64)
    productions = np.concatenate([t.productions for t in trees])
    starts = np.concatenate([t.starts for t in trees])
    children = np.concatenate([t.children for t in trees])
    return nodes, kids, productions, starts, children


@numba.njit(cache=True)
def _fill(  # type: ignore[no-untyped-def]
    delta, prods_a, starts_a, children_a, prods_b, starts_b, children_b, log_decay
):
    """Fill ``delta[i, j]`` with log Δ of all node pairs of two trees; return the highest."""
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


@numba.njit(cache=True)
def _kernels(  # type: ignore[no-untyped-def]
    nodes_a, kids_a, prods_a, starts_a, children_a,
    nodes_b, kids_b, prods_b, starts_b, children_b,
    log_decay, out,
):  # fmt: skip
    """Fill ``out`` with log K of each pair."""
    delta = np.empty((64, 64))
    for pair in range(len(out)):
        a0, a1, b0, b1 = nodes_a[pair], nodes_a[pair + 1], nodes_b[pair], nodes_b[pair + 1]
        size_a, size_b = a1 - a0, b1 - b0
        if size_a > delta.shape[0] or size_b > delta.shape[1]:
            delta = np.empty((max(size_a, delta.shape[0]), max(size_b, delta.shape[1])))
        highest = _fill(
            delta,
            prods_a[a0:a1], starts_a[a0 + pair : a1 + pair + 1], children_a[kids_a[pair] :],
            prods_b[b0:b1], starts_b[b0 + pair : b1 + pair + 1], children_b[kids_b[pair] :],
            log_decay,
        )  # fmt: skip
        if highest == -np.inf:
            out[pair] = -np.inf
            continue
        total = 0.0
        for i in range(size_a):
            for j in range(size_b):
                if delta[i, j] > -np.inf:
                    total += np.exp(delta[i, j] - highest)
        out[pair] = highest + np.log(total)
