"""English Web Treebank: UD, gold constituents and PropBank, joined sentence by sentence.

UD and PropBank's release are joined by position; a sentence whose word counts differ keeps its UD
annotation and has no constituents or roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from training.corpora import conllu
from training.rows import Frame, Item, Span

SKIPPED = ("reviews/275919", "email/enronsent26_02")
"""Files whose sentences are cut differently in the two releases."""

_PIECE = re.compile(r"\(([^\s()*]+)|(\*)|(\))")


def _skeleton(path: Path) -> Iterator[list[list[str]]]:
    """The sentences of a `.gold_skel` file as lists of column lists."""
    sentence: list[list[str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            sentence.append(line.split())
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def spans(column: list[str]) -> list[Span]:
    """Spans of a bracket column (`(S(NP*`, `*)`), outermost first."""
    open_: list[tuple[int, int, str]] = []
    found: list[tuple[int, Span]] = []
    order = 0
    for index, cell in enumerate(column):
        for match in _PIECE.finditer(cell):
            if match.group(1):
                open_.append((order, index, match.group(1)))
                order += 1
            elif match.group(3):
                place, start, label = open_.pop()
                found.append((place, (start, index + 1, label)))
    return [span for _, span in sorted(found)]


def brackets(column: list[str]) -> list[Span]:
    """Constituents without functions and without TOP, unary chains joined by `+`."""
    chains: dict[tuple[int, int], list[str]] = {}
    for start, end, label in spans(column):
        bare = re.split(r"[-=]", label)[0] if not label.startswith("-") else label
        if bare != "TOP":
            chains.setdefault((start, end), []).append(bare)
    return [(start, end, "+".join(chain)) for (start, end), chain in chains.items()]


def frames(rows: list[list[str]]) -> list[Frame]:
    """The predicates of a sentence, each with its role spans (the predicate's own V left out)."""
    found: list[Frame] = []
    predicates = [index for index, row in enumerate(rows) if row[7] != "-"]
    for number, word in enumerate(predicates):
        roles = [s for s in spans([row[8 + number] for row in rows]) if s[2] != "V"]
        found.append(Frame(word, roles))
    return found


def read(data: Path, split: str) -> list[Item]:
    """The sentences of a split."""
    root = data / "ewt-propbank"
    items: list[Item] = []
    names = (root / f"not-to-release/file-lists/files.{split}").read_text(encoding="utf-8").split()
    for name in names:
        stem = name.removesuffix(".conllu")
        genre, _, base = stem.partition("/")
        sentences = list(conllu.read(root / "not-to-release/sources" / name))
        partner = root / "data/google/ewt" / genre / "00" / f"{base}.gold_skel"
        skeletons: list[list[list[str]]] = []
        if partner.exists() and not any(stem.startswith(skip) for skip in SKIPPED):
            skeletons = list(_skeleton(partner))
        for index, sentence in enumerate(sentences):
            row = sentence.row("ewt", genre)
            if index < len(skeletons) and len(skeletons[index]) == len(row.words):
                skeleton = skeletons[index]
                row.brackets = brackets([cells[5] for cells in skeleton])
                row.frames = frames(skeleton)
            items.append(Item([row], kind="ewt"))
    return items
