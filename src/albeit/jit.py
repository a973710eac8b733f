"""Compile functions with Numba, keep the machine code between runs, and say when it takes time.

Compiling takes seconds, once a machine. The first function that is really compiled in a
process is announced to the logger ``albeit``, which the command line shows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast, overload

import numba
from numba.core import event

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def jit(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(function: Any = None, /, **options: Any) -> Any:
    """Compile in no-python mode, with Numba's other options if any: ``@jit``, ``@jit(parallel=True)``.

    The compiled code is cached on disk beside the module or in the user's cache folder.
    Where neither can be written (a read-only installation without a home), it is compiled
    anew in every process: slower to start, otherwise the same.
    """
    if function is None:
        return lambda decorated: _compiled(decorated, options)
    return _compiled(function, options)


def _compiled(function: Callable[P, R], options: dict[str, Any]) -> Callable[P, R]:
    chosen = {"nogil": True, **options}
    try:
        made: Any = numba.njit(cache=True, **chosen)(function)
    except RuntimeError:
        made = numba.njit(**chosen)(function)
    return cast(Callable[P, R], made)


class _Announcement(event.Listener):  # type: ignore[misc]
    """Tells once that something is being compiled; code from the cache makes no such event."""

    said = False

    def on_start(self, event: Any) -> None:
        """A function is being compiled: ours, or another package's, which is none of our business."""
        ours = event.data["dispatcher"].py_func.__module__.startswith("albeit.")
        if ours and not self.said:
            self.said = True
            logging.getLogger("albeit").info(
                "compiling for this machine: only the first use has to wait for it."
            )

    def on_end(self, event: object) -> None:
        """It is done: nothing to say."""


_announcement = _Announcement()
event.register("numba:compile", _announcement)
