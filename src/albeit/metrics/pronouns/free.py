"""Pronouns without references: does each fit, or agree with what its own text offers?

A pronoun fits where a network, which reads the text around it with the pronoun hidden, would put
the same one; it agrees with what it takes up in number, animacy and gender.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric
from albeit.metrics.documents import DocumentMetric, document_needs
from albeit.metrics.judge.fit import fit_rows, fit_versions, fit_view
from albeit.metrics.view import Compared, Link, Loss, Place, View
from albeit.parsing.layers import ANTECEDENTS, TEXT, TOKENS, Analysis, Antecedent, Pronoun
from albeit.parsing.layers.coreference import PRONOUN_FORMS
from albeit.parsing.needs import Need, Side, read

__all__ = [
    "DOUBTFUL",
    "Agreement",
    "PronounsFree",
    "agreement",
    "agreements",
    "conflicts",
    "is_expletive",
]

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
    [
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
    ]
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


def agreement(pronoun: Pronoun, forms: Sequence[str], kind: str | None = None) -> Agreement:
    """How likely the pronoun takes up something that it agrees with.

    The odds of all antecedents, and of none at all, are shares of one; those of antecedents
    that agree are added up. ``forms`` are the words of the document. Another ``kind`` says how far
    that pronoun would agree in its place.
    """
    kind = kind or KINDS[forms[pronoun.word].lower()]
    offered = [a for a in pronoun.antecedents if forms[a.head].lower() not in _SPEAKERS]
    odds = [math.exp(min(a.score, _MOST)) for a in offered]
    agreed = sum(each for each, a in zip(odds, offered, strict=True) if not conflicts(kind, a))
    best = offered[0] if offered else None
    return Agreement(pronoun.word, kind, agreed / (1 + sum(odds)), best)


_BEFORE = frozenset(
    [
        "will",
        "would",
        "may",
        "might",
        "can",
        "could",
        "should",
        "must",
        "has",
        "have",
        "had",
        "not",
        "n't",
        "also",
        "still",
        "only",
        "now",
        "very",
        "so",
        "really",
        "often",
        "always",
        "never",
        "already",
    ]
)
_BE = frozenset(
    [
        "is",
        "was",
        "'s",
        "’s",
        "be",
        "been",
        "being",
        "seems",
        "seemed",
        "appears",
        "appeared",
        "becomes",
        "became",
        "remains",
        "takes",
        "took",
    ]
)
_CLAUSE = frozenset(("that", "to", "whether", "how"))
_ENDS = frozenset((".", "!", "?", ";", ",", ":", "--", "–", "—"))
_WITH_TO = frozenset(("next", "due", "close", "similar", "thanks", "up"))
"""Words after which *to* begins no clause."""
_REACH = 6


def is_expletive(forms: Sequence[str], word: int) -> bool:
    """Whether a word is an *it* that means nothing: "it was not easy to", "it remains to be seen whether".

    A rule over words: *it*, a form of *be* or *seem* ("it is estimated that"), and within a few
    words of the same clause *that*, *to*, *whether* or *how*. Some that mean something ("it is
    easy to use") are taken for expletive too.
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


def agreements(analysis: Analysis) -> list[Agreement]:
    """Of every third-person pronoun of a document that means something, in order."""
    forms = analysis[TOKENS].forms
    return [
        agreement(pronoun, forms)
        for pronoun in analysis[ANTECEDENTS]
        if not is_expletive(forms, pronoun.word)
    ]


@dataclass(frozen=True)
class PronounsFree(MeanMetric, DocumentMetric):
    """How well the third-person pronouns of a translation fit it: the mean.

    It is not a number where there is no pronoun. Neither source nor reference is looked at.
    ``by``: ``context``, how likely each is where it stands, among *he*, *she*, *it* and *they*,
    by a network that reads the text around it; ``antecedents``, how far each agrees with what it
    takes up: the coreference network says what that may be, and how likely; number, animacy and
    gender of it are taken from its earlier mentions.
    """

    name: ClassVar[str] = "pronouns-free"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "pronouns that fit the text around them (no refs, document)"
    columns: ClassVar[tuple[str, ...]] = ("fit", "pronouns", "in doubt")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("pronouns", ("pronouns",))

    by: Literal["context", "antecedents"] = "context"

    @property
    def needs(self) -> frozenset[Need]:
        """The translation's words, or the antecedents of its pronouns."""
        if self.by == "context":
            return read(TEXT, side=Side.HYPOTHESIS)
        return document_needs(TOKENS, ANTECEDENTS, sides=(Side.HYPOTHESIS,))

    @property
    def languages(self) -> frozenset[str] | None:
        """The network that reads the context has learned English."""
        return frozenset({"en"}) if self.by == "context" else None

    def versions(self, context: Context = None) -> dict[str, str]:
        """Those of the networks."""
        return fit_versions() if self.by == "context" else super().versions(context)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """The sum of agreement, the number of pronouns, and how many are in doubt, a document."""
        if self.by == "context":
            return fit_rows("pronouns", batch)
        rows = np.zeros((len(batch.documents), 3))
        for row, document in zip(rows, batch.documents, strict=True):
            analysis = batch.document_analyses[tuple(batch.hypotheses[document.rows])]
            degrees = np.array([each.degree for each in agreements(analysis)])
            row[:] = degrees.sum(), len(degrees), (degrees < DOUBTFUL).sum()
        return rows

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """How many pronouns there are, and how many are in doubt."""
        return {name: float(self.column(name, sums)) for name in ("pronouns", "in doubt")}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Each pronoun, what it seems to take up and how far it agrees with that; or what fits better."""
        if self.by == "context":
            return fit_view(self, "pronouns", batch, row)
        analysis = batch.document_analyses[tuple(batch.hypotheses)]
        found = agreements(analysis)
        text = Compared(Side.HYPOTHESIS, analysis.text, analysis[TOKENS])
        links = [
            Link(Place(0, (each.word,)), _antecedent(each), each.degree, "takes up")
            for each in found
            if each.antecedent is not None and each.degree >= DOUBTFUL
        ]
        losses = [_loss(each, len(found), analysis) for each in found]
        notes = () if found else ("No third-person pronoun: no score.",)
        return self.view(row, [text], links, losses, notes=notes)


def _antecedent(each: Agreement) -> Place:
    assert each.antecedent is not None
    return Place(0, tuple(range(each.antecedent.start, each.antecedent.stop)))


def _loss(each: Agreement, count: int, analysis: Analysis) -> Loss:
    """What a pronoun takes from the score, and what it seems to take up."""
    forms = analysis[TOKENS].forms
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
        places.append(_antecedent(each))
    return Loss(label, (1 - each.degree) / count, tuple(places), details)
