"""Run metrics over a set: here or in a pool of processes, batch by batch, in a fixed order.

The unit of work is a batch of whole documents with the translations of *all* systems, so
a reference is analysed once however many systems there are. Results are put together in
document order; the number of workers changes nothing but the time. A worker is sent the
lines of its batch and no more, and only a few batches are under way at once, so beyond
the set itself memory holds nothing but statistics.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from albeit.annotate.given import Given, check_layers, signed
from albeit.annotate.layers import Analysis, Layer
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.errors import AlbeitError, LanguageError, MetricError
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.table import Column, ScoreTable

__all__ = ["Progress", "WorkerError", "score"]

BATCH_LINES = 4000
"""About how many translations (segments × systems) one batch holds."""

ANNOTATED_BATCH_LINES = 1000
"""The same where texts are annotated first: slower work, so that progress shows sooner."""

AHEAD = 2
"""How many batches a worker wait in the queue, so that none is ever idle."""


class Progress(Protocol):
    """What the engine tells while it works: so many segments of so many are done."""

    def __call__(self, done: int, total: int) -> None:
        """Called before the first batch and after each, in this process."""


class WorkerError(ChildProcessError):
    """A worker process died, for want of memory most likely."""


@dataclass(frozen=True)
class _Job:
    """What every batch needs; sent to a worker once, when it starts."""

    metrics: tuple[Metric, ...]
    contexts: tuple[Context, ...]
    layers: frozenset[Layer]
    target_lang: str
    source_lang: str | None


@dataclass(frozen=True)
class _Task:
    """The lines of some whole documents; document positions are those within the task.

    ``given`` are the annotations that a user brought for these lines.
    """

    documents: tuple[Document, ...]
    references: tuple[Sequence[str], ...]
    sources: Sequence[str] | None
    hypotheses: tuple[Sequence[str], ...]
    given: Given | None = None

    def __len__(self) -> int:
        return self.documents[-1].stop


def score(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    *,
    annotations: Given | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score every system of the set with every metric.

    ``annotations`` are a user's own, by text; what has none is annotated by the model.
    ``workers`` processes share the work; 0 means one a core. Raises an ``AlbeitError``
    before any work is done if a metric cannot score this set.
    """
    if workers < 0:
        raise AlbeitError(f"the number of workers must be 0 (one a core) or more, not {workers}.")
    if not metrics:
        raise MetricError("no metric is given.")
    for i, metric in enumerate(metrics):
        if metric in metrics[:i]:
            raise MetricError(f"{metric} is asked for twice.")
        metric.check(evalset)
        try:
            check_layers(evalset, metric.requires, annotations)
        except LanguageError as error:
            raise LanguageError(f"{metric}: {error}") from None
    contexts = tuple(metric.prepare(evalset) for metric in metrics)
    layers = frozenset[Layer]().union(*(metric.requires for metric in metrics))
    job = _Job(tuple(metrics), contexts, layers, evalset.target_lang, evalset.source_lang)
    spans = list(_spans(evalset, metrics))
    parts: list[list[FloatArray]] = [[] for _ in metrics]
    done, total = 0, len(evalset)
    if progress:
        progress(0, total)
    tasks = (_task(evalset, span, annotations if layers else None) for span in spans)
    workers = min(workers or os.cpu_count() or 1, len(spans))
    results = _in_pool(job, tasks, workers) if workers > 1 else _here(job, tasks)
    for size, result in results:
        for part, statistics in zip(parts, result, strict=True):
            part.append(statistics)
        done += size
        if progress:
            progress(done, total)
    brought = signed(evalset, annotations) if annotations and layers else None
    references = len(evalset.references)
    columns = [
        Column.from_statistics(
            m, np.concatenate(part, axis=1), evalset.documents, context, references, brought
        )
        for m, part, context in zip(metrics, parts, contexts, strict=True)
    ]
    return ScoreTable.build(evalset, columns)


