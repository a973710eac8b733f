from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numba
import pytest

from albeit.metrics.lexical.jit import jit


def add_one(x: int) -> int:
    return x + 1


def test_without_a_folder_to_keep_code_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba refuses where it can write no cache; the function must run all the same."""
    real: Any = numba.njit

    def njit(**options: Any) -> Any:
        if options.get("cache"):

            def refuse(function: object) -> object:
                raise RuntimeError("cannot cache function: no locator available")

            return refuse
        return real(**options)

    monkeypatch.setattr("albeit.metrics.lexical.jit.numba", SimpleNamespace(njit=njit))
    assert jit(add_one)(1) == 2
