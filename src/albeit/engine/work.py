"""The work itself: a pure function of a job and a portion, wherever it runs."""

from __future__ import annotations

import faulthandler
import os
import platform
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import BinaryIO

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.levels import Unit
from albeit.engine.batches import batches
from albeit.engine.environment import Environment, environment
from albeit.engine.parts import Packed, Part, pack
from albeit.engine.plan import Job, Portion, Step
from albeit.errors import AlbeitError, MetricError
from albeit.metrics.base import Batch
from albeit.metrics.composite import Composite

__all__ = ["Limit", "Made", "statistics", "work", "work_within"]


@dataclass(frozen=True)
class Limit:
    """How long a portion may take, and which process waits for it, so must not be ended."""

    seconds: float
    home: tuple[str, int]

    @classmethod
    def here(cls, seconds: float) -> Limit:
        """A limit set by this process."""
        if not seconds > 0:
            raise AlbeitError(f"a batch must be given more than {seconds:g} seconds.")
        return cls(seconds, (platform.node(), os.getpid()))


@dataclass(frozen=True)
class Made:
    """Each wanted metric's statistics over a portion, and where they were made.

    Those of a portion with a label are in its part, which is packed, ready to be kept.
    """

    statistics: list[FloatArray] | None
    host: str
    environment: Environment
    packed: Packed | None = None


def work_within(job: Job, portion: Portion, limit: Limit | None) -> Made:
    """The work, unless it takes too long: then this process ends, as if it had died.

    The watch is no thread of Python's, so it sees a program that never comes back to Python.
    """
    if limit is None:
        return _made(job, portion)
    if limit.home == (platform.node(), os.getpid()):
        raise AlbeitError("a time limit for batches needs workers in processes of their own.")
    if not _watch.acquire(blocking=False):
        raise AlbeitError("a time limit for batches needs workers of one thread each.")
    faulthandler.dump_traceback_later(limit.seconds, exit=True, file=_nowhere())
    try:
        return _made(job, portion)
    finally:
        faulthandler.cancel_dump_traceback_later()
        _watch.release()


_watch = Lock()
"""There is one watch a process."""


@cache
def _nowhere() -> BinaryIO:
    return open(os.devnull, "wb")  # noqa: PTH123


def _made(job: Job, portion: Portion) -> Made:
    """The work; a batch's part is packed where it was made, so that nobody waits for it."""
    statistics, label = work(job, portion), portion.label
    if label is None:
        return Made(statistics, platform.node(), environment())
    part = Part(
        label.run,
        label.number,
        portion.first,
        len(portion),
        portion.documents,
        tuple(statistics),
        last=label.last,
        environment=environment(),
    )
    packed = pack(part, label.systems, [job.steps[place].metric for place in job.wanted])
    return Made(None, platform.node(), environment(), packed)


def work(job: Job, portion: Portion) -> list[FloatArray]:
    """The statistics of each wanted metric over a portion: (systems, rows, k)."""
    by_system = [statistics(job, batch) for batch in batches(job, portion)]
    return [np.stack(rows) for rows in zip(*by_system, strict=True)]


def statistics(job: Job, batch: Batch) -> list[FloatArray]:
    """Every step over one system's batch; those that are wanted."""
    rows: list[FloatArray] = []
    for step in job.steps:
        rows.append(_checked(step, batch, _rows(step, batch, rows)))
    return [rows[place] for place in job.wanted]


def _rows(step: Step, batch: Batch, known: list[FloatArray]) -> FloatArray:
    seen = batch.seen_by(step.metric)
    if isinstance(step.metric, Composite):
        return step.metric.combine([known[place] for place in step.parts], seen)
    return step.metric.statistics(seen, step.context)


def _checked(step: Step, batch: Batch, rows: FloatArray) -> FloatArray:
    """A wrong number of rows would shift all scores."""
    metric = step.metric
    expected = len(batch) if metric.unit is Unit.SEGMENT else len(batch.documents)
    if rows.ndim != 2 or len(rows) != expected:
        raise MetricError(
            f"{metric} gave statistics of shape {rows.shape} for {expected} {metric.unit}s;"
            " it must give one row each. This is a fault of the metric."
        )
    return rows
