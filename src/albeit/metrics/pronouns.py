"""APT: the accuracy of pronoun translation (Miculicich Werlen and Popescu-Belis 2017)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from albeit.languages import normalise
from albeit.metrics import EvalSet, FloatArray, MetricError, Unit, View, alignments
from albeit.metrics import connectives as lexicons
from albeit.metrics.base import ALIGNED, Batch, Metric, check_lengths, ratio
from albeit.metrics.connectives import Connective, Detector, Form, Hit, Inventory, assess, cut
from albeit.metrics.connectives.assess import ActContext, Assessor, Case, Decision, Reason, Verdict
from albeit.parsing.layers import TEXT, Need, Side, compared, read
from albeit.parsing.traits import LANGUAGES, pronoun_kinds

Persons = Literal["third", "all"]
_OFTEN_DROPPED = frozenset({"es", "it", "pl", "pt", "zh", "ja"})
"""Languages that omit subject pronouns, so a source without one doesn't show its position."""
_CASE_NAMES = ("same", "equivalent", "different", "missing")
"""Pronouns that the reference doesn't have aren't counted."""


@cache
def _pronouns(language: str, persons: Persons) -> tuple[Inventory, Detector]:
    """Return the pronouns of a language, and how to find them."""
    known = {
        form: Connective(form, Form.parse(form, language), kinds)
        for form, kinds in pronoun_kinds(language, persons).items()
    }
    inventory = Inventory(normalise(language), known, "1")
    return inventory, Detector(inventory)


def _make_assessor(source: str, target: str, persons: Persons) -> Assessor:
    """Return an assessor in whose lexicon any pronoun may translate any.

    The kinds of the target language are senses. All translations are doubtful: one that isn't
    aligned must be near its expected position.
    """
    known, _ = _pronouns(source, persons)
    translations = tuple(
        lexicons.Translation(form, Form.parse(form, target), kinds, doubtful=True)
        for form, kinds in pronoun_kinds(target, persons).items()
    )
    entries = dict.fromkeys(known.connectives, translations)
    lexicon = lexicons.Lexicon(normalise(source), normalise(target), entries, version="1")
    return Assessor((source, target), known, lexicon, known.connectives)


