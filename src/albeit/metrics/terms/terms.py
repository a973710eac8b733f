"""Terms: are the repeated words of a document translated by the same words?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import ClassVar, Literal

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import LanguageError, MetricError
from albeit.metrics.alignments import Alignments, by_references, by_source
from albeit.metrics.base import ALIGNED, Batch, FloatArray, Metric, check_lengths, ratio
from albeit.metrics.terms.render import (
    Glossary,
    Occurrence,
    Rendering,
    aligned_words,
    keys_of,
    read_glossary,
    render,
    render_entry,
    repeated,
)
from albeit.metrics.view import Compared, Link, Loss, Place, View, compare_lines
from albeit.parsing.content import ALPHABETIC
from albeit.parsing.layers import TEXT
from albeit.parsing.needs import Need, Side, compared, read

Lines = tuple[str, ...]
REMEMBERED = 64
"""The number of documents whose consistent terms in references are remembered."""


@dataclass(frozen=True)
class TermsContext:
    """A glossary, or alignments."""

    glossary: Glossary = field(default_factory=dict)
    alignments: Alignments | None = None
    kept: dict[tuple[Lines, tuple[Lines, ...]], frozenset[tuple[str, ...]]] = field(
        default_factory=dict
    )
    """By source and references: the terms that a reference translates consistently."""


@dataclass(frozen=True)
class Terms(Metric):
    """How consistently repeated terms are translated.

    ``by``: ``source`` uses the terms that the source repeats, ``reference`` those of the
    reference; ``auto`` the source's if its language is known. With references, only terms count
    that one of them translates by one word throughout. ``glossary``: a file of source terms and
    their translations, instead of alignment.
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
        """Text, also of source and references if they are used."""
        own = read(TEXT, side=Side.HYPOTHESIS)
        if self.glossary:
            return own | read(TEXT, side=Side.SOURCE)
        if self.by == "reference":
            return compared(TEXT)
        source = read(TEXT, side=Side.SOURCE, optional=self.by == "auto")
        return own | source | read(TEXT, side=Side.REFERENCE, optional=True)

    @property
    def languages(self) -> frozenset[str]:
        """Languages with stems and a stop list."""
        return ALPHABETIC

    @property
    def files(self) -> tuple[str, ...]:
        """The glossary."""
        return (self.glossary,) if self.glossary else ()

    def _by_source(self, source_lang: str | None, sources: object) -> bool:
        """Return whether the terms are the source's."""
        if self.by != "auto" or self.glossary:
            return self.by == "source" or bool(self.glossary)
        return sources is not None and source_lang in ALPHABETIC

    def check(self, evalset: EvalSet) -> None:
        """Raise if documents, or a text in a known language for the terms, are missing."""
        super().check(evalset)
        known = ", ".join(sorted(ALPHABETIC))
        if self.glossary:
            if evalset.source_lang is None:
                raise LanguageError(f"{self} needs to know the source language: --source-lang.")
            read_glossary(self.glossary)
            return
        check_lengths(self, evalset, ALIGNED)
        by_source = self._by_source(evalset.source_lang, evalset.source)
        if by_source and evalset.source_lang not in ALPHABETIC:
            raise LanguageError(
                f"{self} knows the words of {known}, not of {evalset.source_lang!r}."
                " Give a glossary: terms(glossary=FILE), or the reference: terms(by=reference)."
            )
        if not by_source and not evalset.references:
            raise MetricError(
                f"{self} needs a source in a language it knows ({known}) or a reference."
            )

    def prepare(self, evalset: EvalSet) -> TermsContext:
        """Read the glossary, or train the aligner."""
        if self.glossary:
            return TermsContext(read_glossary(self.glossary))
        if self._by_source(evalset.source_lang, evalset.source):
            languages = evalset.source_lang or "en", evalset.target_lang
            return TermsContext(alignments=by_source(evalset, languages, bool))
        return TermsContext(alignments=by_references(evalset))

    def renderings(self, batch: Batch, context: TermsContext) -> tuple[int, list[Rendering]]:
        """Return the terms of some lines that count, and the number of their reference."""
        source = batch.source_lang or "en"
        if context.glossary:
            found = (
                render_entry(
                    *entry, batch.sources or (), batch.hypotheses, (source, batch.target_lang)
                )
                for entry in context.glossary.items()
            )
            return 0, [each for each in found if each.occurrences]
        if self._by_source(batch.source_lang, batch.sources):
            return 0, self._of_source(batch, context)
        every = [
            _render(reference, batch.hypotheses, context, batch.target_lang, batch, batch.system)
            for reference in batch.references
        ]
        best = max(range(len(every)), key=lambda r: _share(every[r]))
        return best, every[best]

    def _of_source(self, batch: Batch, context: TermsContext) -> list[Rendering]:
        """Return the source's terms; with references, those that one translates consistently."""
        source, language = batch.sources or (), batch.source_lang or "en"
        found = _render(source, batch.hypotheses, context, language, batch, batch.system)
        if not batch.references:
            return found
        place = tuple(source), tuple(map(tuple, batch.references))
        kept = context.kept.get(place)
        if kept is None:
            kept = context.kept[place] = frozenset(
                each.key
                for lines in batch.references
                for each in _render(source, lines, context, language, batch)
                if each.kept == each.asked
            )
            while len(context.kept) > REMEMBERED:
                context.kept.pop(next(iter(context.kept)), None)
        return [each for each in found if each.key in kept]

    def statistics(self, batch: Batch, context: TermsContext) -> FloatArray:
        """Return per document: kept and all occurrences, terms, and inconsistent terms."""
        rows = np.zeros((len(batch.documents), len(self.columns)))
        for row, document in zip(rows, batch.documents, strict=True):
            _, found = self.renderings(batch.lines(document.rows), context)
            for kept, asked in map(self._counts, found):
                row += kept, asked, 1, kept < asked
        return rows

    def _counts(self, rendering: Rendering) -> tuple[int, int]:
        """Return the number of correct occurrences of a term, and of all."""
        if self.glossary:
            return rendering.same, len(rendering.occurrences)
        return rendering.kept, rendering.asked

    def score(self, sums: FloatArray) -> FloatArray:
        """Return kept over all occurrences; not a number if no term is repeated."""
        return ratio(sums[..., 0], sums[..., 1])

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return the number of terms, and of inconsistent ones."""
        return {name: float(self.column(name, sums)) for name in ("terms", "inconsistent")}

    def explain(self, batch: Batch, context: TermsContext, row: FloatArray) -> View:
        """Show every term with its occurrences and its loss."""
        number, terms = self.renderings(batch, context)
        ours, bases = compare_lines(Side.HYPOTHESIS, batch.hypotheses, batch.target_lang)
        if self._by_source(batch.source_lang, batch.sources):
            language = batch.source_lang or "en"
            theirs, starts = compare_lines(Side.SOURCE, batch.sources or (), language)
        else:
            lines = batch.references[number]
            theirs, starts = compare_lines(Side.REFERENCE, lines, batch.target_lang, number)

        def places(each: Occurrence) -> tuple[Place, Place]:
            return (
                Place(1, tuple(starts[each.line] + word for word in each.term)),
                Place(0, tuple(bases[each.line] + word for word in each.words)),
            )

        counts = list(map(self._counts, terms))
        total = sum(asked for _, asked in counts)
        links: list[Link] = []
        losses: list[Loss] = []
        for term, (right, asked) in zip(terms, counts, strict=True):
            links += [Link(*places(each), 1.0, "term") for each in term.occurrences if each.same]
            others_first = sorted(term.occurrences, key=lambda each: each.same)
            found = [place for each in others_first for place in places(each) if place.tokens]
            label, details = _describe(
                term, [places(each) for each in term.occurrences], theirs, ours
            )
            losses.append(Loss(label, (asked - right) / total, tuple(found), details))
        notes = () if terms else ("No term is repeated: no score.",)
        return self.view(row, (ours, theirs), links, losses, notes=notes)

    def versions(self, context: TermsContext | None = None) -> dict[str, str]:
        """Return the stemmer's version, and what the aligner was trained on."""
        learnt = context.alignments.learnt if context and context.alignments else ""
        return {"snowball": version("snowballstemmer")} | ({"aligner": learnt} if learnt else {})


