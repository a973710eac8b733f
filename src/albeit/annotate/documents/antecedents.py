"""What the third-person pronouns of a document may take up: the coreference network's own offers."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.documents.clusters import document_forms
from albeit.annotate.documents.coreference import Mentions
from albeit.annotate.documents.document import Document
from albeit.annotate.documents.traits import Words, traits
from albeit.annotate.layer import Labels
from albeit.annotate.layers.antecedents import PRONOUN_FORMS, Antecedent, Pronoun

__all__ = ["pronouns"]

_FORMS = frozenset(form for forms in PRONOUN_FORMS.values() for form in forms)


def pronouns(document: Document, found: Mentions, labels: Labels) -> tuple[Pronoun, ...]:
    """The pronouns among the mentions, each with its antecedents."""
    words = document_forms(document)
    heads = found.heads.tolist()
    members: dict[int, list[int]] = {}
    for row, entity in enumerate(found.entities.tolist()):
        members.setdefault(entity, []).append(row)
    out = []
    for row, head in enumerate(heads):
        if words.forms[head] not in _FORMS:
            continue
        antecedents = [
            _antecedent(int(other), score, members, row, found, words, labels["kind"])
            for other, score in zip(found.offered[row], found.scores[row].tolist(), strict=True)
            if other != row
        ]
        out.append(Pronoun(head, tuple(antecedents)))
    return tuple(out)


def _antecedent(
    other: int,
    score: float,
    members: dict[int, list[int]],
    row: int,
    found: Mentions,
    words: Words,
    kinds: Sequence[str],
) -> Antecedent:
    """One of the offers, with what the mentions of that entity before ``row`` tell of it."""
    before = [k for k in members[int(found.entities[other])] if k < row]
    kind = kinds[int(found.kinds[before].sum(0).argmax())]
    places = [(*found.spans[k].tolist(), int(found.heads[k])) for k in before]
    start, stop = found.spans[other].tolist()
    told = traits(places, kind, words)
    return Antecedent(start, stop, int(found.heads[other]), score, kind, *told)
