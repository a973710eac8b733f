"""What the two RST formats share: trees with any number of children, made binary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from albeit.errors import InputError
from albeit.parsing.formats.words import joined
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, Nuclearity, RstNode
from albeit.parsing.tokenize import tokenize

__all__ = ["Part", "analysis_of", "binary"]


@dataclass(frozen=True, slots=True)
class Part:
    """A child in a file's tree: its subtree, whether it is a nucleus, its relation upwards."""

    node: RstNode
    nucleus: bool
    relation: str


def binary(parts: Sequence[Part]) -> RstNode:
    """One binary tree over neighbouring parts.

    Nuclei branch to the right; satellites after the last nucleus join it first, nearest first.
    """
    nuclei = [i for i, part in enumerate(parts) if part.nucleus]
    if not nuclei:
        first, last = parts[0].node.first + 1, parts[-1].node.last + 1
        raise InputError(f"EDUs {first} to {last} have no nucleus.")
    whole = parts[nuclei[-1]]
    for part in parts[nuclei[-1] + 1 :]:
        whole = Part(_pair(whole, part), True, whole.relation)
    for part in reversed(parts[: nuclei[-1]]):
        whole = Part(_pair(part, whole), True, whole.relation)
    return whole.node


def _pair(left: Part, right: Part) -> RstNode:
    if left.node.last + 1 != right.node.first:
        raise InputError(
            f"EDU {left.node.last + 1} is not followed by EDU {right.node.first + 1}: "
            "the parts of a tree must stand side by side."
        )
    nuclearity: Nuclearity = "NN"
    relation = left.relation
    if not right.nucleus:
        nuclearity, relation = "NS", right.relation
    elif not left.nucleus:
        nuclearity = "SN"
    return RstNode(left.node.first, right.node.last, nuclearity, relation, left.node, right.node)


def analysis_of(texts: Sequence[str], tree: RstNode | None) -> Analysis:
    """An analysis from the EDUs' texts (cut into words anew) and the tree over them."""
    forms: list[str] = []
    edus = []
    for text in texts:
        words = text.split()
        if any(len(tokenize(word)) != 1 for word in words):
            words = list(tokenize(text).forms)
        edus.append((len(forms), len(forms) + len(words)))
        forms += words
    whole, tokens = joined(forms)
    return Analysis(whole, {TOKENS: tokens, EDUS: tuple(edus), RST: tree})
