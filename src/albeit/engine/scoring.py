"""Score a set: refuse what cannot be done, plan, have it done, put the results together.

Results are put together in document order; who does the work, and how many of them, changes
nothing but the time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol

import numpy as np

from albeit.annotate.annotators import BUILTIN, find
from albeit.annotate.given import Given, check_layers, signed
from albeit.annotate.needs import Side, layers_of
from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.engine.executor import Executor, Here, Pool, in_order
from albeit.engine.identity import identity, set_digest
from albeit.engine.plan import TARGET, Plan, make_plan
from albeit.engine.store import Store
from albeit.errors import AlbeitError, LanguageError, MetricError, MissingExtraError
from albeit.metrics.base import Context, Metric
from albeit.metrics.signature import Signature
from albeit.metrics.table import Column, ScoreTable

__all__ = ["UNUSABLE", "Progress", "check", "score", "unusable"]

UNUSABLE = (LanguageError, MissingExtraError)
"""What is in the way of a metric that nothing but leaving it out will mend, or an installation."""

AHEAD = 2
"""How many portions a worker wait in the queue, so that none is ever idle."""


class Progress(Protocol):
    """What the engine tells while it works: so many segments of so many are done."""

    def __call__(self, done: int, total: int) -> None:
        """Called before the first portion and after each, in this process."""


def score(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    *,
    annotations: Given | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score every system of the set with every metric.

    ``annotations`` are a user's own, by text; what has none is annotated by the model.
    ``workers`` processes share the work; 0 means one a core. An ``executor`` of your own does
    it in their place, and ``workers`` says how many portions of the set it works on at once.
    What a ``store`` keeps is not computed again, and what is computed is kept there.
    Raises an ``AlbeitError`` before any work is done if a metric cannot score this set.
    """
    if workers < 0:
        raise AlbeitError(f"the number of workers must be 0 (one a core) or more, not {workers}.")
    check(evalset, metrics, annotations)
    read = any(layers_of(metric.needs, *TARGET) for metric in metrics)
    brought = signed(evalset, annotations) if annotations and read else None
    names = {} if store is None else _identities(evalset, metrics, brought)
    columns: dict[Metric, Column] = {}
    for metric, name in names.items():
        if store is not None and (kept := store.get(name, metric)) is not None:
            columns[metric] = kept
    wanted = [metric for metric in metrics if metric not in columns]
    if wanted:
        plan = make_plan(evalset, wanted, annotations)
        statistics = _done(plan, workers or os.cpu_count() or 1, executor, progress)
        for place, rows in zip(plan.job.wanted, statistics, strict=True):
            step = plan.job.steps[place]
            signature = _signature(evalset, step.metric, step.context, brought)
            made = Column.from_statistics(step.metric, rows, evalset.documents, signature)
            columns[step.metric] = made
            if store is not None and step.metric in names:
                store.put(names[step.metric], evalset, made, [str(each) for each in step.told])
    return ScoreTable.build(evalset, [columns[metric] for metric in metrics])


def _identities(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: str | None
) -> dict[Metric, str]:
    """The name under which each metric's statistics are kept, where they can be."""
    digest = set_digest(evalset)
    found = {
        metric: identity(
            digest, metric, annotations if layers_of(metric.needs, *TARGET) else None,
            _strangers(evalset, metric, annotations),
        )
        for metric in metrics
    }  # fmt: skip
    return {metric: name for metric, name in found.items() if name is not None}


def check(evalset: EvalSet, metrics: Sequence[Metric], annotations: Given | None = None) -> None:
    """Raise unless every metric can score this set; tell all that is in the way at once."""
    if not metrics:
        raise MetricError("no metric is given.")
    for i, metric in enumerate(metrics):
        if metric in metrics[:i]:
            raise MetricError(f"{metric} is asked for twice.")
    problems = list(unusable(evalset, metrics, annotations).values())
    if not problems:
        return
    said = list(dict.fromkeys(map(str, problems)))
    if any(isinstance(problem, UNUSABLE) for problem in problems):
        said.append(
            f"'albeit metrics --lang {evalset.target_lang}' lists the metrics that can score this"
            " language; --skip-unusable leaves out those that cannot."
        )
    if len(said) == 1:
        raise problems[0]
    kinds = {type(problem) for problem in problems}
    raise (kinds.pop() if len(kinds) == 1 else MetricError)("\n".join(said))


