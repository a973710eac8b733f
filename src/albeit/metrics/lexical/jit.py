"""Compile a function with Numba, keeping the machine code between runs where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba

__all__ = ["jit"]

P = ParamSpec("P")
R = TypeVar("R")


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile in no-python mode.

    The compiled code is cached on disk beside the module or in the user's cache folder.
    Where neither can be written (a read-only installation without a home), it is compiled
    anew in every process: slower to start, otherwise the same.
    """
    compile_: Any = numba.njit(nogil=True, cache=True)
    try:
        return cast(Callable[P, R], compile_(function))
    except RuntimeError:
        compile_ = numba.njit(nogil=True)
        return cast(Callable[P, R], compile_(function))