@dataclass(frozen=True)
class Pronouns(Metric):
    """How many pronouns are translated as in the reference, or by another form of the same.

    ``by``: ``source`` assesses each pronoun of the source, ``reference`` each of the reference;
    ``auto`` uses the source if there is one in a language that doesn't omit pronouns.
    ``persons``: only the third, or ``all``.
    """

    name = "pronouns"
    summary = "accuracy of pronoun translation (APT, document)"
    unit = Unit.DOCUMENT
    columns = (*_CASE_NAMES, "credit")
    judged = ("pronouns", _CASE_NAMES)
    languages = LANGUAGES

    by: Literal["auto", "source", "reference"] = "auto"
    persons: Persons = "third"

    @property
    def needs(self) -> frozenset[Need]:
        """Text of translation and references, and of the source if it is used."""
        if self.by == "reference":
            return compared(TEXT)
        return compared(TEXT) | read(TEXT, side=Side.SOURCE, optional=self.by == "auto")

    def _by_source(self, source_lang: str | None, sources: object) -> bool:
        """Return whether the source's pronouns are assessed."""
        if self.by != "auto":
            return self.by == "source"
        return sources is not None and source_lang in LANGUAGES - _OFTEN_DROPPED

    def check(self, evalset: EvalSet) -> None:
        """Raise if there are no documents, no list of the source's pronouns, or no pronoun."""
        super().check(evalset)
        check_lengths(self, evalset, ALIGNED)
        assessor, texts, where = self._assessed(evalset)
        if not any(assessor.has_connectives(line) for lines in texts for line in lines):
            raise MetricError(
                f"{self} finds no pronoun in the {where} of {evalset.name}. Check --lang and"
                " --source-lang, or ask for more pronouns: pronouns(persons=all)."
            )

    def prepare(self, evalset: EvalSet) -> ActContext:
        """Train the aligner on source and references, or on the references."""
        assessor, _, where = self._assessed(evalset)
        if where == "reference":
            return ActContext(assessor, alignments.by_references(evalset))
        links = alignments.by_source(evalset, assessor.languages, assessor.has_connectives)
        return ActContext(assessor, links)

    def _assessed(self, evalset: EvalSet) -> tuple[Assessor, list[Sequence[str]], str]:
        """Return the assessor, the texts whose pronouns are assessed, and their side."""
        target = evalset.target_lang
        if self._by_source(evalset.source_lang, evalset.source):
            assessor = _make_assessor(evalset.source_lang or "en", target, self.persons)
            return assessor, [evalset.source or ()], "source"
        references: list[Sequence[str]] = list(evalset.references.values())
        return _make_assessor(target, target, self.persons), references, "reference"

    def verdicts(self, batch: Batch, context: ActContext) -> list[Verdict]:
        """Return the verdicts on some lines, by the best reference."""
        if self._by_source(batch.source_lang, batch.sources):
            return self._verdicts(batch, context, None)
        found = [self._verdicts(batch, context, number) for number in range(len(batch.references))]
        return max(found, key=lambda verdicts: _mean([v.credit for v in verdicts]))

    def _verdicts(self, batch: Batch, context: ActContext, number: int | None) -> list[Verdict]:
        """Return the verdicts on the pronouns of the source, or of the reference of a number."""
        assessor = context.assessor
        lines = (batch.sources or ()) if number is None else batch.references[number]
        pronouns = assessor.detect(lines)
        if number is None:
            references = [context.decide(pronouns, lines, texts) for texts in batch.references]
        else:
            known = assessor.inventory.connectives
            references = [{}]
            for n, own in pronouns.items():
                hits = [Hit(known[p.name].form, p.tokens) for p in own]
                references[0][n] = [Decision(hit, Reason.ITSELF) for hit in hits]
        candidate = context.decide(pronouns, lines, batch.hypotheses, batch.system)
        verdicts: list[Verdict] = []
        for n, own in pronouns.items():
            judged = assessor.judge(n, own, [each[n] for each in references], candidate[n])
            judged = [replace(v, reference=number or v.reference) for v in judged]
            verdicts += self._search_line(judged, batch.hypotheses[n], assessor.languages[1])
        return verdicts

    def _search_line(self, cases: Sequence[Verdict], text: str, language: str) -> Iterator[Verdict]:
        """Replace missing pronouns by unused ones of the same kind elsewhere in the line.

        Alignments have errors, and a missed error is better than a false one.
        """
        inventory, detector = _pronouns(language, self.persons)
        known = inventory.connectives
        taken = {v.in_candidate.hit.tokens for v in cases if v.in_candidate.hit is not None}
        free = [p for p in detector(cut(text, language)) if p.tokens not in taken]
        for verdict in cases:
            wanted = verdict.in_reference.name
            kinds = set(known[wanted].senses) if verdict.case is Case.ONLY_REFERENCE else set()
            same = [p for p in free if kinds & set(known[p.name].senses)]
            if not same:
                yield verdict
                continue
            chosen = min(same, key=lambda p: p.name != wanted)
            free.remove(chosen)
            form = known[chosen.name].form
            elsewhere = Decision(Hit(form, chosen.tokens), Reason.ELSEWHERE)
            case = Case.SAME if str(form) == wanted else Case.SYNONYM
            yield replace(verdict, case=case, credit=1.0, in_candidate=elsewhere)

    def statistics(self, batch: Batch, context: ActContext) -> FloatArray:
        """Return the number of pronouns per case, and their credit, per document."""
        rows = np.zeros((len(batch.documents), len(self.columns)))
        for row, document in zip(rows, batch.documents, strict=True):
            for verdict in _counted(self.verdicts(batch.lines(document.rows), context)):
                row[verdict.case - 1] += 1
                row[-1] += verdict.credit
        return rows

    def score(self, sums: FloatArray) -> FloatArray:
        """Return credit over pronouns; not a number if there are none."""
        return ratio(sums[..., -1], sums[..., :-1].sum(axis=-1))

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the number of pronouns per case."""
        return {name: float(self.column(name, sums)) for name in _CASE_NAMES}

    def explain(self, batch: Batch, context: ActContext, row: FloatArray) -> View:
        """Show every pronoun, its translations, and the losses."""
        shown = batch
        if not self._by_source(batch.source_lang, batch.sources):
            shown = replace(batch, sources=None)
        verdicts = self.verdicts(batch, context)
        return assess.decisions_view(self, row, shown, verdicts, _counted(verdicts), "pronoun")

    def versions(self, context: ActContext | None = None) -> dict[str, str]:
        """Return the version of the pronoun table, and what the aligner was trained on."""
        if context is None:
            return {}
        assert context.alignments is not None, "lines with pronouns are aligned"
        listed = context.assessor.lexicon.name
        return {"pronouns-version": listed, "aligner": context.alignments.trained_on}


def _counted(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts on pronouns that the reference has."""
    return [verdict for verdict in verdicts if verdict.case <= Case.ONLY_REFERENCE]


def _mean(credits: Sequence[float]) -> float:
    return sum(credits) / len(credits) if credits else 0.0
