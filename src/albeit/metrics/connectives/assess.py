"""Assess connectives line by line: detect, match in reference and candidate, judge.

There are six cases of ACT, by what became of a connective in the reference and in the candidate.
Pronouns are assessed in the same way, by lexicons of pronouns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from albeit.metrics.alignments import Alignments
from albeit.metrics.base import Batch, FloatArray, Metric
from albeit.metrics.connectives.lexicon import (
    Detector,
    Inventory,
    Lexicon,
    SenseTest,
    SourceConnective,
    agreement,
)
from albeit.metrics.connectives.match import Decision, Links, Matcher
from albeit.metrics.connectives.words import cut
from albeit.metrics.view import Link, Loss, Place, View, compare_lines
from albeit.parsing.needs import Side

__all__ = [
    "CASE_NAMES",
    "Assessor",
    "Case",
    "Verdict",
    "best",
    "decision",
    "decisions_view",
    "judge",
]

CASE_NAMES = ("same", "synonym", "incompatible", "only ref", "only cand", "neither")


class Case(IntEnum):
    """What became of a source connective; numbered as in the ACT papers."""

    SAME = 1
    SYNONYM = 2
    INCOMPATIBLE = 3
    ONLY_REFERENCE = 4
    ONLY_CANDIDATE = 5
    NEITHER = 6


_LABELS = {
    Case.SAME: "{found} here, as in the reference",
    Case.SYNONYM: "{found} here, which says the same as {wanted} in the reference",
    Case.INCOMPATIBLE: "{found} here, which says something else than {wanted} in the reference",
    Case.ONLY_REFERENCE: "nothing found here, {wanted} in the reference",
    Case.ONLY_CANDIDATE: "{found} here, nothing found in the reference",
    Case.NEITHER: "nothing found here or in the reference",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one source connective in one candidate.

    ``line`` is 0-based; ``reference`` is the number of the reference with the best case.
    """

    line: int
    connective: SourceConnective
    case: Case
    credit: float
    reference: int
    in_reference: Decision
    in_candidate: Decision


def judge(
    source: str, reference: Decision, candidate: Decision, lexicon: Lexicon, test: SenseTest
) -> tuple[Case, float]:
    """Return the case of one connective against one reference, and its credit from 0 to 1."""
    ref, cand = reference.hit, candidate.hit
    if ref is None:
        return (Case.NEITHER if cand is None else Case.ONLY_CANDIDATE), 0.0
    if cand is None:
        return Case.ONLY_REFERENCE, 0.0
    if ref.form == cand.form:
        return Case.SAME, 1.0
    wanted = reference.senses or lexicon.senses(source, ref.form)
    found = candidate.senses or lexicon.senses(source, cand.form)
    credit = agreement(wanted, found, test)
    return (Case.SYNONYM if credit == 1.0 else Case.INCOMPATIBLE), credit


def best(verdicts: Iterable[tuple[Case, float]]) -> tuple[int, Case, float]:
    """Return the best verdict over several references, with the number of its reference."""
    ranked = [(case, -credit, number) for number, (case, credit) in enumerate(verdicts)]
    case, negative, number = min(ranked)
    return number, case, -negative


