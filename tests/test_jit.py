from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from albeit.jit import _announcement, jit


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

    monkeypatch.setattr("albeit.jit.numba", SimpleNamespace(njit=njit))
    assert jit(add_one)(1) == 2
    assert jit(fastmath=True)(add_one)(1) == 2


def test_announced_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(_announcement, "said", False)
    caplog.set_level(logging.INFO, "albeit")
    for module in ("another.package", "albeit.somewhere", "albeit.somewhere"):

        def add_two(x: int) -> int:
            return x + 2

        add_two.__module__ = module
        numba.njit(add_two)(1)  # never cached: compiled anew
        assert bool(caplog.records) == (module != "another.package")
    told = [record.getMessage() for record in caplog.records if record.name == "albeit"]
    assert told == ["compiling code for this machine; later uses of a metric start faster."]
