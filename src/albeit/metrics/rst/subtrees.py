"""The parts of a document's tree that two texts can be compared by: what stands over the same lines.

Translation and reference have the same lines, whatever EDUs each has in them. So a node over
lines 3 to 5 of one text has a counterpart in the other, if that has a node over them too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from albeit.annotate.layers import EDUS, LINES, RST_DOCUMENT, TOKENS, Analysis, RstNode

__all__ = ["Run", "cut", "runs", "subtrees"]

Run = tuple[int, int]
"""The first and the last line of a part of a document, from 0."""


def runs(analysis: Analysis) -> Iterator[tuple[RstNode, Run | None]]:
    """Every node of the tree, parents first, with its lines; none where it cuts a line apart."""
    tree = analysis[RST_DOCUMENT]
    if tree is None:
        return
    begins = list(accumulate((len(line) + 1 for line in analysis[LINES]), initial=0))
    offsets = analysis[TOKENS].offsets
    lines = [bisect_right(begins, offsets[start][0]) - 1 for start, _ in analysis[EDUS]]
    for node in tree.walk():
        first, last = lines[node.first], lines[node.last]
        starts = node.first == 0 or lines[node.first - 1] < first
        stops = node.last == len(lines) - 1 or lines[node.last + 1] > last
        yield node, (first, last) if starts and stops else None


def subtrees(analysis: Analysis, lines: int) -> dict[Run, RstNode]:
    """The nodes over two lines or more, and over at most so many, by their lines."""
    return {
        run: node
        for node, run in runs(analysis)
        if run is not None and 1 < run[1] - run[0] + 1 <= lines
    }


def cut(tree: RstNode, depth: int) -> RstNode:
    """The upper levels of a tree, so many below its root; what lies lower is one unit."""
    if tree.left is None or tree.right is None:
        return tree
    if not depth:
        return RstNode(tree.first, tree.last)
    return replace(tree, left=cut(tree.left, depth - 1), right=cut(tree.right, depth - 1))
