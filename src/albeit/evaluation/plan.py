"""A job over portions of a test set: prepared metrics, whole documents, and the statistics of both.

A portion has the translations of *all* systems, so each reference is annotated once. Each distinct
metric is one step, including parts of composites, so nothing is computed twice. All values here can
be pickled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from threading import Lock
from typing import Any

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitWarning, MetricError
from albeit.metrics.base import Batch, Composite, Context, Metric
from albeit.parsing.needs import Analysis, Need, Side, layers_of
from albeit.parsing.supplied import Annotations

TARGET = (Side.HYPOTHESIS, Side.REFERENCE)
"""The sides in the target language, whose lines are annotated together."""
PORTION_LINES = 4000
"""Approximate number of translations (segments × systems) per portion."""
ANNOTATED_PORTION_LINES = 1000
"""The same if texts are annotated, which is slower, so that progress is shown sooner."""

_recording = Lock()
"""Warnings are recorded for the whole process, so only one thread at a time may do it."""


@dataclass(frozen=True)
class Step:
    """One distinct metric with its context; a composite has the indexes of its parts in the job.

    ``warned`` are the warnings that preparing it gave.
    """

    metric: Metric
    context: Context
    parts: tuple[int, ...] = ()
    warned: tuple[AlbeitWarning, ...] = ()


@dataclass(frozen=True)
class Job:
    """What is the same for all portions: the steps, parts before wholes, and which are wanted.

    ``loose``: segments are independent, because the set has no documents and no metric reads them.
    """

    steps: tuple[Step, ...]
    wanted: tuple[int, ...]
    needs: frozenset[Need]
    target_lang: str
    source_lang: str | None
    loose: bool = False


@dataclass(frozen=True)
class Portion:
    """The lines of some whole documents; document positions are relative to the portion.

    :param given: the annotations that the user supplied for these lines
    :param first: the index of its first segment in the set
    :param finish: turns the portion and its statistics into another result, in the worker; halves
        of a portion don't have it
    :param systems: indexes of the systems in the prepared set, if not all are scored
    """

    documents: tuple[Document, ...]
    references: tuple[Sequence[str], ...]
    sources: Sequence[str] | None
    hypotheses: tuple[Sequence[str], ...]
    given: Annotations | None = None
    first: int = 0
    finish: Callable[[Portion, list[FloatArray]], Any] | None = None
    systems: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return self.documents[-1].stop

    def describe(self, job: Job) -> str:
        """Name the document or segments for messages."""
        first, last = self.first + 1, self.first + len(self)
        lines = f"segment {first}" if first == last else f"segments {first} to {last}"
        if job.loose or len(self.documents) > 1:
            return lines
        return f"document {self.documents[0].id!r} ({lines})"

    def halve(self, job: Job) -> tuple[Portion, ...]:
        """Split into two portions of about half the segments; itself if it can't be split."""
        cut = len(self) // 2
        if not job.loose:
            if len(self.documents) == 1:
                return (self,)
            cut = min((d.start for d in self.documents[1:]), key=lambda start: abs(start - cut))
        if not 0 < cut < len(self):
            return (self,)
        return self._slice(0, cut), self._slice(cut, len(self))

    def _slice(self, start: int, stop: int) -> Portion:
        documents = (d for d in self.documents if d.start < stop and d.stop > start)
        return replace(
            self,
            documents=tuple(
                Document(d.id, max(d.start, start) - start, min(d.stop, stop) - start)
                for d in documents
            ),
            references=tuple(lines[start:stop] for lines in self.references),
            sources=None if self.sources is None else self.sources[start:stop],
            hypotheses=tuple(lines[start:stop] for lines in self.hypotheses),
            first=self.first + start,
            finish=None,
        )


