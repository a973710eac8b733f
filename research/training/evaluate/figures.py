"""All figures of the results table, from gold items and their analyses, without PyTorch.

*RST-Parseval* (Marcu) counts every node but the root, EDUs included, and gives each its role and
its relation to its parent. *Original Parseval* (Morey et al. 2017) counts inner nodes only, each
with the nuclearity and the relation between its children. All are micro-averaged F1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from training.rows import Item, Node, Row, Span

if TYPE_CHECKING:
    from training.predict import Analysed

Labeled = tuple[tuple[int, int], str, str]
"""A node: its words, nuclearity or role, and relation."""
DELETED_TAGS = frozenset({",", ":", "``", "''", "."})
"""Tokens that evalb's COLLINS.prm leaves out, by their gold part of speech."""


@dataclass(slots=True)
class Counts:
    """Matched, predicted and gold items."""

    matched: int = 0
    predicted: int = 0
    gold: int = 0

    def add(self, predicted: Iterable[Hashable], gold: Iterable[Hashable]) -> None:
        """Count one sentence's items; equal ones match as often as both sides have them."""
        mine, theirs = Counter(predicted), Counter(gold)
        self.matched += (mine & theirs).total()
        self.predicted += mine.total()
        self.gold += theirs.total()

    @property
    def f1(self) -> float:
        """F1 in percent; 100 if there are no items on either side."""
        total = self.predicted + self.gold
        return 200 * self.matched / total if total else 100.0


def percent(pairs: Iterable[tuple[object, object]]) -> float:
    """Return the share of equal pairs."""
    same = [a == b for a, b in pairs]
    return 100 * sum(same) / max(len(same), 1)


def count(
    gold: Sequence[Row], predicted: Sequence[Row], items: Callable[[Row], list[Any] | None]
) -> Counts:
    """Count the items of all sentences whose gold annotation has them."""
    counts = Counts()
    for mine, theirs in zip(predicted, gold, strict=True):
        true = items(theirs)
        if true is not None:
            counts.add(items(mine) or [], true)
    return counts


def segmentation(gold: Sequence[Row], predicted: Sequence[Row], inside: bool = False) -> Counts:
    """Count EDU starts; with `inside`, without the start of the sentence, which is never wrong."""
    return count(gold, predicted, lambda row: (row.edus or [])[int(inside) :])


def _words(first: int, last: int, starts: Sequence[int], size: int) -> tuple[int, int]:
    return starts[first], starts[last + 1] if last + 1 < len(starts) else size


def original(tree: Sequence[Node], starts: Sequence[int], size: int) -> list[Labeled]:
    """Return inner nodes as (words, nuclearity, relation)."""
    return [(_words(a, b, starts, size), nuc, rel) for a, b, _, nuc, rel in tree]


def marcu(tree: Sequence[Node], starts: Sequence[int], size: int) -> list[Labeled]:
    """Return all nodes but the root as (words, nucleus or satellite, relation to the parent)."""
    found = []
    for a, b, m, nuclearity, relation in tree:
        for child, role in (((a, m), nuclearity[0]), ((m + 1, b), nuclearity[1])):
            label = "span" if role == "N" and nuclearity != "NN" else relation
            found.append((_words(*child, starts, size), role, label))
    return found


LEVELS = {"span": (0,), "nuclearity": (0, 1), "relation": (0, 2), "full": (0, 1, 2)}


class TreeScore:
    """Counts of one convention at the levels span, nuclearity, relation and full."""

    def __init__(self) -> None:
        self.counts = {level: Counts() for level in LEVELS}

    def add(self, predicted: list[Labeled], gold: list[Labeled]) -> None:
        """Count one text."""
        for level, parts in LEVELS.items():
            mine, theirs = ([tuple(n[k] for k in parts) for n in s] for s in (predicted, gold))
            self.counts[level].add(mine, theirs)

    def figures(self) -> dict[str, float]:
        """Return F1 by level."""
        return {level: counts.f1 for level, counts in self.counts.items()}


def connectives(gold: Sequence[Row], predicted: Sequence[Row]) -> tuple[Counts, float]:
    """Return identification (exact spans), and top-level sense accuracy on those found right."""
    counts, senses = Counts(), []
    for mine, theirs in zip(predicted, gold, strict=True):
        own, true = ({s[:2]: s[2] for s in row.connectives or []} for row in (mine, theirs))
        counts.add(list(own), list(true))
        senses += [(own[s].split(".")[0], true[s].split(".")[0]) for s in own.keys() & true.keys()]
    return counts, percent(senses)


def tagging(gold: Sequence[Row], predicted: Sequence[Row]) -> float:
    """Return UPOS accuracy in percent."""
    mine, true = ([tag for row in rows for tag in row.upos or []] for rows in (predicted, gold))
    return percent(zip(mine, true, strict=True))


