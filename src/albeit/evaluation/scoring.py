"""A plan carried out, and the results put together, with what had to be left out.

Results are put together in document order; who does the work, and how many of them, changes
nothing but the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.data.textio import counted
from albeit.errors import AlbeitWarning
from albeit.evaluation.plan import Plan
from albeit.evaluation.workers import WorkerError
from albeit.evaluation.workers.engines import Engine, Team, check_address, employed
from albeit.evaluation.workers.faults import Faults, OnError, carried_out
from albeit.metrics.base import Metric
from albeit.metrics.table import Column

__all__ = [
    "Effort",
    "Progress",
    "carry_out",
    "column_without",
    "rest_of",
    "tell",
    "tell_of_left_out",
]


class Progress(Protocol):
    """What the engine reports while it works: so many segments of so many are done.

    One that has a ``note`` is given that before: who works, and what went wrong so far.
    """

    def __call__(self, done: int, total: int) -> None:
        """Called before the first portion and after each, in this process."""


def tell(progress: Progress | None, done: int, total: int, *notes: str) -> None:
    """Tell of the work, if anybody listens."""
    if progress is not None:
        if hasattr(progress, "note"):
            progress.note = ", ".join(filter(None, notes))
        progress(done, total)


@dataclass(frozen=True)
class Effort:
    """Who does the work, and what becomes of documents that kill them.

    ``workers`` processes share the work; 0 means one per core. An ``executor`` of your own does
    it in their place, and ``workers`` says how many portions of the set it works on at once;
    a ``distributed.Client``, or ``"dask://HOST:PORT"``, knows that itself. ``allow_mixed`` lets
    in workers whose processors or libraries could change a score's last digit. A document that
    kills its workers, or takes longer than ``batch_timeout`` seconds, ends the run, or with
    ``on_error="skip"`` is left out.
    """

    workers: int = 1
    executor: Engine | None = None
    on_error: OnError = "stop"
    batch_timeout: float | None = None
    allow_mixed: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.executor, str):
            check_address(self.executor)

    @property
    def skips(self) -> bool:
        """Whether documents may be left out."""
        return self.on_error == "skip"

    def faults(self) -> Faults:
        """What is to be done about faults of one piece of work."""
        return Faults(self.on_error, self.batch_timeout, self.allow_mixed)

    def team(self, portions: int | None = None) -> AbstractContextManager[Team]:
        """Those who work, no more than there are portions, where that is known.

        What may kill or be ended is done in another process.
        """
        apart = self.skips or self.batch_timeout is not None
        return employed(
            self.executor, self.workers, portions, apart=apart, allow_mixed=self.allow_mixed
        )


def carry_out(
    plan: Plan, effort: Effort, faults: Faults, progress: Progress | None, before: int, total: int
) -> list[FloatArray]:
    """Each wanted metric's statistics over the plan's set, with ``before`` of ``total`` done."""
    found: list[list[FloatArray]] = [[] for _ in plan.job.wanted]
    done = before
    tell(progress, done, total)
    with effort.team(len(plan.spans)) as team:
        for part in carried_out(team.executor, plan.job, plan.portions(), team.ahead, faults):
            for whole, rows in zip(
                found, part.statistics or (), strict=part.statistics is not None
            ):
                whole.append(rows)
            done += len(part.portion)
            tell(progress, done, total, team.status(), faults.status())
    if not found[0]:
        raise WorkerError("every document killed its worker processes: nothing is left to score.")
    return [np.concatenate(parts, axis=1) for parts in found]


def tell_of_left_out(documents: Sequence[Document]) -> None:
    """Name what killed its workers and is not in the scores."""
    shown = ", ".join(f"{d.id!r} (segments {d.start + 1} to {d.stop})" for d in documents[:10])
    more = f" and {len(documents) - 10} more" if len(documents) > 10 else ""
    count = sum(map(len, documents))
    what = f"left out {counted(count, 'segment')} that killed worker processes: {shown}{more}."
    warnings.warn(AlbeitWarning(what, count=count), stacklevel=2)


def rest_of(evalset: EvalSet, left_out: Sequence[Document]) -> EvalSet:
    """The set without some of its segments."""
    return evalset.take(_kept(len(evalset), left_out))


def _kept(segments: int, left_out: Sequence[Document]) -> list[int]:
    gone = {place for document in left_out for place in range(document.start, document.stop)}
    return [place for place in range(segments) if place not in gone]


def column_without(
    column: Column, metric: Metric, evalset: EvalSet, left_out: Sequence[Document]
) -> Column:
    """A column over the rest of its set."""
    assert column.statistics is not None, "only what has statistics is kept"
    if metric.unit is Unit.SEGMENT:
        rows = _kept(len(evalset), left_out)
    else:
        gone = {document.id for document in left_out}
        rows = [place for place, each in enumerate(evalset.documents) if each.id not in gone]
    signature = column.signature.with_("left-out", str(sum(map(len, left_out))))
    rest = rest_of(evalset, left_out)
    return Column.from_statistics(metric, column.statistics[:, rows], rest.documents, signature)
