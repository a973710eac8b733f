"""Mentions put together to what they mean, with what the text says of it; and what the third-person
pronouns of a document may take up: the coreference network's own offers.
"""

from __future__ import annotations

import numpy as np

from albeit.parsing.documents.coreference import Mentions
from albeit.parsing.documents.document import Document
from albeit.parsing.documents.traits import Votes, Words, traits
from albeit.parsing.layer import Labels
from albeit.parsing.layers.coreference import PRONOUN_FORMS, Antecedent, Cluster, Mention, Pronoun

__all__ = ["clusters", "document_forms", "pronouns"]


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


_FORMS = frozenset(form for forms in PRONOUN_FORMS.values() for form in forms)


def pronouns(document: Document, found: Mentions, labels: Labels) -> tuple[Pronoun, ...]:
    """The pronouns among the mentions, each with its antecedents.

    Number, animacy and gender of an antecedent are taken from its entity's mentions before the
    pronoun, so mentions are counted as they are passed: cost grows with their number.
    """
    words = document_forms(document)
    spans: list[tuple[int, int]] = [(a, b) for a, b in found.spans.tolist()]
    heads = found.heads.tolist()
    entities = found.entities.tolist()
    votes: dict[int, Votes] = {}
    chances = np.zeros_like(found.kinds)

    def antecedent(other: int, score: float) -> Antecedent:
        entity = entities[other]
        kind = labels["kind"][int(chances[entity].argmax())]
        (start, stop), told = spans[other], votes[entity].told(kind)
        return Antecedent(start, stop, heads[other], score, kind, *told)

    out = []
    for row, (head, entity) in enumerate(zip(heads, entities, strict=True)):
        if words.forms[head] in _FORMS:
            offers = zip(found.offered[row].tolist(), found.scores[row].tolist(), strict=True)
            offered = [antecedent(other, score) for other, score in offers if other != row]
            out.append(Pronoun(head, tuple(offered)))
        votes.setdefault(entity, Votes(words)).add(*spans[row], head)
        chances[entity] += found.kinds[row]
    return tuple(out)
