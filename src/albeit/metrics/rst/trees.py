"""Discourse trees in the forms the kernel compares: with or without labels, with or without words.

Two layouts follow Guzmán et al. (2014). In the *joint* layout (DR) a node's label says all:
its nuclearity in its parent and the relation between its children. In the *split* layout
(DR-LEX) the skeleton is made of SPAN and EDU only; nuclearity and relation are properties,
added as children (SPAN: both, EDU: nuclearity), so that trees that differ in labels still
share their skeleton. Words hang under NGRAM, each with a dummy leaf, because bare leaves
never count. So does the one EDU of a sentence that is one EDU: without a production it
would score 0 against itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from albeit.metrics.rst.kernel import EncodedTree, Encoder, Tree
from albeit.parsing.layers import DEPENDENCIES, EDUS, RST, TOKENS, Analysis, RstNode
from albeit.resources import stemmer

__all__ = ["Grouping", "Labels", "Layout", "Representation", "Words"]

Labels = Literal["both", "nuclearity", "relation", "none"]
Layout = Literal["joint", "split"]
Words = Literal["none", "form", "lower", "stem", "pos"]
Grouping = Literal["edu", "word"]

DUMMY = "*"
_ROLES = {"NS": ("N", "S"), "SN": ("S", "N"), "NN": ("N", "N"), "": ()}

H = TypeVar("H")


class _Maker(Protocol[H]):
    """Makes nodes, children first: plain trees, or encoded ones."""

    def node(self, label: str, below: tuple[H, ...] = ()) -> H: ...

    def over(self, labels: Sequence[str], leaf: str) -> tuple[H, ...]: ...

    def each(self, label: str, below: tuple[H, ...]) -> tuple[H, ...]: ...


class _Plain:
    """Makes plain trees."""

    def node(self, label: str, below: tuple[Tree, ...] = ()) -> Tree:
        return label, below

    def over(self, labels: Sequence[str], leaf: str) -> tuple[Tree, ...]:
        return tuple((label, ((leaf, ()),)) for label in labels)

    def each(self, label: str, below: tuple[Tree, ...]) -> tuple[Tree, ...]:
        return tuple((label, (node,)) for node in below)


@dataclass(frozen=True)
class Representation:
    """How a discourse tree is turned into a tree for the kernel.

    ``grouping`` says whether one NGRAM node holds all words of an EDU ("edu") or each word
    has an NGRAM of its own ("word").
    """

    layout: Layout = "joint"
    labels: Labels = "both"
    words: Words = "none"
    grouping: Grouping = "edu"

    def build(self, analysis: Analysis) -> Tree:
        """The kernel's tree of one text; an empty text has one that only another has."""
        return self._grow(analysis, _Plain())

    def encode(self, analysis: Analysis) -> EncodedTree:
        """The same tree, encoded at once; much faster than to build it first."""
        encoder = Encoder()
        self._grow(analysis, encoder)
        return encoder.tree()

    def _grow(self, analysis: Analysis, make: _Maker[H]) -> H:
        """Node by node, without recursion: the tree of a long text may be deep."""
        tree = analysis[RST]
        if tree is None:
            return make.node("EMPTY", (make.node(DUMMY),))
        edus = analysis[EDUS]
        units = () if self.words == "none" else analysis.memoize((self.words, "units"), self.units)
        todo: list[tuple[RstNode, str, tuple[H, ...] | None]] = [(tree, "R", None)]
        made: list[H] = []
        while todo:
            node, role, properties = todo.pop()
            nuclearity = role if self.labels in ("both", "nuclearity") else ""
            relation = node.relation if self.labels in ("both", "relation") else ""
            if node.is_leaf:
                own = self._properties(make, nuclearity, "")
                start, stop = edus[node.first][0], edus[node.last][1]
                words = self._words(make, units[start:stop]) if units else ()
                label = f"{nuclearity}:EDU" if self.layout == "joint" else "EDU"
                made.append(make.node(label, (*own, *words) or (make.node(DUMMY),)))
            elif properties is None:
                todo.append((node, role, self._properties(make, nuclearity, relation)))
                below = zip(node.children(), _ROLES[node.nuclearity], strict=True)
                todo += [(child, child_role, None) for child, child_role in below][::-1]
            else:
                children = (made[-2], made[-1])
                del made[-2:]
                label = f"{nuclearity}:{relation}" if self.layout == "joint" else "SPAN"
                made.append(make.node(label, (*properties, *children)))
        return made[0]

    def _properties(self, make: _Maker[H], nuclearity: str, relation: str) -> tuple[H, ...]:
        """Labels as children, in the split layout."""
        if self.layout == "joint":
            return ()
        given_ = [("NUC", nuclearity), ("REL", relation)]
        return tuple(make.node(name, (make.node(value),)) for name, value in given_ if value)

    def _words(self, make: _Maker[H], units: Sequence[str]) -> tuple[H, ...]:
        """What stands for the words of an EDU."""
        leaves = make.over(units, DUMMY)
        if self.grouping == "edu":
            return (make.node("NGRAM", leaves or (make.node(DUMMY),)),)
        return make.each("NGRAM", leaves)

    def units(self, analysis: Analysis) -> tuple[str, ...]:
        """What stands for each word of a text, in a form that has words."""
        if self.words == "pos":
            return analysis[DEPENDENCIES].upos
        forms = analysis[TOKENS].forms
        if self.words == "form":
            return forms
        lower = tuple(form.lower() for form in forms)
        return tuple(map(stemmer("en"), lower)) if self.words == "stem" else lower
