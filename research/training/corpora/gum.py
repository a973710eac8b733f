"""GUM: sentence-level discourse trees, UD, connectives and named entities, in official splits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training.corpora import conllu
from training.corpora.documents import named_entities, read_connectives
from training.rows import Item, Node, Row, Span

PERMISSIVE = frozenset({"academic", "court", "news", "interview", "bio", "voyage"})
"""Genres whose texts allow commercial use (CC BY or CC BY-SA); the others are CC BY-NC-SA or of
unstated licence."""

MAX_GROUP_SENTENCES = 5
MAX_GROUP_EDUS = 24
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


def read_tree(path: Path) -> Tree:
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
        rows.append(
            Row(
                id=str(record["sent_id"]),
                source="gum",
                genre=str(record["genre"]),
                words=sentence.words,
                edus=list(record["edu_starts"]),  # type: ignore[call-overload]
                upos=sentence.upos,
                xpos=sentence.xpos,
                heads=sentence.heads,
                rels=sentence.rels,
                connectives=here,
                entities=named_entities(sentence),
            )
        )
        offset += size
    return rows


def _sentence_tree(record: dict[str, object]) -> list[Node]:
    spans: list[tuple[int, int, int, str, str]] = record["spans"]  # type: ignore[assignment]
    return [(a, b, m, nuclearity, coarse(rel)) for a, b, m, nuclearity, rel in spans]


def _groups(tree: Tree, rows: list[Row], kinds: list[str]) -> Iterator[Item]:
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
        stack.extend(node.children)
        start, end = first_of.get(node.first), last_of.get(node.last)
        if start is None or end is None or not 0 < end - start < MAX_GROUP_SENTENCES:
            continue
        if node.last - node.first >= MAX_GROUP_EDUS:
            continue
        if any(kind not in ("single", "complete") for kind in kinds[start : end + 1]):
            continue
        yield Item(rows[start : end + 1], node.nodes(node.first), kind="group")


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
