"""Why discourse trees score as they do: shared nodes, and where the score was lost.

The score of one pair is K(r, h) / √(K(r, r) · K(h, h)). Each node of the reference's tree
contributes to it the Δ it shares with nodes of the hypothesis, and to the perfect score 1 its
share of K(r, r). The difference is what was lost at that node; over all nodes it adds up to
exactly 1 - score. A metric over several tree forms or references is a weighted mean of such
pairs, and so are its losses: all forms are drawn from the same discourse tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from albeit.metrics.base import FloatArray, Metric
from albeit.metrics.rst.kernel import Floats, encode, log_deltas
from albeit.metrics.rst.kernel import Tree as KernelTree
from albeit.metrics.rst.trees import Representation
from albeit.metrics.view import Compared, Link, Loss, Node, Place, Tree, View
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode
from albeit.parsing.needs import Side

__all__ = ["Pair", "explain_trees"]

_LABELLED = Representation("joint", "both")
"""Roles and relations without words: one inner node a discourse node, children first."""


@dataclass(frozen=True)
class Pair:
    """One comparison that the score is a mean of: a tree form, its λ, a reference, a weight."""

    form: Representation
    decay: float
    reference: int
    weight: float


def explain_trees(
    metric: Metric,
    row: FloatArray,
    hypothesis: Analysis,
    references: Sequence[Analysis],
    pairs: Sequence[Pair],
) -> View:
    """The trees of a hypothesis and of the references that count, and what was lost where."""
    used = sorted({pair.reference for pair in pairs})
    texts = [Compared(Side.HYPOTHESIS, hypothesis.text, hypothesis[TOKENS])]
    texts += [Compared(Side.REFERENCE, (a := references[r]).text, a[TOKENS], r) for r in used]
    ours = np.zeros(_size(hypothesis))
    trees: list[Tree] = []
    links: list[Link] = []
    losses: list[Loss] = []
    for text, r in enumerate(used, 1):
        reference = references[r]
        mine = [pair for pair in pairs if pair.reference == r]
        theirs = np.zeros(_size(reference))
        alike = np.zeros((len(ours), len(theirs)))
        for pair in mine:
            ours_lost, theirs_lost, strength = _compare(pair, hypothesis, reference)
            ours += pair.weight * ours_lost
            theirs += pair.weight * theirs_lost
            alike += strength / len(mine)
        trees.append(Tree(text, _drawn(reference, [hypothesis], theirs)))
        links += _met(hypothesis, reference, text, alike)
        words = {pair.form for pair in mine if pair.form.words != "none"}
        links += [w for form in words for w in _words_met(hypothesis, reference, text, form)]
        missing = sum(pair.weight for pair in mine) if hypothesis[RST] else 0.0
        losses += _losses(trees[-1], reference, missing)
    trees.append(Tree(0, _drawn(hypothesis, [references[r] for r in used], ours)))
    return metric.view(row, texts, links, losses, trees=tuple(trees))


def _size(analysis: Analysis) -> int:
    tree = analysis[RST]
    return 0 if tree is None else sum(1 for _ in tree.walk())


def _compare(
    pair: Pair, hypothesis: Analysis, reference: Analysis
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What each discourse node of either tree lost, and how alike the subtrees at each two are.

    Nodes are in the kernel's order, children first.
    """
    trees = [pair.form.build(analysis) for analysis in (hypothesis, reference)]
    ours, theirs = map(encode, trees)
    own = [log_deltas(tree, tree, pair.decay) for tree in (ours, theirs)]
    sizes = [_log_sum(logs) for logs in own]
    across = log_deltas(ours, theirs, pair.decay)
    shared = np.exp(across - 0.5 * sum(sizes))
    places = [
        _places(tree, 0)[1] if analysis[RST] else []
        for tree, analysis in zip(trees, (hypothesis, reference), strict=True)
    ]
    lost = [
        np.array([(whole - kept)[[place, *others]].sum() for place, others in found])
        for whole, kept, found in zip(
            (np.exp(logs - size).sum(axis=1) for logs, size in zip(own, sizes, strict=True)),
            (shared.sum(axis=1), shared.sum(axis=0)),
            places,
            strict=True,
        )
    ]
    nodes = [np.array([place for place, _ in found], dtype=np.intp) for found in places]
    scale = [np.diagonal(logs)[at] for logs, at in zip(own, nodes, strict=True)]
    alike = np.exp(across[np.ix_(*nodes)] - 0.5 * (scale[0][:, None] + scale[1][None, :]))
    return lost[0], lost[1], alike


