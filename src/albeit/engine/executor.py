"""Who does the work: anything with ``submit``. Two that need nothing but this machine are here.

``Here`` works in this process, ``Pool`` in several. A program may bring its own, such as a
``concurrent.futures`` executor or a cluster's client. All calls of a run begin with the same
job, which an executor does well to send only once; ``Pool`` does.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol

from albeit.arrays import FloatArray
from albeit.engine.plan import Job, Portion
from albeit.engine.work import work

__all__ = ["Executor", "Here", "Pool", "WorkerError", "in_order"]


class Executor(Protocol):
    """Runs a function of picklable arguments somewhere, and gives a future of its result."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start the call, or put it in a queue."""


class WorkerError(ChildProcessError):
    """A worker process died, for want of memory most likely."""


Result = tuple[int, list[FloatArray]]
"""The number of segments in a portion, and each wanted metric's statistics over it."""


def in_order(
    executor: Executor, job: Job, portions: Iterable[Portion], ahead: int
) -> Iterator[Result]:
    """The results in the order of the portions; at most ``ahead`` wait beyond the one asked for.

    So beyond the set itself memory holds nothing but statistics.
    """
    under_way: deque[tuple[int, Future[list[FloatArray]]]] = deque()

    def first() -> Result:
        size, future = under_way.popleft()
        return size, future.result()

    for portion in portions:
        under_way.append((len(portion), executor.submit(work, job, portion)))
        if len(under_way) > ahead:
            yield first()
    while under_way:
        yield first()


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


class Pool:
    """Works in processes of this machine; whatever goes wrong, none outlives the ``with`` block.

    The first argument of all calls must be the same: it is sent when a process starts.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        self._strangers = set(multiprocessing.active_children())
        return self

    def submit(self, function: Callable[..., Any], shared: Any, /, *args: Any) -> Future[Any]:
        """Put the call in the queue."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=multiprocessing.get_context("spawn"),
                initializer=_start, initargs=(shared,),
            )  # fmt: skip
        with _shielded_from_interrupts():
            return self._pool.submit(_call, function, *args)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and not isinstance(error, BrokenProcessPool):
            for process in set(multiprocessing.active_children()) - self._strangers:
                process.terminate()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise WorkerError(
                "a worker process died; the machine may be short of memory. Use fewer --workers."
            ) from error


@contextmanager
def _shielded_from_interrupts() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back while a process may start; they arrive on leaving.

    A terminal sends Ctrl-C to workers too, which would each die with a traceback; a blocked
    signal stays blocked in them from their first instruction. SIGTERM, which is how they are
    ended, they let in again; here it must not come when a process is started but not yet known.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows: workers ignore it in _start
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_shared: Any = None


def _start(shared: Any) -> None:
    """Keep the shared argument in the worker; Ctrl-C is the parent's to handle."""
    global _shared
    _shared = shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def _call(function: Callable[..., Any], *args: Any) -> Any:
    return function(_shared, *args)
