"""Pronouns without references: does each agree with what its own text offers?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from albeit.annotate.layers import ANTECEDENTS, TOKENS, Analysis
from albeit.annotate.needs import Need, Side
from albeit.corpus.levels import Unit
from albeit.metrics.base import Batch, Context, FloatArray, mean_score
from albeit.metrics.documents import DocumentMetric
from albeit.metrics.pronouns.agreement import DOUBTFUL, Agreement, agreement, conflicts
from albeit.metrics.pronouns.expletive import is_expletive
from albeit.metrics.view import Compared, Link, Loss, Place, View

__all__ = ["PronounsFree", "agreements"]


def agreements(analysis: Analysis) -> list[Agreement]:
    """Of every third-person pronoun of a document that means something, in order."""
    forms = analysis[TOKENS].forms
    return [
        agreement(pronoun, forms)
        for pronoun in analysis[ANTECEDENTS]
        if not is_expletive(forms, pronoun.word)
    ]


@dataclass(frozen=True)
class PronounsFree(DocumentMetric):
    """The mean agreement of third-person pronouns with their antecedents in the translation itself.

    What a pronoun may take up, and how likely, the coreference network says; number, animacy
    and gender of it are taken from its earlier mentions. Neither source nor reference is looked at.
    """

    name: ClassVar[str] = "pronouns-free"
    summary: ClassVar[str] = "pronouns that agree with what they take up (no refs, document)"
    columns: ClassVar[tuple[str, ...]] = ("agreement", "pronouns", "in doubt")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("pronouns", ("pronouns",))

    @property
    def needs(self) -> frozenset[Need]:
        """The antecedents of the translation's pronouns."""
        return frozenset(
            Need(layer, Side.HYPOTHESIS, Unit.DOCUMENT) for layer in (TOKENS, ANTECEDENTS)
        )

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """The sum of agreement, the number of pronouns, and how many are in doubt, a document."""
        rows = np.zeros((len(batch.documents), 3))
        for row, document in zip(rows, batch.documents, strict=True):
            analysis = batch.document_analyses[tuple(batch.hypotheses[document.rows])]
            degrees = np.array([each.degree for each in agreements(analysis)])
            row[:] = degrees.sum(), len(degrees), (degrees < DOUBTFUL).sum()
        return rows

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean over pronouns; not a number where there is none."""
        return mean_score(sums)

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """How many pronouns there are, and how many are in doubt."""
        return {name: float(self.column(name, sums)) for name in ("pronouns", "in doubt")}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Each pronoun, what it seems to take up, and how far it agrees with that."""
        analysis = batch.document_analyses[tuple(batch.hypotheses)]
        found = agreements(analysis)
        text = Compared(Side.HYPOTHESIS, analysis.text, analysis[TOKENS])
        links = tuple(
            Link(Place(0, (each.word,)), _antecedent(each), each.degree, "takes up")
            for each in found
            if each.antecedent is not None and each.degree >= DOUBTFUL
        )
        losses = tuple(_loss(each, len(found), analysis) for each in found)
        notes = () if found else ("No third-person pronoun: no score.",)
        score = float(self.segment_score(row))
        return View(str(self), score, 1.0, (text,), links, losses, notes=notes)


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
        agrees = "no" if conflicts(each.kind, a) else "yes"
        details |= {"antecedent": offered, "traits": traits, "score": round(a.score, 3)}
        details["agrees"] = agrees
        places.append(_antecedent(each))
    return Loss(label, (1 - each.degree) / count, tuple(places), details)
