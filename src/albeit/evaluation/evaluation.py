"""One test set, and everything that is asked of it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, AlbeitWarning, MetricError
from albeit.evaluation.checks import check_names, problem, refuse
from albeit.evaluation.identity import Texts, identities, signature_of
from albeit.evaluation.passages import Block, Passage, blocks, passages
from albeit.evaluation.plan import Job, Plan, Step, make_job, make_plan
from albeit.evaluation.scoring import (
    Effort,
    Progress,
    carry_out,
    column_without,
    rest_of,
    tell_of_left_out,
)
from albeit.evaluation.store import KeptRows, Store
from albeit.evaluation.work import analysed
from albeit.evaluation.workers.engines import Engine
from albeit.evaluation.workers.faults import OnError
from albeit.metrics.base import Batch, Metric
from albeit.metrics.grammar import Signature
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import View
from albeit.parsing import annotate
from albeit.parsing.layers import Analysis, AnyLayer
from albeit.parsing.supplied import Annotations, signed

__all__ = ["Evaluation", "explain", "score"]


class Evaluation:
    """A test set for as long as questions are asked of it; whatever is made, is made once.

    ===============================  ========================================================
    ``usable(metrics)``              which metrics can score the set, and why others cannot
    ``score(metrics)``               the scores of all systems, a :class:`ScoreTable`
    ``explain(metric, segments=…)``  why segments or documents scored as they did
    ``adopt(table)``                 take over scores that were made elsewhere
    ===============================  ========================================================

    A metric is checked once and prepared once; its statistics are made once, or come from the
    store; explanations are made from these statistics.

    :param evalset: the test set
    :param annotations: your own analyses, by text; what has none is annotated by the model
    :param store: where the statistics of a system are kept by content
        (:func:`albeit.evaluation.open_store`); without one nothing is kept
    :param effort: who does the work: processes, a cluster (:class:`albeit.evaluation.Effort`)

    >>> import albeit
    >>> evaluation = albeit.Evaluation(albeit.read("examples/demo"))
    >>> able, reasons = evaluation.usable(["chrf", "bleu"])
    >>> table = evaluation.score(able)
    >>> [view.system for view in evaluation.explain("bleu", segments=[2])][:2]
    ['blunt', 'careful']
    """

    def __init__(
        self,
        evalset: EvalSet,
        annotations: Annotations | None = None,
        *,
        store: Store | None = None,
        effort: Effort | None = None,
    ) -> None:
        self.evalset = evalset
        self.annotations = annotations or None
        self._store, self._effort = store, effort or Effort()
        self._problems: dict[Metric, AlbeitError | None] = {}
        self._steps: dict[Metric, Step] = {}
        self._columns: dict[Metric, Column] = {}
        self._names: dict[Metric, list[str] | None] = {}
        self._kept: dict[Metric, dict[str, KeptRows]] = {}

    # what may be asked

    def problem(self, metric: Metric) -> AlbeitError | None:
        """Why a metric cannot score this set; ``None`` where it can."""
        if metric not in self._problems:
            self._problems[metric] = problem(self.evalset, metric, self.annotations)
        return self._problems[metric]

    def usable(
        self, metrics: Sequence[str | Metric]
    ) -> tuple[list[Metric], dict[Metric, AlbeitError]]:
        """The metrics that can score this set, and why each of the others cannot."""
        made = [metric_of(metric) for metric in metrics]
        why = {metric: self.problem(metric) for metric in made}
        reasons = {metric: error for metric, error in why.items() if error is not None}
        return [metric for metric in made if metric not in reasons], reasons

    def check(self, metrics: Sequence[Metric]) -> None:
        """Raise unless every metric can score this set."""
        check_names(metrics)
        refuse(self.evalset, map(self.problem, metrics))

    # scores

    def score(
        self, metrics: Sequence[str | Metric], progress: Progress | None = None
    ) -> ScoreTable:
        """Score every system of the set with every metric, given by name or as it is.

        What was scored before, or a store keeps, is not computed again. A document that is left
        out (see :class:`Effort`) is not in the table, and a warning says so. Raises an
        ``AlbeitError`` before any work is done if a metric cannot score this set.
        """
        asked = [metric_of(metric) for metric in metrics]
        self.check(asked)
        for metric in asked:
            self._recall(metric)
        missing = [metric for metric in asked if metric not in self._columns]
        groups = self._groups(missing)
        total = len(groups) * len(self.evalset)
        for number, (systems, some) in enumerate(groups.items()):
            faults = self._effort.faults()
            plan = self._plan(some, systems)
            before = number * len(self.evalset)
            statistics = carry_out(plan, self._effort, faults, progress, before, total)
            if faults.left_out:
                return self._without(
                    asked, dict(zip(some, statistics, strict=True)), faults.left_out
                )
            for place, rows in zip(plan.job.wanted, statistics, strict=True):
                self._keep(plan.job.steps[place], systems, rows)
        return ScoreTable.build(self.evalset, [self._columns[metric] for metric in asked])

    def adopt(self, table: ScoreTable) -> None:
        """Take over the statistics of a table that was made of this set."""
        for column in table.columns.values():
            if column.metric is not None and column.statistics is not None:
                self._columns[column.metric] = column

    def _groups(self, metrics: Sequence[Metric]) -> dict[tuple[str, ...], list[Metric]]:
        """Metrics by the systems that they have yet to score."""
        groups: dict[tuple[str, ...], list[Metric]] = {}
        for metric in metrics:
            kept = () if self._effort.skips else self._kept.get(metric, ())
            lacking = tuple(name for name in self.evalset.systems if name not in kept)
            groups.setdefault(lacking, []).append(metric)
        return groups

    def _recall(self, metric: Metric) -> None:
        """Look once whether the store keeps a metric's statistics; warnings are given again."""
        if self._store is None or metric in self._columns or metric in self._kept:
            return
        kept: dict[str, KeptRows] = {}
        names = self._identities(metric)
        for system, name in zip(self.evalset.systems, names or (), strict=names is not None):
            if (found := self._store.get(name, metric)) is not None:
                kept[system] = found
        self._kept[metric] = kept
        if kept and len(kept) == len(self.evalset.systems):
            for said in dict.fromkeys(said for each in kept.values() for said in each.warned):
                warnings.warn(AlbeitWarning(said), stacklevel=3)
            rows = [kept[system].rows for system in self.evalset.systems]
            self._columns[metric] = self._column(metric, rows, kept[system].signature)

    def _keep(self, step: Step, systems: Sequence[str], statistics: FloatArray) -> None:
        """The column of a metric, from statistics of some systems, and those that were kept."""
        metric, evalset = step.metric, self.evalset
        signature = signature_of(evalset, metric, step.context, self._supplied)
        warned = tuple(map(str, step.warned))
        made = {
            system: KeptRows(rows, signature, warned)
            for system, rows in zip(systems, statistics, strict=True)
        }
        every = self._kept.get(metric, {}) | made
        rows = [every[system].rows for system in evalset.systems]
        self._columns[metric] = self._column(metric, rows, signature)
        names = self._identities(metric)
        if self._store is not None and names is not None:
            named = dict(zip(evalset.systems, names, strict=True))
            self._store.put((named[system], kept) for system, kept in made.items())

    def _column(self, metric: Metric, rows: Sequence[FloatArray], signature: Signature) -> Column:
        return Column.from_statistics(metric, np.stack(rows), self.evalset.documents, signature)

    def _identities(self, metric: Metric) -> list[str] | None:
        if metric not in self._names:
            self._names[metric] = identities(self.evalset, self._texts, metric, self._supplied)
        return self._names[metric]

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self.evalset)

    @cached_property
    def _supplied(self) -> str | None:
        """What signatures say of supplied annotations."""
        return signed(self.evalset, self.annotations) if self.annotations else None

    def _without(
        self,
        metrics: Sequence[Metric],
        statistics: Mapping[Metric, FloatArray],
        left_out: Sequence[Document],
    ) -> ScoreTable:
        """A table over the rest of the set, some documents of which killed their workers."""
        tell_of_left_out(left_out)
        rest = rest_of(self.evalset, left_out)
        columns = []
        for metric in metrics:
            if metric in self._columns:
                columns.append(
                    column_without(self._columns[metric], metric, self.evalset, left_out)
                )
                continue
            job = self.job([metric])
            context = job.steps[job.wanted[0]].context
            signature = signature_of(rest, metric, context, self._supplied, left_out)
            columns.append(
                Column.from_statistics(metric, statistics[metric], rest.documents, signature)
            )
        return ScoreTable.build(rest, columns)

    # explanations

    def explain(
        self, metric: str | Metric, *, segments: Sequence[int] = (), documents: Sequence[str] = ()
    ) -> list[View]:
        """Views of these segments (numbers from 1) and documents (ids), each of every system.

        A metric that scores segments explains a document segment by segment; one that scores
        documents explains only those.
        """
        made = metric_of(metric)
        chosen = self.passages(made, segments, documents)
        self.check([made])
        return [view for _, view in self.views([made], chosen)]

    def passages(
        self, metric: Metric, segments: Sequence[int] = (), documents: Sequence[str] = ()
    ) -> list[Passage]:
        """What a metric can explain of these; raises where it cannot."""
        if not metric.explains():
            raise MetricError(
                f"{metric} does not explain its scores; 'albeit metrics' says which do."
            )
        return passages(self.evalset, metric, segments, documents)

    def views(
        self,
        metrics: Sequence[Metric],
        chosen: Sequence[Passage],
        systems: Mapping[Passage, Collection[str]] | None = None,
    ) -> Iterator[tuple[Metric, View]]:
        """Views of passages: passage by passage, for each metric a view of each system.

        The metrics are usable, and all score segments or all documents. ``systems`` says which
        ones are asked for of a passage, where not all are. Only what is asked for is analysed,
        and scored where it was not before; what a metric knows of the whole set, it has prepared
        from the whole set, so that scores are those of :meth:`score`.
        """
        if not (metrics and chosen and self.evalset.systems):
            return
        plan = self._plan(metrics)
        steps = {
            metric: plan.job.steps[at] for metric, at in zip(metrics, plan.job.wanted, strict=True)
        }
        references = tuple(self.evalset.references)
        for block in blocks(plan, chosen):
            rows = self._rows(metrics, block)
            for number, passage in enumerate(block.passages):
                wanted = None if systems is None else systems[passage]
                for metric, step in steps.items():
                    for s, system in enumerate(self.evalset.systems):
                        if wanted is None or system in wanted:
                            batch = block.batch(number, s).seen_by(metric)
                            view = metric.explain(batch, step.context, rows[metric][s][number])
                            yield metric, view.named(system, references, passage.name)

    def _rows(self, metrics: Sequence[Metric], block: Block) -> dict[Metric, FloatArray]:
        """The statistics of a block's passages, (systems, passages, k): the set's, if there are any."""
        found: dict[Metric, FloatArray] = {}
        for metric in metrics:
            self._recall(metric)
            column = self._columns.get(metric)
            if column is not None and column.statistics is not None:
                places = [self._place(passage, metric) for passage in block.passages]
                found[metric] = column.statistics[:, places]
        if missing := [metric for metric in metrics if metric not in found]:
            job = self.job(missing)
            by_system = [block.rows(job, s) for s in range(len(self.evalset.systems))]
            by_metric = map(np.stack, zip(*by_system, strict=True))
            found |= zip(missing, by_metric, strict=True)
        return found

    def _place(self, passage: Passage, metric: Metric) -> int:
        """The row of a passage in a metric's statistics."""
        if metric.unit is Unit.SEGMENT:
            return passage.span.start
        return self._document_places[passage.span.id]

    @cached_property
    def _document_places(self) -> dict[str, int]:
        return {document.id: n for n, document in enumerate(self.evalset.documents)}

    # what they are made from

    def job(self, metrics: Sequence[Metric]) -> Job:
        """The metrics prepared, each once in the life of the evaluation."""
        return make_job(self.evalset, metrics, known=self._steps)

    def batch(self, metrics: Sequence[Metric], documents: Sequence[Document]) -> Batch:
        """The lines of some documents, all but a system's, with the analyses that metrics need."""
        plan = self._plan(metrics)
        return analysed(plan.job, plan.portion(documents))

    def analyses(self, lines: Sequence[str], layers: frozenset[AnyLayer]) -> Mapping[str, Analysis]:
        """Layers of some lines of translations or references."""
        return annotate(lines, layers, self.evalset.target_lang, given=self.annotations)

    def _plan(self, metrics: Sequence[Metric], systems: Sequence[str] | None = None) -> Plan:
        return make_plan(self.job(metrics), self.evalset, self.annotations, systems)


def score(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    *,
    annotations: Annotations | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    workers: int = 1,
    executor: Engine | None = None,
    on_error: OnError = "stop",
    batch_timeout: float | None = None,
    allow_mixed: bool = False,
) -> ScoreTable:
    """Score a set of which nothing else is asked: see :class:`Evaluation` and :class:`Effort`."""
    effort = Effort(workers, executor, on_error, batch_timeout, allow_mixed)
    return Evaluation(evalset, annotations, store=store, effort=effort).score(metrics, progress)


def explain(
    evalset: EvalSet,
    metric: Metric,
    *,
    segments: Sequence[int] = (),
    documents: Sequence[str] = (),
    annotations: Annotations | None = None,
) -> list[View]:
    """Explain a set of which nothing else is asked: see :meth:`Evaluation.explain`."""
    return Evaluation(evalset, annotations).explain(metric, segments=segments, documents=documents)
