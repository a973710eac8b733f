"""One test set, and everything that is computed from it."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.evaluation.checks import Passage, passages, problem, raise_problems
from albeit.evaluation.identity import TextKeys, signature_of, statistics_keys
from albeit.evaluation.plan import (
    ANNOTATED_PORTION_LINES,
    Job,
    Plan,
    Step,
    annotate_portion,
    compute_statistics,
    make_job,
    make_plan,
)
from albeit.evaluation.scoring import Effort, Progress, run_plan, warn_of_skipped
from albeit.metrics.base import Batch, Metric
from albeit.metrics.grammar import Signature
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import View
from albeit.parsing import annotate
from albeit.parsing.layers import Analysis, AnyLayer
from albeit.parsing.supplied import Annotations, signed
from albeit.store import Store


class Evaluation:
    """A test set with everything that is computed from it, each value once.

    ===============================  ========================================================
    ``usable(metrics)``              which metrics can score the set, and why others can't
    ``score(metrics)``               the scores of all systems, a :class:`ScoreTable`
    ``explain(metric, segments=…)``  why segments or documents scored as they did
    ``adopt(table)``                 use scores that were computed elsewhere
    ===============================  ========================================================

    :param evalset: the test set
    :param annotations: supplied annotations by text; the model annotates the other texts
    :param store: where statistics are stored by content (:func:`albeit.evaluation.open_store`)
    :param effort: processes or a cluster that do the work (:class:`albeit.evaluation.Effort`)

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
        self._stored: dict[Metric, dict[str, Stored]] = {}

    def problem(self, metric: Metric) -> AlbeitError | None:
        """Return why a metric can't score this set, or ``None``."""
        if metric not in self._problems:
            self._problems[metric] = problem(self.evalset, metric, self.annotations)
        return self._problems[metric]

    def usable(
        self, metrics: Sequence[str | Metric]
    ) -> tuple[list[Metric], dict[Metric, AlbeitError]]:
        """Return the metrics that can score this set, and why each of the others can't."""
        chosen = [metric_of(metric) for metric in metrics]
        problems = {metric: self.problem(metric) for metric in chosen}
        reasons = {metric: error for metric, error in problems.items() if error is not None}
        return [metric for metric in chosen if metric not in reasons], reasons

    def check(self, metrics: Sequence[Metric]) -> None:
        """Raise unless every metric can score this set."""
        raise_problems(self.evalset, metrics, map(self.problem, metrics))

    def score(
        self, metrics: Sequence[str | Metric], progress: Progress | None = None
    ) -> ScoreTable:
        """Score every system of the set with every metric.

        What was scored before, or is stored, isn't computed again. A skipped document (see
        :class:`Effort`) isn't in the table, and a warning names it. Raises an ``AlbeitError``
        before any work if a metric can't score this set.
        """
        chosen = [metric_of(metric) for metric in metrics]
        self.check(chosen)
        for metric in chosen:
            self._recall(metric)
        groups = self._groups(chosen)
        total = len(groups) * len(self.evalset)
        for number, (systems, some) in enumerate(groups.items()):
            plan = self._plan(some, systems)
            before = number * len(self.evalset)
            statistics, skipped = run_plan(plan, self._effort, progress, before, total)
            steps = [plan.job.steps[index] for index in plan.job.wanted]
            if skipped:
                return self._table_without(skipped, steps, statistics)
            for step, rows in zip(steps, statistics, strict=True):
                self._keep(step, systems, rows)
        return ScoreTable.build(self.evalset, [self._columns[metric] for metric in chosen])

    def adopt(self, table: ScoreTable) -> None:
        """Use the statistics of a table that was computed from this set."""
        for column in table.columns.values():
            if column.metric is not None and column.statistics is not None:
                self._columns[column.metric] = column

    def _groups(self, metrics: Sequence[Metric]) -> dict[tuple[str, ...], list[Metric]]:
        """Group metrics by the systems that they have yet to score."""
        missing = [metric for metric in metrics if metric not in self._columns]
        if missing and self._effort.skips:  # all metrics must skip the same documents
            return {tuple(self.evalset.systems): list(metrics)}
        groups: dict[tuple[str, ...], list[Metric]] = {}
        for metric in missing:
            stored = self._stored.get(metric, ())
            systems = tuple(name for name in self.evalset.systems if name not in stored)
            groups.setdefault(systems, []).append(metric)
        return groups

    def _recall(self, metric: Metric) -> None:
        """Look once whether a metric's statistics are stored; repeat its warnings."""
        if self._store is None or metric in self._columns or metric in self._stored:
            return
        stored: dict[str, Stored] = {}
        for system, key in (self._keys(metric) or {}).items():
            data = self._store.get(key, f"the stored statistics of {metric}")
            if data is not None:
                stored[system] = Stored.unpack(data)
        self._stored[metric] = stored
        if stored and len(stored) == len(self.evalset.systems):
            for message in dict.fromkeys(m for each in stored.values() for m in each.warned):
                warnings.warn(AlbeitWarning(message), stacklevel=3)
            rows = [stored[system].rows for system in self.evalset.systems]
            self._columns[metric] = self._column(metric, rows, stored[system].signature)

    def _keep(self, step: Step, systems: Sequence[str], statistics: FloatArray) -> None:
        """Store new statistics, and make the column from all of them."""
        metric, evalset = step.metric, self.evalset
        signature = signature_of(evalset, metric, step.context, self._supplied)
        rows = dict(zip(systems, statistics, strict=True))
        every = {name: each.rows for name, each in self._stored.get(metric, {}).items()} | rows
        self._columns[metric] = self._column(
            metric, [every[system] for system in evalset.systems], signature
        )
        keys = None if self._store is None else self._keys(metric)
        if self._store is not None and keys is not None:
            warned = tuple(map(str, step.warned))
            self._store.put(
                (keys[system], Stored(part, signature, warned).pack())
                for system, part in rows.items()
            )

    def _column(self, metric: Metric, rows: Sequence[FloatArray], signature: Signature) -> Column:
        return Column.from_statistics(metric, np.stack(rows), self.evalset.documents, signature)

    def _keys(self, metric: Metric) -> dict[str, str] | None:
        return statistics_keys(self._texts, metric, self._supplied)

    @cached_property
    def _texts(self) -> TextKeys:
        return TextKeys(self.evalset)

    @cached_property
    def _supplied(self) -> str | None:
        """Digest of supplied annotations for signatures."""
        return signed(self.evalset, self.annotations) if self.annotations else None

    def _table_without(
        self, skipped: Sequence[Document], steps: Sequence[Step], statistics: Sequence[FloatArray]
    ) -> ScoreTable:
        """Make a table of the set without some documents."""
        warn_of_skipped(skipped)
        gone = {index for document in skipped for index in range(document.start, document.stop)}
        rest = self.evalset.take([i for i in range(len(self.evalset)) if i not in gone])
        columns = []
        for step, rows in zip(steps, statistics, strict=True):
            signature = signature_of(rest, step.metric, step.context, self._supplied, skipped)
            columns.append(Column.from_statistics(step.metric, rows, rest.documents, signature))
        return ScoreTable.build(rest, columns)

    def explain(
        self, metric: str | Metric, *, segments: Sequence[int] = (), documents: Sequence[str] = ()
    ) -> list[View]:
        """Return views of these segments (numbers from 1) and documents (ids), each per system.

        A segment-level metric explains a document segment by segment; a document-level metric
        explains only documents.
        """
        chosen = metric_of(metric)
        spans = self.passages(chosen, segments, documents)
        self.check([chosen])
        return [view for _, view in self.views([chosen], spans)]

    def passages(
        self, metric: Metric, segments: Sequence[int] = (), documents: Sequence[str] = ()
    ) -> list[Passage]:
        """Return what a metric can explain of these; raise if it can't."""
        return passages(self.evalset, metric, segments, documents)

    def views(
        self,
        metrics: Sequence[Metric],
        chosen: Sequence[Passage],
        systems: Mapping[Passage, Collection[str]] | None = None,
    ) -> Iterator[tuple[Metric, View]]:
        """Yield views: passage by passage, for each metric a view of each system.

        :param metrics: usable metrics, all segment-level or all document-level
        :param chosen: the passages; only these are annotated, and scored if they aren't yet
        :param systems: the systems per passage, if not all
        """
        if not (metrics and chosen and self.evalset.systems):
            return
        plan = self._plan(metrics)
        steps = [plan.job.steps[index] for index in plan.job.wanted]
        references = tuple(self.evalset.references)
        for block in self._blocks(chosen):
            portion = plan.portion([passage.span for passage in block])
            shared = annotate_portion(plan.job, portion)
            rows = self._rows(metrics, block, shared, portion.hypotheses)
            for number, passage in enumerate(block):
                for step in steps:
                    for s, system in enumerate(self.evalset.systems):
                        if systems is None or system in systems[passage]:
                            batch = _passage_batch(shared, number, portion.hypotheses[s], s)
                            view = step.metric.explain(
                                batch.seen_by(step.metric),
                                step.context,
                                rows[step.metric][s][number],
                            )
                            yield step.metric, view.named(system, references, passage.name)

    def _blocks(self, chosen: Sequence[Passage]) -> Iterator[list[Passage]]:
        """Group passages, so that texts are annotated together and memory is bounded."""
        texts = len(self.evalset.systems) + len(self.evalset.references)
        block: list[Passage] = []
        size = 0
        for passage in chosen:
            lines = len(passage.span) * texts
            if block and size + lines > ANNOTATED_PORTION_LINES:
                yield block
                block, size = [], 0
            block.append(passage)
            size += lines
        yield block

    def _rows(
        self,
        metrics: Sequence[Metric],
        block: Sequence[Passage],
        shared: Batch,
        hypotheses: Sequence[Sequence[str]],
    ) -> dict[Metric, FloatArray]:
        """Return the statistics of passages (systems, passages, k), from the set's if known."""
        rows: dict[Metric, FloatArray] = {}
        for metric in metrics:
            self._recall(metric)
            column = self._columns.get(metric)
            if column is not None and column.statistics is not None:
                rows[metric] = column.statistics[:, [self._row(p, metric) for p in block]]
        if missing := [metric for metric in metrics if metric not in rows]:
            job = self.job(missing)
            by_system = [
                compute_statistics(job, replace(shared, hypotheses=lines, system=s))
                for s, lines in enumerate(hypotheses)
            ]
            rows |= zip(missing, map(np.stack, zip(*by_system, strict=True)), strict=True)
        return rows

    def _row(self, passage: Passage, metric: Metric) -> int:
        """Return the row of a passage in a metric's statistics."""
        if metric.unit is Unit.SEGMENT:
            return passage.span.start
        return self._document_rows[passage.span.id]

    @cached_property
    def _document_rows(self) -> dict[str, int]:
        return {document.id: n for n, document in enumerate(self.evalset.documents)}

    def job(self, metrics: Sequence[Metric]) -> Job:
        """Prepare metrics, each once per evaluation."""
        return make_job(self.evalset, metrics, known=self._steps)

    def batch(self, metrics: Sequence[Metric], documents: Sequence[Document]) -> Batch:
        """Return documents without hypotheses, with the annotations that metrics need."""
        plan = self._plan(metrics)
        return annotate_portion(plan.job, plan.portion(documents))

    def analyses(self, lines: Sequence[str], layers: frozenset[AnyLayer]) -> Mapping[str, Analysis]:
        """Return layers of lines of translations or references."""
        return annotate(lines, layers, self.evalset.target_lang, given=self.annotations)

    def _plan(self, metrics: Sequence[Metric], systems: Sequence[str] | None = None) -> Plan:
        return make_plan(self.job(metrics), self.evalset, self.annotations, systems)