class Assessor:
    """Assess translations of one language pair.

    :param inventory: the connectives of the source
    :param lexicon: their translations
    :param names: the connectives that are assessed
    :param test: when two translations are synonyms
    :param careful: whether unlikely candidates are rejected
    """

    def __init__(
        self,
        languages: tuple[str, str],
        inventory: Inventory,
        lexicon: Lexicon,
        names: Iterable[str],
        test: SenseTest = "compatible",
        *,
        careful: bool = True,
    ) -> None:
        self.languages, self.inventory, self.lexicon = languages, inventory, lexicon
        self._test = test
        known = [n for n in names if n in inventory.connectives and n in lexicon.entries]
        self._detector = Detector(inventory, tuple(known))
        self._found: dict[str, list[SourceConnective]] = {}
        self._matcher = Matcher(lexicon, careful=careful)

    def connectives(self, source: str) -> list[SourceConnective]:
        """Return the connectives of a source line; each distinct line is searched once."""
        found = self._found.get(source)
        if found is None:
            found = self._found[source] = self._detector(cut(source, self.languages[0]))
        return found

    def detect(self, lines: Sequence[str]) -> dict[int, list[SourceConnective]]:
        """Return the connectives of the lines that have any, by line."""
        return {n: found for n, line in enumerate(lines) if (found := self.connectives(line))}

    def decide(
        self,
        connectives: Sequence[SourceConnective],
        source: str,
        translation: str,
        links: Links | None = None,
    ) -> list[Decision]:
        """Return the translation of each connective; ``links`` are over words of ``cut``."""
        words = cut(source, self.languages[0]), cut(translation, self.languages[1])
        return self._matcher(connectives, *words, links)

    def decide_lines(
        self,
        connectives: Mapping[int, Sequence[SourceConnective]],
        sources: Sequence[str],
        texts: Sequence[str],
        alignments: Alignments | None,
        system: int | None = None,
    ) -> dict[int, list[Decision]]:
        """Return the translations of each line's connectives in a reference or a system's text.

        ``system`` is the system's index in the set.
        """
        pairs = {n: (sources[n], texts[n]) for n in connectives}
        links = None if alignments is None else alignments.of(pairs.values(), system)
        return {
            n: self.decide(connectives[n], *pair, None if links is None else links[pair])
            for n, pair in pairs.items()
        }

    def judge(
        self,
        line: int,
        connectives: Sequence[SourceConnective],
        references: Sequence[Sequence[Decision]],
        candidate: Sequence[Decision],
    ) -> list[Verdict]:
        """Return the verdict on each connective of a line, by the best reference."""
        verdicts: list[Verdict] = []
        for number, connective in enumerate(connectives):
            found = candidate[number]
            which, case, credit = best(
                judge(connective.name, r[number], found, self.lexicon, self._test)
                for r in references
            )
            verdicts.append(
                Verdict(line, connective, case, credit, which, references[which][number], found)
            )
        return verdicts


def decision(verdict: Verdict) -> dict[str, str | float]:
    """Return the case and credit of a connective, its translations, and the reasons."""
    return {
        "connective": verdict.connective.name,
        "case": int(verdict.case),
        "credit": verdict.credit,
        "reference": verdict.in_reference.name,
        "reference reason": str(verdict.in_reference.reason),
        "candidate": verdict.in_candidate.name,
        "candidate reason": str(verdict.in_candidate.reason),
    }


def decisions_view(
    metric: Metric,
    row: FloatArray,
    batch: Batch,
    verdicts: Sequence[Verdict],
    counted: Sequence[Verdict],
    thing: str = "connective",
) -> View:
    """Return a view of the verdicts on some segments, of which some count.

    Texts are hypothesis, references, source, in this order. Without a source, the words in
    question are those of the reference itself.
    """
    sides = [(Side.HYPOTHESIS, batch.hypotheses, batch.target_lang, 0)]
    sides += [(Side.REFERENCE, r, batch.target_lang, n) for n, r in enumerate(batch.references)]
    if batch.sources is not None:
        sides.append((Side.SOURCE, batch.sources, batch.source_lang or "en", 0))
    texts, bases = zip(*(compare_lines(*side) for side in sides), strict=True)

    def place(text: int, verdict: Verdict, tokens: tuple[int, ...]) -> Place:
        return Place(text, tuple(bases[text][verdict.line] + token for token in tokens))

    links: list[Link] = []
    losses: list[Loss] = []
    for verdict in verdicts:
        reference = 1 + verdict.reference
        given = reference if batch.sources is None else len(texts) - 1
        places = [place(given, verdict, verdict.connective.tokens)]
        for text, found, strength in (
            (reference, verdict.in_reference, 1.0),
            (0, verdict.in_candidate, verdict.credit),
        ):
            if found.hit is not None and text != given:
                places.append(place(text, verdict, found.hit.tokens))
                if strength:
                    links.append(Link(places[0], places[-1], strength, str(found.reason)))
        amount = (1 - verdict.credit) / len(counted) if verdict in counted else 0.0
        wanted, found_name = verdict.in_reference.name, verdict.in_candidate.name
        label = _LABELS[verdict.case].format(wanted=wanted, found=found_name)
        label = f"{verdict.connective.name}: {label}"
        losses.append(Loss(label, amount, tuple(places), decision(verdict)))
    notes = () if counted else (f"No {thing} that counts: no score.",)
    return metric.view(row, texts, links, losses, notes=notes)
