"""Decide which words of a translation translate which source connective.

Candidates are the lexicon forms found in the translation. Words aligned to the connective
win; else the candidate nearest to the aligned position, or, without alignment, to the
place that corresponds to the connective's place in the source. No two connectives share
a candidate, and every decision says why it was taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from albeit.lexicons.model import Lexicon
from albeit.lexicons.words import Words
from albeit.lexicons.detect import SourceConnective
from albeit.lexicons.find import Finder, Hit

__all__ = ["Decision", "Links", "Matcher", "Reason"]

Links = Sequence[tuple[int, int]]
"""Aligned pairs (source word, target word), 0-based."""

_NOT_ALIGNED = 1e4
_NOT_LISTED = 1e9


class Reason(StrEnum):
    """Why a decision was taken."""

    ALIGNED = "aligned"
    ONLY = "only candidate"
    NEAR_ALIGNED = "nearest to the aligned words"
    NEAR_SOURCE = "nearest to the source position"
    ABSENT = "no candidate"
    TAKEN = "candidates taken by other connectives"
    FAR = "no candidate near enough"


@dataclass(frozen=True, slots=True)
class Decision:
    """What translates a connective in one text: a hit, or nothing; and why."""

    hit: Hit | None
    reason: Reason

    @property
    def name(self) -> str:
        """The form found, or nothing."""
        return "" if self.hit is None else str(self.hit.form)


class Matcher:
    """Finds the translations of source connectives by one lexicon.

    ``reach`` limits how far, as words, an unaligned candidate may lie from its anchor;
    ``None`` takes any, as the original ACT does.
    """

    def __init__(self, lexicon: Lexicon, *, reach: float | None = None) -> None:
        self.lexicon, self.reach = lexicon, reach
        whole = [t.form for _, t in lexicon if len(t.form.parts) == 1]
        self._finders = {
            source: Finder((t.form for t in translations), [*whole, *lexicon.blocked])
            for source, translations in lexicon.entries.items()
        }

    def __call__(
        self,
        connectives: Sequence[SourceConnective],
        source: Words,
        target: Words,
        links: Links | None = None,
    ) -> list[Decision]:
        """One decision a connective, in their order."""
        hits = [self._finders[c.name](target) if c.name in self._finders else [] for c in connectives]
        anchors = [_anchor(c, source, target, links) for c in connectives]
        return self._assign(hits, anchors)

    def _assign(self, hits: list[list[Hit]], anchors: list[_Anchor]) -> list[Decision]:
        spans = list(dict.fromkeys(hit.tokens for found in hits for hit in found))
        if not spans:
            return [Decision(None, Reason.ABSENT) for _ in hits]
        costs = np.full((len(hits), len(spans) + len(hits)), _NOT_LISTED)
        by_span: list[dict[int, Hit]] = []
        for row, (found, anchor) in enumerate(zip(hits, anchors, strict=True)):
            by_span.append({spans.index(hit.tokens): hit for hit in found})
            for column, hit in by_span[-1].items():
                costs[row, column] = anchor.cost(hit)
                if self.reach is not None and costs[row, column] > _NOT_ALIGNED + self.reach:
                    costs[row, column] = _NOT_LISTED
        columns = _cheapest(costs)
        for row, column in _sharing(columns, spans):
            columns[row] = len(spans) + row  # the later of two overlapping spans is given up
            del by_span[row][column]
        return [
            self._decision(hits[row], by_span[row].get(column), anchors[row], costs[row, column])
            for row, column in enumerate(columns)
        ]

    def _decision(
        self, found: list[Hit], hit: Hit | None, anchor: _Anchor, cost: float
    ) -> Decision:
        if hit is None or cost >= _NOT_LISTED:
            if not found:
                return Decision(None, Reason.ABSENT)
            near = self.reach is None or any(
                anchor.cost(other) <= _NOT_ALIGNED + self.reach for other in found
            )
            return Decision(None, Reason.TAKEN if near else Reason.FAR)
        if anchor.words and not anchor.words.isdisjoint(hit.tokens):
            return Decision(hit, Reason.ALIGNED)
        if len(found) == 1:
            return Decision(hit, Reason.ONLY)
        return Decision(hit, Reason.NEAR_ALIGNED if anchor.words else Reason.NEAR_SOURCE)


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Where in the translation a connective is expected: aligned words, or a place."""

    words: frozenset[int]
    place: float

    def cost(self, hit: Hit) -> float:
        """Aligned words before distance, distance before order; never equal for two spans."""
        if self.words and not self.words.isdisjoint(hit.tokens):
            return -len(self.words & set(hit.tokens)) + 1e-4 * hit.tokens[0]
        return _NOT_ALIGNED + abs(hit.centre - self.place) + 1e-4 * hit.tokens[0]


def _anchor(
    connective: SourceConnective, source: Words, target: Words, links: Links | None
) -> _Anchor:
    words = frozenset(j for i, j in links or () if i in connective.tokens)
    if words:
        return _Anchor(words, float(np.median(sorted(words))))
    middle = (connective.tokens[0] + connective.tokens[-1] + 1) / 2
    return _Anchor(words, middle / max(1, len(source)) * len(target) - 0.5)


def _cheapest(costs: np.ndarray) -> list[int]:
    """The column of each row in the cheapest assignment."""
    if len(costs) == 1:
        return [int(costs[0].argmin())]
    from scipy.optimize import linear_sum_assignment

    return [int(column) for column in linear_sum_assignment(costs)[1]]


def _sharing(columns: list[int], spans: list[tuple[int, ...]]) -> Iterable[tuple[int, int]]:
    """Rows whose span shares words with an earlier row's (forms of different connectives)."""
    taken: set[int] = set()
    for row, column in enumerate(columns):
        if column < len(spans):
            if not taken.isdisjoint(spans[column]):
                yield row, column
            else:
                taken.update(spans[column])
