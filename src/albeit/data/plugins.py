"""Entry points of third-party packages and of albeit itself, imported when they are used.

A group (``albeit.metrics``, ``albeit.formats`` …) maps a name to ``package.module:attribute``. A
tuned combination is a metric, but `combine` is above `metrics`: it goes the same way, so that
imports have one direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from albeit.errors import AlbeitError, MissingExtraError


@cache
def plugins(group: str) -> Mapping[str, str]:
    """Return name (in lower case) to ``package.module:attribute`` of everything in a group."""
    from importlib.metadata import entry_points  # half of what the command line takes to start

    return {point.name.lower(): point.value for point in entry_points(group=group)}


def imported(target: str) -> Any:
    """Import ``package.module:attribute``; without a colon, the module.

    Raises ``ImportError`` or ``AttributeError`` where there is no such thing.
    """
    module, _, attribute = target.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def loaded(what: str, name: str, target: str) -> object:
    """Import an entry point that a user named; an error names the cause."""
    try:
        return imported(target)
    except (ImportError, AttributeError) as error:
        raise AlbeitError(f"{what} {name!r} cannot be loaded from {target}: {error}.") from error


def import_extra(module: str, why: str, extra: str) -> ModuleType:
    """Import a module of an optional package; if it is missing, name the extra that has it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(f"{why}: pip install 'albeit[{extra}]'") from None
