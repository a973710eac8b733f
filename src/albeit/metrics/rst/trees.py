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

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from albeit.annotate.layers import Analysis, Layer, RstNode, given
from albeit.metrics.rst.kernel import Tree

__all__ = ["Labels", "Layout", "Representation", "Words"]

Labels = Literal["both", "nuclearity", "relation", "none"]
Layout = Literal["joint", "split"]
Words = Literal["none", "form", "stem", "pos"]
Grouping = Literal["edu", "word"]

DUMMY: Tree = ("*", ())
_ROLES = {"NS": ("N", "S"), "SN": ("S", "N"), "NN": ("N", "N")}


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
        """The kernel's tree of one text; an empty text is a lone leaf, which shares nothing."""
        if analysis.rst is None:
            return ("EMPTY", ())
        return self._node(analysis.rst, "R", self._words(analysis))

    def _node(self, node: RstNode, role: str, words: Callable[[int], tuple[Tree, ...]]) -> Tree:
        nuclearity = role if self.labels in ("both", "nuclearity") else ""
        relation = node.relation if self.labels in ("both", "relation") else ""
        if node.is_leaf:
            return self._leaf(nuclearity, words(node.first))
        left, right = _ROLES[node.nuclearity]
        pairs = zip(node.children(), (left, right), strict=True)
        below = tuple(self._node(child, child_role, words) for child, child_role in pairs)
        if self.layout == "joint":
            return (f"{nuclearity}:{relation}", below)
        properties: tuple[Tree, ...] = ()
        if nuclearity:
            properties += (("NUC", ((nuclearity, ()),)),)
        if relation:
            properties += (("REL", ((relation, ()),)),)
        return ("SPAN", (*properties, *below))

    def _leaf(self, nuclearity: str, words: tuple[Tree, ...]) -> Tree:
        if self.layout == "joint":
            return (f"{nuclearity}:EDU", words or (DUMMY,))
        properties: tuple[Tree, ...] = (("NUC", ((nuclearity, ()),)),) if nuclearity else ()
        return ("EDU", (*properties, *words) or (DUMMY,))

    def _words(self, analysis: Analysis) -> Callable[[int], tuple[Tree, ...]]:
        """The NGRAM children of an EDU, by its number."""
        if self.words == "none":
            return lambda _: ()
        edus = given(analysis.edus, Layer.EDUS)
        units = self._units(analysis)

        def under(edu: int) -> tuple[Tree, ...]:
            start, stop = edus[edu]
            leaves = tuple((unit, (DUMMY,)) for unit in units[start:stop])
            if self.grouping == "edu":
                return (("NGRAM", leaves or (DUMMY,)),)
            return tuple(("NGRAM", (leaf,)) for leaf in leaves)

        return under

    def _units(self, analysis: Analysis) -> tuple[str, ...]:
        if self.words == "pos":
            return given(analysis.dependencies, Layer.DEPENDENCIES).upos
        forms = tuple(form.lower() for form in given(analysis.tokens, Layer.TOKENS).forms)
        return tuple(_stem(form) for form in forms) if self.words == "stem" else forms


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
