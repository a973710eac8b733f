"""What is to be done: which metrics, with which facts of the set, over which portions of it.

A portion is a run of whole documents with the translations of *all* systems, so a reference
is analysed once however many systems there are. Each distinct metric is one step, parts of
composites included, so that nothing is computed twice. Everything here can be pickled.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from threading import Lock

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitWarning
from albeit.metrics.base import Composite, Context, Metric
from albeit.parsing.needs import Need, Side, layers_of
from albeit.parsing.supplied import Annotations

__all__ = ["Job", "Label", "Plan", "Portion", "Step", "make_job", "make_plan", "portion_size"]

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

    ``warned`` are the warnings that preparing it gave.
    """

    metric: Metric
    context: Context
    parts: tuple[int, ...] = ()
    warned: tuple[AlbeitWarning, ...] = ()


@dataclass(frozen=True)
class Job:
    """What is the same for every portion: the steps, parts before wholes, and which are wanted.

    ``loose`` says that segments stand alone: the set says nothing of documents, and no metric
    reads them.
    """

    steps: tuple[Step, ...]
    wanted: tuple[int, ...]
    needs: frozenset[Need]
    target_lang: str
    source_lang: str | None
    loose: bool = False


@dataclass(frozen=True)
class Label:
    """Which batch of which run a portion is, so that whoever scores it can pack its part."""

    run: str
    number: int
    last: bool


@dataclass(frozen=True)
class Portion:
    """The lines of some whole documents; document positions are those within the portion.

    ``first`` is the place of its first segment in the set. ``given`` are the annotations that
    a user supplied for these lines. A piece of a batch has no ``label``. ``systems`` are the
    places of the systems in the set that metrics were prepared on, where not all are scored.
    """

    documents: tuple[Document, ...]
    references: tuple[Sequence[str], ...]
    sources: Sequence[str] | None
    hypotheses: tuple[Sequence[str], ...]
    given: Annotations | None = None
    first: int = 0
    label: Label | None = None
    systems: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return self.documents[-1].stop

    def places(self) -> tuple[Document, ...]:
        """The documents, at their places in the set."""
        return tuple(
            Document(d.id, d.start + self.first, d.stop + self.first) for d in self.documents
        )

    def named(self, job: Job) -> str:
        """What it is of, for messages."""
        first, last = self.first + 1, self.first + len(self)
        lines = f"segment {first}" if first == last else f"segments {first} to {last}"
        if job.loose or len(self.documents) > 1:
            return lines
        return f"document {self.documents[0].id!r} ({lines})"

    def halves(self, job: Job) -> tuple[Portion, ...]:
        """Two portions of about half its segments; itself where it cannot be cut."""
        cut = len(self) // 2
        if not job.loose:
            if len(self.documents) == 1:
                return (self,)
            cut = min((d.start for d in self.documents[1:]), key=lambda start: abs(start - cut))
        if not 0 < cut < len(self):
            return (self,)
        return self._stretch(0, cut), self._stretch(cut, len(self))

    def _stretch(self, start: int, stop: int) -> Portion:
        """The documents, or what of a loose one, between two places."""
        inside = (d for d in self.documents if d.start < stop and d.stop > start)
        return Portion(
            tuple(
                Document(d.id, max(d.start, start) - start, min(d.stop, stop) - start)
                for d in inside
            ),
            tuple(lines[start:stop] for lines in self.references),
            None if self.sources is None else self.sources[start:stop],
            tuple(lines[start:stop] for lines in self.hypotheses),
            self.given,
            self.first + start,
            systems=self.systems,
        )


