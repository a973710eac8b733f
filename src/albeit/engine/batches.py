"""A portion of a set as batches, one a system, with exactly the analyses that metrics need."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from albeit.annotate.given import Given
from albeit.annotate.layers import Analysis, AnyLayer
from albeit.annotate.needs import Side, layers_of
from albeit.engine.plan import Job, Portion
from albeit.metrics.base import Batch

__all__ = ["analysed", "batches"]

Texts = Sequence[Sequence[str]]


def batches(job: Job, portion: Portion) -> list[Batch]:
    """A batch a system, all with the same analyses: each distinct line is analysed once."""
    shared = analysed(job, portion)
    return [replace(shared, hypotheses=lines) for lines in portion.hypotheses]


def analysed(job: Job, portion: Portion) -> Batch:
    """What the batches of a portion share: all but a hypothesis, analyses of those too."""
    target = _analyses(
        [
            (portion.references, layers_of(job.needs, Side.REFERENCE)),
            (portion.hypotheses, layers_of(job.needs, Side.HYPOTHESIS)),
        ],
        job.target_lang, portion.given,
    )  # fmt: skip
    sources = () if portion.sources is None else (portion.sources,)
    source = _analyses([(sources, layers_of(job.needs, Side.SOURCE))], job.source_lang or "")
    return Batch(
        (), portion.references, portion.sources, portion.documents,
        job.target_lang, job.source_lang, target, source,
    )  # fmt: skip


def _analyses(
    sides: Sequence[tuple[Texts, frozenset[AnyLayer]]], lang: str, given: Given | None = None
) -> Mapping[str, Analysis]:
    """The lines of each side with its layers; a line of two sides has those of both."""
    wanted: dict[str, frozenset[AnyLayer]] = {}
    for texts, layers in sides:
        if layers:
            for line in dict.fromkeys(line for lines in texts for line in lines):
                wanted[line] = wanted.get(line, layers) | layers
    groups: dict[frozenset[AnyLayer], list[str]] = {}
    for line, layers in wanted.items():
        groups.setdefault(layers, []).append(line)
    if not groups:
        return {}
    from albeit.annotate import annotate

    found = [annotate(lines, layers, lang, given=given) for layers, lines in groups.items()]
    return found[0] if len(found) == 1 else ChainMap(*cast("list[dict[str, Analysis]]", found))
