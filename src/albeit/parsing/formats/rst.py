"""Read RST trees (``.dis``, ``.rs3``, ``.rs4``), and write ``.rs3``.

In ``.dis``, as in RST-DT and GUM (``lisp_binary``), a tree is
``( Root (span 1 3) ( Nucleus (leaf 1) (rel2par span) (text _!…_!) ) …)``. In ``.rs3``, as rstWeb
and RSTTool write it, a segment is an EDU; a group spans a nucleus with its satellites
(``type="span"``) or several nuclei (``type="multinuc"``). Satellites are attached to their nucleus.

A file can have several trees, one after the other. Trees are made binary: nuclei branch to the
right, and satellites join their nucleus one by one, those after it first, nearest first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from albeit.data.textio import whole_number
from albeit.errors import InputError
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, Nuclearity, RstNode
from albeit.parsing.tokenize import join_forms, tokenize

Source = str | Path | None


@dataclass(frozen=True, slots=True)
class Child:
    """A child in a file's tree: its subtree, whether it is a nucleus, and its relation."""

    node: RstNode
    nucleus: bool
    relation: str


def binarize(parts: Sequence[Child]) -> RstNode:
    """Return one binary tree over neighboring children."""
    nuclei = [i for i, part in enumerate(parts) if part.nucleus]
    if not nuclei:
        first, last = parts[0].node.first + 1, parts[-1].node.last + 1
        raise InputError(f"EDUs {first} to {last} have no nucleus.")
    whole = parts[nuclei[-1]]
    for part in parts[nuclei[-1] + 1 :]:
        whole = Child(_pair(whole, part), True, whole.relation)
    for part in reversed(parts[: nuclei[-1]]):
        whole = Child(_pair(part, whole), True, whole.relation)
    return whole.node


def _pair(left: Child, right: Child) -> RstNode:
    one, other = left.node, right.node
    if one.last + 1 != other.first:
        what = f"EDU {one.last + 1} is not followed by EDU {other.first + 1}"
        raise InputError(f"{what}: the parts of a tree must be adjacent.")
    nuclearity: Nuclearity = "NS" if not right.nucleus else "NN" if left.nucleus else "SN"
    relation = left.relation if right.nucleus else right.relation
    return RstNode(one.first, other.last, nuclearity, relation, one, other)


def build_analysis(texts: Sequence[str], tree: RstNode | None) -> Analysis:
    """Return an annotation from the EDUs' texts, which are tokenized, and the tree over them."""
    forms: list[str] = []
    edus = []
    for text in texts:
        words = text.split()
        if any(len(tokenize(word)) != 1 for word in words):
            words = list(tokenize(text).forms)
        edus.append((len(forms), len(forms) + len(words)))
        forms += words
    whole, tokens = join_forms(forms)
    return Analysis(whole, {TOKENS: tokens, EDUS: tuple(edus), RST: tree})


# The format .dis.

_TOKEN = re.compile(
    r"(?P<space>\s+)|\(text _!(?P<text>.*?)_!\)|(?P<comment>//[^\n]*)"
    r"|\((?P<key>span|leaf|rel2par|schema|promotion)\b(?P<value>[^()]*)\)"
    r"|(?P<open>\(\s*(?P<kind>Root|Nucleus|Satellite))|(?P<close>\))|(?P<other>.+)",
    re.DOTALL,
)


@dataclass(slots=True)
class _Open:
    """A bracket that isn't closed yet."""

    kind: str
    line: int
    relation: str = ""
    leaf: int | None = None
    text: str | None = None
    children: list[Child] = field(default_factory=list)


def read_dis(text: str, *, path: Source = None) -> list[Analysis]:
    """Return all trees of a ``.dis`` file, in order."""
    analyses: list[Analysis] = []
    stack: list[_Open] = []
    edus: list[str] = []
    line = 1
    for match in _TOKEN.finditer(text):
        if match["open"]:
            stack.append(_Open(match["kind"], line))
        elif match["close"]:
            if not stack:
                _fail("a bracket is closed that was not opened.", path, line)
            child = _close(stack.pop(), edus, path)
            if stack:
                stack[-1].children.append(child)
            else:
                analyses.append(build_analysis(edus, child.node))
                edus = []
        elif match["other"]:
            _fail(f"this isn't an RST tree: {match['other'][:30]!r}.", path, line)
        elif not (match["space"] or match["comment"]):
            if not stack:
                _fail(f"{match.group()!r} is outside of any tree.", path, line)
            _set_property(stack[-1], match, path, line)
        line += match.group().count("\n")
    if stack:
        _fail(f"the bracket opened on line {stack[-1].line} is never closed.", path, line)
    return analyses


def _set_property(node: _Open, match: re.Match[str], path: Source, line: int) -> None:
    if match["text"] is not None:
        node.text = match["text"].removesuffix("<P>").rstrip()
    elif match["key"] == "leaf":
        value = match["value"].strip()
        node.leaf = whole_number(value)
        if node.leaf < 0:
            _fail(f"a leaf's number is {value!r}.", path, line)
    elif match["key"] == "rel2par":
        node.relation = match["value"].strip()


