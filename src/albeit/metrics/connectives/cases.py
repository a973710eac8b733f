"""The six cases of ACT: how a connective fares in the reference and in the candidate."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from albeit.lexicons.lexicon import Lexicon
from albeit.lexicons.senses import SenseTest, agreement
from albeit.metrics.connectives.match import Decision

__all__ = ["Case", "best", "judge"]


class Case(IntEnum):
    """What became of a source connective; numbered as in the ACT papers."""

    SAME = 1
    SYNONYM = 2
    INCOMPATIBLE = 3
    ONLY_REFERENCE = 4
    ONLY_CANDIDATE = 5
    NEITHER = 6


def judge(
    source: str, reference: Decision, candidate: Decision, lexicon: Lexicon, test: SenseTest
) -> tuple[Case, float]:
    """The case of one connective against one reference, and its credit from 0 to 1."""
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
    """Over several references, the kindest verdict and the reference that gave it."""
    ranked = [(case, -credit, number) for number, (case, credit) in enumerate(verdicts)]
    case, negative, number = min(ranked)
    return number, case, -negative
