"""A portion of a set as batches, one per system, with exactly the analyses that metrics need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from albeit.annotate.needs import Side
from albeit.annotate.sharing import annotated
from albeit.corpus.levels import Unit
from albeit.engine.plan import Job, Portion
from albeit.metrics.base import Batch
from albeit.metrics.composite import Composite

__all__ = ["analysed", "batches"]


def batches(job: Job, portion: Portion) -> list[Batch]:
    """A batch per system, all with the same analyses: each distinct line is analysed once."""
    shared = analysed(job, portion)
    places = range(len(portion.hypotheses)) if portion.systems is None else portion.systems
    return [
        replace(shared, hypotheses=lines, system=place)
        for place, lines in zip(places, portion.hypotheses, strict=True)
    ]


def analysed(job: Job, portion: Portion) -> Batch:
    """What the batches of a portion share: all but a hypothesis, analyses of those too."""
    from albeit.annotate import annotate, annotate_documents

    sources = () if portion.sources is None else (portion.sources,)
    texts = {
        Side.REFERENCE: portion.references,
        Side.HYPOTHESIS: portion.hypotheses,
        Side.SOURCE: sources,
    }

    def lines(side: Side) -> Iterator[str]:
        return (line for own in texts[side] for line in own)

    def documents(side: Side) -> Iterator[tuple[str, ...]]:
        return (tuple(own[document.rows]) for own in texts[side] for document in portion.documents)

    target, source = (Side.REFERENCE, Side.HYPOTHESIS), (Side.SOURCE,)
    into, out_of = job.target_lang, job.source_lang or ""
    needs = [step.metric.needs for step in job.steps if not isinstance(step.metric, Composite)]
    by_line = partial(annotated, needs, Unit.SEGMENT)
    by_document = partial(annotated, needs, Unit.DOCUMENT)
    return Batch(
        (),
        portion.references,
        portion.sources,
        portion.documents,
        job.target_lang,
        job.source_lang,
        by_line(target, into, lines, partial(annotate, lang=into, given=portion.given)),
        by_line(source, out_of, lines, partial(annotate, lang=out_of)),
        by_document(target, into, documents, partial(annotate_documents, lang=into)),
        by_document(source, out_of, documents, partial(annotate_documents, lang=out_of)),
    )
