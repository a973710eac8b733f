"""The parts of a document's tree that two texts can be compared by: what stands over the same lines.

Translation and reference have the same lines, whatever EDUs each has in them. So a node over
lines 3 to 5 of one text has a counterpart in the other, if that has a node over them too.

:func:`explain_subtrees` says why document trees score as they do: the parts that both texts have,
and what each lost. Each part of either text contributes its similarity to the part that the other has over the
same lines, 0 where it has none, and 1 to the perfect score. What is missing, over the number
of parts of both texts, is lost there, and adds up to 1 less the score.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate

from albeit.annotate.layers import EDUS, LINES, RST_DOCUMENT, TOKENS, Analysis, RstNode
from albeit.annotate.needs import Side
from albeit.metrics.base import FloatArray, Metric
from albeit.metrics.view import Link, Loss, Node, Place, Tree, View, compared_pair

__all__ = ["Run", "cut", "explain_subtrees", "runs", "subtrees"]

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


Parts = Mapping[Run, RstNode]


def explain_subtrees(
    metric: Metric,
    row: FloatArray,
    texts: tuple[Analysis, Analysis],
    parts: tuple[Parts, Parts],
    alike: Mapping[Run, float],
    reference: int,
) -> View:
    """The trees of hypothesis and reference, with what was lost at their parts."""
    count = len(parts[0]) + len(parts[1])
    ours, theirs = ((text.text, text[TOKENS]) for text in texts)
    compared = compared_pair(ours, theirs, reference)
    losses, trees = [], []
    for n in (1, 0):
        lost = {run: (1 - alike.get(run, 0.0)) / count for run in parts[n]}
        losses += [
            Loss(
                _label(run, node, parts[1 - n], compared[n].side),
                lost[run],
                (_place(n, texts[n], node),),
            )
            for run, node in parts[n].items()
        ]
        trees.append(Tree(n, _drawn(texts[n], texts[1 - n], parts[n], lost)))
    links = [
        Link(
            _place(0, texts[0], parts[0][run]), _place(1, texts[1], parts[1][run]), strength, "node"
        )
        for run, strength in alike.items()
    ]
    return metric.view(row, compared, links, losses, trees=tuple(trees))


def _place(text: int, analysis: Analysis, node: RstNode) -> Place:
    edus = analysis[EDUS]
    return Place(text, tuple(range(edus[node.first][0], edus[node.last][1])))


def _label(run: Run, node: RstNode, others: Parts, side: Side) -> str:
    first, last = run
    where = "the whole" if last < first else f"lines {first + 1} to {last + 1}"
    where += f" of the {side}"
    name = node.relation or "one unit"
    if run not in others:
        return f"{where}: {name}, no such part in the other text"
    other = others[run].relation or "one unit"
    return f"{where}: {name}" + ("" if other == name else f" against {other}")


def _drawn(
    analysis: Analysis, other: Analysis, parts: Parts, lost: Mapping[Run, float]
) -> Node | None:
    """The tree down to lines: a node over one line is not drawn further."""
    edus = analysis[EDUS]
    known = {run: said for _, run, said in _said(other) if run}
    amounts = {id(node): lost[run] for run, node in parts.items()}
    made: dict[int, Node] = {}
    nodes = list(_said(analysis))
    for node, run, (role, relation) in reversed(nodes):
        children = node.children() if relation else ()
        made[id(node)] = Node(
            role,
            relation,
            edus[node.first][0],
            edus[node.last][1],
            run is not None and known.get(run) == (role, relation),
            amounts.get(id(node), 0.0),
            tuple(made[id(child)] for child in children),
        )
    return made[id(nodes[0][0])] if nodes else None


def _said(analysis: Analysis) -> Iterator[tuple[RstNode, Run | None, tuple[str, str]]]:
    """Every node, parents first, with its lines, its role and its relation (not inside a line)."""
    roles: dict[int, str] = {}
    for node, run in runs(analysis):
        roles |= {
            id(child): role for child, role in zip(node.children(), node.nuclearity, strict=True)
        }
        inside = run is not None and run[0] == run[1]
        yield node, run, (roles.get(id(node), ""), "" if inside else node.relation)
