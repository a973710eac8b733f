"""Flagged errors: candidates with their probability, their evidence in words, and a suggested fix.

One small logistic model per kind turns evidence into a probability. Every weight is positive, and
missing evidence counts as weak evidence. The weights come from words that expert annotators marked,
the calibration from flags that were read one by one (``research/training/flags``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from albeit.diagnose.candidates import PRONOUNS, SPEAKERS, TERMS, Candidate, line_candidates
from albeit.diagnose.check import Finding, Progress
from albeit.diagnose.evidence import (
    Gatherer,
    Pieces,
    describe,
    document_of,
    exchange_weight,
    gather,
    pronoun_names,
    side_of_source,
    vote,
)
from albeit.diagnose.terms import has_term, inconsistent_terms
from albeit.languages import normalise
from albeit.metrics import EvalSet, FloatArray, ratio
from albeit.stats import DEFAULT_SEED, bootstrap_scores, percentile_interval

_GENDERS = frozenset(("he", "she"))
_NEAR = 3
"""How many lines before and after a pronoun are compared."""
LIKELY = 0.55
"""The least probability of a flagged error."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of a piece of evidence, its bounds, and its value if it is missing."""

    weight: float
    low: float
    high: float
    missing: float

    def __call__(self, value: float | None) -> float:
        """Compute what a value adds to the log odds."""
        return self.weight * min(self.high, max(self.low, self.missing if value is None else value))


@dataclass(frozen=True)
class Model:
    """The model of one kind.

    :param bias: log odds without evidence
    :param weights: weights by name of the evidence

    >>> model = Model(-1.0, {"gain": Weight(2.0, 0.0, 1.0, 0.0)})
    >>> model({"gain": 0.5}), model({}) < model({"gain": 1.0})
    (0.5, True)
    """

    bias: float
    weights: Mapping[str, Weight]

    def __call__(self, evidence: Mapping[str, float | None]) -> float:
        """Compute the probability that an editor would call it an error."""
        total = self.bias + sum(w(evidence.get(name)) for name, w in self.weights.items())
        return 1 / (1 + math.exp(-total))


@cache
def model_of(kind: str) -> Model:
    """Load the model of a kind."""
    data = _shipped()["kinds"][kind]
    weights = {name: Weight(**each) for name, each in data["weights"].items()}
    return Model(float(data["bias"]), weights)


def version() -> str:
    """Return the version of the models, a digest of their weights."""
    return str(_shipped()["version"])


@cache
def _shipped() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((files("albeit.diagnose") / "weights.json").read_bytes())
    return content


KINDS = (PRONOUNS, TERMS)
"""The kinds of flagged errors (docs/results/flagged-errors.md)."""


def candidates(evalset: EvalSet, kinds: Collection[str] = KINDS) -> list[Candidate]:
    """Find the candidates of all systems, each once, by the first reference that differs."""
    found: dict[tuple[str, str, int, int], Candidate] = {}
    for number, reference in enumerate(evalset.references.values()):
        for system in evalset.systems:
            for one in _of(evalset, system, reference, kinds):
                key = one.kind, one.system, one.line, one.start
                found.setdefault(key, replace(one, reference=number))
    return [one for one in found.values() if not is_excused(one, evalset)]


def _of(
    evalset: EvalSet, system: str, reference: Sequence[str], kinds: Collection[str]
) -> Iterator[Candidate]:
    lines = evalset.systems[system]
    if PRONOUNS in kinds:
        for n, (text, other) in enumerate(zip(lines, reference, strict=True)):
            yield from line_candidates(system, n, text, other)
    if TERMS in kinds:
        for document in evalset.documents:
            rows = document.rows
            yield from inconsistent_terms(
                system, document.start, lines[rows], reference[rows], evalset.target_lang
            )


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding in one system's text.

    :param system: the system
    :param document: the document's ID
    :param finding: line (from 1) and characters, message, probability
    :param reference: the number of the reference that differs, from 0
    """

    system: str
    document: str
    finding: Finding
    reference: int = 0

    @property
    def likely(self) -> bool:
        """Whether it is a likely error; otherwise it is a difference."""
        return self.finding.probability >= LIKELY

    def to_json(self) -> dict[str, object]:
        """Convert to system, document, and all fields of the finding."""
        return {"system": self.system, "document": self.document, **self.finding.to_json()}


def why_none(evalset: EvalSet) -> str | None:
    """Return why a set can't have flagged errors; ``None`` if it can."""
    if normalise(evalset.target_lang) != "en":
        return "errors are flagged in English translations only"
    if not evalset.references:
        return "flagged errors need a reference"
    return None


