"""Candidates that aren't errors: another reference, singular *they*, a doubtful reference."""

from __future__ import annotations

from collections.abc import Iterable

from albeit.diagnose.candidates import SPEAKERS, TERMS, Candidate
from albeit.diagnose.evidence import (
    document_of,
    exchange_weight,
    pronoun_names,
    side_of_source,
    vote,
)
from albeit.diagnose.terms import has_term
from albeit.metrics import EvalSet

_GENDERS = frozenset(("he", "she"))
_NEAR = 3
"""How many lines before and after a pronoun are compared."""


def is_excused(one: Candidate, evalset: EvalSet) -> bool:
    """Check whether a reference has these words too, or the suggestion isn't better than them.

    *They* can be one person of any sex, and *we*, *you*, and *it* often replace others. So these
    are errors only if the source has a pronoun that decides. *I* instead of *he*, or the reverse,
    isn't an error if the source supports it.
    """
    lines = [reference[one.line] for reference in evalset.references.values()]
    if one.kind == TERMS:
        return any(has_term(line, one.said, evalset.target_lang) for line in lines)
    own = evalset.systems[one.system][one.line]
    if any(vote(one, own, line) < 0 for n, line in enumerate(lines) if n != one.reference):
        return True
    side = side_of_source(one, evalset) or 0.0
    if side > 0:
        return False
    is_common = exchange_weight(one.said, one.wanted) == 0
    other_person = side < 0 and len({one.said, one.wanted} & SPEAKERS) == 1
    return is_common or other_person or _is_doubtful(one, evalset)


def _is_doubtful(one: Candidate, evalset: EvalSet) -> bool:
    """Check whether a reference may call one person *he* and *she*.

    It has both nearby, the translation only one of them, and no other system supports it.
    """
    document = document_of(one, evalset)
    near = slice(max(document.start, one.line - _NEAR), min(document.stop, one.line + _NEAR + 1))
    reference = list(evalset.references.values())[one.reference]
    own = evalset.systems[one.system]
    others = (lines[one.line] for name, lines in evalset.systems.items() if name != one.system)
    return {one.said, one.wanted} == _GENDERS == _genders(reference[near]) != _genders(
        own[near]
    ) and all(vote(one, own[one.line], line) <= 0 for line in others)


def _genders(lines: Iterable[str]) -> frozenset[str]:
    return _GENDERS & {name for line in lines for name in pronoun_names(line)}
