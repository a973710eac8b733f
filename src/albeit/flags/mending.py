"""Mend it: does the line get better, in the judge's eyes, by what the mend puts there?

All lines, before and after, are read in one batch, each distinct pair once. Beside the score the
judge says how likely an expert is to mark each word: the second piece of evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from albeit.corpus.evalset import EvalSet
from albeit.flags.suspect import Suspect
from albeit.metrics.judge.metric import Judge
from albeit.metrics.judge.network import Network

__all__ = ["Mending", "mendings", "network"]

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Mending:
    """What the judge says of one mend.

    :param gain: by how much the line's raw score rises
    :param mark: log odds that an expert marks the flagged words
    :param cleared: by how much these fall for the words that the mend puts there
    """

    gain: float
    mark: float
    cleared: float


def network() -> Network:
    """The judge that ships."""
    return Judge()._network()


def mendings(
    suspects: Sequence[Suspect], evalset: EvalSet, judge: Network | None = None
) -> list[Mending]:
    """A mending for each suspect, beside the reference it was found by."""
    references = list(evalset.references.values())
    pairs: dict[tuple[str, str], int] = {}
    asked = []
    for one in suspects:
        text, reference = (
            evalset.systems[one.system][one.line],
            references[one.reference][one.line],
        )
        asked.append(
            (
                pairs.setdefault((text, reference), len(pairs)),
                pairs.setdefault((one.mended, reference), len(pairs)),
            )
        )
    if not pairs:
        return []
    reading = (judge or network()).read(list(pairs), marks=True)
    texts = [text for text, _ in pairs]
    found = []
    for one, (before, after) in zip(suspects, asked, strict=True):
        end = one.start + len(one.suggestion)
        mark = _mark(texts[before], reading.marks[before], one.start, one.end)
        found.append(
            Mending(
                float(reading.scores[after] - reading.scores[before]),
                mark,
                mark - _mark(texts[after], reading.marks[after], one.start, end),
            )
        )
    return found


def _mark(text: str, marks: np.ndarray, start: int, end: int) -> float:
    """The highest log odds of the words that hold these characters; of kinds of errors, the sum's."""
    rows = [
        n
        for n, match in enumerate(_WORD.finditer(text))
        if match.start() < end and match.end() > start
    ]
    odds = np.exp(np.asarray(marks, np.float64)[rows])
    return float(np.log((odds / (1 + odds)).sum(axis=1).max() + 1e-6))
