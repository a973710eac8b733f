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

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["EncodedTree", "Tree", "encode", "log_kernels", "similarities"]

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

    def visit(node: Tree) -> int:
        label, below = node
        if not below:
            return -1
        places = [visit(child) for child in below]
        productions.append(hash((label, *(child[0] for child in below))))
        children.extend(places)
        starts.append(len(children))
        return len(productions) - 1

    visit(tree)
    return EncodedTree(
        np.array(productions, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(children, dtype=np.int64),
    )


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


def _pack(trees: Sequence[EncodedTree]) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Many trees in one set of arrays: node and child offsets a tree, then their contents."""
    nodes = np.concatenate([[0], np.cumsum([len(t) for t in trees])]).astype(np.int64)
    kids = np.concatenate([[0], np.cumsum([len(t.children) for t in trees])]).astype(np.int64)
    productions = np.concatenate([t.productions for t in trees])
    starts = np.concatenate([t.starts[:-1] for t in trees] + [np.zeros(1, dtype=np.int64)])
    children = np.concatenate([t.children for t in trees])
    return nodes, kids, productions, starts, children


@numba.njit(cache=True)
def _kernels(  # type: ignore[no-untyped-def]
    nodes_a, kids_a, prods_a, starts_a, children_a,
    nodes_b, kids_b, prods_b, starts_b, children_b,
    log_decay, out,
):  # fmt: skip
    """Fill ``out`` with log K of each pair; Δ is kept as log Δ, -inf where nodes differ."""
    delta = np.empty((64, 64))
    for pair in range(len(out)):
        a0, b0 = nodes_a[pair], nodes_b[pair]
        size_a, size_b = nodes_a[pair + 1] - a0, nodes_b[pair + 1] - b0
        if size_a > delta.shape[0] or size_b > delta.shape[1]:
            delta = np.empty((max(size_a, delta.shape[0]), max(size_b, delta.shape[1])))
        highest = -np.inf
        for i in range(size_a):
            production = prods_a[a0 + i]
            first_a = kids_a[pair] + starts_a[a0 + i]
            end = kids_a[pair + 1] - kids_a[pair] if i + 1 == size_a else starts_a[a0 + i + 1]
            count = kids_a[pair] + end - first_a
            for j in range(size_b):
                if prods_b[b0 + j] != production:
                    delta[i, j] = -np.inf
                    continue
                first_b = kids_b[pair] + starts_b[b0 + j]
                value = log_decay
                for c in range(count):
                    x, y = children_a[first_a + c], children_b[first_b + c]
                    if x >= 0 and y >= 0 and delta[x, y] > -np.inf:
                        below = delta[x, y]
                        if below > 35.0:  # 1 + Δ equals Δ in double precision
                            value += below
                        else:
                            value += np.log1p(np.exp(below))
                delta[i, j] = value
                highest = max(highest, value)
        if highest == -np.inf:
            out[pair] = -np.inf
            continue
        total = 0.0
        for i in range(size_a):
            for j in range(size_b):
                if delta[i, j] > -np.inf:
                    total += np.exp(delta[i, j] - highest)
        out[pair] = highest + np.log(total)
