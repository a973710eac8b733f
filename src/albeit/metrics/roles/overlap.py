"""Overlap of predicate-argument structure (ASIYA's SR family).

``sr-or``      roles alone: how often each role occurs
``sr-or(*)``   words of the arguments, by role; ``sr-or(ARG0)`` for one role
``sr-mr(*)``   whole arguments, by role; ``sr-mr(ARG0)`` for one role

A text without a predicate has no items and scores 0, as in ASIYA. ``missing`` mends that:
``backoff`` scores such a segment by word overlap, ``interpolate`` averages every segment
with word overlap (ASIYA's ``_b`` and ``_i``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from albeit.annotate.layers import Analysis, Layer, given
from albeit.metrics.bags import Bag, SegmentMetric, overlap, words

__all__ = ["SrMr", "SrOr"]

Argument = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class _Roles(SegmentMetric[tuple[Bag, Bag]]):
    type: str = "*"
    missing: Literal["zero", "backoff", "interpolate"] = "zero"

    @property
    def requires(self) -> frozenset[Layer]:
        """Words and roles."""
        return frozenset({Layer.TOKENS, Layer.ROLES})

    def features(self, analysis: Analysis) -> tuple[Bag, Bag]:
        """The role items; and the words, where they stand in for missing roles."""
        arguments = [
            argument
            for argument in self._arguments(analysis)
            if self.type in ("", "*", argument[0])
        ]
        lexical: Bag = Counter(words(analysis)) if self.missing != "zero" else {}
        return Counter(self.items(arguments)), lexical

    @abstractmethod
    def items(self, arguments: Sequence[Argument]) -> Sequence[Hashable]:
        """What is compared of the arguments."""

    def compare(self, hypothesis: tuple[Bag, Bag], reference: tuple[Bag, Bag]) -> float:
        """The overlap of role items, mended by that of words if so asked."""
        roles = overlap(hypothesis[0], reference[0])
        if self.missing == "interpolate":
            return (roles + overlap(hypothesis[1], reference[1])) / 2
        if self.missing == "backoff" and not (hypothesis[0] and reference[0]):
            return overlap(hypothesis[1], reference[1])
        return roles

    @staticmethod
    def _arguments(analysis: Analysis) -> Iterator[Argument]:
        forms = words(analysis)
        for predicate in given(analysis.roles, Layer.ROLES):
            for role, start, stop in predicate.arguments:
                yield role, forms[start:stop]


@dataclass(frozen=True)
class SrOr(_Roles):
    """Roles alone; with a type, words of arguments by role."""

    name: ClassVar[str] = "sr-or"
    summary: ClassVar[str] = "semantic roles; sr-or(*): words of arguments by role (ASIYA SR-Or)"

    type: str = ""

    def items(self, arguments: Sequence[Argument]) -> Sequence[Hashable]:
        """One item a role, or (role, word)."""
        if not self.type:
            return [role for role, _ in arguments]
        return [(role, word) for role, filler in arguments for word in filler]


@dataclass(frozen=True)
class SrMr(_Roles):
    """Whole arguments, by role."""

    name: ClassVar[str] = "sr-mr"
    summary: ClassVar[str] = "whole arguments, by role (ASIYA SR-Mr(*))"

    def items(self, arguments: Sequence[Argument]) -> Sequence[Hashable]:
        """(role, all its words)."""
        return list(arguments)
