"""Terms: is what the source says again translated by the same words throughout?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import LanguageError, MetricError
from albeit.metrics.alignments import Alignments, by_references, by_source
from albeit.metrics.base import ALIGNED, Batch, FloatArray, Metric, check_lengths, ratio
from albeit.metrics.terms.glossary import Entry, read_glossary, rendered_by
from albeit.metrics.terms.render import (
    Occurrence,
    Rendering,
    aligned_words,
    keys_of,
    render,
    repeated,
)
from albeit.metrics.view import Compared, Link, Loss, Place, View, compare_lines
from albeit.parsing.content import ALPHABETIC
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side, compared, read

__all__ = ["Terms", "TermsContext"]


Counted = tuple[Rendering, int, int]
"""A term, how many of its occurrences are right, and of how many."""
Lines = tuple[str, ...]
REMEMBERED = 64
"""For how many documents it is remembered which terms their references keep to."""


@dataclass(frozen=True)
class TermsContext:
    """What terms are found by: a glossary, or alignments."""

    glossary: tuple[Entry, ...] = ()
    alignments: Alignments | None = None
    kept: dict[tuple[Lines, tuple[Lines, ...]], frozenset[tuple[str, ...]]] = field(
        default_factory=dict
    )
    """By source and references: the terms that one of them keeps to, the same for every system."""


@dataclass(frozen=True)
class Terms(Metric):
    """How consistently repeated terms are translated.

    ``by``: ``source`` takes the terms that the source repeats, ``reference`` those of the
    reference; ``auto`` the source's where it is in a language whose words are known. Where
    there are references, only terms that one of them renders by one word throughout count.
    ``glossary``: a file of source terms and their translations, in place of alignment.
    """

    name: ClassVar[str] = "terms"
    summary: ClassVar[str] = "repeated terms translated by the same words (document)"
    unit: ClassVar[Unit] = Unit.DOCUMENT
    columns: ClassVar[tuple[str, ...]] = ("kept", "asked", "terms", "inconsistent")
    judged: ClassVar[tuple[str, tuple[str, ...]]] = ("terms", ("terms",))

    by: Literal["auto", "source", "reference"] = "auto"
    glossary: str = ""

    @property
    def needs(self) -> frozenset[Need]:
        """Words; a source's and references' too, where they are asked for or there."""
        own = read(TEXT, side=Side.HYPOTHESIS)
        if self.glossary:
            return own | read(TEXT, side=Side.SOURCE)
        if self.by == "reference":
            return compared(TEXT)
        source = read(TEXT, side=Side.SOURCE, optional=self.by == "auto")
        return own | source | read(TEXT, side=Side.REFERENCE, optional=True)

    @property
    def languages(self) -> frozenset[str]:
        """Those with stems and a stop list."""
        return ALPHABETIC

    @property
    def files(self) -> tuple[str, ...]:
        """The glossary."""
        return (self.glossary,) if self.glossary else ()

    def by_source(self, source_lang: str | None, sources: object) -> bool:
        """Whether the terms are the source's."""
        if self.by != "auto":
            return self.by == "source"
        return sources is not None and source_lang in ALPHABETIC

    def check(self, evalset: EvalSet) -> None:
        """Ask for documents, a text that has the terms, and its language."""
        super().check(evalset)
        if not self.glossary:
            check_lengths(self, evalset, ALIGNED)
        if self.glossary:
            if evalset.source_lang is None:
                raise LanguageError(f"{self} needs to know the source language: --source-lang.")
            read_glossary(self.glossary)
        elif self.by_source(evalset.source_lang, evalset.source):
            if evalset.source_lang not in ALPHABETIC:
                known = ", ".join(sorted(ALPHABETIC))
                raise LanguageError(
                    f"{self} knows the words of {known}, not of {evalset.source_lang!r}."
                    " Give a glossary: terms(glossary=FILE), or the reference: terms(by=reference)."
                )
        elif not evalset.references:
            raise MetricError(
                f"{self} needs a source in a language it knows ({', '.join(sorted(ALPHABETIC))})"
                " or a reference."
            )

    def prepare(self, evalset: EvalSet) -> TermsContext:
        """Read the glossary, or learn to align."""
        if self.glossary:
            return TermsContext(read_glossary(self.glossary))
        if self.by_source(evalset.source_lang, evalset.source):
            languages = evalset.source_lang or "en", evalset.target_lang
            return TermsContext((), by_source(evalset, languages, bool))
        return TermsContext((), by_references(evalset))

    def renderings(self, batch: Batch, context: TermsContext) -> tuple[int, list[Rendering]]:
        """The terms of some lines that count, and the number of the reference that has them."""
        if context.glossary:
            languages = batch.source_lang or "en", batch.target_lang
            sources = batch.sources or ()
            found = (
                rendered_by(entry, sources, batch.hypotheses, languages)
                for entry in context.glossary
            )
            return 0, [each for each in found if each.occurrences]
        if self.by_source(batch.source_lang, batch.sources):
            return 0, self._by_source(batch, context)
        every = [
            self._rendered(
                reference, batch.hypotheses, context, batch.target_lang, batch, batch.system
            )
            for reference in batch.references
        ]
        best = max(range(len(every)), key=lambda r: _share(every[r]))
        return best, every[best]

    def _by_source(self, batch: Batch, context: TermsContext) -> list[Rendering]:
        """The source's terms; where there are references, those that one of them keeps to."""
        source, language = batch.sources or (), batch.source_lang or "en"
        ours = self._rendered(source, batch.hypotheses, context, language, batch, batch.system)
        if not batch.references:
            return ours
        place = tuple(source), tuple(map(tuple, batch.references))
        kept = context.kept.get(place)
        if kept is None:
            kept = context.kept[place] = frozenset(
                each.key
                for lines in batch.references
                for each in self._rendered(source, lines, context, language, batch)
                if each.kept == each.asked
            )
            while len(context.kept) > REMEMBERED:
                context.kept.pop(next(iter(context.kept)), None)
        return [each for each in ours if each.key in kept]

    def _rendered(
        self,
        asked: Sequence[str],
        texts: Sequence[str],
        context: TermsContext,
        language: str,
        batch: Batch,
        system: int | None = None,
    ) -> list[Rendering]:
        """Each term that one text repeats, in another: a reference, or the system's."""
        assert context.alignments is not None, "terms of no glossary are aligned"
        links = context.alignments.of(zip(asked, texts, strict=True), system)
        found = []
        known = [keys_of(text, batch.target_lang) for text in texts]
        for key, places in repeated(asked, language).items():
            keys = [known[line] for line, _ in places]
            aligned = []
            for line, words in places:
                own = links[asked[line], texts[line]]
                aligned.append(aligned_words(words, own, known[line]))
            one = render(key, places, aligned, keys)
            if one.asked:
                found.append(one)
        return found

    def statistics(self, batch: Batch, context: TermsContext) -> FloatArray:
        """Occurrences that keep to the word, occurrences, terms, inconsistent terms; a document each."""
        rows = np.zeros((len(batch.documents), len(self.columns)))
        for row, document in zip(rows, batch.documents, strict=True):
            _, found = self.renderings(batch.lines(document.rows), context)
            for kept, asked in (self.counts(each) for each in found):
                row += kept, asked, 1, kept < asked
        return rows

    def counts(self, rendering: Rendering) -> tuple[int, int]:
        """Of a term: how many occurrences are right, and of how many."""
        if self.glossary:
            return rendering.same, len(rendering.occurrences)
        return rendering.kept, rendering.asked

    def score(self, sums: FloatArray) -> FloatArray:
        """Occurrences that keep to the word over all; not a number where no term is repeated."""
        return ratio(sums[..., 0], sums[..., 1])

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """How many terms there were, and how many of them are inconsistent."""
        return {name: float(self.column(name, sums)) for name in ("terms", "inconsistent")}

    def explain(self, batch: Batch, context: TermsContext, row: FloatArray) -> View:
        """Every term with its places, the inconsistent ones with what they cost."""
        which, found = self.renderings(batch, context)
        by_source = bool(self.glossary) or self.by_source(batch.source_lang, batch.sources)
        counted = [(each, *self.counts(each)) for each in found]
        return self._view(row, batch, None if by_source else which, counted)

    def _view(
        self, row: FloatArray, batch: Batch, reference: int | None, counted: Sequence[Counted]
    ) -> View:
        """The terms of one document, asked of the source or of the ``reference`` of that number."""
        ours, bases = compare_lines(Side.HYPOTHESIS, batch.hypotheses, batch.target_lang)
        if reference is None:
            theirs, starts = compare_lines(
                Side.SOURCE, batch.sources or (), batch.source_lang or "en"
            )
        else:
            lines = batch.references[reference]
            theirs, starts = compare_lines(Side.REFERENCE, lines, batch.target_lang, reference)

        def places(each: Occurrence) -> tuple[Place, Place]:
            return (
                Place(1, tuple(starts[each.line] + word for word in each.term)),
                Place(0, tuple(bases[each.line] + word for word in each.words)),
            )

        total = sum(asked for _, _, asked in counted)
        links: list[Link] = []
        losses: list[Loss] = []
        for term, right, asked in counted:
            links += [Link(*places(each), 1.0, "term") for each in term.occurrences if each.same]
            otherwise_first = sorted(term.occurrences, key=lambda each: each.same)
            found = [place for each in otherwise_first for place in places(each) if place.tokens]
            label, details = _told(term, theirs, ours, starts, bases)
            losses.append(Loss(label, (asked - right) / total, tuple(found), details))
        notes = () if counted else ("No term is repeated: no score.",)
        return self.view(row, (ours, theirs), links, losses, notes=notes)

    def versions(self, context: TermsContext | None = None) -> dict[str, str]:
        """The stemmer, and what the aligner learnt from."""
        from importlib.metadata import version

        learnt = context.alignments.learnt if context and context.alignments else ""
        return {"snowball": version("snowballstemmer")} | ({"aligner": learnt} if learnt else {})


