"""What the third-person pronouns of a document may take up: the coreference network's own offers."""

from __future__ import annotations

import numpy as np

from albeit.annotate.documents.clusters import document_forms
from albeit.annotate.documents.coreference import Mentions
from albeit.annotate.documents.document import Document
from albeit.annotate.documents.traits import Votes
from albeit.annotate.layer import Labels
from albeit.annotate.layers.coreference import PRONOUN_FORMS, Antecedent, Pronoun

__all__ = ["pronouns"]

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