def unusable(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: Given | None = None
) -> dict[Metric, AlbeitError]:
    """The metrics that cannot score this set, each with what is in its way."""
    problems: dict[Metric, AlbeitError] = {}
    for metric in metrics:
        try:
            metric.check(evalset)
            _check_needs(evalset, metric, annotations)
        except (LanguageError, MissingExtraError) as error:
            said = str(error)
            named = said.startswith(str(metric))
            problems[metric] = error if named else type(error)(f"{metric}: {said}")
        except AlbeitError as error:
            problems[metric] = error
    return problems


def _check_needs(evalset: EvalSet, metric: Metric, annotations: Given | None) -> None:
    """Raise unless there is somebody to make the layers that the metric reads."""
    try:
        check_layers(evalset, layers_of(metric.needs, *TARGET), annotations)
        documents = layers_of(metric.needs, *TARGET, unit=Unit.DOCUMENT)
        if documents:
            find(documents, evalset.target_lang, Unit.DOCUMENT)
        for unit in Unit:
            source = layers_of(metric.needs, Side.SOURCE, unit=unit)
            if source and evalset.source_lang is None:
                raise LanguageError("the source language must be known. Give --source-lang CODE.")
            if source and evalset.source_lang is not None:
                find(source, evalset.source_lang, unit)
    except LanguageError as error:
        raise LanguageError(f"{metric}: {error}") from None


def _done(
    plan: Plan, workers: int, executor: Executor | None, progress: Progress | None
) -> list[FloatArray]:
    """The plan carried out: each wanted metric's statistics over the whole set."""
    found: list[list[FloatArray]] = [[] for _ in plan.job.wanted]
    done, total = 0, len(plan.evalset)
    if progress:
        progress(0, total)
    with ExitStack() as stack:
        ahead = AHEAD * workers
        if executor is None:
            workers = min(workers, len(plan.spans))
            executor = stack.enter_context(Pool(workers)) if workers > 1 else Here()
            ahead = AHEAD * workers if workers > 1 else 0
        for size, statistics in in_order(executor, plan.job, plan.portions(), ahead):
            for whole, part in zip(found, statistics, strict=True):
                whole.append(part)
            done += size
            if progress:
                progress(done, total)
    return [np.concatenate(parts, axis=1) for parts in found]


def _signature(
    evalset: EvalSet, metric: Metric, context: Context, annotations: str | None
) -> Signature:
    """The metric's signature, with references, whose annotations it used, and how texts were cut.

    The model is named only if it had a part.
    """
    found = metric.signature(context)
    if strangers := _strangers(evalset, metric, annotations):
        found = found.without("annotator").with_("annotator", "+".join(strangers))
    if annotations is not None and layers_of(metric.needs, *TARGET):
        if not annotations.endswith("+model"):
            found = found.without("annotator")
        found = found.with_("annotations", annotations)
    if evalset.resegmented:
        found = found.with_("resegment", evalset.resegmented)
    if not metric.reads(Side.REFERENCE):
        return found
    return found.with_("refs", str(len(evalset.references)))


def _strangers(evalset: EvalSet, metric: Metric, annotations: str | None) -> list[str]:
    """The annotators of other packages that a metric relies on; metrics name our own."""
    alone = annotations is not None and not annotations.endswith("+model")
    found: set[str] = set()
    for sides, lang in ((TARGET, evalset.target_lang), ((Side.SOURCE,), evalset.source_lang)):
        for unit in Unit:
            layers = layers_of(metric.needs, *sides, unit=unit)
            if layers and lang and not (alone and sides is TARGET and unit is Unit.SEGMENT):
                one = find(layers, lang, unit)
                found |= set() if one.name in BUILTIN else {one.identity(lang)}
    return sorted(found)