def _share(found: Sequence[Rendering]) -> float:
    asked = sum(each.asked for each in found)
    return sum(each.kept for each in found) / asked if asked else 0.0


def _told(
    term: Rendering, theirs: Compared, ours: Compared, starts: Sequence[int], bases: Sequence[int]
) -> tuple[str, dict[str, str | float]]:
    """A term in words: what renders it how often, and in which lines otherwise."""

    def words(text: Compared, base: int, tokens: Sequence[int]) -> str:
        spans = [text.tokens.offsets[base + token] for token in tokens]
        return " ".join(text.text[start:stop] for start, stop in spans)

    name = words(theirs, starts[term.occurrences[0].line], term.occurrences[0].term)
    forms = [words(ours, bases[each.line], each.words).lower() for each in term.occurrences]
    same = Counter(form for form, each in zip(forms, term.occurrences, strict=True) if each.same)
    usual = same.most_common(1)[0][0] if same else term.word
    said: dict[str, list[int]] = {}
    for form, each in zip(forms, term.occurrences, strict=True):
        said.setdefault(usual if each.same else form or "–", []).append(each.line + 1)
    told = ", ".join(
        f"{form} ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})"
        for form, lines in sorted(said.items(), key=lambda item: -len(item[1]))
    )
    details: dict[str, str | float] = {"term": name, "usual": usual, "same": term.same}
    return f"{name}: {told}", details | {"occurrences": len(term.occurrences)}