def _log_sum(logs: Floats) -> float:
    """log of the sum of exponentials."""
    highest = logs.max()
    return float(highest + np.log(np.exp(logs - highest).sum()))


def _drawn(analysis: Analysis, others: Sequence[Analysis], lost: FloatArray) -> Node | None:
    """Lay the kernel's findings over the discourse tree the reader knows."""
    tree = analysis[RST]
    if tree is None:
        return None
    edus = analysis[EDUS]
    known = np.concatenate([encode(_LABELLED.build(other)).productions for other in others])
    shared = iter(np.isin(encode(_LABELLED.build(analysis)).productions, known).tolist())
    losses = iter(lost.tolist())

    def node(rst: RstNode, role: str) -> Node:
        children = tuple(node(c, r) for c, r in zip(rst.children(), rst.nuclearity, strict=True))
        start, stop = edus[rst.first][0], edus[rst.last][1]
        return Node(role, rst.relation, start, stop, next(shared), next(losses), children)

    return node(tree, "")


def _losses(tree: Tree, reference: Analysis, missing: float) -> list[Loss]:
    """What each node of a reference's tree lost; ``missing`` where it has no tree."""
    if tree.root is None:
        return [Loss("the reference has no tree", missing)] if missing else []
    forms = reference[TOKENS].forms
    return [
        Loss(
            " ".join(
                [f"[{node.role}]"] * bool(node.role)
                + ([node.relation] if node.children else list(forms[node.start : node.stop]))
            ),
            node.lost,
            (Place(tree.text, tuple(range(node.start, node.stop))),),
        )
        for node in tree.root.walk()
    ]


def _met(hypothesis: Analysis, reference: Analysis, text: int, alike: FloatArray) -> list[Link]:
    """Nodes that have each other, one to one: the most alike first, then the nearest in order."""
    ours, theirs = (_spans(analysis) for analysis in (hypothesis, reference))
    pairs = np.argwhere(alike > 0).tolist()
    pairs.sort(key=lambda p: (-round(alike[p[0], p[1]], 9), abs(p[0] - p[1]), p))
    taken: tuple[set[int], set[int]] = (set(), set())
    links = []
    for i, j in pairs:
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            places = Place(0, ours[i]), Place(text, theirs[j])
            links.append(Link(*places, float(min(alike[i, j], 1.0)), "node"))
    return links


def _spans(analysis: Analysis) -> list[tuple[int, ...]]:
    """The tokens under each node, children first."""
    edus = analysis[EDUS]

    def below(node: RstNode) -> list[tuple[int, ...]]:
        own = tuple(range(edus[node.first][0], edus[node.last][1]))
        return [span for child in node.children() for span in below(child)] + [own]

    tree = analysis[RST]
    return [] if tree is None else below(tree)


def _words_met(
    hypothesis: Analysis, reference: Analysis, text: int, form: Representation
) -> list[Link]:
    """Words that both texts have, as the tree form writes them; repeats in order."""
    if hypothesis[RST] is None or reference[RST] is None:
        return []
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(form.units(hypothesis)):
        places[word].append(place)
    links = []
    for place, word in enumerate(form.units(reference)):
        if places[word]:
            ours = places[word].pop(0)
            links.append(Link(Place(0, (ours,)), Place(text, (place,)), 1.0, "word"))
    return links


def _places(tree: KernelTree, start: int) -> tuple[int, list[tuple[int, list[int]]]]:
    """Where each discourse node stands in the kernel's order, with the nodes only it owns.

    Returns the next free place, and (place, places of its words and properties) for every
    discourse node, children first.
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


def _is_discourse(tree: KernelTree) -> bool:
    return tree[0] in ("SPAN", "EDU") or ":" in tree[0]


def _inner(tree: KernelTree) -> int:
    return sum(_inner(child) for child in tree[1]) + 1 if tree[1] else 0
