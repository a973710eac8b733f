from __future__ import annotations

import pytest

from albeit.data.evalset import EvalSet
from tests.metrics.documents import columns

SOURCE, REFERENCE, GOOD, BAD = columns("""
Although it rains, we go out.      | Obwohl es regnet, gehen wir aus. \
    | Auch wenn es regnet, gehen wir aus. | Es regnet, wir gehen.
There is nothing here.             | Hier ist nichts.            | Da ist nichts. | Nichts.
He has waited since 1990, however. | Er wartet jedoch seit 1990. \
    | Er hat seit 1990 gewartet, aber.    | Er hat gewartet 1990.
Since it rains, we stay.           | Da es regnet, bleiben wir. \
    | Weil es regnet, bleiben wir.        | Seit es regnet, bleiben wir.
""")


@pytest.fixture
def evalset() -> EvalSet:
    return EvalSet({"ref": REFERENCE}, {"good": GOOD, "bad": BAD}, SOURCE, (), "en", "de")
