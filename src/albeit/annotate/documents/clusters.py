"""Mentions put together to what they mean, with what the text says of it."""

from __future__ import annotations

import numpy as np

from albeit.annotate.documents.coreference import Mentions
from albeit.annotate.documents.document import Document
from albeit.annotate.documents.traits import Words, traits
from albeit.annotate.layer import Labels
from albeit.annotate.layers.coreference import Cluster, Mention

__all__ = ["clusters", "document_forms"]


def clusters(document: Document, found: Mentions, labels: Labels) -> tuple[Cluster, ...]:
    """The clusters of a document, in the order of their first mentions."""
    words = document_forms(document)
    rows: dict[int, list[int]] = {}
    for row, entity in enumerate(found.entities.tolist()):
        rows.setdefault(entity, []).append(row)
    chances = np.zeros_like(found.kinds)
    np.add.at(chances, found.entities, found.kinds)
    kinds = chances.argmax(1).tolist()
    every = np.column_stack([found.spans, found.heads]).tolist()
    out = []
    for entity, members in rows.items():
        kind = labels["kind"][kinds[entity]]
        places = [(a, b, head) for a, b, head in (every[row] for row in members)]
        mentions = tuple([Mention(*place) for place in places])
        out.append(Cluster(kind, mentions, *traits(places, kind, words)))
    return tuple(out)


def document_forms(document: Document) -> Words:
    """The words of a document, with what their traits are read from."""
    parents = [
        int(base) + head - 1 if head else -1
        for base, sentence in zip(document.starts, document.sentences, strict=False)
        for head in sentence.heads
    ]
    return Words(
        [form.lower() for sentence in document.sentences for form in sentence.words],
        [tag for sentence in document.sentences for tag in sentence.upos],
        [tag for sentence in document.sentences for tag in sentence.xpos],
        parents,
    )
