"""Assess connectives line by line: detect, match in reference and candidate, judge.

Candidates for a translation are the connective's forms in a text, the longest first, except in the
words of the lexicon's blocked forms. Words aligned to the connective win. Otherwise it is the
candidate nearest to the aligned words or, without alignment, to the relative position of the
connective in the source. No two connectives share a candidate, and every decision has a reason.
With care, an unaligned candidate is rejected that is aligned to other source words, or that is
doubtful (by the counts of a bitext) and not near.

There are six cases of ACT, by what became of a connective in the reference and in the candidate.
Pronouns are assessed in the same way, by lexicons of pronouns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np

from albeit.metrics import Batch, FloatArray, Link, Loss, Metric, Place, Side, View, compare_lines
from albeit.metrics import connectives as lexicons
from albeit.metrics.alignments import Alignments
from albeit.metrics.connectives import Finder, Hit, Inventory, Lexicon, SourceConnective, Words, cut

Found = Mapping[int, Sequence[SourceConnective]]
"""The connectives of each line."""
Links = Sequence[tuple[int, int]]
"""Aligned pairs (source word, target word), 0-based."""

_NOT_ALIGNED = 1e4
_NOT_LISTED = 1e9
_NEAR = 5.0
"""How many words a doubtful candidate may be from its expected position."""


class Reason(StrEnum):
    """Why a decision was taken."""

    ITSELF = "the word in question"
    ALIGNED = "aligned"
    ONLY = "only candidate"
    NEAR_ALIGNED = "nearest to the aligned words"
    NEAR_SOURCE = "nearest to the source position"
    ELSEWHERE = "elsewhere in the line"
    ABSENT = "no candidate"
    TAKEN = "candidates taken by other connectives"
    NOT_READ = "read as no connective there"
    REJECTED = "candidates translate other words, or are doubtful and far off"


@dataclass(frozen=True, slots=True)
class Decision:
    """What translates a connective in one text: a hit, or nothing; and why.

    ``senses`` are those that the model read there; without them, the lexicon's count.
    """

    hit: Hit | None
    reason: Reason
    senses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The form found, or nothing."""
        return "" if self.hit is None else str(self.hit.form)


@dataclass(frozen=True, slots=True)
class _Anchor:
    """The expected position of a connective in the translation: aligned words, or a position.

    ``claimed`` are the words that are aligned to other source words.
    """

    words: frozenset[int]
    place: float
    claimed: frozenset[int]

    def holds(self, hit: Hit) -> bool:
        """Return whether the hit has a word that is aligned to the connective."""
        return not self.words.isdisjoint(hit.tokens)

    def cost(self, hit: Hit) -> float:
        """Rank aligned words before distance, distance before order; never equal for two spans."""
        if self.holds(hit):
            return -len(self.words & set(hit.tokens)) + 1e-4 * hit.tokens[0]
        return _NOT_ALIGNED + abs(hit.centre - self.place) + 1e-4 * hit.tokens[0]

    def explain(self, hit: Hit | None, found: list[Hit], believed: list[Hit]) -> Reason:
        """Return why this hit was chosen, or none."""
        if hit is None:
            absent = Reason.TAKEN if believed else Reason.REJECTED
            return absent if found else Reason.ABSENT
        if self.holds(hit):
            return Reason.ALIGNED
        near = Reason.NEAR_ALIGNED if self.words else Reason.NEAR_SOURCE
        return near if len(found) > 1 else Reason.ONLY


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


