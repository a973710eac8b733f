"""The senses of connectives: two levels, after the Penn Discourse Treebank (version 3).

A sense is written ``Class.Type``. ``Other.Adverb`` is ours: a use that relates no two
statements ("not yet"), which a translation dictionary must know all the same.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from albeit.errors import InputError

__all__ = ["SENSES", "SenseTest", "agreement", "parse_sense", "sense_class"]

_TYPES = {
    "Temporal": "Synchronous Asynchronous",
    "Contingency": "Cause Condition Negative-condition Purpose",
    "Comparison": "Concession Contrast Similarity",
    "Expansion": "Conjunction Disjunction Equivalence Exception Instantiation Level-of-detail Manner"
    " Substitution",
    "Other": "Adverb",
}
SENSES = tuple(f"{group}.{kind}" for group, kinds in _TYPES.items() for kind in kinds.split())
_BY_FOLD = {sense.casefold(): sense for sense in SENSES}
_BY_TYPE = {sense.partition(".")[2].casefold(): sense for sense in SENSES}

SenseTest = Literal["strict", "compatible", "graded", "covering"]
"""How two translations count as synonymous; see :func:`agreement`."""


def parse_sense(text: str) -> str:
    """The canonical spelling of a sense; a third level or a suffix (``+Belief``) is dropped.

    The type alone ("concession") is enough, since types are unique.
    """
    folded = text.strip().casefold().partition("+")[0]
    two_levels = ".".join(folded.split(".")[:2])
    sense = _BY_FOLD.get(two_levels) or _BY_TYPE.get(folded)
    if sense is None:
        raise InputError(f"unknown sense {text!r}.", hint=f"The senses are {', '.join(SENSES)}.")
    return sense


def sense_class(sense: str) -> str:
    """The first level: ``Comparison`` of ``Comparison.Contrast``."""
    return sense.partition(".")[0]


def agreement(reference: Collection[str], candidate: Collection[str], test: SenseTest) -> float:
    """How far the senses of a reference's form and of a candidate's agree, from 0 to 1.

    ``strict``: the two can express exactly the same senses. ``compatible``: they have a
    sense in common. ``graded``: 1 for a sense in common, else one half for a class in
    common, else 0. ``covering``: the candidate can express every sense of the reference,
    which is the test of the original ACT and the only one that is not symmetric.
    """
    one, two = frozenset(reference), frozenset(candidate)
    if not one or not two:
        return 0.0
    if test == "strict":
        return float(one == two)
    if test == "covering":
        return float(one <= two)
    if one & two:
        return 1.0
    if test == "graded" and {sense_class(s) for s in one} & {sense_class(s) for s in two}:
        return 0.5
    return 0.0
