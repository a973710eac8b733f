"""Compile functions with Numba, cache the machine code between runs, and report compilation.

Compiling takes seconds, once per machine. The first function that is compiled in a process, and not
read from the cache, is reported to the logger ``albeit``, which the command line shows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

import numba
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def jit(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(function: Any = None, /, **options: Any) -> Any:
    """Compile in no-python mode, with Numba's other options if any: ``@jit(parallel=True)``.

    The compiled code is cached next to the module or in the user's cache folder. If neither can be
    written (a read-only installation without a home), it is compiled in every process.
    """
    if function is None:
        return lambda decorated: jit(decorated, **options)
    chosen = {"nogil": True, **options}
    try:
        return numba.njit(cache=True, **chosen)(function)
    except RuntimeError:
        return numba.njit(**chosen)(function)


class _Announcement(event.Listener):  # type: ignore[misc]
    """Report once that albeit's code is compiled; code from the cache makes no such event."""

    said = False

    def on_start(self, event: Any) -> None:
        """Handle the start of a compilation, of albeit's code or another package's."""
        own = event.data["dispatcher"].py_func.__module__.startswith("albeit.")
        if own and not self.said:
            self.said = True
            message = "compiling code for this machine; later uses of a metric start faster."
            logging.getLogger("albeit").info(message)

    def on_end(self, event: object) -> None:
        """Ignore the end of a compilation."""


_announcement = _Announcement()
event.register("numba:compile", _announcement)
