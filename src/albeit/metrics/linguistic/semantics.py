"""Overlap over labelled stretches of words: arguments by role, named entities by kind.

A text without such stretches has no items and scores 0, as in ASIYA. ``missing`` mends that:
``backoff`` scores such a segment by word overlap, ``interpolate`` averages every segment
with word overlap (ASIYA's ``_b`` and ``_i``).

Predicate-argument structure (ASIYA's SR family):

``sr-or``      roles alone: how often each role occurs
``sr-or(*)``   words of the arguments, by role; ``sr-or(ARG0)`` for one role
``sr-mr(*)``   whole arguments, by role; ``sr-mr(ARG0)`` for one role

Named entities (ASIYA's NE family):

``ne-oe``       words of the entities, by kind; ``ne-oe(person)`` for one kind
``ne-oe(**)``   the same, and the words outside entities as a kind of their own
``ne-me``       whole entities, by kind

Most sentences name nobody, and some have no predicate: ``ne-oe(**)``, or ``missing``, says what
such a segment scores.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from albeit.data.evalset import EvalSet
from albeit.metrics.base import Metric, check_english
from albeit.metrics.linguistic.base import (
    Bag,
    BagMetric,
    DepthMetric,
    SegmentMetric,
    Typed,
    overlap,
    subtrees,
    words,
)
from albeit.parsing.layers import (
    DEPENDENCIES,
    DRS,
    ENTITIES,
    ROLES,
    TOKENS,
    Analysis,
    Box,
    Constituent,
)
from albeit.parsing.layers.drs import TYPES
from albeit.parsing.needs import Need, compared

Span = tuple[str, tuple[str, ...]]
"""A label and the words under it."""


@dataclass(frozen=True)
class SpanMetric(Typed, SegmentMetric[tuple[Bag, Bag]]):
    """Overlap of items that are drawn from labelled stretches of words."""

    missing: Literal["zero", "backoff", "interpolate"] = "zero"

    @abstractmethod
    def spans(self, analysis: Analysis) -> Iterable[Span]:
        """The labelled stretches of a text, of whatever type."""

    @abstractmethod
    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """What is compared of them."""

    def features(self, analysis: Analysis) -> tuple[Bag, Bag]:
        """The items of the wanted type; and the words, where they stand in for missing ones."""
        wanted = [s for s in self.spans(analysis) if self.type in ("", "*", "**", s[0])]
        lexical: Bag = Counter(words(analysis)) if self.missing != "zero" else {}
        return Counter(self.items(wanted)), lexical

    def compare(self, hypothesis: tuple[Bag, Bag], reference: tuple[Bag, Bag]) -> float:
        """The overlap of items, mended by that of words if so asked."""
        typed = overlap(hypothesis[0], reference[0])
        if self.missing == "interpolate":
            return (typed + overlap(hypothesis[1], reference[1])) / 2
        if self.missing == "backoff" and not (hypothesis[0] and reference[0]):
            return overlap(hypothesis[1], reference[1])
        return typed


@dataclass(frozen=True)
class _Roles(SpanMetric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, ROLES)
    labels: ClassVar[str] = "role"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """The arguments of all predicates."""
        forms = words(analysis)
        for predicate in analysis[ROLES]:
            for role, start, stop in predicate.arguments:
                yield role, forms[start:stop]


@dataclass(frozen=True)
class SrOr(_Roles):
    """Roles alone; with a type, words of arguments by role."""

    name: ClassVar[str] = "sr-or"
    summary: ClassVar[str] = "semantic roles; sr-or(*): words of arguments by role (ASIYA SR-Or)"

    type: str = ""

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """One item a role, or (role, word)."""
        if not self.type:
            return [role for role, _ in spans]
        return [(role, word) for role, filler in spans for word in filler]


@dataclass(frozen=True)
class SrMr(_Roles):
    """Whole arguments, by role."""

    name: ClassVar[str] = "sr-mr"
    summary: ClassVar[str] = "whole arguments, by role (ASIYA SR-Mr(*))"

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """(role, all its words)."""
        return list(spans)


OUTSIDE = ""
"""The kind of the words that belong to no entity."""


@dataclass(frozen=True)
class _Entities(SpanMetric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, ENTITIES)
    labels: ClassVar[str] = "entity"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """The entities."""
        forms = words(analysis)
        for entity in analysis[ENTITIES]:
            yield entity.kind, forms[entity.start : entity.stop]


@dataclass(frozen=True)
class NeOe(_Entities):
    """Words of entities, by kind."""

    name: ClassVar[str] = "ne-oe"
    summary: ClassVar[str] = "words of named entities, by kind; ne-oe(**): all words (ASIYA NE-Oe)"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """The entities, and for ``**`` each word outside them."""
        yield from super().spans(analysis)
        if self.type == "**":
            named = {
                place for entity in analysis[ENTITIES] for place in range(entity.start, entity.stop)
            }
            yield OUTSIDE, tuple(w for k, w in enumerate(words(analysis)) if k not in named)

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """(kind, word)."""
        return [(kind, word) for kind, filler in spans for word in filler]


@dataclass(frozen=True)
class NeMe(_Entities):
    """Whole entities, by kind."""

    name: ClassVar[str] = "ne-me"
    summary: ClassVar[str] = "whole named entities, by kind (ASIYA NE-Me(*))"

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """(kind, all its words)."""
        return list(spans)


@dataclass(frozen=True)
class _Boxes(Metric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, DEPENDENCIES, DRS)
    """Boxes, and the words and parts of speech they rest on."""

    def check(self, evalset: EvalSet) -> None:
        """The rules know English words."""
        super().check(evalset)
        check_english(self, evalset, "its rules know the words of English")


@dataclass(frozen=True)
class _Conditions(_Boxes, BagMetric):
    def types(self) -> Collection[str]:
        """The types of conditions."""
        return TYPES

    @abstractmethod
    def units(self, analysis: Analysis) -> Sequence[str]:
        """What stands for a token."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """(type of condition, unit) for every token a condition rests on."""
        units = self.units(analysis)
        for condition in analysis[DRS].walk():
            yield from ((condition.type, units[token]) for token in condition.tokens)


@dataclass(frozen=True)
class DrsOr(_Conditions):
    """Words of conditions, by type."""

    name: ClassVar[str] = "drs-or"
    summary: ClassVar[str] = "words of DRS conditions, by type (ASIYA DR-Or(*))"

    def units(self, analysis: Analysis) -> Sequence[str]:
        """Words."""
        return words(analysis)


@dataclass(frozen=True)
class DrsOrp(_Conditions):
    """Parts of speech of conditions, by type."""

    name: ClassVar[str] = "drs-orp"
    summary: ClassVar[str] = "parts of speech of DRS conditions, by type (ASIYA DR-Orp(*))"

    def units(self, analysis: Analysis) -> Sequence[str]:
        """Parts of speech."""
        return analysis[DEPENDENCIES].upos


@dataclass(frozen=True)
class DrsStm(_Boxes, DepthMetric):
    """Subtrees of the box structure: types of conditions and the boxes inside them."""

    name: ClassVar[str] = "drs-stm"
    summary: ClassVar[str] = "subtrees of DRS boxes up to a depth (ASIYA DR-STM)"

    depth: int = 4

    def features(self, analysis: Analysis) -> Sequence[Bag]:
        """Subtrees by depth."""
        box = analysis[DRS]
        return subtrees([_tree(box)] if box.conditions else [], self.depth)


def _tree(box: Box) -> Constituent:
    """A box as a labelled tree: one child a condition, its boxes below."""
    below = []
    for condition in box.conditions:
        label = condition.symbol if condition.type == "role" else condition.type
        inner = tuple(_tree(inner) for inner in condition.boxes)
        below.append(Constituent(label, 0, 0, inner))
    return Constituent("box", 0, 0, tuple(below))
