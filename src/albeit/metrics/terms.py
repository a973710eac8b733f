"""Terms: are the repeated words of a document translated by the same words?

A term is a word, or a pair of adjacent words, in two lines or more, or an entry of a glossary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Literal

import numpy as np

from albeit.errors import LanguageError, MetricError
from albeit.metrics import EvalSet, FloatArray, Need, Side, Unit, alignments, compared, read
from albeit.metrics.base import ALIGNED, Batch, Metric, check_lengths, ratio
from albeit.metrics.connectives import cut
from albeit.metrics.glossary import (
    REMEMBERED,
    Glossary,
    are_related,
    find_term,
    find_terms,
    may_have,
    read_glossary,
)
from albeit.metrics.view import Compared, Link, Loss, Place, View, compare_lines
from albeit.parsing.content import ALPHABETIC, content_words
from albeit.parsing.layers import TEXT

Lines = Sequence[str]
Key = tuple[str, ...]
"""The stems of a term's words."""
Places = Sequence[tuple[int, tuple[int, ...]]]
"""The lines of a term, each with the words of its first occurrence."""
_SHORTEST = 3
"""Letters that a term's words have at least."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of a term and its translation.

    ``term`` are its words in the line, ``words`` those of the translation's line. ``same``: they
    have the word that translates the term most often. ``on`` is the line of the translation, if it
    is another one.
    """

    line: int
    term: tuple[int, ...]
    words: tuple[int, ...]
    same: bool = True
    on: int | None = None


@dataclass(frozen=True, slots=True)
class Rendering:
    """A term in one translation: the most frequent translation, and all occurrences."""

    key: Key
    word: str
    occurrences: tuple[Occurrence, ...]

    @property
    def same(self) -> int:
        """The number of occurrences with the same word."""
        return sum(each.same for each in self.occurrences)

    @property
    def counts(self) -> tuple[int, int]:
        """The number of occurrences with the same word, and of all, both minus one."""
        return max(0, self.same - 1), max(0, len(self.occurrences) - 1)


def keys_of(line: str, language: str) -> list[str]:
    """Return the stem of each word of a line; empty for words without content."""
    key = content_words(language).key
    return [key(form) if len(form) >= _SHORTEST else "" for form in cut(line, language).forms]


def repeated(lines: Sequence[str], language: str) -> Mapping[Key, Places]:
    """Return the terms of two lines or more, in order of appearance.

    Two adjacent content words that are repeated together are one term, and their words aren't
    terms there.
    """
    keys = [keys_of(line, language) for line in lines]
    pairs = _repeated(keys, 2)
    for places in pairs.values():
        for line, word in ((line, word) for line, words in places for word in words):
            keys[line][word] = ""
    found = pairs | _repeated(keys, 1)
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def _repeated(keys: Sequence[Sequence[str]], size: int) -> dict[Key, Places]:
    """Return the terms of so many words."""
    found: dict[Key, dict[int, tuple[int, ...]]] = {}
    for line, own in enumerate(keys):
        for start in range(len(own) - size + 1):
            key = tuple(own[start : start + size])
            if all(key):
                words = tuple(range(start, start + size))
                found.setdefault(key, {}).setdefault(line, words)
    return {key: list(places.items()) for key, places in found.items() if len(places) > 1}


def aligned_words(
    term: Sequence[int], links: Sequence[tuple[int, int]], keys: Sequence[str]
) -> list[int]:
    """Return the words of a translation's line that are aligned to a term's.

    If there are none, it is the only content word between those that the neighbors are aligned
    to: a translation that occurs once is rarely aligned.
    """
    found = [j for i, j in links if i in term]
    if found:
        return found
    start = max((j for i, j in links if i < term[0]), default=-1)
    stop = min((j for i, j in links if i > term[-1]), default=len(keys))
    claimed = {j for _, j in links}
    between = [j for j in range(start + 1, stop) if keys[j] and j not in claimed]
    return between if len(between) == 1 else []


