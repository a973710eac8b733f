"""Executors: this process, processes of this machine, a Dask cluster, or any with ``submit``.

All calls of a run have the same first argument, the job, so an executor can send it once. A thread
of this process manages each worker process: it starts the process, sends one call at a time, and
waits for the answer. So it is known which call a worker died of, only that call fails
(:class:`WorkerDiedError`), and the next call gets a new process.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from albeit.errors import AlbeitError, MissingExtraError

STARTS = 3
"""How often to try to start a process."""

Engine = Any
"""An executor, a ``distributed.Client``, or the address of a Dask scheduler (``dask://HOST:PORT``)."""
Call = tuple[Callable[..., Any], tuple[Any, ...]]


class Pending(Protocol):
    """A future."""

    def result(self) -> Any:
        """Wait for the result; errors of the call are raised here."""


class Executor(Protocol):
    """Runs functions with picklable arguments.

    It may have ``status()``, a text for the progress line, and ``capacity()``, the number of calls
    that can run at the same time.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Pending:
        """Start a call or add it to a queue."""


class WorkerError(ChildProcessError):
    """Worker processes died, and the run can't continue."""


class WorkerDiedError(Exception):
    """The worker of a call died, ``deaths`` times; the call may be tried again."""

    def __init__(self, deaths: int = 1) -> None:
        super().__init__(deaths)
        self.deaths = deaths


class Here:
    """Runs calls in this process at once."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Call the function and return a finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def capacity(self) -> int:
        """Return 0: no call waits while another one runs."""
        return 0


@contextmanager
def open_executor(
    engine: Engine | None, workers: int, *, separate: bool = False, allow_mixed: bool = False
) -> Iterator[Executor]:
    """Open an executor and close it at the end.

    :param engine: see :data:`Engine`; without one, this process or a pool
    :param workers: the number of processes
    :param separate: don't work in this process
    :param allow_mixed: accept workers whose processors or libraries could change a last digit
    """
    if engine is None:
        if workers == 1 and not separate:
            yield Here()
            return
        with Pool(workers) as pool:
            yield pool
        return
    with ExitStack() as stack:
        if isinstance(engine, str):
            from albeit.evaluation.dask import connect

            engine = stack.enter_context(connect(check_address(engine)))
        if type(engine).__module__.partition(".")[0] == "distributed":
            from albeit.evaluation.dask import Dask

            engine = stack.enter_context(Dask(engine, allow_mixed=allow_mixed))
        yield engine


def count_workers(workers: int, tasks: int | None = None) -> int:
    """Return the number of processes for some tasks; 0 workers means one per core."""
    if workers < 0:
        raise AlbeitError(f"the number of workers must be 0 (one per core) or more, not {workers}.")
    workers = workers or os.cpu_count() or 1
    return workers if tasks is None else min(workers, tasks)


def check_address(address: str) -> str:
    """Return a Dask scheduler's address without its scheme; raise if it isn't one."""
    scheme, _, rest = address.partition("://")
    if scheme != "dask" or not rest:
        raise AlbeitError(
            f"{address!r} isn't an engine. Use dask://HOST:PORT or dask://FILE.json (a scheduler"
            " file). Without an engine, processes of this machine work (--workers N)."
        )
    if find_spec("distributed") is None:
        raise MissingExtraError(f"{address} needs Dask. Install it: pip install 'albeit[dask]'")
    return rest


class Pool:
    """Processes of this machine; none outlives the ``with`` block.

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
        """Add the call to the queue."""
        if self._shared is None:
            self._shared = pickle.dumps(shared)
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._manage_worker, daemon=True)
            self._threads.append(thread)
            thread.start()
        future: Future[Any] = Future()
        self._calls.put((future, (function, args)))
        return future

    def capacity(self) -> int:
        """Return the number of processes."""
        return self._count

    def status(self) -> str:
        """Describe the workers."""
        return f"{self._count} processes"

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with self._lock:  # no process starts after this
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

    def _manage_worker(self) -> None:
        """Start a worker and send it calls until the pool closes."""
        if hasattr(signal, "pthread_sigmask"):
            # A terminal sends Ctrl-C to workers too, and each would die with a traceback. What is
            # blocked here is blocked in them from their first instruction.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        worker: _Worker | None = None
        while (entry := self._calls.get()) is not None:
            future, call = entry
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker = worker or self._start()
                future.set_result(worker.exchange(pickle.dumps(call)))
            except WorkerDiedError as error:
                if worker is not None:
                    self._close(worker)
                worker = None
                future.set_exception(error)
            except BaseException as error:
                future.set_exception(error)
        if worker is not None:
            self._close(worker)

    def _start(self) -> _Worker:
        """Start a worker; try again if it dies before its first call."""
        assert self._shared is not None
        for _ in range(STARTS):
            with self._lock:
                if self._closing:
                    raise WorkerDiedError
                worker = _Worker()
                self._processes.add(worker.process)
            try:
                worker.exchange(self._shared)
                return worker
            except WorkerDiedError:
                self._close(worker)
            except BaseException:
                self._close(worker)
                raise
        raise WorkerError(
            "a worker process can't start; the machine may be short of memory. Use fewer"
            ' --workers. (A script that uses workers needs: if __name__ == "__main__":)'
        )

    def _close(self, worker: _Worker) -> None:
        worker.line.close()
        worker.process.join()
        with self._lock:
            self._processes.discard(worker.process)


class _Worker:
    """A process and the connection to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, remote = context.Pipe()
        self.process = context.Process(target=_serve, args=(remote,), daemon=True)
        self.process.start()
        remote.close()  # so that the connection ends when the process does

    def exchange(self, message: bytes) -> Any:
        """Send a message and return the result, or raise the error of the call."""
        try:
            self.line.send_bytes(message)
            result, error, trace = pickle.loads(self.line.recv_bytes())
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if error is not None:
            raise error from RemoteTracebackError(trace)
        return result


class RemoteTracebackError(Exception):
    """The traceback of an exception in a worker, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _serve(line: Connection) -> None:
    """Receive the shared argument, then answer calls until the connection ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    shared: list[Any] = []
    while True:
        try:
            message = line.recv_bytes()
        except (EOFError, OSError):  # the parent has closed the connection, or died
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
            line.send_bytes(_dump(answer))
        except (BrokenPipeError, ConnectionError):
            return


def _dump(answer: tuple[Any, BaseException | None, str]) -> bytes:
    """Pickle an answer; replace an exception that can't be pickled."""
    try:
        data = pickle.dumps(answer)
        if answer[1] is not None:
            pickle.loads(data)
    except Exception as error:
        trace = answer[2] or traceback.format_exc()
        data = pickle.dumps((None, RuntimeError(f"{answer[1] or error!r}"), trace))
    return data