@dataclass(frozen=True)
class Plan:
    """A job over the portions of a set, in document order; ``systems`` as in :class:`Portion`."""

    job: Job
    evalset: EvalSet
    spans: tuple[tuple[Document, ...], ...]
    annotations: Annotations | None = None
    systems: tuple[int, ...] | None = None

    def portions(self) -> Iterator[Portion]:
        """Yield the portions."""
        return (self.portion(span) for span in self.spans)

    def portion(self, span: Sequence[Document]) -> Portion:
        """Return the lines of some documents, or of segments."""

        def cut(lines: Sequence[str]) -> Sequence[str]:
            return tuple(line for document in span for line in lines[document.rows])

        references = tuple(map(cut, self.evalset.references.values()))
        hypotheses = tuple(map(cut, self.evalset.systems.values()))
        given = None
        if self.annotations:
            texts = (line for lines in (*references, *hypotheses) for line in lines)
            given = {text: self.annotations[text] for text in texts if text in self.annotations}
        ends = accumulate(map(len, span))
        return Portion(
            tuple(Document(d.id, end - len(d), end) for d, end in zip(span, ends, strict=True)),
            references,
            None if self.evalset.source is None else cut(self.evalset.source),
            hypotheses,
            given,
            span[0].start,
            systems=self.systems,
        )


def make_plan(
    job: Job,
    evalset: EvalSet,
    annotations: Annotations | None = None,
    systems: Sequence[str] | None = None,
) -> Plan:
    """Split a set into portions; ``systems`` are the ones to score, if not all."""
    given = annotations if layers_of(job.needs, *TARGET) else None
    indexes = None
    if systems is not None and tuple(systems) != tuple(evalset.systems):
        indexes = tuple(map(list(evalset.systems).index, systems))
        evalset = evalset.select(systems)
    return Plan(job, evalset, tuple(_spans(evalset, job)), given, indexes)


def make_job(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    whole: EvalSet | None = None,
    known: dict[Metric, Step] | None = None,
) -> Job:
    """Prepare each distinct metric once.

    :param evalset: the set, or its beginning
    :param metrics: the metrics
    :param whole: the whole set, for the metrics that prepare on it
    :param known: steps that are prepared already; new ones are added
    """
    prepared = {} if known is None else known
    indexes: dict[Metric, int] = {}
    steps: list[Step] = []
    shown: set[str] = set()

    def add(metric: Metric) -> int:
        if metric in indexes:
            return indexes[metric]
        if isinstance(metric, Composite):
            parts = tuple(add(part) for part in metric.parts)
            below = [steps[part] for part in parts]
            warned = tuple(each for step in below for each in step.warned)
            step = Step(metric, tuple(step.context for step in below), parts, warned)
        elif metric in prepared:
            step = prepared[metric]
        else:
            step = _prepare(metric, whole if whole and metric.whole_set else evalset, shown)
            prepared[metric] = step
        indexes[metric] = len(steps)
        steps.append(step)
        return indexes[metric]

    wanted = tuple(add(metric) for metric in metrics)
    needs = frozenset[Need]().union(*(step.metric.needs for step in steps))
    by_segment = all(step.metric.unit is Unit.SEGMENT for step in steps)
    loose = by_segment and not evalset.has_documents
    return Job(tuple(steps), wanted, needs, evalset.target_lang, evalset.source_lang, loose)


def portion_size(metrics: Iterable[Metric], systems: int) -> int:
    """Return the minimum number of segments per portion."""
    annotated = any(metric.annotated for metric in metrics)
    lines = ANNOTATED_PORTION_LINES if annotated else PORTION_LINES
    return max(1, lines // max(1, systems))


def _prepare(metric: Metric, evalset: EvalSet, shown: set[str]) -> Step:
    """Prepare a metric on the sides that it reads; warn unless the warning was ``shown`` before."""
    references = evalset.references if metric.sees(Side.REFERENCE) else {}
    source = evalset.source if metric.sees(Side.SOURCE) else None
    if references is not evalset.references or source is not evalset.source:
        full, key = evalset, ("sides", bool(references), source is not None)
        evalset = full.draw(key, lambda: replace(full, references=references, source=source))
    with _recording, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlbeitWarning)
        context = metric.prepare(evalset)
    messages = [each.message for each in caught]
    for message in messages:
        if str(message) not in shown:
            warnings.warn(message, stacklevel=2)
    shown.update(map(str, messages))
    return Step(metric, context, warned=tuple(m for m in messages if isinstance(m, AlbeitWarning)))


