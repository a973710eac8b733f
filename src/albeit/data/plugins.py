"""What packages add to albeit, albeit's own included: entry points, imported when used.

A group (``albeit.metrics``, ``albeit.formats`` …) maps a name to ``package.module:attribute``,
as the packages that are installed declare it. What one part of albeit offers to another that
stands left of it (a tuned combination is a metric, but `combine` builds on `metrics`) goes
the same way, so that imports flow in one direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from albeit.errors import AlbeitError

__all__ = ["imported", "loaded", "plugins"]


@cache
def plugins(group: str) -> Mapping[str, str]:
    """Name (in lower case) to ``package.module:attribute`` of everything in a group."""
    from importlib.metadata import entry_points  # half of what the command line takes to start

    return {point.name.lower(): point.value for point in entry_points(group=group)}


def imported(target: str) -> object:
    """What ``package.module:attribute`` stands for; without a colon, the module itself.

    Raises ``ImportError`` or ``AttributeError`` where there is no such thing.
    """
    module, _, attribute = target.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def loaded(what: str, name: str, target: str) -> object:
    """The same for a user who asked for the ``what`` of this name; an error says what failed."""
    try:
        return imported(target)
    except (ImportError, AttributeError) as error:
        raise AlbeitError(f"{what} {name!r} cannot be loaded from {target}: {error}.") from error