@dataclass(frozen=True)
class Plan:
    """A job over the portions of a set, in the order of its documents."""

    job: Job
    evalset: EvalSet
    spans: tuple[tuple[Document, ...], ...]
    annotations: Annotations | None = None
    systems: tuple[int, ...] | None = None
    """Places of the systems in the set that metrics were prepared on, where not all are scored."""

    def portions(self) -> Iterator[Portion]:
        """The portions, cut when they are asked for."""
        return (self.portion(span) for span in self.spans)

    def portion(self, span: Sequence[Document]) -> Portion:
        """The lines of some documents, or of stretches of some, for segments alone."""

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
    """Plan the work: cut the set into portions; ``systems`` are those to be scored, if not all."""
    given = annotations if layers_of(job.needs, *TARGET) else None
    every = tuple(evalset.systems)
    if systems is None or tuple(systems) == every:
        return Plan(job, evalset, tuple(_spans(evalset, job)), given)
    some = evalset.select(systems)
    places = tuple(map(every.index, systems))
    return Plan(job, some, tuple(_spans(some, job)), given, places)


def make_job(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    whole: EvalSet | None = None,
    known: dict[Metric, Step] | None = None,
) -> Job:
    """Prepare each distinct metric once; those that are ``known`` already are not prepared again.

    Where ``evalset`` is only the beginning of a set, ``whole`` is all of it, for those metrics
    that need to know it.
    """
    prepared = {} if known is None else known
    places: dict[Metric, int] = {}
    steps: list[Step] = []
    said: set[str] = set()

    def add(metric: Metric) -> int:
        if metric in places:
            return places[metric]
        if isinstance(metric, Composite):
            parts = tuple(add(part) for part in metric.parts)
            below = [steps[place] for place in parts]
            warned = tuple(each for step in below for each in step.warned)
            step = Step(metric, tuple(step.context for step in below), parts, warned)
        elif metric in prepared:
            step = prepared[metric]
        else:
            step = _prepared(metric, whole if whole and metric.whole_set else evalset, said)
            prepared[metric] = step
        places[metric] = len(steps)
        steps.append(step)
        return places[metric]

    wanted = tuple(add(metric) for metric in metrics)
    needs = frozenset[Need]().union(*(step.metric.needs for step in steps))
    by_segment = all(step.metric.unit is Unit.SEGMENT for step in steps)
    return Job(
        tuple(steps),
        wanted,
        needs,
        evalset.target_lang,
        evalset.source_lang,
        by_segment and not evalset.has_documents,
    )


def portion_size(metrics: Iterable[Metric], systems: int) -> int:
    """How many segments a portion holds at least: enough work to be worth sending."""
    annotated = any(metric.annotated for metric in metrics)
    lines = ANNOTATED_PORTION_LINES if annotated else PORTION_LINES
    return max(1, lines // max(1, systems))


def _prepared(metric: Metric, evalset: EvalSet, said: set[str]) -> Step:
    """A metric with its context; its warnings are passed on unless another ``said`` them."""
    with _recording, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AlbeitWarning)
        context = metric.prepare(_seen_by(metric, evalset))
    messages = [each.message for each in caught]
    for message in messages:
        if str(message) not in said:
            warnings.warn(message, stacklevel=2)
    said.update(map(str, messages))
    warned = tuple(message for message in messages if isinstance(message, AlbeitWarning))
    return Step(metric, context, warned=warned)


def _seen_by(metric: Metric, evalset: EvalSet) -> EvalSet:
    """The set with the sides that the metric's needs name, and no other."""
    references = evalset.references if metric.sees(Side.REFERENCE) else {}
    source = evalset.source if metric.sees(Side.SOURCE) else None
    if references is evalset.references and source is evalset.source:
        return evalset
    sides = ("sides", bool(references), source is not None)
    return evalset.draw(sides, lambda: replace(evalset, references=references, source=source))


def _spans(evalset: EvalSet, job: Job) -> Iterator[tuple[Document, ...]]:
    """Consecutive documents, cut where a portion holds enough lines.

    Documents stay whole. A set that says nothing of documents counts as one, but where
    all metrics score segments it is cut anywhere, or it could not be shared out.
    """
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
