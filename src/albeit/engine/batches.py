"""A portion of a set as batches, one a system, with exactly the analyses that metrics need."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar, cast

from albeit.annotate.layers import Analysis, AnyLayer
from albeit.annotate.needs import Need, Side, layers_of
from albeit.corpus.levels import Unit
from albeit.engine.plan import Job, Portion
from albeit.metrics.base import Batch

__all__ = ["analysed", "batches"]

Content = TypeVar("Content", str, tuple[str, ...])
"""What is analysed as one: a line, or the lines of a document."""
Annotate = Callable[[list[Content], frozenset[AnyLayer]], Mapping[Content, Analysis]]


def batches(job: Job, portion: Portion) -> list[Batch]:
    """A batch a system, all with the same analyses: each distinct line is analysed once."""
    shared = analysed(job, portion)
    return [
        replace(shared, hypotheses=lines, system=place)
        for place, lines in enumerate(portion.hypotheses)
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
    by_line = partial(_analyses, job.needs, lines, Unit.SEGMENT)
    by_document = partial(_analyses, job.needs, documents, Unit.DOCUMENT)
    return Batch(
        (),
        portion.references,
        portion.sources,
        portion.documents,
        job.target_lang,
        job.source_lang,
        by_line(target, partial(annotate, lang=into, given=portion.given)),
        by_line(source, partial(annotate, lang=out_of)),
        by_document(target, partial(annotate_documents, lang=into)),
        by_document(source, partial(annotate_documents, lang=out_of)),
    )


def _analyses(
    needs: Iterable[Need],
    contents: Callable[[Side], Iterable[Content]],
    unit: Unit,
    sides: Iterable[Side],
    annotate: Annotate[Content],
) -> Mapping[Content, Analysis]:
    """The contents of each side with its layers; what stands on two sides has those of both."""
    wanted: dict[Content, frozenset[AnyLayer]] = {}
    for side in sides:
        layers = layers_of(needs, side, unit=unit)
        if layers:
            for content in dict.fromkeys(contents(side)):
                wanted[content] = wanted.get(content, layers) | layers
    groups: dict[frozenset[AnyLayer], list[Content]] = {}
    for content, layers in wanted.items():
        groups.setdefault(layers, []).append(content)
    found = [annotate(some, layers) for layers, some in groups.items()]
    if len(found) < 2:
        return found[0] if found else {}
    return ChainMap(*cast("list[dict[Content, Analysis]]", found))
