"""Score a set: refuse what cannot be done, plan, have it done, put the results together.

Results are put together in document order; who does the work, and how many of them, changes
nothing but the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from albeit.annotate.given import Given, signed
from albeit.annotate.needs import layers_of
from albeit.arrays import FloatArray
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.corpus.textio import counted
from albeit.engine.checks import check
from albeit.engine.engines import Engine, employed
from albeit.engine.executor import WorkerError
from albeit.engine.faults import Faults, OnError, carried_out
from albeit.engine.plan import TARGET, Plan, make_plan
from albeit.engine.signing import identities, signature_of
from albeit.engine.store import Store
from albeit.errors import AlbeitWarning
from albeit.metrics.base import Metric
from albeit.metrics.table import Column, ScoreTable

__all__ = ["Progress", "score", "tell", "tell_of_left_out"]


class Progress(Protocol):
    """What the engine tells while it works: so many segments of so many are done.

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


def score(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    *,
    annotations: Given | None = None,
    workers: int = 1,
    executor: Engine | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    on_error: OnError = "stop",
    batch_timeout: float | None = None,
    allow_mixed: bool = False,
) -> ScoreTable:
    """Score every system of the set with every metric.

    ``annotations`` are a user's own, by text; what has none is annotated by the model.
    ``workers`` processes share the work; 0 means one a core. An ``executor`` of your own does
    it in their place, and ``workers`` says how many portions of the set it works on at once;
    a ``distributed.Client``, or ``"dask://HOST:PORT"``, knows that itself. ``allow_mixed`` lets
    in workers whose processors or libraries could change a score's last digit.
    What a ``store`` keeps is not computed again, and what is computed is kept there.
    A document that kills its workers, or takes longer than ``batch_timeout`` seconds, ends the
    run, or with ``on_error="skip"`` is left out of the table, and said to be.
    Raises an ``AlbeitError`` before any work is done if a metric cannot score this set.
    """
    check(evalset, metrics, annotations)
    read = any(layers_of(metric.needs, *TARGET) for metric in metrics)
    brought = signed(evalset, annotations) if annotations and read else None
    names = {} if store is None else identities(evalset, metrics, brought)
    columns: dict[Metric, Column] = {}
    for metric, name in names.items():
        if store is not None and (kept := store.get(name, metric)) is not None:
            columns[metric] = kept
    wanted = [metric for metric in metrics if metric not in columns]
    if not wanted:
        return ScoreTable.build(evalset, [columns[metric] for metric in metrics])
    plan = make_plan(evalset, wanted, annotations)
    faults = Faults(on_error, batch_timeout, allow_mixed)
    statistics = _done(plan, workers, executor, progress, faults)
    if faults.left_out:
        tell_of_left_out(faults.left_out)
        for metric, column in columns.items():
            columns[metric] = _without(column, metric, evalset, faults.left_out)
        evalset, store = _rest(evalset, faults.left_out), None
    for place, rows in zip(plan.job.wanted, statistics, strict=True):
        step = plan.job.steps[place]
        signature = signature_of(evalset, step.metric, step.context, brought, faults.left_out)
        made = Column.from_statistics(step.metric, rows, evalset.documents, signature)
        columns[step.metric] = made
        if store is not None and step.metric in names:
            store.put(names[step.metric], evalset, made, [str(each) for each in step.told])
    return ScoreTable.build(evalset, [columns[metric] for metric in metrics])


def _done(
    plan: Plan, workers: int, executor: Engine | None, progress: Progress | None, faults: Faults
) -> list[FloatArray]:
    """The plan carried out: each wanted metric's statistics over the whole set."""
    found: list[list[FloatArray]] = [[] for _ in plan.job.wanted]
    done, total = 0, len(plan.evalset)
    tell(progress, 0, total)
    apart = faults.on_error == "skip" or faults.batch_timeout is not None
    with employed(
        executor, workers, len(plan.spans), apart=apart, allow_mixed=faults.allow_mixed
    ) as team:
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


def _rest(evalset: EvalSet, left_out: Sequence[Document]) -> EvalSet:
    """The set without some of its segments."""
    return evalset.take(_kept(len(evalset), left_out))


def _kept(segments: int, left_out: Sequence[Document]) -> list[int]:
    gone = {place for document in left_out for place in range(document.start, document.stop)}
    return [place for place in range(segments) if place not in gone]


def _without(
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
    rest = _rest(evalset, left_out)
    return Column.from_statistics(metric, column.statistics[:, rows], rest.documents, signature)
