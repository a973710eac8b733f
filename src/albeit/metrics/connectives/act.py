"""ACT: the accuracy of connective translation, as a metric of the toolkit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from albeit.annotate.layers import CONNECTIVES, TEXT, TOKENS
from albeit.annotate.needs import Need, Side, compared, read
from albeit.corpus.evalset import EvalSet
from albeit.errors import InputError, LanguageError, MetricError
from albeit.lexicons.detect import SourceConnective
from albeit.metrics.base import Batch, FloatArray, Metric
from albeit.metrics.connectives.assess import (
    Assessor,
    Chosen,
    Preset,
    Settings,
    Verdict,
    assessor_for,
)
from albeit.metrics.connectives.cases import Case
from albeit.metrics.connectives.decisions import decisions_view
from albeit.metrics.connectives.links import (
    TextLinks,
    align_by_meaning,
    align_texts,
    align_with_eflomal,
    links_of_pair,
    train_aligner,
)
from albeit.metrics.connectives.match import Decision
from albeit.metrics.connectives.source_sense import read_in_place

if TYPE_CHECKING:
    from albeit.annotate.alignment import Aligner
    from albeit.metrics.view import View

__all__ = ["Act", "ActContext", "links_of"]

_CASES = 6


@dataclass(frozen=True)
class ActContext:
    """What ACT prepares: the assessor, and the alignments of lines with connectives."""

    assessor: Assessor
    links: TextLinks | None
    fingerprint: str = ""


@dataclass(frozen=True)
class Act(Metric):
    """How many source connectives are translated as in the reference, or by a synonym.

    ``variant``: ``a`` over all connectives, ``a56`` over those the reference translates.
    ``alignment``: ``yes`` trains the embedded aligner on the test set, ``no`` goes by
    position, ``meaning`` by the multilingual encoder, ``eflomal`` calls that aligner, a path loads a saved one. ``target_sense``:
    ``model`` lets the model say what is a connective in the translation, and in which sense
    (into English).
    """

    name: ClassVar[str] = "act"
    summary: ClassVar[str] = "accuracy of connective translation (Hajlaoui, 2013)"

    preset: Preset = "careful"
    sense: Literal["auto", "strict", "compatible", "graded", "covering"] = "auto"
    alignment: str = "yes"
    connectives: Chosen = "eight"
    variant: Literal["a", "a56"] = "a"
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
        aligner = () if self.alignment in ("yes", "no", "eflomal", "meaning") else (self.alignment,)
        return (*((self.lexicon,) if self.lexicon else ()), *aligner)

    def check(self, evalset: EvalSet) -> None:
        """There must be a lexicon for the pair, and a connective in the source."""
        super().check(evalset)
        self.check_source(evalset)

    def check_source(self, evalset: EvalSet) -> None:
        """Raise if there is no lexicon for the pair, or no connective in the source."""
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
        """Train or load the aligner, and align every line that has a connective."""
        languages = evalset.source_lang or "en", evalset.target_lang
        source = evalset.source or ()
        if self.alignment == "no":
            return ActContext(assessor_for(*languages, self.settings()), None)
        texts = [*evalset.references.values(), *evalset.systems.values()]
        if self.alignment in ("eflomal", "meaning"):
            assessor = assessor_for(*languages, self.settings())
            rows = [n for n, line in enumerate(source) if assessor.connectives(line)]
            align = align_with_eflomal if self.alignment == "eflomal" else align_by_meaning
            links = align(source, texts, rows, languages)
            return ActContext(assessor, links, self.alignment)
        if self.alignment == "yes":
            return self.prepare_with(train_aligner(source, texts, languages), evalset)
        from albeit.annotate.alignment import Aligner

        return self.prepare_with(Aligner.load(self.alignment), evalset)

    def prepare_with(self, aligner: Aligner, evalset: EvalSet) -> ActContext:
        """The context with an aligner that is trained already."""
        languages = evalset.source_lang or "en", evalset.target_lang
        assessor = assessor_for(*languages, self.settings())
        source = evalset.source or ()
        rows = [n for n, line in enumerate(source) if assessor.connectives(line)]
        texts = [*evalset.references.values(), *evalset.systems.values()]
        pairs = ((source[n], lines[n]) for lines in texts for n in rows)
        return ActContext(assessor, align_texts(aligner, pairs, languages), aligner.fingerprint)

    def verdicts(self, batch: Batch, context: ActContext) -> list[list[Verdict]]:
        """The verdicts on each line of a batch."""
        if batch.sources is None:
            raise InputError(f"{self} needs the source text.")
        assessor = context.assessor
        found: list[list[Verdict]] = []
        for line, source in enumerate(batch.sources):
            connectives = assessor.connectives(source)
            if not connectives:
                found.append([])
                continue
            texts = [*(lines[line] for lines in batch.references), batch.hypotheses[line]]
            *references, candidate = (
                self._decide(connectives, source, text, batch, context) for text in texts
            )
            found.append(assessor.judge(line, connectives, references, candidate))
        return found

    def _decide(
        self,
        connectives: Sequence[SourceConnective],
        source: str,
        text: str,
        batch: Batch,
        context: ActContext,
    ) -> list[Decision]:
        """What translates each connective of a line in one text."""
        found = context.assessor.decide(connectives, source, text, links_of(context, source, text))
        if self.target_sense == "lexicon":
            return found
        known = context.assessor.lexicon.senses
        return [
            read_in_place(
                each,
                text,
                batch.analyses[text],
                batch.target_lang,
                known(connective.name, each.hit.form) if each.hit else (),
            )
            for connective, each in zip(connectives, found, strict=True)
        ]

    def statistics(self, batch: Batch, context: ActContext) -> FloatArray:
        """One row a segment: how many connectives of each case, and their credit."""
        rows = np.zeros((len(batch), _CASES + 1))
        for row, verdicts in zip(rows, self.verdicts(batch, context), strict=True):
            for verdict in self.counted(verdicts, context):
                row[verdict.case - 1] += 1
                row[_CASES] += verdict.credit
        return rows

    def counted(self, verdicts: Sequence[Verdict], context: ActContext) -> list[Verdict]:
        """Those that count. Into English, where words of the source are known by their form alone,
        only those that the reference translates: the others are mostly no connectives at all."""
        few = self.variant == "a56" or context.assessor.turned
        return [v for v in verdicts if not few or v.case <= Case.ONLY_REFERENCE]

    def score(self, sums: FloatArray) -> FloatArray:
        """Credit over connectives; not a number where there is none."""
        counted = sums[..., : _CASES if self.variant == "a" else 4].sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[..., _CASES] / counted)

    def explain(self, batch: Batch, context: ActContext, row: FloatArray) -> View:
        """Every connective of the source: what was found for it, why, and what it cost."""
        (verdicts,) = self.verdicts(batch, context)
        score = float(self.segment_score(row))
        counted = self.counted(verdicts, context)
        return decisions_view(str(self), score, batch, verdicts, counted)

    def versions(self, context: ActContext | None = None) -> dict[str, str]:
        """The lexicon's version, and the hash of the trained aligner."""
        read = super().versions(context)
        if context is None:
            return read
        used = context.assessor.lexicon
        found = {"lexicon-version": f"{used.source_lang}-{used.target_lang}.{used.version}"}
        if context.fingerprint:
            found["aligner"] = context.fingerprint
        return found | read


def links_of(context: ActContext, source: str, text: str) -> Sequence[tuple[int, int]] | None:
    """The alignment of a line with a translation, if alignments are used."""
    return None if context.links is None else links_of_pair(context.links, source, text)
