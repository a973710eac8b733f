"""Flags of a set: every suspect with its probability, its evidence in words, and a suggestion."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from albeit.corpus.evalset import EvalSet
from albeit.flags.evidence import GATHERERS, Gatherer, Pieces, gather, in_words
from albeit.flags.find import suspects
from albeit.flags.finding import Finding
from albeit.flags.model import LIKELY, model_of
from albeit.flags.suspect import PRONOUNS, TERMS, Suspect
from albeit.languages import normalise

__all__ = ["TRUSTED", "Flag", "flags", "why_none"]

TRUSTED = (PRONOUNS, TERMS)
"""The kinds whose likely faults are worth an editor's time by blind reading (docs/results/flags.md).

Exchanged connectives are found and weighed too, but fewer than two of ten were faults.
"""


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding in one system's text.

    :param system: whose text it is
    :param document: the document's id
    :param finding: the place (lines count from 1 in the set), the message, the probability
    :param reference: the number of the reference that speaks against it, from 0
    """

    system: str
    document: str
    finding: Finding
    reference: int = 0

    @property
    def likely(self) -> bool:
        """Whether it is a likely fault; else it is a difference, an honest other wording."""
        return self.finding.probability >= LIKELY

    def to_json(self) -> dict[str, object]:
        """System, document and all fields of the finding."""
        return {"system": self.system, "document": self.document, **self.finding.to_json()}


def why_none(evalset: EvalSet) -> str | None:
    """Why nothing of a set can be flagged; ``None`` where it can."""
    if normalise(evalset.target_lang) != "en":
        return "likely faults are known for English translations only"
    if not evalset.references:
        return "likely faults of the profile need a reference"
    return None


def flags(
    evalset: EvalSet,
    kinds: Collection[str] = TRUSTED,
    gatherers: Sequence[Gatherer] = GATHERERS,
) -> list[Flag]:
    """All flags of a set, the likeliest faults first.

    :param kinds: those that are asked for
    :param gatherers: where evidence comes from; fewer mean less evidence and lower probabilities

    >>> from albeit.corpus.evalset import EvalSet    # doctest: +SKIP
    >>> flags(evalset)[0].likely    # doctest: +SKIP
    True
    """
    if why_none(evalset) is not None:
        return []
    found = suspects(evalset, kinds)
    evidence = gather(found, evalset, gatherers)
    ids = evalset.document_ids()
    made = [
        Flag(one.system, ids[one.line], _finding(one, pieces, evalset), one.reference)
        for one, pieces in zip(found, evidence, strict=True)
    ]
    return sorted(made, key=lambda flag: (-flag.finding.probability, flag.finding.place))


def _finding(one: Suspect, pieces: Pieces, evalset: EvalSet) -> Finding:
    words = evalset.systems[one.system][one.line][one.start : one.end]
    return Finding(
        one.kind,
        one.line + 1,
        one.start,
        one.end,
        _message(one, words),
        round(model_of(one.kind)(pieces), 4),
        one.suggestion,
        in_words(pieces),
    )


def _message(one: Suspect, words: str) -> str:
    if one.kind == TERMS:
        return f"{words!r} here, {one.suggestion!r} elsewhere in this text, as in the reference"
    thing = "pronoun" if one.kind == PRONOUNS else "connective"
    return f"{words!r} here, the reference has another {thing}: {one.suggestion!r}"
