"""One test set, and everything that is computed from it: validate, score, and explain."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from albeit import errors
from albeit.data.evalset import Document, EvalSet, Unit
from albeit.data.plausible import UNKNOWN, detect_language
from albeit.evaluation import scoring
from albeit.evaluation.identity import layers_read, signature_of, statistics_keys
from albeit.evaluation.scoring import Job, Prepared, Progress, Workers
from albeit.languages import COMMON
from albeit.metrics import Annotations, Batch, FloatArray, Metric, Signature, View, annotate_set
from albeit.metrics.registry import metric as metric_of
from albeit.metrics.table import Column, ScoreTable

if TYPE_CHECKING:
    from albeit.store import Store

UNUSABLE = (errors.LanguageError, errors.MissingExtraError)
"""Problems that only another metric or an installation solves."""


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
    :param workers: processes or a cluster that score (:class:`albeit.evaluation.Workers`)

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
        workers: Workers | None = None,
    ) -> None:
        self.evalset = evalset
        self.annotations = annotations or None
        self._store, self._workers = store, (workers or Workers()).check()
        self._problems: dict[Metric, errors.AlbeitError | None] = {}
        self._prepared: dict[Metric, Prepared] = {}
        self._columns: dict[Metric, Column] = {}
        self._stored: dict[Metric, dict[str, FloatArray]] = {}

    def problem(self, metric: Metric) -> errors.AlbeitError | None:
        """Return why a metric can't score this set, or ``None``."""
        if metric not in self._problems:
            self._problems[metric] = find_problem(self.evalset, metric, self.annotations)
        return self._problems[metric]

    def usable(
        self, metrics: Sequence[str | Metric]
    ) -> tuple[list[Metric], dict[Metric, errors.AlbeitError]]:
        """Return the metrics that can score this set, and why each of the others can't."""
        chosen = [metric_of(metric) for metric in metrics]
        reasons = {metric: error for metric in chosen if (error := self.problem(metric))}
        return [metric for metric in chosen if metric not in reasons], reasons

    def check(self, metrics: Sequence[Metric]) -> None:
        """Raise unless every metric can score this set, with all problems in one error."""
        if not metrics:
            raise errors.MetricError("no metric is given.")
        for i, metric in enumerate(metrics):
            if metric in metrics[:i]:
                raise errors.MetricError(f"{metric} is given twice.")
        problems = list(filter(None, map(self.problem, metrics)))
        lines = list(dict.fromkeys(map(str, problems)))
        if any(isinstance(problem, UNUSABLE) for problem in problems):
            lines.append(
                f"'albeit metrics --lang {self.evalset.target_lang}' lists the metrics that can"
                " score this language; --skip-unusable skips those that cannot."
            )
        if len(lines) == 1:
            raise problems[0]
        if problems:
            kinds = {type(problem) for problem in problems}
            raise (kinds.pop() if len(kinds) == 1 else errors.MetricError)("\n".join(lines))

    def score(
        self, metrics: Sequence[str | Metric], progress: Progress | None = None
    ) -> ScoreTable:
        """Score every system of the set with every metric.

        What was scored before, or is stored, isn't computed again. A skipped document (see
        :class:`Workers`) isn't in the table, and a warning names it. Raises an ``AlbeitError``
        before any work if a metric can't score this set.
        """
        chosen = [metric_of(metric) for metric in metrics]
        self.check(chosen)
        for metric in chosen:
            self._recall(metric)
        groups = self._groups(chosen)
        size, total = len(self.evalset), len(groups) * len(self.evalset)
        for number, (systems, some) in enumerate(groups.items()):
            job = self.job(some)
            whole = self._score_systems(job, systems, progress, number * size, total)
            if whole.left_out:
                return self._table_without(whole.left_out, job, whole.statistics)
            for metric, rows in zip(some, whole.statistics, strict=True):
                self._keep(metric, job, dict(zip(systems, rows, strict=True)))
        return ScoreTable.build(self.evalset, [self._columns[metric] for metric in chosen])

    def _score_systems(
        self, job: Job, systems: Sequence[str], progress: Progress | None, done: int, total: int
    ) -> scoring.Part:
        """Score some systems; ``done`` of ``total`` segments are finished already."""
        evalset, names = self.evalset, list(self.evalset.systems)
        if list(systems) != names:
            evalset = evalset.select(systems)
            job = job._replace(systems=tuple(map(names.index, systems)))
        progress = progress or (lambda *_: None)
        progress(done, total)
        parts = []
        partitions, given = scoring.split(evalset, job), self.annotations
        for part in scoring.score_parts(job, partitions, self._workers, progress, given):
            parts.append(part)
            done += part.size
            progress(done, total)
        return scoring.join_parts(parts)

    def adopt(self, table: ScoreTable) -> None:
        """Use the statistics of a table that was computed from this set."""
        for column in table.columns.values():
            if column.metric is not None and column.statistics is not None:
                self._columns[column.metric] = column

    def _groups(self, metrics: Sequence[Metric]) -> dict[tuple[str, ...], list[Metric]]:
        """Group metrics by the systems that they have yet to score."""
        missing = [metric for metric in metrics if metric not in self._columns]
        if missing and self._workers.on_error == "skip":  # all skip the same documents
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
        stored = self._stored.setdefault(metric, {})
        warned: dict[str, None] = {}
        for system, key in statistics_keys(self.evalset, metric, self._supplied).items():
            data = self._store.get(key, f"the stored statistics of {metric}")
            if data is not None:
                header, (stored[system],) = scoring.unpack_rows(data)
                warned |= dict.fromkeys(header["warned"])
        if stored and len(stored) == len(self.evalset.systems):
            for message in warned:
                warnings.warn(errors.AlbeitWarning(message), stacklevel=3)
            self._add_column(metric, {}, Signature.from_json(header["signature"]))

    def _keep(self, metric: Metric, job: Job, rows: dict[str, FloatArray]) -> None:
        """Store new statistics, by system, and make the column of all."""
        signature = signature_of(self.evalset, metric, job.context(metric), self._supplied)
        self._add_column(metric, rows, signature)
        if self._store is not None:
            keys = statistics_keys(self.evalset, metric, self._supplied)
            header = {"signature": signature.to_json(), "warned": job.warned(metric)}
            packed = {name: scoring.pack_rows(header, [own]) for name, own in rows.items()}
            self._store.put((key, packed[name]) for name, key in keys.items() if name in packed)

    def _add_column(
        self, metric: Metric, rows: dict[str, FloatArray], signature: Signature
    ) -> None:
        every = self._stored.get(metric, {}) | rows
        statistics = np.stack([every[system] for system in self.evalset.systems])
        column = Column.from_statistics(metric, statistics, self.evalset.documents, signature)
        self._columns[metric] = column

    @cached_property
    def _supplied(self) -> str | None:
        """Digest of supplied annotations for signatures."""
        if not self.annotations:
            return None
        from albeit.parsing.supplied import signed

        return signed(self.evalset, self.annotations)

    def _table_without(
        self, skipped: Sequence[Document], job: Job, statistics: Sequence[FloatArray]
    ) -> ScoreTable:
        """Make a table of the set without some documents."""
        if not statistics:
            what = "every document killed its worker processes: nothing is left to score."
            raise scoring.WorkerError(what)
        scoring.warn_of_skipped(skipped)
        gone = {index for document in skipped for index in range(document.start, document.stop)}
        rest = self.evalset.take([i for i in range(len(self.evalset)) if i not in gone])
        columns = []
        for metric, rows in zip(job.metrics, statistics, strict=True):
            signature = signature_of(rest, metric, job.context(metric), self._supplied, skipped)
            columns.append(Column.from_statistics(metric, rows, rest.documents, signature))
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
        """Return what a metric can explain of these segments (from 1) and documents (ids).

        A segment-level metric explains a document segment by segment.
        """
        if not metric.explains():
            what = f"{metric} has no explanations; 'albeit metrics' shows which metrics do."
            raise errors.MetricError(what)
        whole, size = choose_documents(self.evalset, documents), len(self.evalset)
        if metric.unit is Unit.DOCUMENT:
            if segments:
                what = f"{metric} scores documents, not segments: name one (--document ID)."
                raise errors.MetricError(what)
            return [Passage(document.id, document) for document in whole]
        if wrong := [number for number in segments if not 1 <= number <= size]:
            raise errors.InputError(f"there is no segment {wrong[0]}: the set has {size}.")
        ids = self.evalset.document_ids()
        inside = (n + 1 for document in whole for n in range(document.start, document.stop))
        return [Passage(n, Document(ids[n - 1], n - 1, n)) for n in (*segments, *inside)]

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
        names, references = tuple(self.evalset.systems), tuple(self.evalset.references)
        if not (metrics and chosen and names):
            return
        job = self.job(metrics)
        longest = max(len(passage.span) for passage in chosen)
        step = max(1, scoring.ANNOTATED_LINES // (longest * (len(names) + len(references))))
        for start in range(0, len(chosen), step):
            block = chosen[start : start + step]  # annotated together, in bounded memory
            spans = [Document(str(n), p.span.start, p.span.stop) for n, p in enumerate(block)]
            evalset = scoring.select_documents(self.evalset, spans)
            batches = scoring.make_batches(job, evalset, self.annotations)
            rows = {metric: self._rows(metric, block, batches) for metric in metrics}
            for number, passage in enumerate(block):
                span, document = evalset.documents[number], passage.span
                for metric in metrics:
                    for s, system in enumerate(names):
                        if systems is None or system in systems[passage]:
                            batch = _cut_document(batches[s], span, document.id).seen_by(metric)
                            row = rows[metric][s][number]
                            view = metric.explain(batch, job.context(metric), row)
                            yield metric, view.named(system, references, passage.name)

    def _rows(
        self, metric: Metric, block: Sequence[Passage], batches: Sequence[Batch]
    ) -> FloatArray:
        """Return the statistics of passages (systems, passages, k), from the set's if known."""
        self._recall(metric)
        column = self._columns.get(metric)
        if column is None or column.statistics is None:
            job = self.job([metric])
            return np.stack([scoring.compute_statistics(job, batch)[0] for batch in batches])
        numbers = [passage.span.start for passage in block]
        if metric.unit is Unit.DOCUMENT:
            starts = [document.start for document in self.evalset.documents]
            numbers = np.searchsorted(starts, numbers).tolist()
        return np.asarray(column.statistics[:, numbers])

    def job(self, metrics: Sequence[Metric]) -> Job:
        """Prepare metrics, each once per evaluation."""
        return scoring.prepare_job(self.evalset, metrics, known=self._prepared)

    def batch(self, metrics: Sequence[Metric], documents: Sequence[Document]) -> Batch:
        """Return documents without hypotheses, with the annotations that metrics need."""
        evalset = scoring.select_documents(self.evalset, documents)
        needs = [part.needs for part in scoring.find_parts(metrics)]
        return annotate_set(evalset, needs, self.annotations)


class Passage(NamedTuple):
    """A segment, named by its number from 1, or a document, named by its id; and its position."""

    name: int | str
    span: Document


def _cut_document(batch: Batch, span: Document, name: str) -> Batch:
    """Return one document of a batch, as a batch with only that document."""
    return replace(batch.lines(span.rows), documents=(Document(name, 0, len(span)),))


def find_problem(
    evalset: EvalSet, metric: Metric, annotations: Annotations | None = None
) -> errors.AlbeitError | None:
    """Return why a metric can't score this set, or ``None``.

    Raise if the target language wasn't given, matters to the metric, and is clearly another one.
    """
    if metric.languages is not None or metric.annotated:
        _check_assumed(evalset, metric)
    try:
        metric.check(evalset)
        for part in scoring.find_parts([metric]):
            _check_layers(evalset, part, annotations)
    except UNUSABLE as error:
        named = str(error).startswith(str(metric))
        return error if named else type(error)(f"{metric}: {error}")
    except errors.AlbeitError as error:
        return error
    return None


def _check_assumed(evalset: EvalSet, metric: Metric) -> None:
    """Raise if the language that was assumed for a set isn't that of its texts."""
    detected = evalset.draw("language", lambda: detect_language(evalset))
    if detected is not None:
        what, other = detected
        own, code = evalset.target_lang, other if other in COMMON else "CODE"
        seen = (
            f"does not look like {own!r}" if other == UNKNOWN else f"looks like {other.lower()!r}"
        )
        raise errors.LanguageError(
            f"{metric} depends on the target language, which is not given, and {what} {seen}."
            f" Give it: --lang {code}, or --lang {own} if it is {own!r}."
        )


def _check_layers(evalset: EvalSet, metric: Metric, annotations: Annotations | None) -> None:
    """Raise unless there are annotators for the layers that the metric reads."""
    for layers, lang, unit, suppliable in layers_read(evalset, metric):
        from albeit.parsing.annotator import find
        from albeit.parsing.supplied import check_layers

        try:
            if lang is None:
                what = "the source language must be known. Give --source-lang CODE."
                raise errors.LanguageError(what)
            if suppliable and annotations:
                check_layers(evalset, layers, annotations)
            else:
                find(layers, lang, unit)
        except errors.LanguageError as error:
            raise errors.LanguageError(f"{metric}: {error}") from None


def choose_documents(evalset: EvalSet, names: Sequence[str]) -> list[Document]:
    """Return the documents with these ids."""
    known = {document.id: document for document in evalset.documents}
    for name in names:
        if name not in known:
            listed = ", ".join(list(known)[:5]) + (" …" if len(known) > 5 else "")
            raise errors.InputError(
                f"there is no document {name!r}; there are {len(known)}: {listed}."
            )
    return [known[name] for name in names]
