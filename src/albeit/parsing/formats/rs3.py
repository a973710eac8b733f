"""``.rs3``: RST trees as rstWeb and RSTTool write them (``.rs4`` reads the same way).

A segment is an EDU; a group spans a nucleus with its satellites (``type="span"``) or
several nuclei (``type="multinuc"``). Satellites hang on their nucleus; several of one
nucleus join it one by one, those after it first, nearest first, which makes the tree
binary. A file may hold several ``<rst>`` documents, one after the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from albeit.errors import InputError
from albeit.parsing.formats.rst import Part, analysis_of, binary
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode

__all__ = ["read_rs3", "write_rs3"]

_START = re.compile(r"<rst\b")
_END = re.compile(r"</rst\s*>")
_AROUND = re.compile(
    r"<\?xml.*?(?:\?>|(?P<xml>\Z))|<!--.*?(?:-->|(?P<comment>\Z))|\ufeff", re.DOTALL
)
"""What may be between documents; a part that isn't closed is one match up to the end."""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True, eq=False)
class _Node:
    """A segment or group with what hangs on it."""

    id: str
    parent: str | None
    relation: str
    edu: int | None
    multinuc: bool
    children: list[_Node] = field(default_factory=list)


def read_rs3(text: str, *, path: str | Path | None = None) -> list[Analysis]:
    """All documents of an ``.rs3`` file, in order."""
    analyses = []
    at, line = 0, 1
    for start, end in _documents(text):
        line += text.count("\n", at, start)
        _between(text[at:start], path, line)
        try:
            root = ElementTree.fromstring(text[start:end])
        except ElementTree.ParseError as error:
            raise InputError(
                f"not well-formed XML: {error}.", path=path, line=line + error.position[0] - 1
            ) from None
        try:
            analyses.append(_document(root))
        except InputError as error:
            raise InputError(error.what, path=path, line=line) from None
        line += text.count("\n", start, end)
        at = end
    _between(text[at:], path, line)
    return analyses