def attachment(gold: Sequence[Row], predicted: Sequence[Row]) -> dict[str, float]:
    """Return UAS and LAS in percent, punctuation counted.

    LAS compares universal relations, as the CoNLL 2018 script does, `las_full` the subtypes too."""
    columns = [
        cells
        for m, g in zip(predicted, gold, strict=True)
        for cells in zip(m.heads or [], m.rels or [], g.heads or [], g.rels or [], strict=True)
    ]
    return {
        "uas": percent((h, g) for h, _, g, _ in columns),
        "las": percent(((h, r.split(":")[0]), (g, t.split(":")[0])) for h, r, g, t in columns),
        "las_full": percent(((h, r), (g, t)) for h, r, g, t in columns),
    }


def evalb_brackets(brackets: Sequence[Span], tags: Sequence[str]) -> list[Span]:
    """Return brackets as evalb counts them: no punctuation, chains apart, ADVP equal to PRT."""
    place = [0]
    for tag in tags:
        place.append(place[-1] + (tag not in DELETED_TAGS))
    return [
        (place[start], place[stop], "ADVP" if label == "PRT" else label)
        for start, stop, chain in brackets
        if place[start] < place[stop]
        for label in chain.split("+")
    ]


def constituency(gold: Sequence[Row], predicted: Sequence[Row]) -> Counts:
    """Count labeled brackets by evalb's conventions."""
    counts = Counts()
    for mine, theirs in zip(predicted, gold, strict=True):
        if theirs.brackets is not None and theirs.xpos is not None:
            both = (mine.brackets or [], theirs.brackets)
            counts.add(*(evalb_brackets(brackets, theirs.xpos) for brackets in both))
    return counts


def _arguments(row: Row) -> list[tuple[int, Span]] | None:
    if row.frames is None:
        return None
    return [(frame.word, span) for frame in row.frames for span in frame.roles]


def roles(gold: Sequence[Row], predicted: Sequence[Row]) -> tuple[Counts, Counts]:
    """Count predicates, and argument spans with their role and predicate (exact match)."""
    predicates = count(gold, predicted, lambda row: row.frames and [f.word for f in row.frames])
    return predicates, count(gold, predicted, _arguments)


def entities(gold: Sequence[Row], predicted: Sequence[Row]) -> Counts:
    """Count named entities: exact span and kind."""
    return count(gold, predicted, lambda row: row.entities)


def _rows(items: Sequence[Item] | Sequence[Analysed]) -> list[Row]:
    return [row for item in items for row in item.rows]


def _starts(rows: Sequence[Row]) -> tuple[list[int], int]:
    starts: list[int] = []
    size = 0
    for row in rows:
        starts.extend(size + start for start in row.edus or [0])
        size += len(row.words)
    return starts, size


def trees(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """Return RST figures over texts with two or more gold EDUs."""
    parseval, inner, end, everything = (TreeScore() for _ in range(4))
    for theirs, mine in zip(gold, analysed, strict=True):
        starts, size = _starts(theirs.rows)
        own_starts, _ = _starts(mine.rows)
        true = original(theirs.tree or [], starts, size)
        own = original(mine.tree, own_starts, size)
        everything.add(own, true)
        if len(starts) < 2:
            continue
        given = mine.gold_edu_tree or []
        end.add(own, true)
        inner.add(original(given, starts, size), true)
        parseval.add(marcu(given, starts, size), marcu(theirs.tree or [], starts, size))
    found = {f"rst_parseval_{k}": v for k, v in parseval.figures().items() if k != "full"}
    found.update({f"rst_original_{k}": v for k, v in inner.figures().items()})
    found["rst_end_to_end_full"] = end.figures()["full"]
    found["rst_end_to_end_full_all"] = everything.figures()["full"]
    return found


def gum(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """Return figures on GUM sentences."""
    true, own = _rows(gold), _rows(analysed)
    conn, sense = connectives(true, own)
    return {
        "edu": segmentation(true, own).f1,
        "edu_inside": segmentation(true, own, inside=True).f1,
        **trees(gold, analysed),
        "upos": tagging(true, own),
        **attachment(true, own),
        "connective": conn.f1,
        "connective_sense": sense,
        "entity": entities(true, own).f1,
    }


def ewt(gold: Sequence[Item], analysed: Sequence[Analysed]) -> dict[str, float]:
    """Return figures on EWT sentences."""
    true, own = _rows(gold), _rows(analysed)
    predicates, arguments = roles(true, own)
    return {
        "upos": tagging(true, own),
        **attachment(true, own),
        "constituency": constituency(true, own).f1,
        "predicate": predicates.f1,
        "role": arguments.f1,
    }
