"""Decide which words of a translation translate which source connective.

Candidates are the connective's own forms in the translation, the longest first; of other
forms only the lexicon's blocked ones keep their words from them. Words aligned to the
connective win; else the candidate nearest to the aligned position, or, without alignment,
to the place that corresponds to the connective's place in the source. No two connectives
share a candidate, and every decision says why it was taken.

A careful matcher also asks whether an unaligned candidate is a translation at all: not if
it is aligned to other source words, nor, unless it is near, if the bitext speaks against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from albeit.metrics.base import FloatArray
from albeit.metrics.connectives.lexicons.find import Finder, Hit, SourceConnective
from albeit.metrics.connectives.lexicons.lexicon import Lexicon
from albeit.metrics.connectives.lexicons.words import Words

__all__ = ["Decision", "Links", "Matcher", "Reason"]

Links = Sequence[tuple[int, int]]
"""Aligned pairs (source word, target word), 0-based."""

_NOT_ALIGNED = 1e4
_NOT_LISTED = 1e9
_NEAR = 5.0
"""How many words a doubtful candidate may lie from where it belongs, if we are careful."""


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

    ``senses`` are those that it was read to have there; without them the lexicon says which it
    may have.
    """

    hit: Hit | None
    reason: Reason
    senses: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The form found, or nothing."""
        return "" if self.hit is None else str(self.hit.form)


class Matcher:
    """Finds the translations of source connectives by one lexicon.

    Unless it is ``careful`` it takes any candidate, however far, as the original ACT does.
    """

    def __init__(self, lexicon: Lexicon, *, careful: bool = False) -> None:
        self.lexicon, self.careful = lexicon, careful
        self._finders: dict[str, Finder] = {}
        self._doubtful = {(source, t.form) for source, t in lexicon if t.doubtful}

    def __call__(
        self,
        connectives: Sequence[SourceConnective],
        source: Words,
        target: Words,
        links: Links | None = None,
    ) -> list[Decision]:
        """One decision a connective, in their order."""
        hits = [self._finder(c.name)(target) for c in connectives]
        anchors = [self._anchor(c, source, target, links or ()) for c in connectives]
        kept = [
            [hit for hit in found if self._believes(connective, hit, anchor)]
            for connective, found, anchor in zip(connectives, hits, anchors, strict=True)
        ]
        chosen = _assign(kept, anchors)
        return [
            Decision(hit, _reason(hit, found, believed, anchor))
            for hit, found, believed, anchor in zip(chosen, hits, kept, anchors, strict=True)
        ]

    def _finder(self, name: str) -> Finder:
        """The finder of a connective's translations, made when it is first needed."""
        if name not in self._finders:
            forms = (t.form for t in self.lexicon.entries.get(name, ()))
            self._finders[name] = Finder(forms, self.lexicon.blocked)
        return self._finders[name]

    def _believes(self, connective: SourceConnective, hit: Hit, anchor: _Anchor) -> bool:
        """Whether a hit may be a translation at all; without care, any may."""
        if not self.careful or anchor.holds(hit):
            return True
        if anchor.claimed.issuperset(hit.tokens):
            return False
        near = abs(hit.centre - anchor.place) <= _NEAR
        return near or (connective.name, hit.form) not in self._doubtful

    def _anchor(
        self, connective: SourceConnective, source: Words, target: Words, links: Links
    ) -> _Anchor:
        own = connective.tokens
        words = frozenset(j for i, j in links if i in own)
        others = {i for i, _ in links if i not in own and self._is_apart(i, own, source)}
        claimed = frozenset(j for i, j in links if i in others) - words
        if words:
            return _Anchor(words, float(np.median(sorted(words))), claimed)
        middle = (own[0] + own[-1] + 1) / 2
        return _Anchor(words, middle / max(1, len(source)) * len(target) - 0.5, claimed)

    def _is_apart(self, word: int, own: tuple[int, ...], source: Words) -> bool:
        """Whether a source word has translations of its own.

        A neighbour may share the connective's ("particularly since" is "zumal"), unless it
        is a connective itself ("but though").
        """
        return word not in (own[0] - 1, own[-1] + 1) or source.forms[word] in self.lexicon.entries


def _assign(hits: list[list[Hit]], anchors: list[_Anchor]) -> list[Hit | None]:
    """The cheapest choice of one hit a connective, no two sharing a word."""
    spans = list(dict.fromkeys(hit.tokens for found in hits for hit in found))
    if not spans:
        return [None] * len(hits)
    costs = np.full((len(hits), len(spans) + len(hits)), _NOT_LISTED)
    by_span: list[dict[int, Hit]] = []
    for row, (found, anchor) in enumerate(zip(hits, anchors, strict=True)):
        by_span.append({spans.index(hit.tokens): hit for hit in found})
        for column, hit in by_span[-1].items():
            costs[row, column] = anchor.cost(hit)
    taken: set[int] = set()
    chosen: list[Hit | None] = []
    for row, column in enumerate(_cheapest(costs)):
        best = by_span[row].get(column)
        if best is not None and taken.isdisjoint(best.tokens):
            taken.update(best.tokens)
            chosen.append(best)
        else:
            chosen.append(None)
    return chosen


def _reason(hit: Hit | None, found: list[Hit], believed: list[Hit], anchor: _Anchor) -> Reason:
    if hit is None:
        if not found:
            return Reason.ABSENT
        return Reason.TAKEN if believed else Reason.REJECTED
    if anchor.holds(hit):
        return Reason.ALIGNED
    if len(found) == 1:
        return Reason.ONLY
    return Reason.NEAR_ALIGNED if anchor.words else Reason.NEAR_SOURCE


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Where in the translation a connective is expected: aligned words, or a place.

    ``claimed`` are the words that are aligned to other source words.
    """

    words: frozenset[int]
    place: float
    claimed: frozenset[int]

    def holds(self, hit: Hit) -> bool:
        """Whether the hit has a word that is aligned to the connective."""
        return not self.words.isdisjoint(hit.tokens)

    def cost(self, hit: Hit) -> float:
        """Aligned words before distance, distance before order; never equal for two spans."""
        if self.holds(hit):
            return -len(self.words & set(hit.tokens)) + 1e-4 * hit.tokens[0]
        return _NOT_ALIGNED + abs(hit.centre - self.place) + 1e-4 * hit.tokens[0]


def _cheapest(costs: FloatArray) -> list[int]:
    """The column of each row in the cheapest assignment."""
    if len(costs) == 1:
        return [int(costs[0].argmin())]
    from scipy.optimize import linear_sum_assignment

    return [int(column) for column in linear_sum_assignment(costs)[1]]
