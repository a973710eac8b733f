"""Score partitions with processes of this machine, a Dask cluster, or anything with ``submit``.

All calls of a run have the same first argument, so an executor can send it once. In the pool, a
thread of this process waits for each call: it starts a process or takes an idle one, sends the
call, and waits for the answer. So it is known which call a worker died of, only that call fails
(:class:`WorkerDiedError`), and the next call gets a new process.

A partition whose worker dies is tried again. After three retries, each of its documents is scored
alone (or each segment, if segments are independent). So the one that kills its worker is found.
That ends the run with its name, or the document is skipped and counted. A partition that takes too
long ends its worker, with the same effect.
"""

from __future__ import annotations

import errno
import faulthandler
import multiprocessing
import os
import pickle
import platform
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from albeit.data.corpus import Partition
from albeit.errors import DEEPEST
from albeit.evaluation import scoring
from albeit.evaluation.identity import Environment, environment, require_one
from albeit.evaluation.scoring import Job, Part, WorkerError, Workers
from albeit.metrics import AlbeitError, Annotations, Document, MissingExtraError

STARTS = 3
"""How often to try to start a process."""
RETRIES = 3
"""How often a partition whose worker died is tried again before it is divided."""
AHEAD = 2
"""Partitions per worker that wait in the queue, so that no worker is idle."""

Executor = Any
"""Any object with ``submit(function, *args)``, which returns an object with ``result()``.

It may have ``status()``, a text for the progress line, and ``capacity()``, the number of calls that
can run at the same time.
"""
Finish = Callable[[Part], Any]
Shared = tuple[Job, Finish | None, tuple[str, int], float | None]
"""Job, what is applied to parts, host and id of the process that waits, and seconds per call."""


class WorkerDiedError(Exception):
    """The worker of a call died, ``deaths`` times; the call may be tried again."""

    def __init__(self, deaths: int = 1) -> None:
        super().__init__(deaths)
        self.deaths = deaths


@contextmanager
def open_executor(workers: Workers, tasks: int | None = None) -> Iterator[Executor]:
    """Open an executor, by default a pool for at most so many tasks, and close it at the end."""
    executor = workers.executor
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(Pool(workers.processes(tasks)))
        named = isinstance(executor, str)
        if named or type(executor).__module__.partition(".")[0] == "distributed":
            from albeit.evaluation.dask import Dask, connect

            if named:
                executor = stack.enter_context(connect(executor.removeprefix("dask://")))
            executor = stack.enter_context(Dask(executor))
        yield executor


def check_address(address: str) -> None:
    """Raise unless it is the address of a Dask scheduler, and Dask is installed."""
    scheme, _, rest = address.partition("://")
    if scheme != "dask" or not rest:
        raise AlbeitError(
            f"{address!r} isn't an engine. Use dask://HOST:PORT or dask://FILE.json (a scheduler"
            " file). Without an engine, albeit runs local processes (--workers N)."
        )
    if find_spec("distributed") is None:
        raise MissingExtraError(f"{address} needs Dask. Install it: pip install 'albeit[dask]'")


def map_calls(
    function: Callable[..., Any], shared: Any, items: Sequence[Any], workers: int
) -> Iterator[Any]:
    """Call a function with a shared argument and each item, in order, here or in a pool."""
    count = Workers(workers).processes(len(items))
    if count == 1:
        yield from (function(shared, item) for item in items)
        return
    with Pool(count) as pool:
        for future in [pool.submit(function, shared, item) for item in items]:
            try:
                yield future.result()
            except WorkerDiedError:
                what = "a worker process died; use fewer --workers if memory is short."
                raise WorkerError(what) from None


