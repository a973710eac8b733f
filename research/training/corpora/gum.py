"""GUM: sentence-level discourse trees, UD, connectives and named entities, in official splits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from albeit.parsing.formats.rst import read_dis
from albeit.parsing.layers import RST, RstNode
from training.corpora import conllu
from training.corpora.documents import named_entities, read_connectives
from training.rows import Item, Node, Row, Span

MAX_GROUP_SENTENCES = 5
MAX_GROUP_EDUS = 24


def nodes(tree: RstNode, base: int = 0) -> list[Node]:
    """Return the internal nodes of a tree, EDU numbers counted from `base`."""
    return [
        (n.first - base, n.last - base, n.left.last - base, n.nuclearity, coarse(n.relation))
        for n in tree.walk()
        if n.left
    ]


def coarse(relation: str) -> str:
    """The part before the hyphen; `same-unit` stays."""
    return relation if relation == "same-unit" else relation.split("-")[0]


def read_tree(path: Path) -> RstNode:
    """Return the tree of one document."""
    (analysis,) = read_dis(path.read_text(encoding="utf-8"), path=path)
    tree = analysis[RST]
    assert tree
    return tree


def _document_rows(gum: Path, doc: str, records: list[dict[str, object]]) -> list[Row]:
    """The rows of one document, with all of GUM's layers joined by sentence id."""
    by_id = {str(record["sent_id"]): record for record in records}
    conns = read_connectives(gum / "rst/gdtb/pdtb/gold/00" / doc)
    rows: list[Row] = []
    offset = 0
    for sentence in conllu.read(gum / "dep" / f"{doc}.conllu"):
        size = len(sentence.words)
        record = by_id[sentence.comments["sent_id"]]
        if record["tokens"] != sentence.words:
            raise ValueError(f"{record['sent_id']}: words differ between layers")
        here: list[Span] = [
            (start - offset, end - offset, sense)
            for start, end, sense in conns
            if offset <= start and end <= offset + size
        ]
        row = sentence.row("gum", str(record["genre"]))
        row.edus = list(record["edu_starts"])  # type: ignore[call-overload]
        row.connectives, row.entities = here, named_entities(sentence)
        rows.append(row)
        offset += size
    return rows


def _sentence_tree(record: dict[str, object]) -> list[Node]:
    spans: list[tuple[int, int, int, str, str]] = record["spans"]  # type: ignore[assignment]
    return [(a, b, m, nuclearity, coarse(rel)) for a, b, m, nuclearity, rel in spans]


def _groups(tree: RstNode, rows: list[Row], kinds: list[str]) -> Iterator[Item]:
    """Subtrees that cover two or more whole neighbouring sentences, each itself a subtree."""
    first_of = {}
    last_of = {}
    edu = 0
    for index, row in enumerate(rows):
        first_of[edu] = index
        edu += len(row.edus or [])
        last_of[edu - 1] = index
    stack = [tree]
    while stack:
        node = stack.pop()
        stack += node.children()
        start, end = first_of.get(node.first), last_of.get(node.last)
        if start is None or end is None or not 0 < end - start < MAX_GROUP_SENTENCES:
            continue
        if node.last - node.first >= MAX_GROUP_EDUS:
            continue
        if any(kind not in ("single", "complete") for kind in kinds[start : end + 1]):
            continue
        yield Item(rows[start : end + 1], nodes(node, node.first), kind="group")


def read(data: Path, split: str) -> tuple[list[Item], list[Item]]:
    """The sentences of a split as items, and its groups of neighbouring sentences."""
    records: dict[str, list[dict[str, object]]] = {}
    with (data / "gum-sentences" / f"{split}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            records.setdefault(record["doc"], []).append(record)
    singles: list[Item] = []
    groups: list[Item] = []
    for doc, sentences in records.items():
        rows = _document_rows(data / "gum", doc, sentences)
        kinds = {str(s["sent_id"]): str(s["kind"]) for s in sentences}
        trees = {str(s["sent_id"]): _sentence_tree(s) for s in sentences}
        singles.extend(Item([row], trees[row.id], kind=kinds[row.id]) for row in rows)
        tree = read_tree(data / "gum/rst/lisp_binary" / f"{doc}.dis")
        if sum(len(row.edus or []) for row in rows) != tree.last + 1:
            raise ValueError(f"{doc}: the EDUs of the sentences and of the document differ")
        groups.extend(_groups(tree, rows, [kinds[row.id] for row in rows]))
    return singles, groups
