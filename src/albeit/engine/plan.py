"""What is to be done: which metrics, with which facts of the set, over which portions of it.

A portion is a run of whole documents with the translations of *all* systems, so a reference
is analysed once however many systems there are. Each distinct metric is one step, parts of
composites included, so that nothing is computed twice. Everything here can be pickled.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

from albeit.annotate.given import Given
from albeit.annotate.needs import Need, Side, layers_of
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.errors import AlbeitWarning
from albeit.metrics.base import Context, Metric
from albeit.metrics.composite import Composite

__all__ = ["Job", "Plan", "Portion", "Step", "make_plan"]

TARGET = (Side.HYPOTHESIS, Side.REFERENCE)
"""The sides in the language translated into, whose lines are analysed together."""

PORTION_LINES = 4000
"""About how many translations (segments × systems) one portion holds."""

ANNOTATED_PORTION_LINES = 1000
"""The same where texts are annotated first: slower work, so that progress shows sooner."""


_recording = Lock()
"""Warnings are recorded for the whole process, so only one thread at a time may."""


@dataclass(frozen=True)
class Step:
    """One distinct metric, with its context; a composite names its parts' places in the job.

    ``told`` are the warnings that preparing it gave.
    """

    metric: Metric
    context: Context
    parts: tuple[int, ...] = ()
    told: tuple[AlbeitWarning, ...] = ()


@dataclass(frozen=True)
class Job:
    """What is the same for every portion: the steps, parts before wholes, and which are wanted."""

    steps: tuple[Step, ...]
    wanted: tuple[int, ...]
    needs: frozenset[Need]
    target_lang: str
    source_lang: str | None


@dataclass(frozen=True)
class Portion:
    """The lines of some whole documents; document positions are those within the portion.

    ``given`` are the annotations that a user brought for these lines.
    """

    documents: tuple[Document, ...]
    references: tuple[Sequence[str], ...]
    sources: Sequence[str] | None
    hypotheses: tuple[Sequence[str], ...]
    given: Given | None = None

    def __len__(self) -> int:
        return self.documents[-1].stop


@dataclass(frozen=True)
class Plan:
    """A job over the portions of a set, in the order of its documents."""

    job: Job
    evalset: EvalSet
    spans: tuple[tuple[Document, ...], ...]
    annotations: Given | None = None

    def portions(self) -> Iterator[Portion]:
        """The portions, cut when they are asked for."""
        return (self.portion(span) for span in self.spans)

    def portion(self, span: tuple[Document, ...]) -> Portion:
        """The lines of some consecutive documents (or of a stretch of one, for segments alone)."""
        first, last = span[0].start, span[-1].stop
        references = tuple(lines[first:last] for lines in self.evalset.references.values())
        hypotheses = tuple(lines[first:last] for lines in self.evalset.systems.values())
        given = None
        if self.annotations:
            texts = (line for lines in (*references, *hypotheses) for line in lines)
            given = {text: self.annotations[text] for text in texts if text in self.annotations}
        return Portion(
            tuple(Document(d.id, d.start - first, d.stop - first) for d in span),
            references,
            None if self.evalset.source is None else self.evalset.source[first:last],
            hypotheses,
            given,
        )


def make_plan(
    evalset: EvalSet, metrics: Sequence[Metric], annotations: Given | None = None
) -> Plan:
    """Plan the work: prepare each distinct metric once, and cut the set into portions."""
    places: dict[Metric, int] = {}
    steps: list[Step] = []

    def add(metric: Metric) -> int:
        if metric in places:
            return places[metric]
        if isinstance(metric, Composite):
            parts = tuple(add(part) for part in metric.parts)
            below = [steps[place] for place in parts]
            told = tuple(each for step in below for each in step.told)
            step = Step(metric, tuple(step.context for step in below), parts, told)
        else:
            step = _prepared(metric, evalset)
        places[metric] = len(steps)
        steps.append(step)
        return places[metric]

    wanted = tuple(add(metric) for metric in metrics)
    needs = frozenset[Need]().union(*(step.metric.needs for step in steps))
    job = Job(tuple(steps), wanted, needs, evalset.target_lang, evalset.source_lang)
    given = annotations if layers_of(needs, *TARGET) else None
    return Plan(job, evalset, tuple(_spans(evalset, job)), given)


def _prepared(metric: Metric, evalset: EvalSet) -> Step:
    """A metric with its context; its warnings are passed on, and remembered."""
    with _recording, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlbeitWarning)
        context = metric.prepare(evalset)
    messages = [each.message for each in caught]
    for message in messages:
        warnings.warn(message, stacklevel=2)
    told = tuple(message for message in messages if isinstance(message, AlbeitWarning))
    return Step(metric, context, told=told)


def _spans(evalset: EvalSet, job: Job) -> Iterator[tuple[Document, ...]]:
    """Consecutive documents, cut where a portion holds enough lines.

    Documents stay whole. A set that says nothing of documents counts as one, but where
    all metrics score segments it is cut anywhere, or it could not be shared out.
    """
    annotated = any(step.metric.annotated for step in job.steps)
    lines = ANNOTATED_PORTION_LINES if annotated else PORTION_LINES
    enough = max(1, lines // max(1, len(evalset.systems)))
    documents: Iterable[Document] = evalset.documents
    by_segment = all(step.metric.unit is Unit.SEGMENT for step in job.steps)
    if not evalset.has_documents and by_segment:
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
