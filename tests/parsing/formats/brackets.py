"""Write trees as other parsers do, to test the readers: ``.dis`` and Penn Treebank brackets."""

from __future__ import annotations

from collections.abc import Iterable

from albeit.parsing.layers import CONSTITUENTS, EDUS, RST, TOKENS, Analysis, Constituent, RstNode


def write_dis(analyses: Iterable[Analysis]) -> str:
    """One RST tree per text, as in GUM; a text without words is left out."""
    trees = ((analysis[RST], analysis) for analysis in analyses)
    return "".join(_dis(tree, "Root", "", own) + "\n" for tree, own in trees if tree is not None)


def _dis(node: RstNode, kind: str, relation: str, analysis: Analysis) -> str:
    above = f" (rel2par {relation})" if relation else ""
    if node.is_leaf:
        words = " ".join(analysis[TOKENS].forms[slice(*analysis[EDUS][node.first])])
        return f"( {kind} (leaf {node.first + 1}){above} (text _!{words}_!) )"
    children = []
    for child, role in zip(node.children(), node.nuclearity, strict=True):
        own = "span" if role == "N" and node.nuclearity != "NN" else node.relation
        children.append(_dis(child, "Nucleus" if role == "N" else "Satellite", own, analysis))
    return f"( {kind} (span {node.first + 1} {node.last + 1}){above} {' '.join(children)} )"


def write_ptb(analyses: Iterable[Analysis]) -> str:
    """One line per text, with one tree per sentence."""
    lines = ""
    for analysis in analyses:
        trees = (_ptb(tree, analysis[TOKENS].forms) for tree in analysis[CONSTITUENTS])
        lines += " ".join(f"(TOP {tree})" for tree in trees) + "\n"
    return lines


def _ptb(tree: Constituent, forms: tuple[str, ...]) -> str:
    below = [_ptb(child, forms) for child in tree.children]
    word = forms[tree.start].replace("(", "-LRB-").replace(")", "-RRB-")
    return f"({tree.label} {' '.join(below) or word})"
