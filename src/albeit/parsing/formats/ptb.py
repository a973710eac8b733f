"""Read bracketed trees as in the Penn Treebank: ``(TOP (S (NP (PRP He)) (VP (VBD left)) (. .)))``.

If all brackets are closed on their line, a line is a text with one tree per sentence. Otherwise
every tree is a text. Round brackets in words are ``-LRB-`` and ``-RRB-``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from albeit.errors import InputError
from albeit.parsing.layers import CONSTITUENTS, SENTENCES, TOKENS, Analysis, Constituent
from albeit.parsing.tokenize import join_forms

_TOKEN = re.compile(r"\(|\)|[^\s()]+")
_TOPS = frozenset({"", "TOP", "ROOT", "S1"})


def read_ptb(text: str, *, path: str | Path | None = None) -> list[Analysis]:
    """Return all texts of a file of bracketed trees, in order."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if all(line.count("(") == line.count(")") for line in lines):
        return [_text(list(_trees(line, number, path))) for number, line in enumerate(lines, 1)]
    return [_text([tree]) for tree in _trees(text, 1, path)]


@dataclass(slots=True)
class _Tree:
    """A bracket: a label, and words or brackets inside."""

    line: int
    label: str = ""
    inside: list[_Tree | str] = field(default_factory=list)


def _trees(text: str, first_line: int, path: str | Path | None) -> Iterator[_Tree]:
    stack: list[_Tree] = []
    named = True
    line, at = first_line, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        token = match.group()
        if token == "(":
            stack.append(_Tree(line))
            named = False
        elif not stack:
            raise InputError(f"{token!r} is outside of any tree.", path=path, line=line)
        elif token == ")":
            tree = stack.pop()
            if not tree.inside:
                raise InputError(f"({tree.label}) is empty.", path=path, line=tree.line)
            named = True
            if stack:
                stack[-1].inside.append(tree)
            else:
                yield tree
        elif named:
            stack[-1].inside.append(token)
        else:
            stack[-1].label = token
            named = True
    if stack:
        raise InputError("a bracket is never closed.", path=path, line=stack[-1].line)


def _text(trees: list[_Tree]) -> Analysis:
    forms: list[str] = []
    sentences = []
    constituents = []
    for tree in trees:
        first = len(forms)
        inner = tree.inside[0]
        if tree.label in _TOPS and len(tree.inside) == 1 and isinstance(inner, _Tree):
            tree = inner
        built = _constituent(tree, forms)
        if built is not None:
            constituents.append(built)
            sentences.append((first, len(forms)))
    text, tokens = join_forms(forms)
    return Analysis(
        text,
        {TOKENS: tokens, SENTENCES: tuple(sentences), CONSTITUENTS: tuple(constituents)},
    )


def _constituent(tree: _Tree, forms: list[str]) -> Constituent | None:
    """Return the constituent; drop empty elements (``-NONE-``) and brackets without words."""
    if tree.label == "-NONE-":
        return None
    start = len(forms)
    children = []
    for child in tree.inside:
        if isinstance(child, str):
            forms.append(child.replace("-LRB-", "(").replace("-RRB-", ")"))
            if len(tree.inside) > 1:
                children.append(Constituent("", len(forms) - 1, len(forms)))
            continue
        built = _constituent(child, forms)
        if built is not None:
            children.append(built)
    if len(forms) == start:
        return None
    return Constituent(tree.label, start, len(forms), tuple(children))
