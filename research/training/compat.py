"""Lets training run where the package's own dependencies are not installed.

A borrowed GPU machine often has PyTorch but not Numba. The decoders are plain Python under their
compiler decorators, so evaluation works without it, slowly.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _identity(*args: Any, **_: Any) -> Any:
    if len(args) == 1 and callable(args[0]):
        return args[0]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return function

    return decorate


def ensure() -> None:
    """Make `albeit.parsing.decode` importable, with or without Numba."""
    source = Path(__file__).resolve().parents[2] / "src"
    if str(source) not in sys.path:
        sys.path.insert(0, str(source))
    if "numba" in sys.modules or importlib.util.find_spec("numba") is not None:
        return
    compiler = types.ModuleType("albeit.jit")
    compiler.__dict__.update(jit=_identity)
    for name, folder in (
        ("albeit", source / "albeit"),
        ("albeit.parsing", source / "albeit/parsing"),
    ):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    sys.modules["albeit.jit"] = compiler