@dataclass
class Retrier:
    """Submit partitions to an executor, and handle the deaths of its workers."""

    job: Job
    workers: Workers
    annotations: Annotations | None = None
    progress: Any = None
    finish: Finish | None = None
    executor: Executor = None
    retries: int = 0
    skipped: int = 0

    def score(self, partitions: Iterable[Partition], tasks: int | None) -> Iterator[Any]:
        """Yield the part of each partition, in order; only a few partitions wait at a time."""
        waiting: deque[tuple[Partition, Any]] = deque()
        try:
            with open_executor(self.workers, tasks) as self.executor:
                for partition in partitions:
                    waiting.append((partition, self._submit(partition, finish=True)))
                    capacity = getattr(self.executor, "capacity", lambda: self.workers.number)()
                    if len(waiting) > AHEAD * capacity:
                        yield self._wait(*waiting.popleft())
                while waiting:
                    yield self._wait(*waiting.popleft())
        except BrokenExecutor as error:
            what = "a worker process died, and its executor does not continue without it."
            raise WorkerError(what) from error

    def _submit(self, partition: Partition, *, finish: bool = False) -> Any:
        """Submit a partition with its own annotations."""
        given = None
        if self.annotations is not None:
            from albeit.parsing.supplied import texts_of

            known, texts = self.annotations, texts_of(partition.evalset)
            given = {text: known[text] for text in texts if text in known}
        home, limit = (platform.node(), os.getpid()), self.workers.batch_timeout
        shared = self.job, self.finish, home, limit
        return self.executor.submit(call_worker, shared, partition, given, finish)

    def _wait(self, partition: Partition, future: Any) -> Any:
        """Return the part of a partition; retry and divide it if workers die."""
        part, deaths = None, 0
        while part is None:
            try:
                part, worker, other = future.result()
                if other is not None:  # its scores could differ from those of this process
                    pair = ("this process", environment()), (f"worker {worker}", other)
                    require_one(pair, allow_mixed=self.workers.allow_mixed)
            except (WorkerDiedError, MemoryError) as death:
                deaths += getattr(death, "deaths", 1)
            except OSError as error:  # such as a full disk, perhaps of one worker only
                deaths += 1
                if error.errno != errno.ENOSPC or deaths > RETRIES:
                    raise
            if part is None and deaths > RETRIES:
                part = self._divide(partition, deaths)
            elif part is None:
                self.retries += 1
                future = self._submit(partition)
        if hasattr(self.progress, "note"):
            counts = (self.retries, "retries"), (self.skipped, "skipped")
            notes = [getattr(self.executor, "status", str)()]
            notes += [f"{count} {what}" for count, what in counts if count]
            self.progress.note = ", ".join(filter(None, notes))
        return part

    def _divide(self, partition: Partition, deaths: int) -> Part:
        """Score each document alone, or each segment if they are independent."""
        number, start, evalset, last = partition
        pieces = [
            piece._replace(number=number, first=start + piece.first, last=last)
            for piece in scoring.split(evalset, self.job, 1)
        ]
        if len(pieces) == 1:
            return self._skip(partition, deaths)
        futures = list(map(self._submit, pieces))
        return scoring.join_parts(list(map(self._wait, pieces, futures)))

    def _skip(self, partition: Partition, deaths: int) -> Part:
        """Skip a document or segment that kills its workers, or raise with its name."""
        number, start, evalset, last = partition
        size = len(evalset)
        document = Document(evalset.documents[0].id, start, start + size)
        if self.workers.on_error == "skip":
            self.skipped += 1
            return Part(self.job.run, number, start, size, (), (), (document,), last)
        lines = f"segment {start + 1}" if size == 1 else f"segments {start + 1} to {start + size}"
        limit = self.workers.batch_timeout
        late = "" if limit is None else f" or took longer than {limit:g} s"
        what = lines if self.job.loose else f"document {document.id!r} ({lines})"
        raise WorkerError(
            f"a worker process died{late} {deaths} times over {what}. If the machine is short of"
            " memory, use fewer --workers; --on-error skip skips it."
        )


_timer = threading.Lock()
"""There is one timer per process."""


