"""The package's own document analysers on kept documents, for calibration and figures."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.documents.coreference import find_mentions
from albeit.annotate.documents.document import Heads, Sentence, read_document, read_sentences
from albeit.annotate.documents.trees import tree_over_sentences
from albeit.annotate.encoder import Backend
from training.corpora.documents import Mention
from training.documents.kept import Kept
from training.rows import Node


def sentences(kept: Kept, backend: Backend) -> list[Sentence]:
    """The sentences of a document, read by the sentence model."""
    words = [tuple(row.words) for row in kept.document.rows]
    return read_sentences(words, backend, joined=True, tagged=True)


def analyse(kept: Kept, backend: Backend, networks: Heads) -> tuple[Sequence[Node], list[Mention]]:
    """The tree over a document's sentences, and its mentions."""
    document = read_document(sentences(kept, backend), networks)
    names = networks.labels["rst"]
    tree: list[Node] = []
    for a, b, m, label in tree_over_sentences(document, networks).tolist():
        nuclearity, _, relation = names[label].partition("-")
        tree.append((a, b, m, nuclearity, relation))
    found = find_mentions(document, networks)
    kinds = found.kinds.argmax(1).tolist()
    rows = zip(
        found.spans.tolist(), found.heads.tolist(), found.entities.tolist(), kinds, strict=True
    )
    mentions = [
        Mention(start, stop, head, entity, networks.labels["kind"][kind])
        for (start, stop), head, entity, kind in rows
    ]
    return tree, mentions
