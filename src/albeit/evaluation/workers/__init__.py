"""Who does the work: this process, processes of this machine, a cluster; and what becomes of faults.

It may be anything with ``submit``. ``Here`` works in this process, ``Pool``
(:mod:`albeit.evaluation.workers.pool`) in several. A program may bring its own, such as a
``concurrent.futures`` executor or a cluster's client. All calls of a run begin with the same job,
which an executor does well to send only once; ``Pool`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Protocol

__all__ = ["Executor", "Here", "Pending", "WorkerDiedError", "WorkerError"]


class Pending(Protocol):
    """A result that somebody is working on."""

    def result(self) -> Any:
        """Wait for it; what went wrong there is raised here."""


class Executor(Protocol):
    """Runs a function of picklable arguments somewhere, and gives a future of its result.

    It may have a ``status()`` too: who works, in words, for the progress line; and a
    ``capacity()``: how many calls it can work on at once, just now.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Pending:
        """Start the call, or put it in a queue."""


class WorkerError(ChildProcessError):
    """Worker processes died, and the work cannot go on."""


class WorkerDiedError(Exception):
    """The worker that had a call died, ``deaths`` times; the call may be tried again."""

    def __init__(self, deaths: int = 1) -> None:
        super().__init__(deaths)
        self.deaths = deaths


class Here:
    """Works in this process, at once."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Call the function; the future is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future
