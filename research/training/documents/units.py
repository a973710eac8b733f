"""Gold trees of documents over their sentences, which the tower learns as a second task.

The *units* of a document tree are its sentences; below them stand sentence trees. Now and then a
gold tree joins a part of a sentence with the next one first. Then each sentence is stood for by
the EDU that the rest hangs on, all other leaves are pruned, and what is left is a binary tree over
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from training.corpora.dis import Tree, coarse
from training.rows import Node


def _dependencies(tree: Tree, parents: dict[int, int]) -> int:
    """Each EDU's parent by the nuclei; returns the EDU that the tree's nuclei lead to."""
    if not tree.children:
        return tree.first
    left, right = tree.children
    first, second = _dependencies(left, parents), _dependencies(right, parents)
    if left.role[0] == "S" and right.role[0] == "N":
        parents[first] = second
        return second
    parents[second] = first
    return first


def representatives(tree: Tree, sentences: Sequence[int]) -> list[int]:
    """For each sentence the EDU nearest to the root; ``sentences`` is each EDU's sentence."""
    parents: dict[int, int] = {}
    root = _dependencies(tree, parents)
    depths = {root: 0}

    def depth(edu: int) -> int:
        path = []
        while edu not in depths:
            path.append(edu)
            edu = parents[edu]
        for step in reversed(path):
            depths[step] = depths[parents[step]] + 1
        return depths[path[0]] if path else depths[edu]

    best: dict[int, int] = {}
    for edu, sentence in enumerate(sentences):
        if sentence not in best or depth(edu) < depth(best[sentence]):
            best[sentence] = edu
    return [best[sentence] for sentence in sorted(best)]


def projected(tree: Tree, sentences: Sequence[int]) -> list[Node]:
    """The nodes between sentences, as a binary tree over sentence numbers."""
    chosen = {edu: k for k, edu in enumerate(representatives(tree, sentences))}
    nodes: list[Node] = []

    def visit(node: Tree) -> tuple[int, int] | None:
        if not node.children:
            unit = chosen.get(node.first)
            return None if unit is None else (unit, unit)
        at = len(nodes)
        left, right = (visit(child) for child in node.children)
        if left is None or right is None:
            return left or right
        one, other = node.children
        nuclearity = one.role[0] + other.role[0]
        relation = {"NS": other.relation, "SN": one.relation}.get(nuclearity, one.relation)
        if nuclearity == "NN" and relation == "span":
            relation = other.relation
        nodes.insert(at, (left[0], right[1], left[1], nuclearity, coarse(relation)))
        return left[0], right[1]

    visit(tree)
    return nodes