def _documents(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each ``<rst>`` document starts and ends, up to one that isn't closed."""
    at = 0
    while (start := _START.search(text, at)) and (end := _END.search(text, start.end())):
        at = end.end()
        yield start.start(), at


def _between(text: str, path: str | Path | None, line: int) -> None:
    rest = _AROUND.sub(lambda part: part[0] if part.lastgroup else "", text).strip()
    if rest:
        raise InputError(f"this is no <rst> document: {rest[:30]!r}.", path=path, line=line)


def _document(root: ElementTree.Element) -> Analysis:
    kinds: dict[str, set[str]] = {}
    for rel in root.iter("rel"):
        kinds.setdefault(rel.get("name", ""), set()).add(rel.get("type", ""))
    nodes: dict[str, _Node] = {}
    texts: list[str] = []
    for element in root.iter():
        if element.tag not in ("segment", "group"):
            continue
        edu = None
        if element.tag == "segment":
            if any(inner is not element for inner in element.iter("segment")):
                raise InputError(f"segment {element.get('id')} has another segment in it.")
            edu = len(texts)
            texts.append("".join(element.itertext()).strip())
        name = element.get("id", "")
        if not name or name in nodes:
            raise InputError(f"a {element.tag} has no id of its own ({name!r}).")
        multinuc = element.get("type") == "multinuc"
        nodes[name] = _Node(
            name, element.get("parent"), element.get("relname") or "", edu, multinuc
        )
    tops = []
    for node in nodes.values():
        if node.parent is None:
            tops.append(node)
        elif node.parent in nodes:
            nodes[node.parent].children.append(node)
        else:
            raise InputError(f"node {node.id} hangs on {node.parent}, which does not exist.")
    if not texts:
        return analysis_of([], None)
    tops = [top for top in tops if top.edu is not None or top.children]
    if len(tops) != 1:
        names = ", ".join(top.id for top in tops[:5]) or "none"
        raise InputError(f"a tree needs one root, but this has {len(tops)} ({names}).")
    tree = _tree(tops[0], kinds)
    if (tree.first, tree.last) != (0, len(texts) - 1):
        raise InputError("some segments are not part of the tree.")
    return analysis_of(texts, tree)


def _tree(top: _Node, kinds: dict[str, set[str]]) -> RstNode:
    """Build the tree from its leaves up, without recursion."""
    nodes = [top]
    for node in nodes:
        nodes += node.children
    trees: dict[str, RstNode] = {}
    for node in reversed(nodes):
        trees[node.id] = _subtree(node, kinds, trees)
    return trees[top.id]


def _subtree(node: _Node, kinds: dict[str, set[str]], trees: dict[str, RstNode]) -> RstNode:
    """Join the node's own nucleus or nuclei first, then its satellites."""
    inside, satellites = _inside(node, kinds)
    if node.edu is not None:
        core = RstNode(node.edu, node.edu)
    elif not inside:
        raise InputError(f"group {node.id} is empty.")
    else:
        parts = [Part(trees[child.id], True, child.relation) for child in inside]
        core = binary(sorted(parts, key=lambda part: part.node.first))
    parts = [Part(trees[child.id], False, child.relation) for child in satellites]
    parts.append(Part(core, True, "span"))
    return binary(sorted(parts, key=lambda part: part.node.first))


def _inside(node: _Node, kinds: dict[str, set[str]]) -> tuple[list[_Node], list[_Node]]:
    """Children that make up a group, and children that are its satellites."""
    if node.edu is not None:
        return [], node.children
    spans = [child for child in node.children if child.relation == "span"]
    if not node.multinuc:
        return spans, [child for child in node.children if child.relation != "span"]
    names = Counter(child.relation for child in node.children)
    sure = {name for name in names if kinds.get(name) == {"multinuc"}}
    maybe = [name for name in names if "multinuc" in kinds.get(name, {"multinuc"})]
    chosen = sure or set(sorted(maybe, key=lambda name: -names[name])[:1])
    inside = [child for child in node.children if child.relation in chosen] + spans
    rest = [child for child in node.children if child.relation not in {*chosen, "span"}]
    return inside, rest


def write_rs3(analyses: Iterable[Analysis]) -> Iterator[str]:
    """One ``<rst>`` document per text; a text without words is left out."""
    for analysis in analyses:
        tree = analysis.get(RST)
        if tree is None:
            continue
        forms = analysis[TOKENS].forms
        words = [" ".join(forms[start:stop]) for start, stop in analysis[EDUS]]
        for text in filter(_NOT_XML.search, words):
            raise InputError(
                f"XML cannot hold an EDU with control characters: {text!r}.",
                hint="Write JSON instead.",
            )
        yield _xml(tree, words)


def _xml(tree: RstNode, words: list[str]) -> str:
    """Number the groups after the EDUs, parents first; every node gets a parent and relation."""
    ids: dict[int, int] = {}
    groups: list[RstNode] = []
    for node in tree.walk():
        ids[id(node)] = node.first + 1 if node.is_leaf else len(words) + len(groups) + 1
        if not node.is_leaf:
            groups.append(node)
    up: dict[int, tuple[int, str]] = {}
    relations = set()
    wraps: list[int] = []
    for node in groups:
        own, kids = ids[id(node)], node.children()
        relations.add((node.relation, "multinuc" if node.nuclearity == "NN" else "rst"))
        if node.nuclearity == "NN":
            up.update({ids[id(kid)]: (own, node.relation) for kid in kids})
            continue
        nucleus, satellite = kids if node.nuclearity == "NS" else kids[::-1]
        core = ids[id(nucleus)]
        if nucleus.nuclearity == "NN" and nucleus.relation == node.relation:
            # hung on the group itself, the satellite would look like one more nucleus
            wraps.append(len(words) + len(groups) + len(wraps) + 1)
            up[core] = (wraps[-1], "span")
            core = wraps[-1]
        up[core] = (own, "span")
        up[ids[id(satellite)]] = (core, node.relation)
    lines = ["<rst>", "\t<header>", "\t\t<relations>"]
    lines += [f'\t\t\t<rel name={quoteattr(n)} type="{kind}"/>' for n, kind in sorted(relations)]
    lines += ["\t\t</relations>", "\t</header>", "\t<body>"]
    for number, text in enumerate(words, 1):
        lines.append(f'\t\t<segment id="{number}"{_up(up, number)}>{escape(text)}</segment>')
    for node in groups:
        kind = "multinuc" if node.nuclearity == "NN" else "span"
        lines.append(f'\t\t<group id="{ids[id(node)]}" type="{kind}"{_up(up, ids[id(node)])}/>')
    lines += [f'\t\t<group id="{wrap}" type="span"{_up(up, wrap)}/>' for wrap in wraps]
    return "\n".join([*lines, "\t</body>", "</rst>", ""])


def _up(up: dict[int, tuple[int, str]], number: int) -> str:
    if number not in up:
        return ""
    parent, relation = up[number]
    return f' parent="{parent}" relname={quoteattr(relation)}'
