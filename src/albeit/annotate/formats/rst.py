"""What the two RST formats share: trees with any number of children, made binary, and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from albeit.annotate.formats.words import joined
from albeit.annotate.layers import EDUS, RST, RST_DOCUMENT, TOKENS, Analysis, Nuclearity, RstNode
from albeit.annotate.tokenize import tokenize
from albeit.errors import InputError

__all__ = ["Part", "analysis_of", "binary", "written_trees"]


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


def edu_words(analysis: Analysis) -> list[tuple[str, ...]]:
    """The words of each EDU."""
    forms = analysis[TOKENS].forms
    return [forms[a:b] for a, b in analysis[EDUS]]


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


def tree_of(analysis: Analysis) -> RstNode | None:
    """The tree of a line or of a document."""
    return analysis.get(RST_DOCUMENT) if RST_DOCUMENT in analysis else analysis.get(RST)


def written_trees(
    analyses: Iterable[Analysis],
    write: Callable[[RstNode, list[str]], str],
    refused: re.Pattern[str],
    why: str,
    hint: str,
) -> Iterator[str]:
    """Each tree as ``write`` has it, from the words of its EDUs; a text without words is left out.

    An EDU that holds what is ``refused`` is an error: ``why``, and the EDU.
    """
    for analysis in analyses:
        tree = tree_of(analysis)
        if tree is None:
            continue
        words = [" ".join(edu) for edu in edu_words(analysis)]
        for text in filter(refused.search, words):
            raise InputError(f"{why}: {text!r}.", hint=hint)
        yield write(tree, words)