def _close(node: _Open, edus: list[str], path: Source) -> Child:
    nucleus = node.kind != "Satellite"
    if node.leaf is None and not node.children:
        _fail("a node has neither children nor a leaf number.", path, node.line)
    if node.leaf is not None:
        if node.text is None or node.leaf != len(edus) + 1:
            what = f"leaf {node.leaf} should be leaf {len(edus) + 1}, with its text."
            _fail(what, path, node.line)
        edus.append(node.text)
        return Child(RstNode(node.leaf - 1, node.leaf - 1), nucleus, node.relation)
    try:
        return Child(binarize(node.children), nucleus, node.relation)
    except InputError as error:
        raise InputError(error.what, path=path, line=node.line) from None


def _fail(what: str, path: Source, line: int) -> NoReturn:
    raise InputError(what, path=path, line=line, hint="Expected RST trees as in RST-DT (.dis).")


# The format .rs3.

_START = re.compile(r"<rst\b")
_END = re.compile(r"</rst\s*>")
_AROUND = re.compile(
    r"<\?xml.*?(?:\?>|(?P<xml>\Z))|<!--.*?(?:-->|(?P<comment>\Z))|\ufeff", re.DOTALL
)
"""Text that can be between documents; a part that isn't closed is one match up to the end."""
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True, eq=False)
class _Node:
    """A segment or group with its children."""

    id: str
    parent: str | None
    relation: str
    edu: int | None
    multinuc: bool
    children: list[_Node] = field(default_factory=list)


def read_rs3(text: str, *, path: Source = None) -> list[Analysis]:
    """Return all documents of an ``.rs3`` file, in order."""
    analyses = []
    at, line = 0, 1
    for start, end in _documents(text):
        line += text.count("\n", at, start)
        _between(text[at:start], path, line)
        try:
            root = ElementTree.fromstring(text[start:end])
        except ElementTree.ParseError as error:
            what, at_line = f"not well-formed XML: {error}.", line + error.position[0] - 1
            raise InputError(what, path=path, line=at_line) from None
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


def _between(text: str, path: Source, line: int) -> None:
    rest = _AROUND.sub(lambda part: part[0] if part.lastgroup else "", text).strip()
    if rest:
        raise InputError(f"this isn't an <rst> document: {rest[:30]!r}.", path=path, line=line)


def _document(root: ElementTree.Element) -> Analysis:
    kinds: dict[str, set[str]] = {}
    for rel in root.iter("rel"):
        kinds.setdefault(rel.get("name", ""), set()).add(rel.get("type", ""))
    nodes: dict[str, _Node] = {}
    texts: list[str] = []
    for element in root.iter():
        if element.tag in ("segment", "group"):
            node = _read_node(element, texts)
            if not node.id or node.id in nodes:
                raise InputError(f"a {element.tag} has no id of its own ({node.id!r}).")
            nodes[node.id] = node
    _attach(nodes)
    if not texts:
        return build_analysis([], None)
    roots = [node for node in nodes.values() if node.parent is None]
    tops = [top for top in roots if top.edu is not None or top.children]
    if len(tops) != 1:
        names = ", ".join(top.id for top in tops[:5]) or "none"
        raise InputError(f"a tree needs one root, but this has {len(tops)} ({names}).")
    tree = _tree(tops[0], kinds)
    if (tree.first, tree.last) != (0, len(texts) - 1):
        raise InputError("some segments are not part of the tree.")
    return build_analysis(texts, tree)


def _attach(nodes: dict[str, _Node]) -> None:
    for node in nodes.values():
        if node.parent in nodes:
            nodes[node.parent].children.append(node)
        elif node.parent is not None:
            raise InputError(f"node {node.id} is attached to {node.parent}, which doesn't exist.")


def _read_node(element: ElementTree.Element, texts: list[str]) -> _Node:
    """Return a segment or group; add the text of a segment."""
    edu = None
    if element.tag == "segment":
        if any(inner is not element for inner in element.iter("segment")):
            raise InputError(f"segment {element.get('id')} has another segment in it.")
        edu = len(texts)
        texts.append("".join(element.itertext()).strip())
    relation, multinuc = element.get("relname") or "", element.get("type") == "multinuc"
    return _Node(element.get("id", ""), element.get("parent"), relation, edu, multinuc)


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
        parts = [Child(trees[child.id], True, child.relation) for child in inside]
        core = binarize(sorted(parts, key=lambda part: part.node.first))
    parts = [Child(trees[child.id], False, child.relation) for child in satellites]
    parts.append(Child(core, True, "span"))
    return binarize(sorted(parts, key=lambda part: part.node.first))


def _inside(node: _Node, kinds: dict[str, set[str]]) -> tuple[list[_Node], list[_Node]]:
    """Return the children that make up a group, and its satellites."""
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
    """Yield one ``<rst>`` document per text with words."""
    for analysis in analyses:
        tree = analysis.get(RST)
        if tree is None:
            continue
        forms = analysis[TOKENS].forms
        words = [" ".join(forms[start:stop]) for start, stop in analysis[EDUS]]
        for text in filter(_NOT_XML.search, words):
            what = f"XML cannot hold an EDU with control characters: {text!r}."
            raise InputError(what, hint="Write JSON instead.")
        yield _xml(tree, words)


def _xml(tree: RstNode, words: list[str]) -> str:
    """Return a tree as XML; groups are numbered after the EDUs, parents first."""
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
            # attached to the group itself, the satellite would look like another nucleus
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
