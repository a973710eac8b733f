"""Pronouns without references: how well each fits its context, or agrees with its antecedents.

A pronoun fits if a network predicts it from the text around it. It agrees with an antecedent of the
same number, animacy, and gender.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from albeit.metrics.base import (
    Batch,
    Context,
    DocumentMetric,
    FloatArray,
    MeanMetric,
    document_needs,
)
from albeit.metrics.judge.fit import fit_rows, fit_versions, fit_view
from albeit.metrics.view import Compared, Link, Loss, Place, View
from albeit.parsing.layers import ANTECEDENTS, TEXT, TOKENS, Analysis, Antecedent, Pronoun
from albeit.parsing.needs import Need, Side, read
from albeit.parsing.traits import ENGLISH, THIRD_PERSON

_KINDS = {form: kind for kind, forms in THIRD_PERSON.items() for form in forms}
_ANTECEDENT_TRAITS: dict[str, tuple[frozenset[str], ...]] = {
    "he": (frozenset({"singular", "animate", "masculine"}),),
    "she": (frozenset({"singular", "animate", "feminine"}),),
    "it": (frozenset({"singular", "inanimate", "neuter"}),),
    "they": (
        frozenset({"plural", "animate", "inanimate", "masculine", "feminine", "neuter"}),
        frozenset({"singular", "animate"}),
    ),
}
"""Traits of possible antecedents; *they* may be one person of unknown gender."""
_SPEAKERS = frozenset(form for kind in ("i", "we", "you") for form in ENGLISH[kind])
"""Speakers and listeners aren't antecedents of the third person."""
DOUBTFUL = 0.5
"""Below this, a pronoun more likely doesn't agree, or has no antecedent in the text."""
_MOST = 50.0
"""Log odds above which an antecedent is certain."""


class Agreement(NamedTuple):
    """How far a pronoun agrees with its text, from 0 to 1, and its likeliest antecedent."""

    word: int
    kind: str
    degree: float
    antecedent: Antecedent | None


def conflicts(kind: str, antecedent: Antecedent) -> bool:
    """Return whether a known trait of an antecedent excludes the pronoun.

    *It* may be an animal, *they* an organization.
    """
    traits = set(antecedent.traits)
    if kind == "it" and antecedent.kind == "animal":
        traits -= {"animate"}
    if kind == "they" and antecedent.kind == "organization":
        traits -= {"singular"}
    return not any(traits <= possible for possible in _ANTECEDENT_TRAITS[kind])


def agreement(pronoun: Pronoun, forms: Sequence[str]) -> Agreement:
    """Return how likely the antecedent of a pronoun agrees with it.

    The odds of all antecedents, and of none at all, are shares of one; those of antecedents
    that agree are added up. ``forms`` are the words of the document.
    """
    kind = _KINDS[forms[pronoun.word].lower()]
    offered = [a for a in pronoun.antecedents if forms[a.head].lower() not in _SPEAKERS]
    odds = [math.exp(min(a.score, _MOST)) for a in offered]
    agreed = sum(each for each, a in zip(odds, offered, strict=True) if not conflicts(kind, a))
    best = offered[0] if offered else None
    return Agreement(pronoun.word, kind, agreed / (1 + sum(odds)), best)


_MODALS = "will would may might can could should must has have had"
_ADVERBS = "not n't also still only now very so really often always never already"
_BEFORE = frozenset(f"{_MODALS} {_ADVERBS}".split())
_FORMS = (
    "is was 's ’s be been being seems seemed appears appeared becomes became remains takes took"
)
_BE = frozenset(_FORMS.split())
_CLAUSE = frozenset(("that", "to", "whether", "how"))
_ENDS = frozenset((".", "!", "?", ";", ",", ":", "--", "–", "—"))
_WITH_TO = frozenset(("next", "due", "close", "similar", "thanks", "up"))
"""Words after which *to* doesn't start a clause."""
_REACH = 6


def is_expletive(forms: Sequence[str], word: int) -> bool:
    """Return whether a word is an *it* without an antecedent: "it was not easy to".

    A rule over words: *it*, a form of *be* or *seem* ("it is estimated that"), and within a few
    words of the same clause *that*, *to*, *whether* or *how*. Some others ("it is easy to use")
    match too.
    """
    if forms[word].lower() != "it":
        return False
    after = [form.lower() for form in forms[word + 1 : word + 1 + 2 * _REACH]]
    start = next((n for n, form in enumerate(after) if form not in _BEFORE), len(after))
    if start == len(after) or after[start] not in _BE:
        return False
    stop = next((n for n in range(start, len(after)) if after[n] not in _BE | _BEFORE), len(after))
    for n in range(stop + 1, min(stop + _REACH, len(after))):
        if after[n - 1] in _ENDS or after[n] in _ENDS:
            return False
        if after[n] in _CLAUSE and after[n - 1] not in _WITH_TO:
            return True
    return False


