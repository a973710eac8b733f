"""Whether a pronoun agrees with what it takes up, in number, animacy and gender."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from albeit.annotate.layers import Antecedent, Pronoun
from albeit.annotate.layers.antecedents import PRONOUN_FORMS

__all__ = ["DOUBTFUL", "Agreement", "agreement", "conflicts"]

KINDS = {form: kind for kind, forms in PRONOUN_FORMS.items() for form in forms}
_SAID: dict[str, tuple[frozenset[str], ...]] = {
    "he": (frozenset({"singular", "animate", "masculine"}),),
    "she": (frozenset({"singular", "animate", "feminine"}),),
    "it": (frozenset({"singular", "inanimate", "neuter"}),),
    "they": (
        frozenset({"plural", "animate", "inanimate", "masculine", "feminine", "neuter"}),
        frozenset({"singular", "animate"}),
    ),
}
"""What may be known of what a pronoun takes up; *they* may be one person of unknown gender."""


_SPEAKERS = frozenset(
    (
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "us",
        "our",
        "ours",
        "ourselves",
        "you",
        "your",
        "yours",
        "yourself",
        "yourselves",
    )
)
"""Whoever speaks or listens is not spoken of in the third person."""
DOUBTFUL = 0.5
"""Below that a pronoun more likely does not agree, or takes up nothing that is there."""
_MOST = 50.0
"""Log odds above which an antecedent is certain."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a pronoun agrees with its text, from 0 to 1, and its likeliest antecedent."""

    word: int
    kind: str
    degree: float
    antecedent: Antecedent | None


def conflicts(kind: str, antecedent: Antecedent) -> bool:
    """Whether something is known of an antecedent that the pronoun cannot mean.

    *It* may be an animal, *they* an organisation.
    """
    told = set(antecedent.traits)
    if kind == "it" and antecedent.kind == "animal":
        told -= {"animate"}
    if kind == "they" and antecedent.kind == "organization":
        told -= {"singular"}
    return not any(told <= said for said in _SAID[kind])


def agreement(pronoun: Pronoun, forms: Sequence[str]) -> Agreement:
    """How likely the pronoun takes up something that it agrees with.

    The odds of all antecedents, and of none at all, are shares of one; those of antecedents
    that agree are added up. ``forms`` are the words of the document.
    """
    kind = KINDS[forms[pronoun.word].lower()]
    offered = [a for a in pronoun.antecedents if forms[a.head].lower() not in _SPEAKERS]
    odds = [math.exp(min(a.score, _MOST)) for a in offered]
    agreed = sum(each for each, a in zip(odds, offered, strict=True) if not conflicts(kind, a))
    best = offered[0] if offered else None
    return Agreement(pronoun.word, kind, agreed / (1 + sum(odds)), best)