def _spans(evalset: EvalSet, job: Job) -> Iterator[tuple[Document, ...]]:
    """Group consecutive documents into portions; split a set of loose segments anywhere."""
    enough = portion_size((step.metric for step in job.steps), len(evalset.systems))
    documents: Iterable[Document] = evalset.documents
    if job.loose:
        (whole,) = evalset.documents
        documents = (
            Document(whole.id, start, min(start + enough, whole.stop))
            for start in range(whole.start, whole.stop, enough)
        )
    span: list[Document] = []
    size = 0
    for document in documents:
        span.append(document)
        size += len(document)
        if size >= enough:
            yield tuple(span)
            span, size = [], 0
    if span:
        yield tuple(span)


def work(job: Job, portion: Portion) -> list[FloatArray]:
    """Return the statistics of each wanted metric over a portion: (systems, rows, k)."""
    by_system = [compute_statistics(job, batch) for batch in make_batches(job, portion)]
    return [np.stack(rows) for rows in zip(*by_system, strict=True)]


def compute_statistics(job: Job, batch: Batch) -> list[FloatArray]:
    """Run all steps over one system's batch; return the rows of the wanted ones."""
    results: list[FloatArray] = []
    for step in job.steps:
        metric, visible = step.metric, batch.seen_by(step.metric)
        if isinstance(metric, Composite):
            rows = metric.combine([results[part] for part in step.parts], visible)
        else:
            rows = metric.statistics(visible, step.context)
        expected = len(batch) if metric.unit is Unit.SEGMENT else len(batch.documents)
        if rows.ndim != 2 or len(rows) != expected:
            raise MetricError(
                f"{metric} returned statistics of shape {rows.shape} for {expected} {metric.unit}s;"
                " one row each is required. This is an error in the metric."
            )
        results.append(rows)
    return [results[index] for index in job.wanted]


def make_batches(job: Job, portion: Portion) -> list[Batch]:
    """Make a batch per system; all share their annotations."""
    shared = annotate_portion(job, portion)
    systems = range(len(portion.hypotheses)) if portion.systems is None else portion.systems
    return [
        replace(shared, hypotheses=lines, system=index)
        for index, lines in zip(systems, portion.hypotheses, strict=True)
    ]


def annotate_portion(job: Job, portion: Portion) -> Batch:
    """Make a batch without hypotheses, with the annotations that metrics need of all texts."""
    plain = Batch(
        *((), portion.references, portion.sources, portion.documents),
        *(job.target_lang, job.source_lang),
    )
    if not any(layers_of(job.needs, *Side, unit=unit) for unit in Unit):
        return plain
    from albeit.parsing import annotate, annotate_documents
    from albeit.parsing.annotation import annotate_needs

    texts = {
        Side.REFERENCE: portion.references,
        Side.HYPOTHESIS: portion.hypotheses,
        Side.SOURCE: () if portion.sources is None else (portion.sources,),
    }

    def lines(side: Side) -> Iterator[str]:
        return (line for own in texts[side] for line in own)

    def documents(side: Side) -> Iterator[tuple[str, ...]]:
        return (tuple(own[document.rows]) for own in texts[side] for document in portion.documents)

    target, source = job.target_lang, job.source_lang or ""
    needs = [step.metric.needs for step in job.steps if not isinstance(step.metric, Composite)]
    by_line = partial(annotate_needs, needs, Unit.SEGMENT)
    by_document = partial(annotate_needs, needs, Unit.DOCUMENT)
    parts: tuple[Mapping[frozenset[Need], Mapping[Any, Analysis]], ...] = (
        by_line(TARGET[::-1], target, lines, partial(annotate, lang=target, given=portion.given)),
        by_line((Side.SOURCE,), source, lines, partial(annotate, lang=source)),
        by_document(TARGET[::-1], target, documents, partial(annotate_documents, lang=target)),
        by_document((Side.SOURCE,), source, documents, partial(annotate_documents, lang=source)),
    )
    own, own_source, whole, whole_source = (next(iter(part.values()), {}) for part in parts)
    return replace(
        plain,
        analyses=own,
        source_analyses=own_source,
        document_analyses=whole,
        source_document_analyses=whole_source,
        by_needs=dict(item for part in parts for item in part.items()),
    )
