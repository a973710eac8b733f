"""Mend it: does the line get better, in the judge's eyes, by what the mend puts there?

The control is the opposite: the flagged words, put into another system's line that has what is
suggested, make a line worse that is right, if they are a fault. All lines, before and after, are
read in one batch, each distinct pair once. Beside the score the judge says how likely an expert is
to mark each word, and where it distinguishes severities, as a major error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.flags.controls import controls
from albeit.flags.suspect import Suspect
from albeit.metrics.judge.metric import Judge
from albeit.metrics.judge.network import Network, Reading

__all__ = ["Marks", "Mending", "marks_in", "mendings", "network"]

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Mending:
    """What the judge says of one mend.

    :param gain: by how much the line's raw score rises
    :param harm: by how much other systems' lines fall with the flagged words put there; ``None``
        where no other line has what is suggested
    :param mark: how likely an expert marks the flagged words, its logarithm
    :param major: the same as a major error; ``None`` where the judge knows no severities
    """

    gain: float
    harm: float | None
    mark: float
    major: float | None


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
        reference = references[one.reference][one.line]
        own = (evalset.systems[one.system][one.line], one.mended)
        asked.append(
            [
                tuple(pairs.setdefault((text, reference), len(pairs)) for text in both)
                for both in (own, *controls(one, evalset))
            ]
        )
    if not pairs:
        return []
    reading = (judge or network()).read(list(pairs), marks=True)
    texts = [text for text, _ in pairs]
    return [
        _mending(one, reading, texts, places) for one, places in zip(suspects, asked, strict=True)
    ]


def _mending(
    one: Suspect, reading: Reading, texts: Sequence[str], places: Sequence[tuple[int, ...]]
) -> Mending:
    gain, *changes = (float(reading.scores[b] - reading.scores[a]) for a, b in places)
    before = places[0][0]
    shares = 1 / (1 + np.exp(-reading.marks[before].astype(np.float64)))
    told = marks_in(texts[before], shares, one.start, one.end)
    harm = -sum(changes) / len(changes) if changes else None
    return Mending(gain, harm, **told)


class Marks(TypedDict):
    """Logarithms of how likely words are marked, and as a major error."""

    mark: float
    major: float | None


def marks_in(text: str, shares: FloatArray, start: int, end: int) -> Marks:
    """The marks of the words that hold these characters.

    :param shares: how likely each word of the text is marked, (words, severities)
    """
    rows = [
        n
        for n, match in enumerate(_WORD.finditer(text))
        if match.start() < end and match.end() > start
    ]
    own = np.log(np.column_stack([shares[rows].sum(axis=1), shares[rows]]).max(axis=0) + 1e-6)
    return {"mark": float(own[0]), "major": float(own[1]) if len(own) > 2 else None}
