"""ACT, the accuracy of connective translation (Hajlaoui 2013), and ACT without references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from albeit.errors import InputError, LanguageError, MetricError
from albeit.languages import normalise
from albeit.metrics import EvalSet, FloatArray, Signature, View, alignments
from albeit.metrics import connectives as lexicons
from albeit.metrics.base import ALIGNED, Batch, Metric, check_lengths, ratio
from albeit.metrics.connectives import (
    Inventory,
    SenseTest,
    SourceConnective,
    assess,
    cut,
    sense_class,
)
from albeit.metrics.connectives.assess import ActContext, Assessor, Case, Decision, Found, Verdict
from albeit.metrics.connectives.load import direction, supplied
from albeit.metrics.connectives.scores import CaseCounts
from albeit.parsing.alignment import Aligner
from albeit.parsing.layers import CONNECTIVES, TEXT, TOKENS, Analysis, Need, Side, compared, read

Preset = Literal["careful", "classic"]
Chosen = Literal["eight", "all"]
_TESTS: dict[Preset, SenseTest] = {"careful": "compatible", "classic": "covering"}
_CREDIT, _COUNTED = 6, 7


def make_assessor(
    languages: tuple[str, str],
    preset: Preset = "careful",
    sense: SenseTest | Literal["auto"] = "auto",
    connectives: Chosen = "eight",
    lexicon: str = "",
) -> Assessor:
    """Return an assessor with the parameters of :class:`Act`."""
    inventory, listed = supplied(lexicon, languages) if lexicon else direction(*languages)
    names: Sequence[str] = tuple(inventory.connectives)
    if connectives == "eight":
        names = (*lexicons.CLASSIC, "not yet")  # the original ACT has lists for "not yet"
        if normalise(languages[0]) != "en":
            names = [name for name, translation in listed if translation.text in lexicons.CLASSIC]
    test = _TESTS[preset] if sense == "auto" else sense
    return Assessor(languages, inventory, listed, names, test, careful=preset == "careful")


_shipped_assessor = lru_cache(maxsize=8)(make_assessor)


class ConnectiveMetric(Metric):
    """Base of both metrics: the connectives, their translations, and how words are aligned."""

    alignment: str
    connectives: Chosen
    lexicon: str

    @property
    def how(self) -> tuple[Preset, SenseTest | Literal["auto"]]:
        """The preset, and the test of senses."""
        return "careful", "auto"

    @property
    def files(self) -> tuple[str, ...]:
        """The lexicon and the saved aligner, if there are any."""
        aligner = "" if self.alignment in ("yes", "no", "eflomal") else self.alignment
        return tuple(path for path in (self.lexicon, aligner) if path)

    def _assessor(self, evalset: EvalSet) -> Assessor:
        languages = evalset.source_lang or "en", evalset.target_lang
        make = make_assessor if self.lexicon else _shipped_assessor
        return make(languages, *self.how, self.connectives, self.lexicon)

    def check(self, evalset: EvalSet) -> None:
        """Raise if there is no lexicon for the pair, or no connective in the source."""
        super().check(evalset)
        if self.alignment != "no":
            check_lengths(self, evalset, ALIGNED)
        if evalset.source_lang is None:
            raise LanguageError(f"{self} needs to know the source language. Give --source-lang en.")
        assessor = self._assessor(evalset)
        if not any(map(assessor.has_connectives, evalset.source or ())):
            raise MetricError(
                f"{self} finds none of its connectives in the source of {evalset.name}."
                f" Check that the source is in {evalset.source_lang!r},"
                " or ask for more connectives: act(connectives=all)."
            )

    def prepare(
        self,
        evalset: EvalSet,
        files: Mapping[str, str | Path] | None = None,
        aligner: Aligner | None = None,
    ) -> ActContext:
        """Return the assessor, and the alignments of lines that have a connective.

        :param files: alignments of other tools, by the names of references and systems
        :param aligner: one that is trained already, such as on a bitext
        """
        assessor = self._assessor(evalset)
        languages, wanted = assessor.languages, assessor.has_connectives
        links = None
        if files:
            links = alignments.by_files(evalset, languages, files)
        elif aligner is not None:
            links = alignments.by_model(aligner, evalset, languages, wanted, "bitext")
        elif self.alignment == "yes":
            links = alignments.by_source(evalset, languages, wanted)
        elif self.alignment == "eflomal":
            links = alignments.by_eflomal(evalset, languages)
        elif self.alignment != "no":
            saved = Aligner.load(self.alignment)
            links = alignments.by_model(saved, evalset, languages, wanted, "file")
        return ActContext(assessor, links)

    def versions(self, context: ActContext | None = None) -> dict[str, str]:
        """Add the version of the lexicon, and the hash of the trained aligner."""
        found: dict[str, str] = {}
        if context is not None:
            found["lexicon-version"] = context.assessor.lexicon.name
            if context.alignments is not None:
                found["aligner"] = context.alignments.trained_on
        return found | super().versions(context)


@dataclass(frozen=True)
class Act(ConnectiveMetric):
    """How many source connectives are translated as in the reference, or by a synonym.

    ``preset``: ``classic`` follows the original: any candidate, and its sense test ``covering``.
    ``careful`` rejects unlikely candidates, and tests for ``compatible`` senses. ``sense``
    overrides the preset's test. ``variant``: ``a`` over all connectives, ``a56`` over those the
    reference translates; ``auto`` is ``a`` from English and ``a56`` into English, where source
    connectives are recognized by form only. ``alignment``: ``yes`` trains the embedded aligner on
    source and references, ``no`` uses positions, ``eflomal`` calls that aligner, a path loads a
    saved one. ``connectives``: the eight of the paper, or all of the lexicon. ``lexicon``: your own
    file. ``target_sense``: ``model`` lets the model detect connectives and senses in the
    translation (into English).
    """

    name = "act"
    summary = "accuracy of connective translation (Hajlaoui, 2013)"
    columns = (*assess.CASE_NAMES, "credit", "counted")
    judged = ("connectives", ("counted",))

    preset: Preset = "careful"
    sense: Literal["auto", "strict", "compatible", "graded", "covering"] = "auto"
    alignment: Literal["yes", "no"] | str = "yes"
    connectives: Chosen = "eight"
    variant: Literal["auto", "a", "a56"] = "auto"
    lexicon: str = ""
    target_sense: Literal["lexicon", "model"] = "lexicon"

    @property
    def how(self) -> tuple[Preset, SenseTest | Literal["auto"]]:
        """The preset, and the test of senses."""
        return self.preset, self.sense

    @property
    def needs(self) -> frozenset[Need]:
        """Text of all sides; connectives of the translation if the model reads them."""
        target = (TOKENS, CONNECTIVES) if self.target_sense == "model" else (TEXT,)
        return compared(*target) | read(TEXT, side=Side.SOURCE)

    def verdicts(self, batch: Batch, context: ActContext) -> list[list[Verdict]]:
        """Return the verdicts on each line of a batch."""
        lines = context.assessor.detect(batch.sources or ())
        references = [self._decide(lines, texts, batch, context) for texts in batch.references]
        candidate = self._decide(lines, batch.hypotheses, batch, context, batch.system)
        verdicts: list[list[Verdict]] = [[] for _ in range(len(batch))]
        for n, found in lines.items():
            wanted = [each[n] for each in references]
            verdicts[n] = context.assessor.judge(n, found, wanted, candidate[n])
        return verdicts

    def _decide(
        self,
        lines: Found,
        texts: Sequence[str],
        batch: Batch,
        context: ActContext,
        system: int | None = None,
    ) -> dict[int, list[Decision]]:
        """Return the translations of each line's connectives in one text."""
        found = context.decide(lines, batch.sources or (), texts, system)
        if self.target_sense == "lexicon":
            return found
        return {
            n: [
                _read_senses(each, connective, batch.analyses[texts[n]], context.assessor)
                for connective, each in zip(lines[n], decisions, strict=True)
            ]
            for n, decisions in found.items()
        }

    def statistics(self, batch: Batch, context: ActContext) -> FloatArray:
        """Return the number of connectives per case, their credit, and how many count."""
        rows = np.zeros((len(batch), len(self.columns)))
        for row, verdicts in zip(rows, self.verdicts(batch, context), strict=True):
            for verdict in verdicts:
                row[verdict.case - 1] += 1
                row[_CREDIT] += verdict.credit
            row[_COUNTED] = len(self._counted(verdicts, context))
        return rows

    def _counted(self, verdicts: Sequence[Verdict], context: ActContext) -> list[Verdict]:
        """Return the verdicts that count in the score."""
        few = self._variant_used(context) == "a56"
        return [v for v in verdicts if not few or v.case <= Case.ONLY_REFERENCE]

    def _variant_used(self, context: ActContext) -> str:
        if self.variant != "auto":
            return self.variant
        return "a" if normalise(context.assessor.languages[0]) == "en" else "a56"

    def score(self, sums: FloatArray) -> FloatArray:
        """Return credit over connectives; not a number if there are none."""
        return ratio(sums[..., _CREDIT], sums[..., _COUNTED])

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return both variants, and the number of connectives per case."""
        counts = CaseCounts(tuple(map(int, sums[:_CREDIT])), float(sums[_CREDIT]))
        cases = dict(zip(assess.CASE_NAMES, map(float, counts.cases), strict=True))
        return {"ACTa": counts.act_a, "ACTa5+6": counts.act_a56, **cases}

    def explain(self, batch: Batch, context: ActContext, row: FloatArray) -> View:
        """Show every source connective, its translations, the reasons, and the losses."""
        (verdicts,) = self.verdicts(batch, context)
        return assess.decisions_view(self, row, batch, verdicts, self._counted(verdicts, context))

    def signature(self, context: ActContext | None = None) -> Signature:
        """Add the variant that the score is."""
        found = super().signature(context)
        return found if context is None else found.with_("variant", self._variant_used(context))


@dataclass(frozen=True)
class ActFree(ConnectiveMetric):
    """How many source connectives have a translation that can express their sense.

    ``source_sense``: ``model`` lets the model read each connective's sense in its sentence
    (English sources), ``any`` accepts every sense the connective can have. A connective that
    is omitted counts as not translated, though a reader may still see the relation.
    """

    name = "act-free"
    summary = "accuracy of connective translation, by the source alone"

    source_sense: Literal["model", "any"] = "model"
    sense: SenseTest = "graded"
    alignment: Literal["yes", "no"] | str = "yes"
    connectives: Chosen = "eight"
    lexicon: str = ""

    @property
    def needs(self) -> frozenset[Need]:
        """Source and translation; the source's connectives if the model reads them.

        The aligner learns from references, if there are any.
        """
        source = (TOKENS, CONNECTIVES) if self.source_sense == "model" else (TEXT,)
        references = read(TEXT, side=Side.REFERENCE, optional=True)
        own = read(TEXT, side=Side.HYPOTHESIS) | read(*source, side=Side.SOURCE)
        return own | references if self.alignment in ("yes", "eflomal") else own

    def statistics(self, batch: Batch, context: ActContext) -> FloatArray:
        """Return per segment: credit, translated otherwise, not translated."""
        assessor, sources = context.assessor, batch.sources or ()
        rows = np.zeros((len(batch), 3))
        lines = assessor.detect(sources)
        decided = context.decide(lines, sources, batch.hypotheses, batch.system)
        for n, connectives in lines.items():
            row, source = rows[n], sources[n]
            analysis = batch.source_analyses[source] if self.source_sense == "model" else None
            meant = senses_of(connectives, analysis, assessor.inventory)
            for connective, found, senses in zip(connectives, decided[n], meant, strict=True):
                if found.hit is None:
                    row[2] += 1
                    continue
                own = assessor.lexicon.senses(connective.name, found.hit.form)
                credit = lexicons.agreement(senses, own, self.sense)
                row[0] += credit
                row[1] += 1 - credit
        return rows

    def score(self, sums: FloatArray) -> FloatArray:
        """Return credit over all connectives; not a number if there are none."""
        return ratio(sums[..., 0], sums.sum(axis=-1))


def senses_of(
    connectives: Sequence[SourceConnective], analysis: Analysis | None, inventory: Inventory
) -> list[tuple[str, ...]]:
    """Return the senses that each connective may have in a source text.

    One sense if the model reads a connective there; all of the inventory if it reads none (a
    preposition, "not yet") or a sense that the inventory doesn't list.
    """
    every = [inventory.connectives[connective.name].senses for connective in connectives]
    if analysis is None:
        return every
    found = []
    for connective, known in zip(connectives, every, strict=True):
        senses = _senses_at(connective.tokens, analysis, inventory.language) & {*known}
        found.append((senses.pop(),) if len(senses) == 1 else known)
    return found


def _read_senses(
    decision: Decision, connective: SourceConnective, analysis: Analysis, assessor: Assessor
) -> Decision:
    """Return a decision with the senses that the model reads; no hit if it reads no connective.

    The model distinguishes classes of senses better than senses (a contrast from a concession,
    say): of the form's senses in the lexicon, those count that are of a class that it reads.
    """
    if decision.hit is None:
        return decision
    senses = _senses_at(decision.hit.tokens, analysis, assessor.languages[1])
    if not senses:
        return Decision(None, assess.Reason.NOT_READ)
    classes = {sense_class(sense) for sense in senses}
    known = assessor.lexicon.senses(connective.name, decision.hit.form)
    meant = tuple(sense for sense in known if sense_class(sense) in classes)
    return replace(decision, senses=meant or tuple(sorted(senses)))


def _senses_at(tokens: Sequence[int], analysis: Analysis, language: str) -> set[str]:
    """Return the senses that the model reads at some words of a text, as ``cut`` splits it."""
    offsets = cut(analysis.text, language).offsets
    spans = [offsets[token] for token in tokens]
    found: dict[int, str] = {}
    for connective in analysis[CONNECTIVES]:
        with suppress(InputError):  # a sense of the model's that no lexicon lists
            sense = lexicons.parse_sense(connective.sense)
            starts = [analysis[TOKENS].offsets[token][0] for token in connective.tokens]
            found |= dict.fromkeys(starts, sense)
    return {s for at, s in found.items() if any(start <= at < stop for start, stop in spans)}


@dataclass(frozen=True)
class Assessment:
    """A whole test set: the verdicts on each system, and how they were reached.

    Verdicts are in the order of the source's connectives.
    """

    evalset: EvalSet
    metric: Act
    context: ActContext
    verdicts: Mapping[str, tuple[Verdict, ...]]
    signature: Signature
