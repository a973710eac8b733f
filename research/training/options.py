"""Command lines from typed functions and classes, for all scripts of this folder."""

from __future__ import annotations

import argparse
import inspect
import sys
import types
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
DATA = Path("../shared/data")
WEIGHTS = Path("src/albeit/parsing/weights")
"""The shipped parsing model."""


def _describe(kind: Any, default: Any) -> dict[str, Any]:
    """Return what ``argparse`` needs for a parameter of this type."""
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        kind = next(each for each in typing.get_args(kind) if each is not type(None))
    if kind is bool:
        return {"action": "store_true"}
    if typing.get_origin(kind) is typing.Literal:
        return {"choices": typing.get_args(kind), "default": default}
    if typing.get_origin(kind) is list:
        (kind,) = typing.get_args(kind)
        return {"type": kind, "nargs": "+" if default is inspect.Parameter.empty else "*"}
    return {"type": kind}


def read_options(make: Callable[..., T], words: Sequence[str] | None = None) -> T:
    """Call a function or class with its parameters from the command line.

    Keyword-only parameters are options, required if they have no default; others are positional.
    """
    text = sys.modules[make.__module__].__doc__
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=text, formatter_class=layout)
    hints = typing.get_type_hints(make)
    for name, parameter in inspect.signature(make).parameters.items():
        settings = _describe(hints[name], parameter.default)
        if parameter.kind is not parameter.KEYWORD_ONLY:
            parser.add_argument(name, **settings)
            continue
        required = parameter.default is parameter.empty
        if not required:
            settings["default"] = parameter.default
        parser.add_argument(f"--{name.replace('_', '-')}", required=required, **settings)
    return make(**vars(parser.parse_args(words)))
