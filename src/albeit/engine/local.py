"""Run metrics over a set: here or in a pool of processes, batch by batch, in a fixed order.

The unit of work is a batch of whole documents with the translations of *all* systems, so
a reference is analysed once however many systems there are. Results are put together in
document order; the number of workers changes nothing but the time.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from albeit.annotate.layers import Analysis, Layer
from albeit.corpus.model import Document, EvalSet
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.table import Column, ScoreTable

__all__ = ["Progress", "score"]

BATCH_LINES = 4000
"""About how many translations (segments × systems) one batch holds."""


class Progress(Protocol):
    """What the engine tells while it works: so many segments of so many are done."""

    def __call__(self, done: int, total: int) -> None:
        """Called after each batch, in this process."""


@dataclass(frozen=True)
class _Job:
    """Everything a worker needs, sent once when it starts."""

    evalset: EvalSet
    metrics: tuple[Metric, ...]
    contexts: tuple[Context, ...]


def score(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score every system of the set with every metric.

    ``workers`` processes share the work; 0 means one a core. Raises an ``AlbeitError``
    before any work is done if a metric cannot score this set.
    """
    for metric in metrics:
        metric.check(evalset)
    job = _Job(evalset, tuple(metrics), tuple(m.prepare(evalset) for m in metrics))
    spans = list(_batches(evalset))
    parts: list[list[FloatArray]] = [[] for _ in metrics]
    done = 0
    if progress:
        progress(0, len(evalset))
    for span, result in zip(spans, _run(job, spans, workers), strict=True):
        for part, statistics in zip(parts, result, strict=True):
            part.append(statistics)
        done += span[-1].stop - span[0].start
        if progress:
            progress(done, len(evalset))
    columns = [
        Column.from_statistics(m, np.concatenate(part, axis=1), evalset.documents, context)
        for m, part, context in zip(metrics, parts, job.contexts, strict=True)
    ]
    return ScoreTable.build(evalset, columns)


def _batches(evalset: EvalSet) -> Iterator[tuple[Document, ...]]:
    """Consecutive documents, cut where a batch holds enough lines."""
    enough = max(1, BATCH_LINES // max(1, len(evalset.systems)))
    batch: list[Document] = []
    size = 0
    for document in evalset.documents:
        batch.append(document)
        size += len(document)
        if size >= enough:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def _run(
    job: _Job, spans: Sequence[tuple[Document, ...]], workers: int
) -> Iterator[list[FloatArray]]:
    workers = min(workers or os.cpu_count() or 1, len(spans))
    if workers <= 1:
        for span in spans:
            yield _statistics(job, span)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(job,))
    try:
        ahead: list[Future[list[FloatArray]]] = []
        for span in spans:
            ahead.append(pool.submit(_work, span))
            if len(ahead) > 2 * workers:
                yield ahead.pop(0).result()
        while ahead:
            yield ahead.pop(0).result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_job: _Job | None = None


def _start(job: _Job) -> None:
    """Keep the job in the worker; Ctrl-C is the parent's to handle."""
    global _job
    _job = job
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(span: tuple[Document, ...]) -> list[FloatArray]:
    if _job is None:
        raise RuntimeError("worker was not started")
    return _statistics(_job, span)


def _statistics(job: _Job, span: tuple[Document, ...]) -> list[FloatArray]:
    """Statistics of each metric over one batch: (systems, rows, k)."""
    evalset = job.evalset
    first, last = span[0].start, span[-1].stop
    documents = [Document(d.id, d.start - first, d.stop - first) for d in span]
    references = [lines[first:last] for lines in evalset.references.values()]
    sources = None if evalset.source is None else evalset.source[first:last]
    hypotheses = [lines[first:last] for lines in evalset.systems.values()]
    layers = frozenset[Layer]().union(*(m.requires for m in job.metrics))
    analyses: Mapping[str, Analysis] = {}
    if layers:
        from albeit.annotate import annotate

        texts = dict.fromkeys(line for lines in (*references, *hypotheses) for line in lines)
        analyses = annotate(list(texts), layers, evalset.target_lang)
    batches = [
        Batch(
            lines,
            references,
            sources,
            documents,
            evalset.target_lang,
            evalset.source_lang,
            analyses,
        )
        for lines in hypotheses
    ]
    return [
        np.stack([metric.statistics(batch, context) for batch in batches])
        for metric, context in zip(job.metrics, job.contexts, strict=True)
    ]