def call_worker(
    shared: Shared, partition: Partition, given: Annotations | None, finish: bool
) -> tuple[Any, str, Environment | None]:
    """Score a partition in a worker; end the process if it takes longer than the limit.

    A timer outside Python ends it, so that also native code that never returns is ended. Return the
    part, the host, and the environment unless the process that waits is this one.
    """
    job, finish_part, home, limit = shared
    here = (platform.node(), os.getpid()) == home
    own = None if here else environment()
    with ExitStack() as stack:
        if limit is not None:
            if here:
                raise AlbeitError("a time limit for batches needs workers in separate processes.")
            if not _timer.acquire(blocking=False):
                raise AlbeitError("a time limit for batches needs workers of one thread each.")
            stack.callback(_timer.release)
            null = stack.enter_context(Path(os.devnull).open("wb"))
            faulthandler.dump_traceback_later(limit, exit=True, file=null)
            stack.callback(faulthandler.cancel_dump_traceback_later)
        part = scoring.score_partition(job, partition, given)._replace(environment=own)
        return finish_part(part) if finish and finish_part else part, platform.node(), own


class Pool:
    """Processes of this machine; none outlives the ``with`` block.

    The first argument of all calls must be the same: it is sent when a process starts.
    """

    def __init__(self, workers: int) -> None:
        self._count = workers
        self._threads = ThreadPoolExecutor(workers, initializer=_block_signals)
        self._own = threading.local()
        self._shared: bytes | None = None
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        self._closing = False

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close(kill=error is not None)

    def submit(self, function: Callable[..., Any], shared: Any, /, *args: Any) -> Future[Any]:
        """Add the call to the queue."""
        if self._shared is None:
            self._shared = pickle.dumps(shared)
        return self._threads.submit(self._call, function, args)

    def capacity(self) -> int:
        """Return the number of processes."""
        return self._count

    def status(self) -> str:
        """Describe the workers."""
        return f"{self._count} processes"

    def close(self, *, kill: bool = False) -> None:
        """Cancel the calls that wait, and end all processes, after their current calls or now."""
        with self._lock:  # no process starts after this
            self._closing = True
            for worker in self._workers if kill else ():
                worker.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        message = pickle.dumps((function, args))
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None or worker.line.closed:
            worker = self._own.worker = self._start()
        return worker.exchange(message)

    def _start(self) -> _Worker:
        """Start a worker; try again if it dies before its first call."""
        assert self._shared is not None
        for _ in range(STARTS):
            with self._lock:
                if self._closing:
                    raise WorkerDiedError
                worker = _Worker()
                self._workers.append(worker)
            with suppress(WorkerDiedError):
                worker.exchange(self._shared)
                return worker
        raise WorkerError(
            "a worker process can't start; the machine may be short of memory. Use fewer"
            ' --workers. (A script that uses workers needs: if __name__ == "__main__":)'
        )


def _block_signals() -> None:
    """Block the signals that a terminal sends to workers too: each would die with a traceback.

    What is blocked in a thread is blocked in the processes that it starts, from the beginning.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})


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
            result, error = pickle.loads(self.line.recv_bytes())
        except (EOFError, OSError):
            self.close()
            raise WorkerDiedError from None
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        """End the connection, and so the process."""
        self.line.close()
        self.process.join()


def _serve(line: Connection) -> None:
    """Receive the shared argument, then answer calls until the connection ends."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    shared: list[Any] = []
    with suppress(EOFError, OSError):  # the parent has closed the connection, or died
        while True:
            line.send_bytes(_answer(line.recv_bytes(), shared))


def _answer(message: bytes, shared: list[Any]) -> bytes:
    """Make a call, or keep the shared argument; return the result and the error, pickled."""
    try:
        content = pickle.loads(message)
        if not shared:
            shared.append(content)
            return pickle.dumps((None, None))
        function, args = content
        return pickle.dumps((function(shared[0], *args), None))
    except Exception as error:
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        data = pickle.dumps((None, RuntimeError(repr(error))))
        with suppress(Exception):  # an exception that can't be pickled
            exact = pickle.dumps((None, error))
            pickle.loads(exact)
            data = exact
        return data
