"""Layers of trees: constituents and rhetorical structure.

Constituents are phrases with Penn labels, one tree per sentence. Rhetorical structure is a binary
tree over elementary discourse units. Trees are drawn with their branches, for terminals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from albeit.errors import InputError
from albeit.parsing.layer import Analysis, Labels, Numbered, Part
from albeit.parsing.layers.spans import EDUS, moved, triples, words
from albeit.parsing.layers.text import TOKENS

__all__ = [
    "CONSTITUENTS",
    "RST",
    "Constituent",
    "Nuclearity",
    "RstLayer",
    "RstNode",
    "branches",
]


T = TypeVar("T")


def branches(
    root: T,
    label: Callable[[T], str],
    children: Callable[[T], tuple[T, ...]],
    mark: Callable[[T, T], str],
) -> Iterator[str]:
    """A line a node; ``mark(node, child)`` stands before the child's label."""
    stack = [("", "", root)]
    while stack:
        branch, indent, node = stack.pop()
        yield branch + label(node)
        kids = children(node)
        for kid in reversed(kids):
            last = kid is kids[-1]
            corner, below = ("└─", "  ") if last else ("├─", "│ ")
            stack.append((indent + corner + mark(node, kid), indent + below, kid))


@dataclass(frozen=True, slots=True)
class Constituent:
    """A phrase ``label`` over tokens ``start`` to ``stop``; a part of speech where it is a leaf."""

    label: str
    start: int
    stop: int
    children: tuple[Constituent, ...] = ()


Trees = tuple[Constituent, ...]


class _Constituents(Numbered[Trees]):
    """In numbers: a Penn tag a word and then (start, stop, label) a bracket, parents first.

    A label such as ``S+VP`` is a chain of constituents over the same words.
    """

    name = "constituents"
    rests_on = (TOKENS,)

    def empty(self) -> Trees:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        tags = [n for row, size, _ in parts for n in row[:size]]
        return tags + [n for row, size, at in parts for n in moved(row[size:], (at, at, 0))]

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Trees:
        size = len(analysis[TOKENS])
        tags, names = labels["xpos"], labels["bracket"]
        leaves = [Constituent(tags[n], i, i + 1) for i, n in enumerate(numbers[:size])]
        done: list[Constituent] = []
        # children come after their parents: from the back, what lies inside is ready on the stack
        for start, stop, label in reversed(list(triples(numbers[size:]))):
            inside: list[Constituent] = []
            at = start
            while at < stop:
                if done and done[-1].start == at and done[-1].stop <= stop:
                    inside.append(done.pop())
                else:
                    inside.append(leaves[at])
                at = inside[-1].stop
            children = tuple(inside)
            for name in reversed(names[label].split("+")):
                children = (Constituent(name, start, stop, children),)
            done.append(children[0])
        return tuple(reversed(done))

    def to_json(self, value: Trees) -> Any:
        return [_object(tree) for tree in value]

    def from_json(self, data: Any) -> Trees:
        return tuple(map(_constituent, data))

    def draw(self, value: Trees, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms

        def label(tree: Constituent) -> str:
            return tree.label if tree.children else f"{tree.label} {forms[tree.start]}"

        for tree in value:
            yield from branches(tree, label, lambda node: node.children, lambda node, child: "")


def _object(tree: Constituent) -> list[Any]:
    children = [_object(child) for child in tree.children]
    return [tree.label, tree.start, tree.stop, *([children] if children else [])]


def _constituent(data: list[Any]) -> Constituent:
    label, start, stop, *children = data
    inner = tuple(map(_constituent, children[0])) if children else ()
    return Constituent(str(label), int(start), int(stop), inner)


CONSTITUENTS = _Constituents()


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
