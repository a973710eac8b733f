"""APT: the accuracy of pronoun translation (Miculicich Werlen and Popescu-Belis 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import MetricError
from albeit.metrics.alignments import Alignments, by_references, by_source
from albeit.metrics.base import ALIGNED, Batch, FloatArray, Metric, check_lengths, ratio
from albeit.metrics.connectives.assess import Assessor, Case, Verdict, decisions_view
from albeit.metrics.connectives.lexicon import Detector, Hit
from albeit.metrics.connectives.match import Decision, Reason
from albeit.metrics.connectives.words import cut
from albeit.metrics.pronouns.forms import (
    LANGUAGES,
    OFTEN_DROPPED,
    Persons,
    pronoun_inventory,
    pronoun_lexicon,
)
from albeit.metrics.view import View
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side, compared, read

__all__ = ["Pronouns", "PronounsContext"]

_CASE_NAMES = ("same", "equivalent", "different", "missing")
"""A pronoun that the reference does not have is none of them, and does not count."""
_CASES = len(_CASE_NAMES)


@dataclass(frozen=True)
class PronounsContext:
    """How pronouns are found, and what aligns lines that have any."""

    assessor: Assessor
    alignments: Alignments


@dataclass(frozen=True)
class Pronouns(Metric):
    """How many pronouns are translated as in the reference, or by another form of the same.

    ``by``: ``source`` asks for each pronoun of the source what became of it, ``reference``
    for each of the reference; ``auto`` takes the source where there is one in a language that
    says its pronouns. ``persons``: the third alone, or ``all``.
    """

    name: ClassVar[str] = "pronouns"
    summary: ClassVar[str] = "accuracy of pronoun translation (APT, document)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    columns: ClassVar[tuple[str, ...]] = (*_CASE_NAMES, "credit")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("pronouns", _CASE_NAMES)

    by: Literal["auto", "source", "reference"] = "auto"
    persons: Persons = "third"

    @property
    def needs(self) -> frozenset[Need]:
        """Words; the source's where it is asked for, or there."""
        if self.by == "reference":
            return compared(TEXT)
        return compared(TEXT) | read(TEXT, side=Side.SOURCE, optional=self.by == "auto")

    @property
    def languages(self) -> frozenset[str]:
        """Those with a list of pronouns."""
        return LANGUAGES

    def by_source(self, source_lang: str | None, sources: object) -> bool:
        """Whether the source's pronouns are asked for."""
        if self.by != "auto":
            return self.by == "source"
        return sources is not None and source_lang in LANGUAGES - OFTEN_DROPPED

    def check(self, evalset: EvalSet) -> None:
        """Ask for documents, for a list of the source's pronouns, and for a pronoun."""
        super().check(evalset)
        check_lengths(self, evalset, ALIGNED)
        assessor, texts = self._asked(evalset)
        if not any(assessor.connectives(line) for lines in texts for line in lines):
            where = "source" if self._is_by_source(evalset) else "reference"
            raise MetricError(
                f"{self} finds no pronoun in the {where} of {evalset.name}. Check that its language"
                " is what you said, or ask for more pronouns: pronouns(persons=all)."
            )

    def prepare(self, evalset: EvalSet) -> PronounsContext:
        """Learn to align, from the source and its references or from the references alone."""
        assessor, _ = self._asked(evalset)
        if not self._is_by_source(evalset):
            return PronounsContext(assessor, by_references(evalset))
        alignments = by_source(
            evalset, assessor.languages, lambda line: bool(assessor.connectives(line))
        )
        return PronounsContext(assessor, alignments)

    def _is_by_source(self, evalset: EvalSet) -> bool:
        return self.by_source(evalset.source_lang, evalset.source)

    def _asked(self, evalset: EvalSet) -> tuple[Assessor, list[Sequence[str]]]:
        """What finds pronouns, and the texts whose pronouns are asked for."""
        if self._is_by_source(evalset):
            source = evalset.source_lang or "en"
            return self._assessor(source, evalset.target_lang), [evalset.source or ()]
        target = evalset.target_lang
        return self._assessor(target, target), list(evalset.references.values())

    def _assessor(self, source: str, target: str) -> Assessor:
        known = pronoun_inventory(source, self.persons)
        lexicon = pronoun_lexicon(source, target, self.persons)
        return Assessor((source, target), known, lexicon, known.connectives)

    def verdicts(self, batch: Batch, context: PronounsContext) -> list[Verdict]:
        """The verdicts on some lines, by the reference that is kindest to them."""
        if self.by_source(batch.source_lang, batch.sources):
            return self._by_source(batch, context)
        found = [self._by_reference(batch, r, context) for r in range(len(batch.references))]
        return max(found, key=lambda verdicts: _mean([v.credit for v in verdicts]))

    def _by_source(self, batch: Batch, context: PronounsContext) -> list[Verdict]:
        assessor = context.assessor
        sources = batch.sources or ()
        asked = {n: p for n, line in enumerate(sources) if (p := assessor.connectives(line))}
        texts = [*((lines, None) for lines in batch.references), (batch.hypotheses, batch.system)]
        *references, candidate = (
            assessor.decide_lines(asked, sources, lines, context.alignments, system)
            for lines, system in texts
        )
        found: list[Verdict] = []
        for n, pronouns in asked.items():
            verdicts = assessor.judge(n, pronouns, [each[n] for each in references], candidate[n])
            found += self._elsewhere(verdicts, batch.hypotheses[n], assessor)
        return found

    def _by_reference(self, batch: Batch, which: int, context: PronounsContext) -> list[Verdict]:
        assessor = context.assessor
        reference = batch.references[which]
        asked = {n: p for n, line in enumerate(reference) if (p := assessor.connectives(line))}
        candidate = assessor.decide_lines(
            asked, reference, batch.hypotheses, context.alignments, batch.system
        )
        known = assessor.inventory.connectives
        found: list[Verdict] = []
        for n, pronouns in asked.items():
            hits = [Hit(known[pronoun.name].form, pronoun.tokens) for pronoun in pronouns]
            own = [Decision(hit, Reason.ITSELF) for hit in hits]
            verdicts = assessor.judge(n, pronouns, [own], candidate[n])
            verdicts = [replace(verdict, reference=which) for verdict in verdicts]
            found += self._elsewhere(verdicts, batch.hypotheses[n], assessor)
        return found

    def _elsewhere(
        self, verdicts: Sequence[Verdict], text: str, assessor: Assessor
    ) -> Iterator[Verdict]:
        """The same, but what is missing may stand elsewhere in the line, free and of the same kind.

        Alignments err: we would rather miss a fault than make one up.
        """
        target = assessor.languages[1]
        known = pronoun_inventory(target, self.persons)
        taken = {v.in_candidate.hit.tokens for v in verdicts if v.in_candidate.hit is not None}
        free = [p for p in Detector(known)(cut(text, target)) if p.tokens not in taken]
        for verdict in verdicts:
            wanted = verdict.in_reference.hit
            if verdict.case is not Case.ONLY_REFERENCE or wanted is None:
                yield verdict
                continue
            kinds = set(known.connectives[str(wanted.form)].senses)
            same = [p for p in free if kinds & set(known.connectives[p.name].senses)]
            if not same:
                yield verdict
                continue
            chosen = min(same, key=lambda p: p.name != str(wanted.form))
            free.remove(chosen)
            form = known.connectives[chosen.name].form
            yield replace(
                verdict,
                case=Case.SAME if form == wanted.form else Case.SYNONYM,
                credit=1.0,
                in_candidate=Decision(Hit(form, chosen.tokens), Reason.ELSEWHERE),
            )

    def statistics(self, batch: Batch, context: PronounsContext) -> FloatArray:
        """One row per document: how many pronouns of each case, and their credit."""
        rows = np.zeros((len(batch.documents), _CASES + 1))
        for row, document in zip(rows, batch.documents, strict=True):
            for verdict in counted(self.verdicts(batch.lines(document.rows), context)):
                row[verdict.case - 1] += 1
                row[_CASES] += verdict.credit
        return rows

    def score(self, sums: FloatArray) -> FloatArray:
        """Credit over pronouns; not a number where there is none."""
        return ratio(sums[..., _CASES], sums[..., :_CASES].sum(axis=-1))

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """How many pronouns of each case."""
        return {name: float(self.column(name, sums)) for name in _CASE_NAMES}

    def explain(self, batch: Batch, context: PronounsContext, row: FloatArray) -> View:
        """Every pronoun that was asked for: what became of it, and what that cost."""
        asked = batch
        if not self.by_source(batch.source_lang, batch.sources):
            asked = replace(batch, sources=None)
        verdicts = self.verdicts(batch, context)
        return decisions_view(self, row, asked, verdicts, counted(verdicts), "pronoun")

    def versions(self, context: PronounsContext | None = None) -> dict[str, str]:
        """The lists of pronouns, and what the aligner learnt from."""
        if context is None:
            return {}
        used = context.assessor.lexicon
        listed = f"{used.source_lang}-{used.target_lang}.{used.version}"
        return {"pronouns-version": listed, "aligner": context.alignments.learnt}


def counted(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Those that the reference has as a pronoun."""
    return [verdict for verdict in verdicts if verdict.case <= Case.ONLY_REFERENCE]


def _mean(credits: Sequence[float]) -> float:
    return sum(credits) / len(credits) if credits else 0.0
