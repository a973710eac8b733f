"""Does it fit? With the word hidden, what would a network put there: what stands there, or the suggestion?

The network reads the translation around the word and nothing else (:mod:`albeit.metrics.judge.fit`).
Of words that it does not know, there is no such evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from albeit.data.evalset import Document, EvalSet
from albeit.diagnose.suspect import CONNECTIVES, PRONOUNS, Suspect
from albeit.metrics.judge import cloze
from albeit.metrics.judge.fit import FAMILIES, predict

__all__ = ["fitting"]

_WORD = re.compile(r"\S+")
_FAMILY = {PRONOUNS: "pronouns", CONNECTIVES: "connectives"}
_LEAST = 1e-3
"""Less likely than this counts as this."""


class _Asked(NamedTuple):
    """A suspect's place in its document, and the class that the suggestion is of."""

    family: str
    target: cloze.Target
    wanted: str


def fitting(suspects: Sequence[Suspect], evalset: EvalSet) -> list[float | None]:
    """For each suspect by how much the suggestion fits better: log odds, ``None`` where it is not known."""
    found: list[float | None] = [None] * len(suspects)
    starts = np.array([document.start for document in evalset.documents])
    texts: dict[tuple[str, int], list[tuple[int, _Asked]]] = {}
    for n, one in enumerate(suspects):
        document = int(np.searchsorted(starts, one.line, side="right")) - 1
        asked = _asked(one, evalset, evalset.documents[document])
        if asked is not None:
            texts.setdefault((one.system, document), []).append((n, asked))
    words = [_words(evalset, system, evalset.documents[number]) for system, number in texts]
    every = [[asked.target for _, asked in own] for own in texts.values()]
    logs = predict(list(zip(words, every, strict=True)))
    for own, rows in zip(texts.values(), logs, strict=True):
        for (n, asked), row in zip(own, rows, strict=True):
            found[n] = _odds(asked, row[None])
    return found


def _odds(asked: _Asked, row: np.ndarray) -> float | None:
    family = FAMILIES[asked.family]
    shares = np.maximum(family.shares(row)[0], _LEAST)
    if np.isnan(shares).any():
        return None
    said, wanted = (family.names.index(name) for name in (asked.target.name, asked.wanted))
    return float(np.log(shares[wanted] / shares[said]))


def _asked(one: Suspect, evalset: EvalSet, document: Document) -> _Asked | None:
    """What is to be guessed; nothing where the network knows no such class."""
    family = _FAMILY.get(one.kind)
    if family is None:
        return None
    line = evalset.systems[one.system][one.line]
    said, wanted = (
        (one.said, one.wanted)
        if family == "pronouns"
        else (cloze.bare(line[one.start : one.end]), cloze.bare(one.suggestion))
    )
    names = FAMILIES[family].names
    if said not in names or wanted not in names:
        return None
    before = sum(
        len(each.split()) for each in evalset.systems[one.system][document.start : one.line]
    )
    inside = [
        n
        for n, match in enumerate(_WORD.finditer(line))
        if match.start() < one.end and match.end() > one.start
    ]
    return _Asked(family, cloze.Target(before + inside[0], before + inside[-1] + 1, said), wanted)


def _words(evalset: EvalSet, system: str, document: Document) -> tuple[str, ...]:
    return tuple(word for line in evalset.systems[system][document.rows] for word in line.split())
