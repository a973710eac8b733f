"""Decide which words of a translation translate which source connective.

Candidates are the connective's forms in the translation, the longest first, except in the words
of the lexicon's blocked forms. Words aligned to the connective win. Otherwise it is the candidate
nearest to the aligned words or, without alignment, to the relative position of the connective in
the source. No two connectives share a candidate, and every decision has a reason.

A careful matcher rejects an unaligned candidate that is aligned to other source words, or that is
doubtful (by the counts of a bitext) and not near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from albeit.metrics.connectives.lexicon import Finder, Hit, Lexicon, SourceConnective
from albeit.metrics.connectives.words import Words

__all__ = ["Decision", "Links", "Matcher", "Reason"]

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


class Matcher:
    """Find the translations of source connectives by one lexicon.

    Unless it is ``careful``, any candidate counts, at any distance, as in the original ACT.
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
        """Return one decision per connective, in their order."""
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
        """Return the finder of a connective's translations."""
        if name not in self._finders:
            forms = (t.form for t in self.lexicon.entries.get(name, ()))
            self._finders[name] = Finder(forms, self.lexicon.blocked)
        return self._finders[name]

    def _believes(self, connective: SourceConnective, hit: Hit, anchor: _Anchor) -> bool:
        """Return whether a hit may be a translation; without care, any may."""
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
        """Return whether a source word has translations of its own.

        A neighbor may share the connective's ("particularly since" is "zumal"), unless it
        is a connective itself ("but though").
        """
        return word not in (own[0] - 1, own[-1] + 1) or source.forms[word] in self.lexicon.entries


def _assign(hits: list[list[Hit]], anchors: list[_Anchor]) -> list[Hit | None]:
    """Choose one hit per connective at the lowest cost, no two sharing a word."""
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
    if len(costs) == 1:
        columns = costs.argmin(axis=1)
    else:
        from scipy.optimize import linear_sum_assignment

        columns = linear_sum_assignment(costs)[1]
    for row, column in enumerate(columns.tolist()):
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
