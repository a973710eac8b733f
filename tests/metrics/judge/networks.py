"""What tests of networks share."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parent / "many"
"""A made-up network of two layers in place of judge-many's: its scores mean nothing."""
BASE = FOLDER / "base.gguf"


def extra(name: str) -> Any:
    """A package of ``albeit[multilingual]``; the tests of a file skip without it."""
    return pytest.importorskip(name, reason=f"needs {name} of albeit[multilingual]")


def check_neighbors(
    make: Callable[[], Any], items: Sequence[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No score may depend on what else is read, in which order, or by how many threads."""
    network = make()
    together = network.read(items)
    mixed = random.Random(3).sample(range(len(items)), len(items))
    again = network.read([items[k] for k in mixed])
    assert np.array_equal(together.scores[mixed], again.scores)
    if together.spreads is not None:
        assert np.array_equal(together.spreads[mixed], again.spreads)
    for k in range(0, len(items), 5):
        assert network.read([items[k]]).scores[0] == together.scores[k]
    monkeypatch.setenv("ALBEIT_THREADS", "2")
    assert np.array_equal(make().read(items).scores, together.scores)
