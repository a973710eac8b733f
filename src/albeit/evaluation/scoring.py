"""Run a job over portions with an executor, in order, and handle dying workers.

A portion whose worker dies is tried again. After three retries it is halved, and its halves again,
until the one document (or segment, if segments are independent) that kills its worker is found.
That ends the run with its name, or the document is skipped and counted. A portion that takes too
long ends its worker, with the same effect.
"""

from __future__ import annotations

import errno
import faulthandler
import os
import platform
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, BinaryIO, Literal, Protocol

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document
from albeit.data.textio import counted
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation.executors import (
    Engine,
    Executor,
    Pending,
    WorkerDiedError,
    WorkerError,
    check_address,
    count_workers,
    open_executor,
)
from albeit.evaluation.identity import Environment, environment, require_one
from albeit.evaluation.plan import Job, Plan, Portion, work

RETRIES = 3
"""How often a portion whose worker died is tried again before it is halved."""
AHEAD = 2
"""Portions per worker that wait in the queue, so that no worker is idle."""
OnError = Literal["stop", "skip"]
"""What happens to a document that kills its workers."""


class Progress(Protocol):
    """A callback for the number of finished segments.

    If it has an attribute ``note``, that is set before: the workers, and the errors so far.
    """

    def __call__(self, done: int, total: int) -> None:
        """Report progress, before the first portion and after each, in this process."""


def tell(progress: Progress | None, done: int, total: int, note: str = "") -> None:
    """Report progress, if there is a callback."""
    if progress is not None:
        if hasattr(progress, "note"):
            progress.note = note
        progress(done, total)


@dataclass(frozen=True)
class Effort:
    """Who does the work, and what happens to documents that kill workers.

    :param workers: the number of processes; 0 is one per core
    :param executor: an executor that works instead, a ``distributed.Client``, or ``dask://HOST:PORT``
    :param on_error: ``"skip"`` skips a document that kills its workers, ``"stop"`` ends the run
    :param batch_timeout: seconds after which a worker counts as killed
    :param allow_mixed: accept workers whose processors or libraries could change a last digit
    """

    workers: int = 1
    executor: Engine | None = None
    on_error: OnError = "stop"
    batch_timeout: float | None = None
    allow_mixed: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.executor, str):
            check_address(self.executor)
        if self.batch_timeout is not None and not self.batch_timeout > 0:
            raise AlbeitError(f"a batch must have more than {self.batch_timeout:g} seconds.")

    @property
    def skips(self) -> bool:
        """Whether documents may be skipped."""
        return self.on_error == "skip"

    @contextmanager
    def start(self, job: Job, portions: int | None = None) -> Iterator[Work]:
        """Open the workers for a job, at most one per portion."""
        workers = count_workers(self.workers, portions if self.executor is None else None)
        separate = self.skips or self.batch_timeout is not None
        with open_executor(
            self.executor, workers, separate=separate, allow_mixed=self.allow_mixed
        ) as executor:
            yield Work(self, job, executor, workers)


@dataclass(frozen=True)
class Done:
    """The result of a portion: each wanted metric's statistics, without skipped documents."""

    portion: Portion
    statistics: list[FloatArray] | None
    """``None`` if the whole portion was skipped, or if ``finish`` made a ``result`` of them."""
    skipped: tuple[Document, ...] = ()
    environment: Environment | None = None
    """``None`` for this process."""
    result: Any = None


