"""The one format that every corpus is read into, and its JSON-lines form.

A *row* is a sentence with whatever annotation its corpus has; a layer that is absent is None, so
that one model can be trained on corpora that annotate different things. An *item* is one or more
neighbouring rows with the discourse tree over their elementary discourse units (EDUs). All spans
are half open, in words; trees are lists of nodes over EDU numbers.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

Span = tuple[int, int, str]
"""First word, word after the last, label."""

Node = tuple[int, int, int, str, str]
"""First EDU, last EDU, last EDU of the left child, nuclearity (NS, SN, NN), coarse relation."""


@dataclass(slots=True)
class Frame:
    """One PropBank predicate: its word and its labelled argument spans."""

    word: int
    roles: list[Span]


@dataclass(slots=True)
class Row:
    """One sentence and its annotation."""

    id: str
    source: str
    genre: str
    words: list[str]
    edus: list[int] | None = None
    upos: list[str] | None = None
    xpos: list[str] | None = None
    heads: list[int] | None = None
    rels: list[str] | None = None
    brackets: list[Span] | None = None
    frames: list[Frame] | None = None
    connectives: list[Span] | None = None
    entities: list[Span] | None = None


@dataclass(slots=True)
class Item:
    """Neighbouring rows and, where it is known, the one discourse tree over their EDUs."""

    rows: list[Row]
    tree: list[Node] | None = None
    kind: str = ""


def write_items(path: Path, items: Iterable[Item]) -> int:
    """Write items as gzipped JSON lines; returns how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for item in items:
            out.write(json.dumps(asdict(item), ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    return count


def _row(data: dict[str, object]) -> Row:
    row = Row(**data)  # type: ignore[arg-type]
    for name in ("brackets", "connectives", "entities"):
        spans = getattr(row, name)
        if spans is not None:
            setattr(row, name, [tuple(span) for span in spans])
    if row.frames is not None:
        row.frames = [
            Frame(frame["word"], [tuple(span) for span in frame["roles"]])  # type: ignore[index]
            for frame in row.frames
        ]
    return row


def read_items(path: Path) -> Iterator[Item]:
    """Read what `write_items` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            data = json.loads(line)
            tree = data["tree"]
            yield Item(
                rows=[_row(row) for row in data["rows"]],
                tree=None if tree is None else [tuple(node) for node in tree],
                kind=data["kind"],
            )