def _spans(evalset: EvalSet, metrics: Sequence[Metric]) -> Iterator[tuple[Document, ...]]:
    """Consecutive documents, cut where a batch holds enough lines.

    Documents stay whole. A set that says nothing of documents counts as one, but where
    all metrics score segments it is cut anywhere, or it could not be shared out.
    """
    lines = ANNOTATED_BATCH_LINES if any(m.requires for m in metrics) else BATCH_LINES
    enough = max(1, lines // max(1, len(evalset.systems)))
    documents: Iterable[Document] = evalset.documents
    if not evalset.has_documents and all(m.unit is Unit.SEGMENT for m in metrics):
        (whole,) = evalset.documents
        documents = (
            Document(whole.id, start, min(start + enough, whole.stop))
            for start in range(whole.start, whole.stop, enough)
        )
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document)
        if size >= enough:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def _task(evalset: EvalSet, span: tuple[Document, ...], annotations: Given | None = None) -> _Task:
    first, last = span[0].start, span[-1].stop
    references = tuple(lines[first:last] for lines in evalset.references.values())
    hypotheses = tuple(lines[first:last] for lines in evalset.systems.values())
    given = None
    if annotations:
        texts = (line for lines in (*references, *hypotheses) for line in lines)
        given = {text: annotations[text] for text in texts if text in annotations}
    return _Task(
        tuple(Document(d.id, d.start - first, d.stop - first) for d in span),
        references,
        None if evalset.source is None else evalset.source[first:last],
        hypotheses,
        given,
    )


Result = tuple[int, list[FloatArray]]
"""The number of segments in a batch, and each metric's statistics over it."""


def _here(job: _Job, tasks: Iterable[_Task]) -> Iterator[Result]:
    for task in tasks:
        yield len(task), _statistics(job, task)


def _in_pool(job: _Job, tasks: Iterable[_Task], workers: int) -> Iterator[Result]:
    """Results in the order of the tasks; whatever goes wrong, no worker outlives this."""
    strangers = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(job,))
    ahead: deque[tuple[int, Future[list[FloatArray]]]] = deque()
    try:
        for task in tasks:
            with _shielded_from_interrupts():
                ahead.append((len(task), pool.submit(_work, task)))
            if len(ahead) > AHEAD * workers:
                yield _finished(ahead)
        while ahead:
            yield _finished(ahead)
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process died; the machine may be short of memory. Use fewer --workers."
        ) from error
    except BaseException:
        for process in set(multiprocessing.active_children()) - strangers:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _finished(ahead: deque[tuple[int, Future[list[FloatArray]]]]) -> Result:
    size, future = ahead.popleft()
    return size, future.result()


@contextmanager
def _shielded_from_interrupts() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back while a process may start; they arrive on leaving.

    A terminal sends Ctrl-C to workers too, which would each die with a traceback; a blocked
    signal stays blocked in them from their first instruction. SIGTERM, which is how they are
    ended, they let in again; here it must not come when a process is started but not yet known.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows: workers ignore it in _start
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_job: _Job | None = None


def _start(job: _Job) -> None:
    """Keep the job in the worker; Ctrl-C is the parent's to handle."""
    global _job
    _job = job
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def _work(task: _Task) -> list[FloatArray]:
    if _job is None:
        raise RuntimeError("worker was not started")
    return _statistics(_job, task)


def _statistics(job: _Job, task: _Task) -> list[FloatArray]:
    """Statistics of each metric over one batch: (systems, rows, k)."""
    analyses: Mapping[str, Analysis] = {}
    if job.layers:
        from albeit.annotate import annotate

        texts = dict.fromkeys(
            line for lines in (*task.references, *task.hypotheses) for line in lines
        )
        analyses = annotate(list(texts), job.layers, job.target_lang, given=task.given)
    batches = [
        Batch(
            lines, task.references, task.sources, task.documents,
            job.target_lang, job.source_lang, analyses,
        )
        for lines in task.hypotheses
    ]  # fmt: skip
    return [
        np.stack([_rows(metric, batch, context) for batch in batches])
        for metric, context in zip(job.metrics, job.contexts, strict=True)
    ]


def _rows(metric: Metric, batch: Batch, context: Context) -> FloatArray:
    """A metric's statistics, checked: a wrong number of rows would shift all scores."""
    rows = metric.statistics(batch, context)
    expected = len(batch) if metric.unit is Unit.SEGMENT else len(batch.documents)
    if rows.ndim != 2 or len(rows) != expected:
        raise MetricError(
            f"{metric} gave statistics of shape {rows.shape} for {expected} {metric.unit}s;"
            " it must give one row each. This is a fault of the metric."
        )
    return rows
