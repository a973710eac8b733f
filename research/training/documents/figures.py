"""All figures of document analysers, counted document by document."""

from __future__ import annotations

from collections.abc import Sequence

from training.corpora.documents import Mention
from training.documents import units
from training.documents.kept import Kept
from training.evaluate.coreference import Coreference
from training.evaluate.documents import DocumentTrees
from training.rows import Node


def add_tree(
    score: DocumentTrees, kept: Kept, between: Sequence[Node], gold_edus: bool = False
) -> None:
    """Count a document's tree, on the model's own EDUs or on gold ones."""
    document = kept.document
    offsets = document.offsets()
    if gold_edus:
        edus = [row.edus or [0] for row in document.rows]
        inside = [s.gold_edu_tree for s in kept.sentences]
    else:
        edus = [s.edus for s in kept.sentences]
        inside = [s.tree for s in kept.sentences]
    whole = units.whole(between, inside, [len(e) for e in edus])
    starts = [base + e for each, base in zip(edus, offsets, strict=False) for e in each]
    true = [
        base + e for row, base in zip(document.rows, offsets, strict=False) for e in row.edus or []
    ]
    score.add((whole, starts), (document.tree.nodes(), true), offsets[:-1], offsets[-1])


class Figures:
    """All figures over documents."""

    def __init__(self) -> None:
        self.trees, self.given, self.coreference = DocumentTrees(), DocumentTrees(), Coreference()
        self.right = self.mine = self.gold = 0

    def add(self, kept: Kept, between: Sequence[Node], found: Sequence[Mention]) -> None:
        """Count one document: its tree over sentences, its mentions."""
        add_tree(self.trees, kept, between)
        add_tree(self.given, kept, between, gold_edus=True)
        self.coreference.add(found, kept.document.mentions)
        theirs = {m.head for m in kept.document.mentions}
        self.right += sum(m.head in theirs for m in found)
        self.mine += len(found)
        self.gold += len(theirs)

    def figures(self) -> dict[str, float]:
        """F1 of everything."""
        given = {f"gold_edus_{k}": v for k, v in self.given.figures().items()}
        heads = {"mention_heads": 200 * self.right / (self.mine + self.gold)}
        return self.trees.figures() | given | self.coreference.figures() | heads
