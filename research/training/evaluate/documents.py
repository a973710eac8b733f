"""Original Parseval over whole documents, and over the nodes between sentences apart."""

from __future__ import annotations

from collections.abc import Sequence

from training.evaluate.discourse import TreeScore, Words, original
from training.rows import Node

Labelled = tuple[Words, str, str]


def across(nodes: Sequence[Labelled], sentences: Sequence[int]) -> list[Labelled]:
    """The nodes that more than one sentence has a part in; ``sentences`` are their first words."""
    starts = set(sentences)
    return [node for node in nodes if any(k in starts for k in range(node[0][0] + 1, node[0][1]))]


class DocumentTrees:
    """Counts over all nodes and over those between sentences."""

    def __init__(self) -> None:
        self.every = TreeScore()
        self.between = TreeScore()

    def add(
        self,
        predicted: tuple[Sequence[Node], Sequence[int]],
        gold: tuple[Sequence[Node], Sequence[int]],
        sentences: Sequence[int],
        size: int,
    ) -> None:
        """Count one document: trees with the first words of their EDUs, and of the sentences."""
        mine, theirs = (original(tree, starts, size) for tree, starts in (predicted, gold))
        self.every.add(mine, theirs)
        self.between.add(across(mine, sentences), across(theirs, sentences))

    def figures(self) -> dict[str, float]:
        """F1 by level."""
        found = {f"document_{name}": value for name, value in self.every.figures().items()}
        found.update({f"between_{name}": v for name, v in self.between.figures().items()})
        return found
