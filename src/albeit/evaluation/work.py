"""The work itself: a pure function of a job and a portion, wherever it runs.

A portion becomes batches, one per system, with exactly the analyses that metrics need.
"""

from __future__ import annotations

import faulthandler
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from threading import Lock
from typing import BinaryIO

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, MetricError
from albeit.evaluation.parts import Part, pack
from albeit.evaluation.plan import Job, Portion, Step
from albeit.evaluation.workers.environment import Environment, environment
from albeit.metrics.base import Batch, Composite
from albeit.parsing.needs import Side
from albeit.parsing.sharing import annotated

__all__ = ["Limit", "Made", "analysed", "batches", "statistics", "work", "work_within"]


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
    packed: bytes | None = None


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
    return Made(None, platform.node(), environment(), pack(part))


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


def batches(job: Job, portion: Portion) -> list[Batch]:
    """A batch per system, all with the same analyses: each distinct line is analysed once."""
    shared = analysed(job, portion)
    places = range(len(portion.hypotheses)) if portion.systems is None else portion.systems
    return [
        replace(shared, hypotheses=lines, system=place)
        for place, lines in zip(places, portion.hypotheses, strict=True)
    ]


def analysed(job: Job, portion: Portion) -> Batch:
    """What the batches of a portion share: all but a hypothesis, analyses of those too."""
    from albeit.parsing import annotate, annotate_documents

    sources = () if portion.sources is None else (portion.sources,)
    texts = {
        Side.REFERENCE: portion.references,
        Side.HYPOTHESIS: portion.hypotheses,
        Side.SOURCE: sources,
    }

    def lines(side: Side) -> Iterator[str]:
        return (line for own in texts[side] for line in own)

    def documents(side: Side) -> Iterator[tuple[str, ...]]:
        return (tuple(own[document.rows]) for own in texts[side] for document in portion.documents)

    target, source = (Side.REFERENCE, Side.HYPOTHESIS), (Side.SOURCE,)
    into, out_of = job.target_lang, job.source_lang or ""
    needs = [step.metric.needs for step in job.steps if not isinstance(step.metric, Composite)]
    by_line = partial(annotated, needs, Unit.SEGMENT)
    by_document = partial(annotated, needs, Unit.DOCUMENT)
    return Batch(
        (),
        portion.references,
        portion.sources,
        portion.documents,
        job.target_lang,
        job.source_lang,
        by_line(target, into, lines, partial(annotate, lang=into, given=portion.given)),
        by_line(source, out_of, lines, partial(annotate, lang=out_of)),
        by_document(target, into, documents, partial(annotate_documents, lang=into)),
        by_document(source, out_of, documents, partial(annotate_documents, lang=out_of)),
    )
