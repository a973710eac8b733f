"""Define the layers of trees: constituents and RST trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast, get_args

from albeit.errors import InputError
from albeit.parsing.layers.segments import EDUS, TOKENS, Labels, Numbered, Part, join_words
from albeit.parsing.needs import Analysis

_T = TypeVar("_T")
_Described = tuple[str, list[tuple[str, _T]]]


def _branches(root: _T, describe: Callable[[_T], _Described[_T]]) -> Iterator[str]:
    """Yield a line per node; ``describe`` returns its label, and its children with marks."""
    stack = [("", "", root)]
    while stack:
        branch, indent, node = stack.pop()
        label, children = describe(node)
        yield branch + label
        for mark, child in reversed(children):
            corner, below = ("└─", "  ") if child is children[-1][1] else ("├─", "│ ")
            stack.append((indent + corner + mark, indent + below, child))


@dataclass(frozen=True, slots=True)
class Constituent:
    """A phrase ``label`` over tokens ``start`` to ``stop``; a leaf's label is a part of speech."""

    label: str
    start: int
    stop: int
    children: tuple[Constituent, ...] = ()


Constituents = tuple[Constituent, ...]


class _Constituents(Numbered[Constituents]):
    """Phrases with Penn labels, one tree per sentence. JSON: label, start, stop, and children.

    Numbers: one Penn tag per word, then (start, stop, label) per bracket, parents first. A label
    such as ``S+VP`` is a chain of constituents over the same words.
    """

    name = "constituents"
    rests_on = (TOKENS,)

    def join(self, parts: Sequence[Part]) -> list[int]:
        tags = [n for row, size, _ in parts for n in row[:size]]
        return tags + [n for row, size, at in parts for n in self.shift(row[size:], at)]

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Constituents:
        size = len(analysis[TOKENS])
        tags, names = labels["xpos"], labels["bracket"]
        leaves = [Constituent(tags[n], i, i + 1) for i, n in enumerate(numbers[:size])]
        done: list[Constituent] = []
        # children come after their parents: from the end, a bracket's children are on the stack
        for start, stop, label in reversed(list(self.triples(numbers[size:]))):
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

    def to_json(self, value: Constituents) -> Any:
        return [
            [tree.label, tree.start, tree.stop]
            + ([self.to_json(tree.children)] if tree.children else [])
            for tree in value
        ]

    def from_json(self, data: Any) -> Constituents:
        return tuple(
            Constituent(str(label), int(start), int(stop), self.from_json(*below or [()]))
            for label, start, stop, *below in data
        )

    def render(self, value: Constituents, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms

        def describe(tree: Constituent) -> tuple[str, list[tuple[str, Constituent]]]:
            label = tree.label if tree.children else f"{tree.label} {forms[tree.start]}"
            return label, [("", child) for child in tree.children]

        for tree in value:
            yield from _branches(tree, describe)


CONSTITUENTS = _Constituents()


Nuclearity = Literal["NS", "SN", "NN"]


@dataclass(frozen=True, slots=True)
class RstNode:
    """A node of a binary RST tree over EDUs ``first`` to ``last`` (inclusive, from 0).

    A leaf has no children, and its ``relation`` and ``nuclearity`` are empty. ``nuclearity``
    names the nuclei ("NS": the left child), and ``relation`` the relation between the children.
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
        """Return the two children, or none."""
        return () if self.left is None or self.right is None else (self.left, self.right)

    def walk(self) -> Iterator[RstNode]:
        """Yield all nodes, parents before children, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))


class _Rst(Numbered[RstNode | None]):
    """Numbers: first EDU, last EDU, last EDU of the left part, and label per node."""

    name = "rst"
    rests_on = (EDUS,)

    def empty(self) -> None:
        return

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> RstNode | None:
        edus = len(analysis[EDUS])
        if not edus:
            return None
        names = labels["rst"]
        built = {(i, i): RstNode(i, i) for i in range(edus)}
        quads = zip(*[iter(numbers)] * 4, strict=True)
        for first, last, split, label in sorted(quads, key=lambda quad: quad[1] - quad[0]):
            nuclearity, _, relation = names[label].partition("-")
            children = built[first, split], built[split + 1, last]
            built[first, last] = RstNode(
                first, last, cast("Nuclearity", nuclearity), relation, *children
            )
        return built[0, edus - 1]

    def to_json(self, value: RstNode | None) -> Any:
        if value is None or value.is_leaf:
            return None if value is None else {"edu": value.first}
        children = [self.to_json(child) for child in value.children()]
        return {"nuclearity": value.nuclearity, "relation": value.relation, "children": children}

    def from_json(self, data: Any) -> RstNode | None:
        return None if data is None else _read_node(data)

    def render(self, value: RstNode | None, analysis: Analysis) -> Iterator[str]:
        if value is None:
            return
        edus = analysis[EDUS]

        def describe(node: RstNode) -> tuple[str, list[tuple[str, RstNode]]]:
            if node.is_leaf:
                return f"[{node.first + 1}] {join_words(analysis, *edus[node.first])}", []
            marked = zip([f"{role} " for role in node.nuclearity], node.children(), strict=True)
            return f"{node.relation} ({node.nuclearity})", list(marked)

        yield from _branches(value, describe)


def _read_node(data: dict[str, Any]) -> RstNode:
    if "edu" in data:
        return RstNode(int(data["edu"]), int(data["edu"]))
    left, right = map(_read_node, data["children"])
    if data["nuclearity"] not in get_args(Nuclearity) or left.last + 1 != right.first:
        raise InputError(
            f"not an RST node: {data['nuclearity']!r} over EDUs {left.first + 1} to"
            f" {right.last + 1}."
        )
    return RstNode(left.first, right.last, data["nuclearity"], str(data["relation"]), left, right)


RST = _Rst()
