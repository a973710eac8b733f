"""Rhetorical structure: a binary tree over elementary discourse units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from albeit.annotate.layer import Analysis, Labels, Numbered, Part
from albeit.annotate.layers.branches import branches
from albeit.annotate.layers.edus import EDUS
from albeit.annotate.layers.spans import words
from albeit.errors import InputError

__all__ = ["RST", "Nuclearity", "RstLayer", "RstNode"]

Nuclearity = Literal["NS", "SN", "NN"]
_NUCLEARITY: dict[str, Nuclearity] = {"NS": "NS", "SN": "SN", "NN": "NN"}


@dataclass(frozen=True, slots=True)
class RstNode:
    """A node of a binary RST tree over EDUs ``first`` to ``last`` (inclusive, 0-based).

    A leaf has no children, and its ``relation`` and ``nuclearity`` are empty. An inner
    node's ``nuclearity`` says which child is nucleus ("NS": the left one) and
    ``relation`` names the coarse relation between its children.
    """

    first: int
    last: int
    nuclearity: Nuclearity | Literal[""] = ""
    relation: str = ""
    left: RstNode | None = None
    right: RstNode | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether this is one EDU."""
        return self.left is None

    def children(self) -> tuple[RstNode, ...]:
        """The two children, or none."""
        return () if self.left is None or self.right is None else (self.left, self.right)

    def walk(self) -> Iterator[RstNode]:
        """All nodes, parents before children, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))


class RstLayer(Numbered[RstNode | None]):
    """In numbers, a node: first EDU, last EDU, last EDU of the left part, label."""

    name = "rst"
    rests_on = (EDUS,)

    def empty(self) -> None:
        """No tree."""
        return

    def join(self, parts: Sequence[Part]) -> list[int]:
        """Refused: what holds sentences together is for the model to say."""
        raise NotImplementedError("a tree of several sentences is more than their trees")

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> RstNode | None:
        """The tree that the nodes make."""
        edus = len(analysis[EDUS])
        if not edus:
            return None
        names = labels["rst"]
        built = {(i, i): RstNode(i, i) for i in range(edus)}
        quads = zip(*[iter(numbers)] * 4, strict=True)
        for first, last, split, label in sorted(quads, key=lambda quad: quad[1] - quad[0]):
            nuclearity, _, relation = names[label].partition("-")
            built[first, last] = RstNode(
                first,
                last,
                _NUCLEARITY[nuclearity],
                relation,
                built[first, split],
                built[split + 1, last],
            )
        return built[0, edus - 1]

    def to_json(self, value: RstNode | None) -> Any:
        """Nested objects."""
        if value is None or value.is_leaf:
            return None if value is None else {"edu": value.first}
        children = [self.to_json(child) for child in value.children()]
        return {"nuclearity": value.nuclearity, "relation": value.relation, "children": children}

    def from_json(self, data: Any) -> RstNode | None:
        """The tree of such objects."""
        return None if data is None else _node(data)

    def draw(self, value: RstNode | None, analysis: Analysis) -> Iterator[str]:
        """With branches, a line a node."""
        if value is None:
            return
        edus = analysis[EDUS]

        def label(node: RstNode) -> str:
            if node.is_leaf:
                return f"[{node.first + 1}] {words(analysis, *edus[node.first])}"
            return f"{node.relation} ({node.nuclearity})"

        def mark(node: RstNode, child: RstNode) -> str:
            return node.nuclearity[0 if child is node.left else 1] + " "

        yield from branches(value, label, RstNode.children, mark)


def _node(data: dict[str, Any]) -> RstNode:
    if "edu" in data:
        return RstNode(int(data["edu"]), int(data["edu"]))
    left, right = (_node(child) for child in data["children"])
    if data["nuclearity"] not in ("NS", "SN", "NN") or left.last + 1 != right.first:
        raise InputError(
            f"no RST node: {data['nuclearity']!r} over EDUs {left.first + 1} to {right.last + 1}."
        )
    return RstNode(left.first, right.last, data["nuclearity"], str(data["relation"]), left, right)


RST = RstLayer()
