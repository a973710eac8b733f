from __future__ import annotations

import pytest

from albeit.data.evalset import EvalSet

SOURCE = (
    "Although it rains, we go out.",
    "There is nothing here.",
    "He has waited since 1990, however.",
    "Since it rains, we stay.",
)
REFERENCE = (
    "Obwohl es regnet, gehen wir aus.",
    "Hier ist nichts.",
    "Er wartet jedoch seit 1990.",
    "Da es regnet, bleiben wir.",
)
GOOD = (
    "Auch wenn es regnet, gehen wir aus.",
    "Da ist nichts.",
    "Er hat seit 1990 gewartet, aber.",
    "Weil es regnet, bleiben wir.",
)
BAD = ("Es regnet, wir gehen.", "Nichts.", "Er hat gewartet 1990.", "Seit es regnet, bleiben wir.")


@pytest.fixture
def evalset() -> EvalSet:
    return EvalSet(
        {"ref": REFERENCE}, {"good": GOOD, "bad": BAD}, SOURCE, source_lang="en", target_lang="de"
    )
