"""GUM's whole documents: sentences in order, the discourse tree over all of them, coreference.

A mention is a token range of the document with its head word, the number of its entity (mentions
of one entity corefer), GUM's entity type and its information status. Heads come from the
dependency tree: the head of a mention is the word in it that hangs on a word outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training.corpora import conllu, dis
from training.rows import Row

IGNORED = "reddit"
"""The genre whose texts GUM does not hold."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention: words ``start`` to ``stop`` of the document, half open."""

    start: int
    stop: int
    head: int
    entity: int
    kind: str = ""
    status: str = ""


@dataclass(slots=True)
class Document:
    """One document: its sentences (`edus` are counted within each), tree and mentions."""

    id: str
    genre: str
    rows: list[Row]
    tree: dis.Tree
    mentions: list[Mention]

    def offsets(self) -> list[int]:
        """The first word of each sentence, and the number of words."""
        found = [0]
        for row in self.rows:
            found.append(found[-1] + len(row.words))
        return found


def splits(path: Path) -> dict[str, list[str]]:
    """The documents of GUM's official parts, from its `splits.md`."""
    found: dict[str, list[str]] = {}
    part = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            part = line[3:].strip()
        elif (name := line.strip().removeprefix("* ")).startswith("GUM_") and IGNORED not in name:
            found.setdefault(part, []).append(name)
    return found


def head_word(start: int, stop: int, heads: list[int]) -> int:
    """The first word of a range that hangs on a word outside it (``heads`` from 1, 0 the root)."""
    outside = (word for word in range(start, stop) if not start < heads[word] <= stop)
    return next(outside, start)


def _values(column: str) -> str:
    return next((part[7:] for part in column.split("|") if part.startswith("Entity=")), "")


def mentions(sentence: conllu.Sentence, offset: int) -> list[Mention]:
    """The mentions of one sentence whose first word is the document's word ``offset``."""
    opened: dict[str, list[tuple[int, list[str]]]] = {}
    found: list[Mention] = []
    for word, column in enumerate(sentence.misc):
        for match in re.finditer(r"\(([^()]+)(\))?|([^()]+)\)", _values(column)):
            begun, closed, ended = match.groups()
            if begun is not None:
                fields = begun.split("-")
                opened.setdefault(fields[0], []).append((word, fields))
            if closed or ended:
                number = ended or begun.split("-")[0]
                start, fields = opened[number].pop()
                head = head_word(start, word + 1, sentence.heads)
                found.append(
                    Mention(
                        *(offset + start, offset + word + 1, offset + head),
                        *(int(number), fields[1], fields[2]),
                    )
                )
    if any(opened.values()):
        raise ValueError(f"{sentence.comments.get('sent_id')}: a mention is never closed")
    return found


def document(gum: Path, name: str) -> Document:
    """One document of an unpacked GUM."""
    rows: list[Row] = []
    found: list[Mention] = []
    offset = 0
    genre = name.split("_")[1]
    for sentence in conllu.read(gum / "dep" / f"{name}.conllu"):
        starts = [k for k, column in enumerate(sentence.misc) if "Discourse=" in column]
        rows.append(
            Row(
                id=sentence.comments["sent_id"],
                source="gum",
                genre=genre,
                words=sentence.words,
                edus=starts,
                upos=sentence.upos,
                heads=sentence.heads,
                rels=sentence.rels,
            )
        )
        found.extend(mentions(sentence, offset))
        offset += len(sentence.words)
    tree = dis.read(gum / "rst/lisp_binary" / f"{name}.dis")
    if sum(len(row.edus or []) for row in rows) != tree.last + 1:
        raise ValueError(f"{name}: the EDUs of the sentences and of the tree differ")
    found.sort(key=lambda mention: (mention.start, -mention.stop))
    return Document(name, genre, rows, tree, found)


def read(gum: Path, split: str) -> Iterator[Document]:
    """The documents of an official part, of an unpacked GUM."""
    for name in splits(gum / "splits.md")[split]:
        yield document(gum, name)
