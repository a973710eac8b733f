"""Instances of a profile with their context: flagged errors, and the largest losses."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from albeit.diagnose.check import Progress
from albeit.diagnose.flags import LIKELY, Flag
from albeit.evaluation import Evaluation, Passage
from albeit.metrics import Column, EvalSet, FloatArray, Loss, Metric, Side, Unit, View
from albeit.metrics.registry import metric

if TYPE_CHECKING:
    from albeit.diagnose.profile import Kind

Json = dict[str, object]
BEFORE = 2
"""How many lines of context an instance has."""
PER_VIEW = 2
"""The most instances per segment or document."""
LOOKED_AT = 4
"""How many segments or documents are explained per instance: not every loss is an instance."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A flagged error or a difference in one system, with its context.

    ``segment`` counts from 1. ``score`` is that of the segment or document, and ``lost`` the part
    of it that this instance cost; flags have neither. ``context`` are lines of the translation
    before it. ``marks`` are characters of ``text``, ``reference``, and ``source``.
    ``other_scores`` are scores of the segment by other tools. ``probability`` is the probability
    that an editor would call it an error; flags also have ``evidence`` and a ``suggestion``.
    """

    system: str
    document: str
    segment: int
    score: float | None
    lost: float | None
    what: str
    text: str
    context: tuple[str, ...]
    source: str | None
    reference: str | None
    marks: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    other_scores: Mapping[str, float] = field(default_factory=dict)
    probability: float | None = None
    suggestion: str | None = None
    evidence: tuple[tuple[str, str], ...] = ()

    @property
    def likely(self) -> bool:
        """Whether it is a likely error; otherwise it is a difference."""
        return self.probability is not None and self.probability >= LIKELY

    def to_json(self) -> Json:
        """Convert to all fields by name."""
        content = {name: getattr(self, name) for name in self.__slots__}
        last = {name: content.pop(name) for name in ("probability", "suggestion", "evidence")}
        return {**content, "likely": self.likely, **last, "evidence": dict(self.evidence)}


def worst_instances(
    evaluation: Evaluation,
    column: Column,
    kind: Kind,
    worst: int,
    progress: Progress | None = None,
) -> list[Instance]:
    """Find the largest losses of each system by a kind's metric: differences from the reference.

    Segments or documents are explained in rounds, of all systems together, until each has enough.
    """
    evalset, chosen = evaluation.evalset, metric(kind.metric)
    scores = column.at("segment" if chosen.unit is Unit.SEGMENT else "document")
    waiting = {
        system: _passages(evaluation, chosen, _lowest(own, chosen.scale, LOOKED_AT * worst))
        for system, own in zip(evalset.systems, scores, strict=True)
    }
    found: dict[str, list[Instance]] = {system: [] for system in evalset.systems}
    total = max(1, worst * len(found))
    seen = 0
    while True:
        turn = {}
        for system, passages in waiting.items():
            missing = worst - len(found[system])
            turn[system], waiting[system] = passages[:missing], passages[missing:]
        asked: dict[Passage, set[str]] = {}
        for system, some in turn.items():
            for passage in some:
                asked.setdefault(passage, set()).add(system)
        if not asked:
            break
        views = {}
        for _, view in evaluation.views([chosen], list(asked), asked):
            views[view.place, view.system] = view
            seen += 1
            if progress is not None:
                progress(min(seen, total), total)
        for system, some in turn.items():
            for passage in some:
                view = views[passage.name, system]
                found[system] += _of_view(evalset, view, kind, passage.span.start)
    return [one for instances in found.values() for one in instances[:worst]]


def _passages(evaluation: Evaluation, chosen: Metric, indexes: Sequence[int]) -> list[Passage]:
    """Convert rows of a metric's statistics to passages."""
    if chosen.unit is Unit.SEGMENT:
        return evaluation.passages(chosen, segments=[index + 1 for index in indexes])
    documents = evaluation.evalset.documents
    return evaluation.passages(chosen, documents=[documents[index].id for index in indexes])


def _lowest(scores: FloatArray, perfect: float, count: int) -> list[int]:
    """Choose the lowest scores that aren't perfect."""
    order = np.argsort(np.where(np.isnan(scores), np.inf, scores), kind="stable")[:count]
    return [int(at) for at in order if scores[at] < perfect - 1e-9]


def _of_view(evalset: EvalSet, view: View, kind: Kind, start: int) -> Iterator[Instance]:
    """List the largest losses of a segment or document that starts at ``start``."""
    losses = sorted(filter(kind.flagged, view.losses), key=lambda loss: -loss.amount)
    for loss in losses[:PER_VIEW]:
        line = _line(view, loss)
        yield replace(
            _instance(evalset, view.system, start + line, loss.label),
            score=view.score,
            lost=loss.amount,
            marks=_marks(view, loss, line),
            probability=kind.prior,
        )


def flag_instance(flag: Flag, evalset: EvalSet) -> Instance:
    """Add its context to a flag."""
    finding = flag.finding
    return replace(
        _instance(evalset, flag.system, finding.line - 1, finding.message, flag.reference),
        marks={"text": [(finding.start, finding.end)]},
        probability=finding.probability,
        suggestion=finding.suggestion,
        evidence=finding.evidence,
    )


def _instance(evalset: EvalSet, system: str, at: int, what: str, reference: int = 0) -> Instance:
    """Build an instance with the texts of its line, from 0."""
    lines = evalset.systems[system]
    references = list(evalset.references.values())
    return Instance(
        system,
        evalset.document_ids()[at],
        at + 1,
        score=None,
        lost=None,
        what=what,
        text=lines[at],
        context=_before(evalset, system, at),
        source=evalset.source[at] if evalset.source else None,
        reference=references[reference][at] if references else None,
    )


def _before(evalset: EvalSet, system: str, at: int) -> tuple[str, ...]:
    """List the lines of the same document before a line."""
    starts = [document.start for document in evalset.documents]
    first = max(at - BEFORE, starts[bisect_right(starts, at) - 1])
    return tuple(evalset.systems[system][first:at])


def _line(view: View, loss: Loss) -> int:
    """Find the line of a loss by its first token, in the translation if possible."""
    for place in sorted(loss.places, key=lambda place: place.text):
        if place.tokens:
            text = view.texts[place.text]
            return text.text.count("\n", 0, text.tokens.offsets[place.tokens[0]][0])
    return 0


_SHOWN = {Side.HYPOTHESIS: "text", Side.REFERENCE: "reference", Side.SOURCE: "source"}


def _marks(view: View, loss: Loss, line: int) -> dict[str, list[tuple[int, int]]]:
    """Find the characters of a loss in one line of each text (of references, the first)."""
    found: dict[str, list[tuple[int, int]]] = {}
    for place in loss.places:
        text = view.texts[place.text]
        if text.side is Side.REFERENCE and text.number:
            continue
        begins = sum(len(each) + 1 for each in text.text.split("\n")[:line])
        ends = (text.text + "\n").index("\n", begins) if begins <= len(text.text) else begins
        spans = (text.tokens.offsets[token] for token in place.tokens)
        inside = [(a - begins, b - begins) for a, b in spans if begins <= a and b <= ends]
        if inside:
            found.setdefault(_SHOWN[text.side], []).extend(inside)
    return {name: sorted(spans) for name, spans in found.items()}