class Stored(NamedTuple):
    """Stored statistics of a metric and a system, its signature, and its warnings."""

    rows: FloatArray
    signature: Signature
    warned: tuple[str, ...] = ()

    def pack(self) -> bytes:
        """Return a line of JSON and the rows in NumPy's format."""
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(self.rows), allow_pickle=False)
        content = {"signature": self.signature.to_json(), "warned": self.warned}
        return json.dumps(content).encode() + b"\n" + buffer.getvalue()

    @classmethod
    def unpack(cls, data: bytes) -> Stored:
        """Read those bytes."""
        header, _, rows = data.partition(b"\n")
        content = json.loads(header)
        signature = Signature.from_json(content["signature"])
        array = np.load(io.BytesIO(rows), allow_pickle=False)
        return cls(array, signature, tuple(content["warned"]))


def _passage_batch(shared: Batch, number: int, hypotheses: Sequence[str], system: int) -> Batch:
    """Cut one passage of one system from a batch whose documents are passages."""
    at = shared.documents[number]
    return replace(
        shared,
        hypotheses=hypotheses[at.rows],
        references=tuple(lines[at.rows] for lines in shared.references),
        sources=None if shared.sources is None else shared.sources[at.rows],
        documents=(Document(at.id, 0, len(at)),),
        system=system,
    )