class Assessor:
    """Assess translations of one language pair.

    :param inventory: the connectives of the source
    :param lexicon: their translations
    :param names: the connectives that are assessed
    :param test: when two translations are synonyms
    :param careful: whether unlikely candidates are rejected; otherwise any counts, at any
        distance, as in the original ACT, except translations that are doubtful
    """

    def __init__(
        self,
        languages: tuple[str, str],
        inventory: Inventory,
        lexicon: Lexicon,
        names: Iterable[str],
        test: lexicons.SenseTest = "compatible",
        *,
        careful: bool = True,
    ) -> None:
        self.languages, self.inventory, self.lexicon = languages, inventory, lexicon
        self._test, self._careful = test, careful
        self._detector = lexicons.Detector(inventory, {*names} & lexicon.entries.keys())
        self._found: dict[str, list[SourceConnective]] = {}
        self._finders = {
            name: Finder([t.form for t in listed if careful or not t.doubtful], lexicon.blocked)
            for name, listed in lexicon.entries.items()
        }
        self._doubtful = {(source, t.form) for source, t in lexicon if t.doubtful}

    def connectives(self, source: str) -> list[SourceConnective]:
        """Return the connectives of a source line; each distinct line is searched once."""
        if source not in self._found:
            self._found[source] = self._detector(cut(source, self.languages[0]))
        return self._found[source]

    def has_connectives(self, source: str) -> bool:
        """Return whether a source line has a connective."""
        return bool(self.connectives(source))

    def detect(self, lines: Sequence[str]) -> dict[int, list[SourceConnective]]:
        """Return the connectives of the lines that have any, by line."""
        return {n: found for n, line in enumerate(lines) if (found := self.connectives(line))}

    def decide(
        self, asked: Sequence[SourceConnective], source: str, translation: str, links: Links = ()
    ) -> list[Decision]:
        """Return the translation of each connective; ``links`` are over words of ``cut``."""
        words, target = cut(source, self.languages[0]), cut(translation, self.languages[1])
        hits = [self._finders[c.name](target) for c in asked]
        anchors = [self._anchor(c.tokens, words, target, links) for c in asked]
        believed = [
            [hit for hit in found if self._believes(connective, hit, anchor)]
            for connective, found, anchor in zip(asked, hits, anchors, strict=True)
        ]
        chosen = _assign(believed, anchors)
        rows = zip(chosen, hits, believed, anchors, strict=True)
        return [Decision(row[0], row[3].explain(*row[:3])) for row in rows]

    def _believes(self, connective: SourceConnective, hit: Hit, anchor: _Anchor) -> bool:
        """Return whether a hit may be a translation; without care, any may."""
        if not self._careful or anchor.holds(hit):
            return True
        if anchor.claimed.issuperset(hit.tokens):
            return False
        near = abs(hit.centre - anchor.place) <= _NEAR
        return near or (connective.name, hit.form) not in self._doubtful

    def _anchor(self, own: Sequence[int], source: Words, target: Words, links: Links) -> _Anchor:
        """Return the expected position of a connective's words.

        A neighbor may share the connective's translation ("particularly since" is "zumal"),
        unless it is a connective itself ("but though").
        """
        neighbors = (own[0] - 1, own[-1] + 1)
        words = frozenset(j for i, j in links if i in own)
        claimed = frozenset(
            j
            for i, j in links
            if i not in own and (i not in neighbors or source.forms[i] in self.lexicon.entries)
        )
        middle = (own[0] + own[-1] + 1) / 2
        place = middle / max(1, len(source)) * len(target) - 0.5
        return _Anchor(words, float(np.median([*words])) if words else place, claimed - words)

    def judge(
        self,
        line: int,
        connectives: Sequence[SourceConnective],
        references: Sequence[Sequence[Decision]],
        candidate: Sequence[Decision],
    ) -> list[Verdict]:
        """Return the verdict on each connective of a line, by the best reference."""
        verdicts: list[Verdict] = []
        for connective, found, *wanted in zip(connectives, candidate, *references, strict=True):
            cases = (self._judge(connective.name, each, found) for each in wanted)
            case, loss, which = min((case, -credit, n) for n, (case, credit) in enumerate(cases))
            verdicts.append(Verdict(line, connective, case, -loss, which, wanted[which], found))
        return verdicts

    def _judge(self, source: str, reference: Decision, candidate: Decision) -> tuple[Case, float]:
        """Return the case of one connective against one reference, and its credit from 0 to 1."""
        ref, cand = reference.hit, candidate.hit
        if ref is None:
            return (Case.NEITHER if cand is None else Case.ONLY_CANDIDATE), 0.0
        if cand is None:
            return Case.ONLY_REFERENCE, 0.0
        if ref.form == cand.form:
            return Case.SAME, 1.0
        wanted = reference.senses or self.lexicon.senses(source, ref.form)
        found = candidate.senses or self.lexicon.senses(source, cand.form)
        credit = lexicons.agreement(wanted, found, self._test)
        return (Case.SYNONYM if credit == 1.0 else Case.INCOMPATIBLE), credit


@dataclass(frozen=True)
class ActContext:
    """The assessor, and the alignments of lines; without them, positions decide."""

    assessor: Assessor
    alignments: Alignments | None = None

    def decide(
        self, found: Found, sources: Sequence[str], texts: Sequence[str], system: int | None = None
    ) -> dict[int, list[Decision]]:
        """Return the translations of each line's connectives in a reference or a system's text.

        ``system`` is the system's index in the set.
        """
        pairs = {n: (sources[n], texts[n]) for n in found}
        links = {} if self.alignments is None else self.alignments.of(pairs.values(), system)
        return {
            n: self.assessor.decide(found[n], *pair, links[pair] if links else ())
            for n, pair in pairs.items()
        }


def _assign(hits: list[list[Hit]], anchors: list[_Anchor]) -> list[Hit | None]:
    """Choose one hit per connective at the lowest cost, no two sharing a word."""
    spans = list(dict.fromkeys(hit.tokens for found in hits for hit in found))
    if not spans:
        return [None] * len(hits)
    costs = np.full((len(hits), len(spans) + len(hits)), _NOT_LISTED)
    by_span = [{spans.index(hit.tokens): hit for hit in found} for found in hits]
    for row, anchor in enumerate(anchors):
        for column, hit in by_span[row].items():
            costs[row, column] = anchor.cost(hit)
    if len(costs) == 1:
        columns = costs.argmin(axis=1)
    else:
        from scipy.optimize import linear_sum_assignment

        columns = linear_sum_assignment(costs)[1]
    taken: set[int] = set()
    chosen: list[Hit | None] = []
    for own, column in zip(by_span, columns.tolist(), strict=True):
        best = own.get(column)
        free = best is not None and taken.isdisjoint(best.tokens)
        chosen.append(best if free else None)
        taken.update(best.tokens if best is not None and free else ())
    return chosen


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
        names = {"wanted": verdict.in_reference.name, "found": verdict.in_candidate.name}
        label = f"{verdict.connective.name}: {_LABELS[verdict.case].format(**names)}"
        losses.append(Loss(label, amount, tuple(places), decision(verdict)))
    notes = () if counted else (f"No {thing} that counts: no score.",)
    return metric.view(row, texts, links, losses, notes=notes)
