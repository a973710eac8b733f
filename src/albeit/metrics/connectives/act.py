"""ACT: the accuracy of connective translation, as a metric of the toolkit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.errors import InputError, LanguageError, MetricError
from albeit.metrics.alignments import (
    Alignments,
    by_eflomal,
    by_files,
    by_model,
    by_source,
)
from albeit.metrics.base import ALIGNED, Batch, FloatArray, Metric, check_lengths, ratio
from albeit.metrics.connectives.assess import (
    Assessor,
    Case,
    Chosen,
    Preset,
    Settings,
    Verdict,
    assessor_for,
)
from albeit.metrics.connectives.decisions import CASE_NAMES, decisions_view
from albeit.metrics.connectives.lexicons.find import SourceConnective
from albeit.metrics.connectives.match import Decision
from albeit.metrics.connectives.scores import CaseCounts
from albeit.metrics.connectives.source_sense import read_in_place
from albeit.metrics.grammar import Signature
from albeit.parsing.layers import CONNECTIVES, TEXT, TOKENS
from albeit.parsing.needs import Need, Side, compared, read

if TYPE_CHECKING:
    from pathlib import Path

    from albeit.metrics.view import View
    from albeit.parsing.alignment import Aligner

__all__ = ["Act", "ActContext", "Assessment"]

_CREDIT, _COUNTED = 6, 7


@dataclass(frozen=True)
class ActContext:
    """What ACT prepares: the assessor, and what aligns lines; without it places decide."""

    assessor: Assessor
    alignments: Alignments | None = None


@dataclass(frozen=True)
class Act(Metric):
    """How many source connectives are translated as in the reference, or by a synonym.

    ``variant``: ``a`` over all connectives, ``a56`` over those the reference translates; ``auto``
    is ``a`` from English and ``a56`` into English, where words of the source are known by their
    form alone and those that the reference does not translate are mostly no connectives at all.
    ``alignment``: ``yes`` trains the embedded aligner on source and references, ``no`` goes by
    position, ``eflomal`` calls that aligner, a path loads a saved one. ``target_sense``: ``model``
    lets the model say what is a connective in the translation, and in which sense (into English).
    """

    name: ClassVar[str] = "act"
    summary: ClassVar[str] = "accuracy of connective translation (Hajlaoui, 2013)"
    columns: ClassVar[tuple[str, ...]] = (*CASE_NAMES, "credit", "counted")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("connectives", ("counted",))

    preset: Preset = "careful"
    sense: Literal["auto", "strict", "compatible", "graded", "covering"] = "auto"
    alignment: Literal["yes", "no"] | str = "yes"
    connectives: Chosen = "eight"
    variant: Literal["auto", "a", "a56"] = "auto"
    lexicon: str = ""
    target_sense: Literal["lexicon", "model"] = "lexicon"

    @property
    def needs(self) -> frozenset[Need]:
        """The words of source, references and translation; connectives where the model reads them."""
        target = (TOKENS, CONNECTIVES) if self.target_sense == "model" else (TEXT,)
        return compared(*target) | read(TEXT, side=Side.SOURCE)

    def settings(self) -> Settings:
        """The part of the parameters that an assessor needs."""
        return Settings(self.preset, self.sense, self.connectives, self.lexicon)

    @property
    def files(self) -> tuple[str, ...]:
        """A lexicon and a saved aligner, where they are named."""
        aligner = () if self.alignment in ("yes", "no", "eflomal") else (self.alignment,)
        return (*((self.lexicon,) if self.lexicon else ()), *aligner)

    def check(self, evalset: EvalSet) -> None:
        """There must be a lexicon for the pair, and a connective in the source."""
        super().check(evalset)
        self.check_source(evalset)

    def check_source(self, evalset: EvalSet) -> None:
        """Raise if there is no lexicon for the pair, or no connective in the source."""
        if self.alignment != "no":
            check_lengths(self, evalset, ALIGNED)
        if evalset.source_lang is None:
            raise LanguageError(f"{self} needs to know the source language. Give --source-lang en.")
        assessor = assessor_for(evalset.source_lang, evalset.target_lang, self.settings())
        if not any(assessor.connectives(line) for line in evalset.source or ()):
            raise MetricError(
                f"{self} finds none of its connectives in the source of {evalset.name}."
                f" Check that the source is in {evalset.source_lang!r},"
                " or ask for more connectives: act(connectives=all)."
            )

    def prepare(self, evalset: EvalSet) -> ActContext:
        """The lexicon, and what aligns lines that have a connective."""
        languages = evalset.source_lang or "en", evalset.target_lang
        assessor = assessor_for(*languages, self.settings())

        def wanted(line: str) -> bool:
            return bool(assessor.connectives(line))

        match self.alignment:
            case "no":
                return ActContext(assessor)
            case "yes":
                return ActContext(assessor, by_source(evalset, languages, wanted))
            case "eflomal":
                return ActContext(assessor, by_eflomal(evalset, languages))
        from albeit.parsing.alignment import Aligner

        aligner = Aligner.load(self.alignment)
        return ActContext(assessor, by_model(aligner, evalset, languages, wanted, "file"))

    def prepared_by(
        self,
        evalset: EvalSet,
        files: Mapping[str, str | Path] | None = None,
        aligner: Aligner | None = None,
    ) -> ActContext:
        """The same by alignment files of other tools, or by an aligner that learnt from a bitext too."""
        languages = evalset.source_lang or "en", evalset.target_lang
        assessor = assessor_for(*languages, self.settings())
        if files:
            return ActContext(assessor, by_files(evalset, languages, files))
        if aligner is None:
            return self.prepare(evalset)
        learnt = by_model(
            aligner, evalset, languages, lambda x: bool(assessor.connectives(x)), "bitext"
        )
        return ActContext(assessor, learnt)

    def verdicts(self, batch: Batch, context: ActContext) -> list[list[Verdict]]:
        """The verdicts on each line of a batch."""
        if batch.sources is None:
            raise InputError(f"{self} needs the source text.")
        assessor = context.assessor
        lines = {n: c for n, text in enumerate(batch.sources) if (c := assessor.connectives(text))}
        *references, candidate = (
            self._decided(lines, texts, batch, context, system)
            for texts, system in (
                *((texts, None) for texts in batch.references),
                (batch.hypotheses, batch.system),
            )
        )
        return [
            assessor.judge(n, lines[n], [each[n] for each in references], candidate[n])
            if n in lines
            else []
            for n in range(len(batch))
        ]

    def _decided(
        self,
        lines: Mapping[int, Sequence[SourceConnective]],
        texts: Sequence[str],
        batch: Batch,
        context: ActContext,
        system: int | None,
    ) -> dict[int, list[Decision]]:
        """What translates the connectives of each line in one text: a reference, or the system's."""
        found = context.assessor.decide_lines(
            lines, batch.sources or (), texts, context.alignments, system
        )
        if self.target_sense == "lexicon":
            return found
        known = context.assessor.lexicon.senses
        return {
            n: [
                read_in_place(
                    each,
                    texts[n],
                    batch.analyses[texts[n]],
                    batch.target_lang,
                    known(connective.name, each.hit.form) if each.hit else (),
                )
                for connective, each in zip(lines[n], decisions, strict=True)
            ]
            for n, decisions in found.items()
        }

    def statistics(self, batch: Batch, context: ActContext) -> FloatArray:
        """One row per segment: how many connectives of each case, their credit, how many count."""
        rows = np.zeros((len(batch), len(self.columns)))
        for row, verdicts in zip(rows, self.verdicts(batch, context), strict=True):
            for verdict in verdicts:
                row[verdict.case - 1] += 1
                row[_CREDIT] += verdict.credit
            row[_COUNTED] = len(self.counting(verdicts, context))
        return rows

    def counting(self, verdicts: Sequence[Verdict], context: ActContext) -> list[Verdict]:
        """Those that count in the score."""
        few = self.variant_used(context) == "a56"
        return [v for v in verdicts if not few or v.case <= Case.ONLY_REFERENCE]

    def variant_used(self, context: ActContext) -> str:
        """Which variant the score is."""
        if self.variant != "auto":
            return self.variant
        return "a56" if context.assessor.turned else "a"

    def score(self, sums: FloatArray) -> FloatArray:
        """Credit over connectives; not a number where there is none."""
        return ratio(sums[..., _CREDIT], sums[..., _COUNTED])

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Both variants, and how many connectives of each case."""
        counts = CaseCounts.from_sums(sums)
        cases = dict(zip(CASE_NAMES, map(float, counts.cases), strict=True))
        return {"ACTa": counts.act_a, "ACTa5+6": counts.act_a56, **cases}

    def explain(self, batch: Batch, context: ActContext, row: FloatArray) -> View:
        """Every connective of the source: what was found for it, why, and what it cost."""
        (verdicts,) = self.verdicts(batch, context)
        return decisions_view(self, row, batch, verdicts, self.counting(verdicts, context))

    def signature(self, context: ActContext | None = None) -> Signature:
        """With the variant that the score is, once the languages are known."""
        found = super().signature(context)
        return found if context is None else found.with_("variant", self.variant_used(context))

    def versions(self, context: ActContext | None = None) -> dict[str, str]:
        """The lexicon's version, and the hash of the trained aligner."""
        read = super().versions(context)
        if context is None:
            return read
        used = context.assessor.lexicon
        found = {"lexicon-version": f"{used.source_lang}-{used.target_lang}.{used.version}"}
        if context.alignments is not None:
            found["aligner"] = context.alignments.learnt
        return found | read


@dataclass(frozen=True)
class Assessment:
    """A whole test set assessed: the verdicts on each system, and how they were reached.

    Verdicts are in the order of the source's connectives.
    """

    evalset: EvalSet
    metric: Act
    context: ActContext
    verdicts: Mapping[str, tuple[Verdict, ...]]
    signature: Signature