def render(
    key: Key, places: Places, aligned: Sequence[Sequence[int]], keys: Sequence[Sequence[str]]
) -> Rendering:
    """Return how a term is translated.

    ``aligned`` are the words aligned to it, ``keys`` all of each line. Occurrences without aligned
    words don't count. One whose line has the most frequent translation counts as the same, aligned
    or not, because alignments have errors.
    """
    counts = Counter(
        key
        for words, own in zip(aligned, keys, strict=True)
        for key in dict.fromkeys(own[word] for word in words if own[word])
    )
    related = Counter(
        {one: sum(n for other, n in counts.items() if are_related(one, other)) for one in counts}
    )
    if not related:
        return Rendering(key, "", ())
    common = _most_frequent(related, len(key), sum(map(bool, aligned)))
    found = []
    for (line, term), words, own in zip(places, aligned, keys, strict=True):
        hits = [_index(word, own) for word in common]
        kept = tuple(word for word in words if own[word])
        if min(hits) >= 0:
            found.append(Occurrence(line, term, tuple(hits)))
        elif kept:
            found.append(Occurrence(line, term, kept, same=False))
    return Rendering(key, " ".join(common), tuple(found))


def _index(word: str, own: Sequence[str]) -> int:
    """Return the index of a word in a line, or of a related word, or -1."""
    related = word if word in own else next((key for key in own if are_related(key, word)), None)
    return -1 if related is None else own.index(related)


def _most_frequent(counts: Counter[str], size: int, places: int) -> tuple[str, ...]:
    """Return the most frequent translation; two words for a term of two, if both are frequent."""
    first = counts.most_common(1)[0][0]
    others = [word for word, _ in counts.most_common() if not are_related(first, word)]
    return (first, *(word for word in others[: size - 1] if 2 * counts[word] >= places))


def render_entry(term: str, translations: Sequence[str], batch: Batch) -> Rendering:
    """Return every line with a term of a glossary, and whether its translation is listed.

    If the whole document is on one line of the translation, its occurrences count there.
    """
    sources, texts = batch.sources or (), batch.hypotheses
    filled = [n for n, text in enumerate(texts) if text.strip()]
    whole = filled[0] if len(filled) == 1 < sum(bool(line.strip()) for line in sources) else None
    found: list[tuple[int, ...]] = []
    if whole is not None:
        every = (find_terms(each, texts[whole], batch.target_lang) for each in translations)
        found = sorted({words for own in every for words in own})
    occurrences: list[Occurrence] = []
    for n, (line, text) in enumerate(zip(sources, texts, strict=True)):
        if own := find_term(term, line, batch.source_lang or "en"):
            if whole is None:
                hits = [find_term(each, text, batch.target_lang) for each in translations]
            else:
                hits = found[len(occurrences) : len(occurrences) + 1]
            words = next(filter(None, hits), ())
            occurrences.append(Occurrence(n, own, words, bool(words), whole))
    return Rendering((term,), " | ".join(translations), tuple(occurrences))


@dataclass(frozen=True)
class TermsContext:
    """A glossary, or alignments."""

    glossary: Glossary = field(default_factory=dict)
    alignments: alignments.Alignments | None = None
    kept: dict[tuple[Key, tuple[Key, ...]], frozenset[Key]] = field(default_factory=dict)
    """By source and references: the terms that a reference translates consistently."""


