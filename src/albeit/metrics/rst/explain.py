"""Why two discourse trees score as they do: shared nodes, and where the score was lost.

The score is K(r, h) / √(K(r, r) · K(h, h)). Each node of the reference's tree contributes
to it the Δ it shares with nodes of the hypothesis, and to the perfect score 1 its share of
K(r, r). The difference is what was lost at that node; over all nodes it adds up to exactly
1 - score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from albeit.annotate.layers import Analysis, Layer, RstNode, given
from albeit.errors import MetricError
from albeit.metrics.rst.dr import TreeKernelMetric
from albeit.metrics.rst.kernel import Floats, Tree, encode, log_deltas
from albeit.metrics.rst.trees import Representation

__all__ = ["Explanation", "NodeView", "TreeView", "explain"]


_LABELLED = Representation("joint", "both")
"""Roles and relations without words: one inner node a discourse node, children first."""


@dataclass(frozen=True)
class NodeView:
    """One node of a discourse tree as a reader sees it.

    ``shared`` says whether the other tree holds such a node: the same role and relation
    over children of the same roles and relations. ``lost`` is the part of the score lost
    at the node and what hangs only under it (words, properties).
    """

    role: str
    relation: str
    words: tuple[str, ...]
    words_shared: tuple[bool, ...]
    shared: bool
    lost: float
    children: tuple[NodeView, ...] = ()

    def walk(self) -> Iterator[NodeView]:
        """This node and all below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class TreeView:
    """A tree with its text and title; no root where the text is empty."""

    title: str
    text: str
    root: NodeView | None


@dataclass(frozen=True)
class Explanation:
    """Both trees, the score, and the metric that compared them."""

    metric: str
    score: float
    reference: TreeView
    hypothesis: TreeView


def explain(metric: TreeKernelMetric, reference: Analysis, hypothesis: Analysis) -> Explanation:
    """Compare one pair node by node, by the metric's last (richest) tree form."""
    if len(metric.representations) != 1:
        raise MetricError(f"{metric} compares several tree forms; explain dr or dr-lex instead.")
    form = metric.representations[0]
    ref_tree, hyp_tree = form.build(reference), form.build(hypothesis)
    ref, hyp = encode(ref_tree), encode(hyp_tree)
    own_ref, own_hyp = (log_deltas(tree, tree, metric.lambda_) for tree in (ref, hyp))
    size_ref, size_hyp = _log_sum(own_ref), _log_sum(own_hyp)
    across = np.exp(log_deltas(ref, hyp, metric.lambda_) - 0.5 * (size_ref + size_hyp))
    ref_lost = np.exp(own_ref - size_ref).sum(axis=1) - across.sum(axis=1)
    hyp_lost = np.exp(own_hyp - size_hyp).sum(axis=1) - across.sum(axis=0)
    return Explanation(
        str(metric),
        float(across.sum()),
        _view("reference", reference, hypothesis, ref_tree, ref_lost),
        _view("hypothesis", hypothesis, reference, hyp_tree, hyp_lost),
    )


def _log_sum(logs: Floats) -> float:
    """log of the sum of exponentials; 0 for an empty tree, which then shares nothing."""
    highest = logs.max(initial=-np.inf)
    return float(highest + np.log(np.exp(logs - highest).sum())) if logs.size else 0.0


def _view(
    title: str,
    analysis: Analysis,
    other: Analysis,
    tree: Tree,
    lost: Floats,
) -> TreeView:
    """Lay the kernel's findings over the discourse tree the reader knows."""
    if analysis.rst is None:
        return TreeView(title, analysis.text, None)
    forms = given(analysis.tokens, Layer.TOKENS).forms
    edus = given(analysis.edus, Layer.EDUS)
    there = {form.lower() for form in given(other.tokens, Layer.TOKENS).forms}
    places = iter(_places(tree, 0)[1])
    mine, theirs = (encode(_LABELLED.build(a)) for a in (analysis, other))
    shared = iter(np.isin(mine.productions, theirs.productions).tolist())

    def node(rst: RstNode, role: str) -> NodeView:
        children: tuple[NodeView, ...] = ()
        words: tuple[str, ...] = ()
        if rst.is_leaf:
            words = forms[slice(*edus[rst.first])]
        else:
            roles = (rst.nuclearity[0], rst.nuclearity[1])
            children = tuple(node(c, r) for c, r in zip(rst.children(), roles, strict=True))
        place, others = next(places)
        loss = float(lost[[place, *others]].sum())
        found = tuple(word.lower() in there for word in words)
        return NodeView(role, rst.relation, words, found, next(shared), loss, children)

    return TreeView(title, analysis.text, node(analysis.rst, ""))


def _places(tree: Tree, start: int) -> tuple[int, list[tuple[int, list[int]]]]:
    """Where each discourse node stands in the kernel's order, with the nodes only it owns.

    Returns the next free place, and (place, places of its words and properties) for every
    discourse node, children first: the order in which :func:`_view` visits them.
    """
    found: list[tuple[int, list[int]]] = []
    own: list[int] = []
    place = start
    for child in tree[1]:
        if not child[1]:
            continue
        if _is_discourse(child):
            place, below = _places(child, place)
            found += below
        else:
            size = _inner(child)
            own += range(place, place + size)
            place += size
    return place + 1, [*found, (place, own)]


def _is_discourse(tree: Tree) -> bool:
    return tree[0] in ("SPAN", "EDU") or ":" in tree[0]


def _inner(tree: Tree) -> int:
    return sum(_inner(child) for child in tree[1]) + 1 if tree[1] else 0