def _render(
    lines: Sequence[str],
    texts: Sequence[str],
    context: TermsContext,
    language: str,
    batch: Batch,
    system: int | None = None,
) -> list[Rendering]:
    """Return each term that one text repeats, in another: a reference, or the system's."""
    assert context.alignments is not None, "terms without a glossary are aligned"
    links = context.alignments.of(zip(lines, texts, strict=True), system)
    known = [keys_of(text, batch.target_lang) for text in texts]
    found = []
    for key, places in repeated(lines, language).items():
        aligned = [
            aligned_words(words, links[lines[line], texts[line]], known[line])
            for line, words in places
        ]
        one = render(key, places, aligned, [known[line] for line, _ in places])
        if one.asked:
            found.append(one)
    return found


def _share(found: Sequence[Rendering]) -> float:
    asked = sum(each.asked for each in found)
    return sum(each.kept for each in found) / asked if asked else 0.0


def _describe(
    term: Rendering, places: Sequence[tuple[Place, Place]], theirs: Compared, ours: Compared
) -> tuple[str, dict[str, str | float]]:
    """Return a label with the translations of a term and their lines, and details."""

    def words(text: Compared, place: Place) -> str:
        spans = [text.tokens.offsets[token] for token in place.tokens]
        return " ".join(text.text[start:stop] for start, stop in spans)

    name = words(theirs, places[0][0])
    forms = [words(ours, place).lower() for _, place in places]
    same = Counter(form for form, each in zip(forms, term.occurrences, strict=True) if each.same)
    usual = same.most_common(1)[0][0] if same else term.word
    by_form: dict[str, list[int]] = {}
    for form, each in zip(forms, term.occurrences, strict=True):
        by_form.setdefault(usual if each.same else form or "–", []).append(each.line + 1)
    listed = ", ".join(
        f"{form} ({'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines))})"
        for form, lines in sorted(by_form.items(), key=lambda item: -len(item[1]))
    )
    details: dict[str, str | float] = {"term": name, "usual": usual, "same": term.same}
    return f"{name}: {listed}", details | {"occurrences": len(term.occurrences)}