_BLOCK = 128
"""Candidates that are read together."""


def flags(
    evalset: EvalSet,
    kinds: Collection[str] = KINDS,
    gatherers: Sequence[Gatherer] | None = None,
    progress: Progress | None = None,
) -> list[Flag]:
    """Flag the errors of a set, most probable first.

    :param kinds: the kinds to flag
    :param gatherers: the sources of evidence [default: all]; fewer mean lower probabilities
    :param progress: called with the number of candidates that were read, and of all

    >>> from albeit.data.evalset import EvalSet    # doctest: +SKIP
    >>> flags(evalset)[0].likely    # doctest: +SKIP
    True
    """
    if why_none(evalset) is not None:
        return []
    found = candidates(evalset, kinds)
    ids = evalset.document_ids()
    every = []
    for start in range(0, len(found), _BLOCK):
        if progress is not None:
            progress(start, len(found))
        block = found[start : start + _BLOCK]
        evidence = gather(block, evalset, gatherers, lambda kind: model_of(kind).weights)
        every += [
            Flag(one.system, ids[one.line], _finding(one, pieces, evalset), one.reference)
            for one, pieces in zip(block, evidence, strict=True)
        ]
    return sorted(every, key=_order)


def _order(flag: Flag) -> tuple[float, tuple[int, int, int]]:
    return -flag.finding.probability, flag.finding.place


def _finding(one: Candidate, pieces: Pieces, evalset: EvalSet) -> Finding:
    words = evalset.systems[one.system][one.line][one.start : one.end]
    message = f"{words!r} here, the reference has another pronoun: {one.suggestion!r}"
    if one.kind == TERMS:
        where = "elsewhere in this text, as in the reference"
        message = f"{words!r} here, {one.suggestion!r} {where}"
    place = one.line + 1, one.start, one.end
    probability = round(model_of(one.kind)(pieces), 4)
    return Finding(one.kind, *place, message, probability, one.suggestion, describe(pieces))


def only_in(found: Iterable[Flag], system: str, baseline: str) -> list[Flag]:
    """List the likely errors of a system that the baseline doesn't have, most probable first.

    Errors of two systems are equal if line, kind, and suggestion are.
    """
    every = [flag for flag in found if flag.likely]
    known = {_key(flag) for flag in every if flag.system == baseline}
    own = [flag for flag in every if flag.system == system and _key(flag) not in known]
    return sorted(own, key=_order)


def _key(flag: Flag) -> tuple[str, int, str]:
    finding = flag.finding
    return finding.kind, finding.line, (finding.suggestion or "").lower()


_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of likely errors of a system, and per thousand words, with a 95% interval."""

    count: int
    per_thousand: float
    interval: tuple[float, float]


def rates(found: Iterable[Flag], evalset: EvalSet, seed: int = DEFAULT_SEED) -> list[Rate]:
    """Compute the rate of likely errors of each system, with intervals over documents."""
    systems = {name: n for n, name in enumerate(evalset.systems)}
    starts = np.array([document.start for document in evalset.documents])
    rows = np.zeros((len(systems), len(starts), 2))
    for n, lines in enumerate(evalset.systems.values()):
        rows[n, :, 1] = [sum(len(t.split()) for t in lines[d.rows]) for d in evalset.documents]
    for flag in found:
        if flag.likely:
            document = int(np.searchsorted(starts, flag.finding.line - 1, side="right")) - 1
            rows[systems[flag.system], document, 0] += 1
    ends = percentile_interval(bootstrap_scores(rows, _rate, resamples=_RESAMPLES, seed=seed), 0.95)
    sums = rows.sum(axis=1)
    return [
        Rate(int(own[0]), float(rate), (float(low), float(high)))
        for own, rate, (low, high) in zip(sums, _rate(sums), ends, strict=True)
    ]


def _rate(sums: FloatArray) -> FloatArray:
    return ratio(1000 * sums[..., 0], sums[..., 1])


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