def _agreements(analysis: Analysis) -> list[Agreement]:
    """Return the agreement of every third-person pronoun of a document except expletives."""
    forms = analysis[TOKENS].forms
    return [
        agreement(pronoun, forms)
        for pronoun in analysis[ANTECEDENTS]
        if not is_expletive(forms, pronoun.word)
    ]


@dataclass(frozen=True)
class PronounsFree(MeanMetric, DocumentMetric):
    """How well the third-person pronouns of a translation fit it: the mean.

    It is not a number if there is no pronoun. Neither source nor reference is used. ``by``:
    ``context``, the probability of each among *he*, *she*, *it* and *they*, by a network that
    reads the text around it; ``antecedents``, how far each agrees with its antecedents, by the
    coreference network and the traits of earlier mentions.
    """

    name: ClassVar[str] = "pronouns-free"
    summary: ClassVar[str] = "pronouns that fit the text around them (no refs, document)"
    columns: ClassVar[tuple[str, ...]] = ("fit", "pronouns", "in doubt")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("pronouns", ("pronouns",))

    by: Literal["context", "antecedents"] = "context"

    @property
    def needs(self) -> frozenset[Need]:
        """Text of the translation, or the antecedents of its pronouns."""
        if self.by == "context":
            return read(TEXT, side=Side.HYPOTHESIS)
        return document_needs(TOKENS, ANTECEDENTS, sides=(Side.HYPOTHESIS,))

    @property
    def languages(self) -> frozenset[str] | None:
        """English, for the network that reads the context."""
        return frozenset({"en"}) if self.by == "context" else None

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the versions of the networks."""
        return fit_versions() if self.by == "context" else super().versions(context)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the sum of fit, the number of pronouns, and of those in doubt, per document."""
        if self.by == "context":
            return fit_rows("pronouns", batch)
        rows = np.zeros((len(batch.documents), 3))
        for row, document in zip(rows, batch.documents, strict=True):
            analysis = batch.document_analyses[tuple(batch.hypotheses[document.rows])]
            degrees = np.array([each.degree for each in _agreements(analysis)])
            row[:] = degrees.sum(), len(degrees), (degrees < DOUBTFUL).sum()
        return rows

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the number of pronouns, and of those in doubt."""
        return {name: float(self.column(name, sums)) for name in ("pronouns", "in doubt")}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show each pronoun with its likeliest antecedent, or with what fits better."""
        if self.by == "context":
            return fit_view(self, "pronouns", batch, row)
        analysis = batch.document_analyses[tuple(batch.hypotheses)]
        found = _agreements(analysis)
        losses = [_loss(each, len(found), analysis[TOKENS].forms) for each in found]
        links = [
            Link(loss.places[0], loss.places[1], each.degree, "takes up")
            for each, loss in zip(found, losses, strict=True)
            if each.antecedent is not None and each.degree >= DOUBTFUL
        ]
        text = Compared(Side.HYPOTHESIS, analysis.text, analysis[TOKENS])
        notes = () if found else ("No third-person pronoun: no score.",)
        return self.view(row, [text], links, losses, notes=notes)


def _loss(each: Agreement, count: int, forms: Sequence[str]) -> Loss:
    """Return the loss of a pronoun, with its likeliest antecedent."""
    pronoun = forms[each.word]
    places = [Place(0, (each.word,))]
    details: dict[str, str | float] = {"pronoun": pronoun, "agreement": round(each.degree, 3)}
    if each.antecedent is None:
        label = f"{pronoun}: nothing before it that it could take up"
    else:
        a = each.antecedent
        offered, traits = " ".join(forms[a.start : a.stop]), ", ".join(a.traits)
        label = f"{pronoun}: the likeliest antecedent is {offered!r} ({traits or 'unknown'})"
        details |= {"antecedent": offered, "traits": traits, "score": round(a.score, 3)}
        details["agrees"] = "no" if conflicts(each.kind, a) else "yes"
        places.append(Place(0, tuple(range(a.start, a.stop))))
    return Loss(label, (1 - each.degree) / count, tuple(places), details)
