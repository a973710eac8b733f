"""What fits better, the word that was flagged or the suggestion: by a network made for the test."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from albeit.data.evalset import Document, EvalSet
from albeit.diagnose import fitting
from albeit.diagnose.evidence import by_context
from albeit.diagnose.flag import suspects
from albeit.metrics.judge import cloze
from albeit.metrics.judge.cloze import CLASSES, Hidden

REFERENCE = ("The bridge is old.", "Everyone says it is safe.", "We crossed although it rained.")
SYSTEM = ("The bridge is old.", "Everyone says she is safe.", "We crossed because it rained.")
SET = EvalSet({"r": REFERENCE}, {"s": SYSTEM}, documents=(Document("d", 0, 3),))


class Guesser:
    """Puts *it* for pronouns, eight of ten times, and *although* for connectives, three of four."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def read(self, wanted: Sequence[Hidden]) -> list[np.ndarray]:
        said = {"it": 0.8, "she": 0.1, "he": 0.1, "although": 0.75, "because": 0.25}
        row = np.log([max(said.get(name, 0.0), 1e-12) for name in CLASSES])
        self.asked += [one.words[start:stop] for one in wanted for start, stop in one.runs]
        return [np.tile(row, (len(one.runs), 1)) for one in wanted]


def test_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Guesser()
    monkeypatch.setattr(cloze, "load_cloze", lambda: made)
    found = suspects(SET)
    assert {one.kind: one.wanted for one in found}.keys() == {"pronouns in context", "connectives"}
    odds = {one.kind: each for one, each in zip(found, fitting.fitting(found, SET), strict=True)}
    assert odds["pronouns in context"] == pytest.approx(math.log(8))
    assert odds["connectives"] == pytest.approx(math.log(3))
    assert made.asked == [("she",), ("it",), ("because",)]  # the other pronoun is hidden with it
    assert by_context(found, SET) == [{"fits": odds[one.kind]} for one in found]
