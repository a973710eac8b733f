"""Why translations scored as they did: views of segments or documents, of every system.

Only what is asked for is analysed and scored; what a metric knows of the whole set, it
still prepares from the whole set, so that scores are those of ``albeit score``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from albeit.annotate.given import Given
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.engine.batches import batches
from albeit.engine.checks import check
from albeit.engine.plan import Plan, make_plan
from albeit.errors import InputError, MetricError
from albeit.metrics.base import Metric
from albeit.metrics.view import View

__all__ = ["Explainer", "chosen_documents", "explain"]


def explain(
    evalset: EvalSet,
    metric: Metric,
    *,
    segments: Sequence[int] = (),
    documents: Sequence[str] = (),
    annotations: Given | None = None,
) -> list[View]:
    """Views of these segments (numbers from 1) and documents (ids), each of every system.

    A metric that scores segments explains a document segment by segment; one that scores
    documents explains only those.
    """
    _places(evalset, metric, segments, documents)  # a wrong one is told before any work
    return Explainer(evalset, metric, annotations).views(segments, documents)


class Explainer:
    """One metric over one set, prepared once, for as many questions as come."""

    def __init__(self, evalset: EvalSet, metric: Metric, annotations: Given | None = None) -> None:
        check(evalset, [metric], annotations)
        self.metric = metric
        self._plan = make_plan(evalset, [metric], annotations)

    def views(self, segments: Sequence[int] = (), documents: Sequence[str] = ()) -> list[View]:
        """As :func:`explain` gives them: place by place, in each a view a system."""
        places = _places(self._plan.evalset, self.metric, segments, documents)
        return [view for name, place in places for view in _views(self._plan, name, place)]


def _views(plan: Plan, name: int | str, place: Document) -> Iterator[View]:
    """The views of one place, a system each."""
    step = plan.job.steps[plan.job.wanted[0]]
    references = tuple(plan.evalset.references)
    found = batches(plan.job, plan.portion((place,)))
    for system, whole in zip(plan.evalset.systems, found, strict=True):
        batch = whole.seen_by(step.metric)
        (row,) = step.metric.statistics(batch, step.context)
        yield step.metric.explain(batch, step.context, row).named(system, references, name)


def _places(
    evalset: EvalSet, metric: Metric, segments: Sequence[int], documents: Sequence[str]
) -> list[tuple[int | str, Document]]:
    """What is explained: its name, and where it stands in the set."""
    if not metric.explains():
        raise MetricError(f"{metric} does not explain its scores; 'albeit metrics' says which do.")
    whole = chosen_documents(evalset, documents)
    if metric.unit is Unit.DOCUMENT:
        if segments:
            raise MetricError(f"{metric} scores documents, not segments: name one (--document ID).")
        return [(document.id, document) for document in whole]
    for number in segments:
        if not 1 <= number <= len(evalset):
            raise InputError(f"there is no segment {number}: the set has {len(evalset)}.")
    ids = evalset.document_ids()
    numbers = [
        *segments,
        *(n + 1 for document in whole for n in range(document.start, document.stop)),
    ]
    return [(number, Document(ids[number - 1], number - 1, number)) for number in numbers]


def chosen_documents(evalset: EvalSet, names: Sequence[str]) -> list[Document]:
    """The documents of these ids."""
    known = {document.id: document for document in evalset.documents}
    for name in names:
        if name not in known:
            listed = ", ".join(list(known)[:5]) + (" …" if len(known) > 5 else "")
            raise InputError(f"there is no document {name!r}; there are {len(known)}: {listed}.")
    return [known[name] for name in names]
