"""Flags of a set: every suspect with its probability, its evidence in words, and a suggestion.

Beside them what follows from flags: likely faults per thousand words of each system, and those that
one system has and another has not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.diagnose.evidence import GATHERERS, Gatherer, Pieces, gather, in_words
from albeit.diagnose.finding import Finding
from albeit.diagnose.model import LIKELY, model_of
from albeit.diagnose.rules import RULES, line_suspects
from albeit.diagnose.straying import straying
from albeit.diagnose.suspect import PRONOUNS, TERMS, Suspect
from albeit.languages import normalise
from albeit.stats.resample import bootstrap_scores, percentile_interval
from albeit.stats.significance import DEFAULT_SEED

__all__ = ["KINDS", "TRUSTED", "Flag", "Rate", "flags", "only_in", "rates", "suspects", "why_none"]

KINDS = (*RULES, TERMS)
"""The kinds that faults can be found of."""


def suspects(evalset: EvalSet, kinds: Collection[str] = KINDS) -> list[Suspect]:
    """The suspects of all systems, each place once: by the first reference that speaks against it.

    :param kinds: those that are asked for
    """
    found: dict[tuple[str, str, int, int], Suspect] = {}
    for number, reference in enumerate(evalset.references.values()):
        for system, lines in evalset.systems.items():
            for one in _of(evalset, system, tuple(lines), tuple(reference), kinds):
                place = one.kind, one.system, one.line, one.start
                found.setdefault(place, replace(one, reference=number))
    return list(found.values())


def _of(
    evalset: EvalSet,
    system: str,
    lines: tuple[str, ...],
    reference: tuple[str, ...],
    kinds: Collection[str],
) -> Iterator[Suspect]:
    for name, rule in RULES.items():
        if name in kinds:
            for n, (text, other) in enumerate(zip(lines, reference, strict=True)):
                yield from line_suspects(rule, system, n, text, other)
    if TERMS in kinds:
        for document in evalset.documents:
            rows = document.rows
            yield from straying(
                system, document.start, lines[rows], reference[rows], evalset.target_lang
            )


TRUSTED = (PRONOUNS, TERMS)
"""The kinds whose likely faults are worth an editor's time by blind reading (docs/results/flagged-errors.md).

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

    >>> from albeit.data.evalset import EvalSet    # doctest: +SKIP
    >>> flags(evalset)[0].likely    # doctest: +SKIP
    True
    """
    if why_none(evalset) is not None:
        return []
    found = suspects(evalset, kinds)
    evidence = gather(found, evalset, gatherers, lambda kind: model_of(kind).weights)
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


def only_in(found: Iterable[Flag], system: str, baseline: str) -> list[Flag]:
    """The likely faults of a system that the baseline has not, the likeliest first.

    Two have the same fault where the same line has one of the same kind with the same suggestion.

    :param found: flags of both systems, and perhaps of others
    """
    every = [flag for flag in found if flag.likely]
    known = {_fault(flag) for flag in every if flag.system == baseline}
    own = [flag for flag in every if flag.system == system and _fault(flag) not in known]
    return sorted(own, key=lambda flag: (-flag.finding.probability, flag.finding.place))


def _fault(flag: Flag) -> tuple[str, int, str]:
    finding = flag.finding
    return finding.kind, finding.line, (finding.suggestion or "").lower()


_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Rate:
    """How many likely faults a system has, and per thousand words, with the 95 % interval."""

    count: int
    per_thousand: float
    interval: tuple[float, float]


def rates(found: Iterable[Flag], evalset: EvalSet, seed: int = DEFAULT_SEED) -> list[Rate]:
    """A rate for each system of a set, in its order.

    :param found: flags of one kind, or of several
    """
    systems = {name: n for n, name in enumerate(evalset.systems)}
    starts = np.array([document.start for document in evalset.documents])
    rows = np.zeros((len(systems), len(starts), 2))
    for name, lines in evalset.systems.items():
        words = [sum(len(line.split()) for line in lines[d.rows]) for d in evalset.documents]
        rows[systems[name], :, 1] = words
    for flag in found:
        if flag.likely:
            document = int(np.searchsorted(starts, flag.finding.line - 1, side="right")) - 1
            rows[systems[flag.system], document, 0] += 1
    ends = percentile_interval(bootstrap_scores(rows, _rate, resamples=_RESAMPLES, seed=seed), 0.95)
    return [
        Rate(int(own[0]), float(rate), (float(low), float(high)))
        for own, rate, (low, high) in zip(
            rows.sum(axis=1), _rate(rows.sum(axis=1)), ends.tolist(), strict=True
        )
    ]


def _rate(sums: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1000 * sums[..., 0] / sums[..., 1])