@dataclass(frozen=True)
class Terms(Metric):
    """How consistently repeated terms are translated.

    ``by``: ``source`` uses the terms that the source repeats, ``reference`` those of the
    reference; ``auto`` the source's if its language is known. With references, only terms count
    that one of them translates by one word throughout. ``glossary``: a file of source terms and
    their translations, instead of alignment.
    """

    name = "terms"
    summary = "repeated terms translated by the same words (document)"
    unit = Unit.DOCUMENT
    columns = ("kept", "asked", "terms", "inconsistent")
    judged = ("terms", ("terms",))

    by: Literal["auto", "source", "reference"] = "auto"
    glossary: str = ""

    @property
    def languages(self) -> frozenset[str] | None:
        """Any language with a glossary; without one, languages with spaces and a stemmer."""
        return None if self.glossary else ALPHABETIC

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
    def files(self) -> tuple[str, ...]:
        """The glossary."""
        return (self.glossary,) if self.glossary else ()

    def _by_source(self, source_lang: str | None, sources: object) -> bool:
        """Return whether the terms are the source's."""
        if self.by != "auto" or self.glossary:
            return self.by == "source" or self.glossary != ""
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
                f"{self} supports source texts in {known}, not in {evalset.source_lang!r}."
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
            return TermsContext(alignments=alignments.by_source(evalset, languages, bool))
        return TermsContext(alignments=alignments.by_references(evalset))

    def renderings(self, batch: Batch, context: TermsContext) -> tuple[int, list[Rendering]]:
        """Return the terms of some lines that count, and the number of their reference."""
        if context.glossary:
            lines, language = tuple(batch.sources or ()), batch.source_lang or "en"
            own = (e for e in context.glossary.items() if may_have(e[0], lines, language))
            entries = (render_entry(*entry, batch) for entry in own)
            return 0, [entry for entry in entries if entry.occurrences]
        if self._by_source(batch.source_lang, batch.sources):
            return 0, self._of_source(batch, context)
        every = [_render(own, batch.target_lang, None, context, batch) for own in batch.references]
        best = max(range(len(every)), key=lambda r: _share(every[r]))
        return best, every[best]

    def _of_source(self, batch: Batch, context: TermsContext) -> list[Rendering]:
        """Return the source's terms; with references, those that one translates consistently."""
        source, language = batch.sources or (), batch.source_lang or "en"
        terms = _render(source, language, None, context, batch)
        if not batch.references:
            return terms
        texts = tuple(source), tuple(map(tuple, batch.references))
        consistent = context.kept.get(texts)
        if consistent is None:
            consistent = context.kept[texts] = frozenset(
                each.key
                for lines in batch.references
                for each in _render(source, language, lines, context, batch)
                if each.counts[0] == each.counts[1]
            )
            while len(context.kept) > REMEMBERED:
                context.kept.pop(next(iter(context.kept)), None)
        return [each for each in terms if each.key in consistent]

    def statistics(self, batch: Batch, context: TermsContext) -> FloatArray:
        """Return per document: kept and all occurrences, terms, and inconsistent terms."""
        rows = np.zeros((len(batch.documents), len(self.columns)))
        for row, document in zip(rows, batch.documents, strict=True):
            _, found = self.renderings(batch.lines(document.rows), context)
            for kept, asked in map(self._counts, found):
                row += kept, asked, 1, kept < asked
        return rows

    def _counts(self, term: Rendering) -> tuple[int, int]:
        """Return the number of correct occurrences of a term, and of all."""
        return (term.same, len(term.occurrences)) if self.glossary else term.counts

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
            base = bases[each.line if each.on is None else each.on]
            return (
                Place(1, tuple(starts[each.line] + word for word in each.term)),
                Place(0, tuple(base + word for word in each.words)),
            )

        counts = list(map(self._counts, terms))
        total = sum(asked for _, asked in counts)
        links: list[Link] = []
        losses: list[Loss] = []
        for term, (right, asked) in zip(terms, counts, strict=True):
            links += [Link(*places(each), 1.0, "term") for each in term.occurrences if each.same]
            others_first = sorted(term.occurrences, key=lambda each: each.same)
            marked = tuple(p for each in others_first for p in places(each) if p.tokens)
            label, details = _describe(term, list(map(places, term.occurrences)), theirs, ours)
            losses.append(Loss(label, (asked - right) / total, marked, details))
        notes = () if terms else ("No term is repeated: no score.",)
        return self.view(row, (ours, theirs), links, losses, notes=notes)

    def versions(self, context: TermsContext | None = None) -> dict[str, str]:
        """Return the stemmer's version, and what the aligner was trained on."""
        aligner = context.alignments.trained_on if context and context.alignments else ""
        return {"snowball": version("snowballstemmer")} | ({"aligner": aligner} if aligner else {})


def _render(
    lines: Lines, language: str, reference: Lines | None, context: TermsContext, batch: Batch
) -> list[Rendering]:
    """Return each term that one text repeats, in a reference or (``None``) the translation."""
    assert context.alignments is not None, "terms without a glossary are aligned"
    texts, system = (batch.hypotheses, batch.system) if reference is None else (reference, None)
    links = context.alignments.of(zip(lines, texts, strict=True), system)
    keys = [keys_of(text, batch.target_lang) for text in texts]
    terms = []
    for key, places in repeated(lines, language).items():
        aligned = [aligned_words(words, links[lines[n], texts[n]], keys[n]) for n, words in places]
        terms.append(render(key, places, aligned, [keys[n] for n, _ in places]))
    return [term for term in terms if term.counts[1]]


def _share(terms: Sequence[Rendering]) -> float:
    asked = sum(term.counts[1] for term in terms)
    return sum(term.counts[0] for term in terms) / asked if asked else 0.0


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
