"""A reader for the `.dis` form of RST trees (binary, as GUM's `rst/lisp_binary`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from training.rows import Node

_TOKEN = re.compile(r"_!.*?_!|[()]|[^\s()]+", re.DOTALL)


@dataclass(slots=True)
class Tree:
    """A node of a document's tree: its EDUs (0-based, inclusive), role and children."""

    first: int
    last: int
    role: str
    relation: str
    children: list[Tree]

    def nodes(self, base: int = 0) -> list[Node]:
        """The internal nodes below and including this one, EDU numbers counted from `base`."""
        if not self.children:
            return []
        left, right = self.children
        nuclearity = left.role[0] + right.role[0]
        relation = {"NS": right.relation, "SN": left.relation}.get(nuclearity, left.relation)
        if nuclearity == "NN" and relation == "span":
            relation = right.relation
        node = (self.first - base, self.last - base, left.last - base, nuclearity, coarse(relation))
        return [node, *left.nodes(base), *right.nodes(base)]


def coarse(relation: str) -> str:
    """The part before the hyphen; `same-unit` stays."""
    return relation if relation == "same-unit" else relation.split("-")[0]


def read(path: Path) -> Tree:
    """The tree of one document."""
    tokens = _TOKEN.findall(path.read_text(encoding="utf-8"))
    tree, _ = _parse(tokens, 0)
    return tree


def _parse(tokens: list[str], at: int) -> tuple[Tree, int]:
    role = tokens[at + 1]
    at += 2
    first = last = -1
    relation = "span"
    children: list[Tree] = []
    while tokens[at] != ")":
        key = tokens[at + 1]
        if key in ("Nucleus", "Satellite", "Root"):
            child, at = _parse(tokens, at)
            children.append(child)
            continue
        end = tokens.index(")", at)
        values = tokens[at + 2 : end]
        if key == "span":
            first, last = int(values[0]) - 1, int(values[1]) - 1
        elif key == "leaf":
            first = last = int(values[0]) - 1
        elif key == "rel2par":
            relation = values[0]
        at = end + 1
    return Tree(first, last, role, relation, children), at + 1