class Work:
    """A job that an executor works on, with the number of retries and the skipped documents."""

    def __init__(self, effort: Effort, job: Job, executor: Executor, workers: int = 1) -> None:
        self._effort, self._job, self._executor, self._workers = effort, job, executor, workers
        self._retries = 0
        self.skipped: list[Document] = []
        """Documents that killed their workers, at their positions in the whole set."""

    def run(self, portions: Iterable[Portion]) -> Iterator[Done]:
        """Yield the results in the order of the portions; only a few wait at the same time."""
        waiting: deque[tuple[Portion, Pending]] = deque()
        for portion in portions:
            waiting.append((portion, self._submit(portion)))
            capacity = getattr(self._executor, "capacity", lambda: self._workers)()
            if len(waiting) > AHEAD * capacity:
                yield self._wait(*waiting.popleft(), RETRIES)
        while waiting:
            yield self._wait(*waiting.popleft(), RETRIES)

    def status(self) -> str:
        """Describe the workers and the errors so far."""
        counts = (self._retries, "retries"), (len(self.skipped), "skipped")
        workers = getattr(self._executor, "status", str)()
        return ", ".join(filter(None, [workers, *(f"{n} {what}" for n, what in counts if n)]))

    def _submit(self, portion: Portion) -> Pending:
        try:
            home = platform.node(), os.getpid()
            limit = self._effort.batch_timeout
            return self._executor.submit(run_portion, self._job, portion, home, limit)
        except BrokenExecutor as error:
            raise _broken() from error

    def _wait(self, portion: Portion, future: Pending, retries: int) -> Done:
        """Return the result of a portion; retry and halve it if workers die."""
        deaths = 0
        while True:
            try:
                return self._accept(portion, *future.result())
            except WorkerDiedError as death:
                deaths += death.deaths
            except MemoryError:
                deaths += 1
            except OSError as error:  # such as a full disk, perhaps of one worker only
                deaths += 1
                if error.errno != errno.ENOSPC or deaths > RETRIES:
                    raise
            except BrokenExecutor as error:
                raise _broken() from error
            halves = portion.halve(self._job)
            if deaths > (retries if len(halves) > 1 else RETRIES):
                return self._narrow(portion, halves, deaths)
            self._retries += 1
            future = self._submit(portion)

    def _accept(self, portion: Portion, result: Any, worker: str, made: Environment | None) -> Done:
        """Refuse a result of a worker that could differ from this process."""
        if made is not None:
            pair = ("this process", environment()), (f"worker {worker}", made)
            require_one(pair, allow_mixed=self._effort.allow_mixed)
        if portion.finish is None:
            return Done(portion, result, environment=made)
        return Done(portion, None, environment=made, result=result)

    def _narrow(self, portion: Portion, halves: Sequence[Portion], deaths: int) -> Done:
        """Run the halves of a portion; one that can't be halved is the cause."""
        if len(halves) > 1:
            parts = [self._wait(half, self._submit(half), 0) for half in halves]
            rows = [part.statistics for part in parts if part.statistics is not None]
            whole = [np.concatenate(each, axis=1) for each in zip(*rows, strict=True)]
            skipped = tuple(document for part in parts for document in part.skipped)
            return Done(portion, whole if rows else None, skipped, parts[-1].environment)
        (span,) = portion.documents
        document = Document(span.id, span.start + portion.first, span.stop + portion.first)
        if self._effort.skips:
            self.skipped.append(document)
            return Done(portion, None, (document,))
        limit = self._effort.batch_timeout
        late = "" if limit is None else f" or took longer than {limit:g} s"
        raise WorkerError(
            f"a worker process died{late} {deaths} times over {portion.describe(self._job)}. If the"
            " machine is short of memory, use fewer --workers; --on-error skip skips it."
        )


def _broken() -> WorkerError:
    return WorkerError("a worker process died, and its executor does not continue without it.")


def run_portion(
    job: Job, portion: Portion, home: tuple[str, int], limit: float | None
) -> tuple[Any, str, Environment | None]:
    """Score a portion in a worker; end the process if it takes longer than the limit.

    A timer outside Python ends it, so that also native code that never returns is ended. Return the
    result, the host, and the environment unless ``home``, the process that waits, is this one.
    """
    here = (platform.node(), os.getpid()) == home
    if limit is None:
        return _finish(job, portion), platform.node(), None if here else environment()
    if here:
        raise AlbeitError("a time limit for batches needs workers in separate processes.")
    if not _timer.acquire(blocking=False):
        raise AlbeitError("a time limit for batches needs workers of one thread each.")
    faulthandler.dump_traceback_later(limit, exit=True, file=_null())
    try:
        return _finish(job, portion), platform.node(), environment()
    finally:
        faulthandler.cancel_dump_traceback_later()
        _timer.release()


_timer = Lock()
"""There is one timer per process."""


@cache
def _null() -> BinaryIO:
    return open(os.devnull, "wb")  # noqa: PTH123


def _finish(job: Job, portion: Portion) -> Any:
    statistics = work(job, portion)
    return statistics if portion.finish is None else portion.finish(portion, statistics)


def run_plan(
    plan: Plan, effort: Effort, progress: Progress | None, before: int, total: int
) -> tuple[list[FloatArray], list[Document]]:
    """Return each wanted metric's statistics and the skipped documents.

    ``before`` of ``total`` segments are finished already.
    """
    rows: list[list[FloatArray]] = [[] for _ in plan.job.wanted]
    finished = before
    tell(progress, finished, total)
    with effort.start(plan.job, len(plan.spans)) as running:
        for done in running.run(plan.portions()):
            if done.statistics is not None:
                for whole, part in zip(rows, done.statistics, strict=True):
                    whole.append(part)
            finished += len(done.portion)
            tell(progress, finished, total, running.status())
    if not rows[0]:
        raise WorkerError("every document killed its worker processes: nothing is left to score.")
    return [np.concatenate(parts, axis=1) for parts in rows], running.skipped


def warn_of_skipped(documents: Sequence[Document]) -> None:
    """Name the documents that killed their workers and aren't scored."""
    shown = ", ".join(f"{d.id!r} (segments {d.start + 1} to {d.stop})" for d in documents[:10])
    more = f" and {len(documents) - 10} more" if len(documents) > 10 else ""
    count = sum(map(len, documents))
    what = f"skipped {counted(count, 'segment')} that killed worker processes: {shown}{more}."
    warnings.warn(AlbeitWarning(what, count=count), stacklevel=2)
