"""Figures of coreference, counted document by document."""

from __future__ import annotations

from collections.abc import Sequence

from training.corpora.documents import Mention
from training.documents.kept import Kept
from training.evaluate.coreference import Coreference


class Figures:
    """All figures over documents."""

    def __init__(self) -> None:
        self.coreference = Coreference()
        self.right = self.mine = self.gold = 0

    def add(self, kept: Kept, found: Sequence[Mention]) -> None:
        """Count the mentions of one document."""
        self.coreference.add(found, kept.document.mentions)
        theirs = {m.head for m in kept.document.mentions}
        self.right += sum(m.head in theirs for m in found)
        self.mine += len(found)
        self.gold += len(theirs)

    def figures(self) -> dict[str, float]:
        """F1 of everything."""
        heads = {"mention_heads": 200 * self.right / (self.mine + self.gold)}
        return self.coreference.figures() | heads
