"""Scores of EDU boundaries, discourse trees and connectives.

*RST-Parseval* (Marcu) counts every node but the root, EDUs included, and gives each its role and
its relation to its parent. *Original Parseval* (Morey et al. 2017) counts inner nodes only, each
with the nuclearity and the relation between its children. All are micro-averaged F1.
"""

from __future__ import annotations

from collections.abc import Sequence

from training.evaluate.counts import Counts
from training.rows import Node, Row

Words = tuple[int, int]


def segmentation(gold: Sequence[Row], predicted: Sequence[Row], inside: bool = False) -> Counts:
    """EDU starts; with `inside`, the start of the sentence, which is never wrong, is left out."""
    counts = Counts()
    for mine, theirs in zip(predicted, gold, strict=True):
        skip = 1 if inside else 0
        counts.add((mine.edus or [])[skip:], (theirs.edus or [])[skip:])
    return counts


def _words(node: tuple[int, int], starts: Sequence[int], size: int) -> Words:
    first, last = node
    return starts[first], starts[last + 1] if last + 1 < len(starts) else size


def original(
    tree: Sequence[Node], starts: Sequence[int], size: int
) -> list[tuple[Words, str, str]]:
    """Inner nodes as (words, nuclearity, relation)."""
    return [(_words((a, b), starts, size), nuc, rel) for a, b, _, nuc, rel in tree]


def marcu(tree: Sequence[Node], starts: Sequence[int], size: int) -> list[tuple[Words, str, str]]:
    """All nodes but the root as (words, nucleus or satellite, relation to the parent)."""
    found = []
    for a, b, m, nuclearity, relation in tree:
        for child, role in (((a, m), nuclearity[0]), ((m + 1, b), nuclearity[1])):
            label = "span" if role == "N" and nuclearity != "NN" else relation
            found.append((_words(child, starts, size), role, label))
    return found


class TreeScore:
    """Counts of one convention at the levels span, nuclearity, relation and full."""

    def __init__(self) -> None:
        self.span = Counts()
        self.nuclearity = Counts()
        self.relation = Counts()
        self.full = Counts()

    def add(
        self, predicted: list[tuple[Words, str, str]], gold: list[tuple[Words, str, str]]
    ) -> None:
        """Count one text."""
        self.span.add([w for w, _, _ in predicted], [w for w, _, _ in gold])
        self.nuclearity.add([(w, n) for w, n, _ in predicted], [(w, n) for w, n, _ in gold])
        self.relation.add([(w, r) for w, _, r in predicted], [(w, r) for w, _, r in gold])
        self.full.add(predicted, gold)

    def figures(self) -> dict[str, float]:
        """F1 by level."""
        return {
            "span": self.span.f1,
            "nuclearity": self.nuclearity.f1,
            "relation": self.relation.f1,
            "full": self.full.f1,
        }


def connectives(gold: Sequence[Row], predicted: Sequence[Row]) -> tuple[Counts, float]:
    """Identification (exact spans), and top-level sense accuracy on those found right."""
    counts = Counts()
    right = found = 0
    for mine, theirs in zip(predicted, gold, strict=True):
        own = {(a, b): sense for a, b, sense in mine.connectives or []}
        true = {(a, b): sense for a, b, sense in theirs.connectives or []}
        counts.add(list(own), list(true))
        for span in own.keys() & true.keys():
            found += 1
            right += own[span].split(".")[0] == true[span].split(".")[0]
    return counts, 100 * right / max(found, 1)
