"""Processes of this machine that work for us; one that dies costs its call, not the run.

A thread of this process looks after each worker: it starts the process, hands it one call at
a time and waits for the answer. So it is known which call a worker died of, that call alone
fails (:class:`WorkerDiedError`), and the next one finds a new process.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

from albeit.evaluation.workers import WorkerDiedError, WorkerError

__all__ = ["Pool"]

Call = tuple[Callable[..., Any], tuple[Any, ...]]

STARTS = 3
"""How often it is tried to start a process."""


class Pool:
    """Works in processes of this machine; whatever goes wrong, none outlives the ``with`` block.

    The first argument of all calls must be the same: it is sent when a process starts.
    """

    def __init__(self, workers: int) -> None:
        self._count = workers
        self._calls: SimpleQueue[tuple[Future[Any], Call] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._shared: bytes | None = None
        self._processes: set[SpawnProcess] = set()
        self._lock = threading.Lock()
        self._closing = False

    def __enter__(self) -> Pool:
        return self

    def submit(self, function: Callable[..., Any], shared: Any, /, *args: Any) -> Future[Any]:
        """Put the call in the queue."""
        if self._shared is None:
            self._shared = pickle.dumps(shared)
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._look_after_one, daemon=True)
            self._threads.append(thread)
            thread.start()
        future: Future[Any] = Future()
        self._calls.put((future, (function, args)))
        return future

    def status(self) -> str:
        """Who works, in words."""
        return f"{self._count} processes"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:  # from here on no process starts
            self._closing = True
            if error is not None:
                for process in self._processes:
                    process.kill()
        try:
            while (waiting := self._calls.get_nowait()) is not None:
                waiting[0].cancel()
        except Empty:
            pass
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def _look_after_one(self) -> None:
        """A worker's life, as seen from here: in a thread of its own."""
        if hasattr(signal, "pthread_sigmask"):
            # A terminal sends Ctrl-C to workers too, which would each die with a traceback:
            # what is blocked here stays blocked in them from their first instruction.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        worker: _Worker | None = None
        while (asked := self._calls.get()) is not None:
            future, call = asked
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker = worker or self._started()
                future.set_result(worker.call(call))
            except WorkerDiedError as error:
                if worker is not None:
                    self._ended(worker)
                worker = None
                future.set_exception(error)
            except BaseException as error:
                future.set_exception(error)
        if worker is not None:
            self._ended(worker)

    def _started(self) -> _Worker:
        """A worker that is ready; what dies as it starts is no call's fault, and tried again."""
        assert self._shared is not None
        for _ in range(STARTS):
            with self._lock:
                if self._closing:
                    raise WorkerDiedError
                worker = _Worker()
                self._processes.add(worker.process)
            try:
                worker.prepare(self._shared)
            except WorkerDiedError:
                self._ended(worker)
            except BaseException:
                self._ended(worker)
                raise
            else:
                return worker
        raise WorkerError(
            "a worker process cannot start; the machine may be short of memory. Use fewer"
            ' --workers. (A script that asks for workers needs: if __name__ == "__main__":)'
        )

    def _ended(self, worker: _Worker) -> None:
        worker.close()
        with self._lock:
            self._processes.discard(worker.process)


class _Worker:
    """One process, and the line to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()  # so that the line ends when the process does

    def prepare(self, shared: bytes) -> None:
        """Hand over what all calls share."""
        self._exchange(shared)

    def call(self, call: Call) -> Any:
        """The result of a call, or its exception."""
        return self._exchange(pickle.dumps(call))

    def _exchange(self, message: bytes) -> Any:
        try:
            self._line.send_bytes(message)
            result, error, trace = pickle.loads(self._line.recv_bytes())
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if error is not None:
            raise error from _TracebackThereError(trace)
        return result

    def close(self) -> None:
        """Let the process go, and see that it has gone."""
        self._line.close()
        self.process.join()


class _TracebackThereError(Exception):
    """The traceback of an exception in its worker, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _serve(line: Connection) -> None:
    """A worker's life: what all calls share, then call after call until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    shared: list[Any] = []
    while True:
        try:
            message = line.recv_bytes()
        except (EOFError, OSError):  # the parent has closed the line, or died
            return
        answer: tuple[Any, BaseException | None, str]
        try:
            content = pickle.loads(message)
            if shared:
                function, args = content
                answer = function(shared[0], *args), None, ""
            else:
                shared.append(content)
                answer = None, None, ""
        except Exception as error:
            answer = None, error, traceback.format_exc()
        try:
            line.send_bytes(_packed(answer))
        except (BrokenPipeError, ConnectionError):
            return


def _packed(answer: tuple[Any, BaseException | None, str]) -> bytes:
    """An answer as bytes; an exception that cannot travel becomes one that can."""
    try:
        data = pickle.dumps(answer)
        if answer[1] is not None:
            pickle.loads(data)
    except Exception as error:
        trace = answer[2] or traceback.format_exc()
        data = pickle.dumps((None, RuntimeError(f"{answer[1] or error!r}"), trace))
    return data
