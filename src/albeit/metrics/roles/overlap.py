"""Overlap of predicate-argument structure (ASIYA's SR family).

``sr-or``      roles alone: how often each role occurs
``sr-or(*)``   words of the arguments, by role; ``sr-or(ARG0)`` for one role
``sr-mr(*)``   whole arguments, by role; ``sr-mr(ARG0)`` for one role

A text without a predicate has no items: see `albeit.metrics.spans` for ``missing``.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from albeit.annotate.layers import ROLES, TOKENS, Analysis
from albeit.annotate.needs import Need, compared
from albeit.metrics.bags import model_labels, words
from albeit.metrics.spans import Span, SpanMetric

__all__ = ["SrMr", "SrOr"]


@dataclass(frozen=True)
class _Roles(SpanMetric):
    def types(self) -> Collection[str]:
        """The model's roles."""
        return model_labels("role")

    @property
    def needs(self) -> frozenset[Need]:
        """Words and roles."""
        return compared(TOKENS, ROLES)

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
