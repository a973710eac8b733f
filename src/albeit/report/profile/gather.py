"""A profile as a value: a row a kind of glue, and the worst instances of each system."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from albeit.annotate.needs import Side
from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.engine import Evaluation, Passage
from albeit.metrics.base import Metric
from albeit.metrics.external import scores_at
from albeit.metrics.registry import metric
from albeit.metrics.significance import compare, confidence, testable
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import Loss, View
from albeit.report.profile.kinds import Kind

__all__ = ["Instance", "Profile", "ProfileRow", "gather"]

Json = dict[str, object]
BEFORE = 2
"""How many lines of context an instance has."""
A_PLACE = 2
"""The most instances of one segment or document."""
LOOKED_AT = 4
"""How many places are looked at for each instance wanted: not all that is lost is flagged."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One thing that went wrong in one system: what, where, and what stands around it.

    ``segment`` counts from 1; ``score`` is that of the segment or document, of which ``lost``
    is this instance's part. ``context`` are lines of the translation before it. ``marks`` has the
    characters in question, from and up to, of ``text``, ``reference`` and ``source``.
    ``other_scores`` are those that other tools gave to the segment.
    """

    system: str
    document: str
    segment: int
    score: float
    lost: float
    what: str
    text: str
    context: tuple[str, ...]
    source: str | None
    reference: str | None
    marks: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    other_scores: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> Json:
        """All fields."""
        return {
            "system": self.system,
            "document": self.document,
            "segment": self.segment,
            "score": self.score,
            "lost": self.lost,
            "what": self.what,
            "text": self.text,
            "context": list(self.context),
            "source": self.source,
            "reference": self.reference,
            "marks": dict(self.marks),
            "other_scores": dict(self.other_scores),
        }


@dataclass(frozen=True)
class ProfileRow:
    """One kind of glue: a score per system, its interval, its p-value against the baseline.

    ``coverage`` is how many things (``counted``) each system was judged by. Intervals and
    p-values are missing where there are fewer than two rows to resample. ``corrected`` are the
    p-values corrected for all kinds and systems of the profile.
    """

    kind: Kind
    signature: str
    scores: tuple[float, ...]
    coverage: tuple[int, ...]
    counted: str
    instances: tuple[Instance, ...]
    intervals: tuple[tuple[float, float], ...] | None = None
    p: tuple[float | None, ...] | None = None
    corrected: tuple[float | None, ...] | None = None
    how: str = ""

    @property
    def seen(self) -> str:
        """The coverage in words."""
        low, high = min(self.coverage), max(self.coverage)
        return f"{low:,} {self.counted}" if low == high else f"{low:,}-{high:,} {self.counted}"

    def to_json(self, systems: Sequence[str]) -> Json:
        """A record per system; all that is known of the row."""
        found = []
        for s, system in enumerate(systems):
            record: Json = {"system": system, "score": _number(self.scores[s])}
            if self.intervals is not None:
                record["interval"] = [_number(end) for end in self.intervals[s]]
            if self.p is not None and self.corrected is not None:
                record |= {"p": self.p[s], "corrected": self.corrected[s]}
            found.append(record | {"instances": self.coverage[s]})
        return {
            "name": self.kind.name,
            "metric": self.kind.metric,
            "about": self.kind.about,
            "signature": self.signature,
            "counted": self.counted,
            "test": self.how,
            "systems": found,
            "worst": [one.to_json() for one in self.instances],
        }


@dataclass(frozen=True)
class Profile:
    """The rows of all kinds that could be measured, and why the others could not.

    ``others`` are the signatures of scores by other tools, which stand beside instances.
    """

    name: str
    systems: tuple[str, ...]
    baseline: str
    rows: tuple[ProfileRow, ...]
    left_out: Mapping[str, str]
    others: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Everything."""
        return {
            "set": self.name,
            "systems": list(self.systems),
            "baseline": self.baseline,
            "rows": [row.to_json(self.systems) for row in self.rows],
            "left_out": dict(self.left_out),
            "others": list(self.others),
        }


def gather(
    evaluation: Evaluation,
    table: ScoreTable,
    kinds: Sequence[Kind],
    left_out: Mapping[str, str],
    *,
    baseline: str | None = None,
    worst: int = 6,
    seed: int,
    others: Sequence[Column] = (),
) -> Profile:
    """The profile of a set whose ``table`` has a column for each kind's metric.

    ``others`` are scores of other tools, which are shown beside the instances.
    """
    base = 0 if baseline is None else table.system_index(baseline)
    sampled = confidence(testable(table), seed=seed)
    compared = len(table.systems) > 1 and sampled.columns
    tests = compare(sampled, baseline=table.systems[base], seed=seed) if compared else None
    rows = []
    for kind in kinds:
        column = table[str(metric(kind.metric))]
        if column.metric is None or np.isnan(column.system).all():
            continue
        instances = tuple(
            replace(
                one, other_scores=scores_at(evaluation.evalset, others, one.system, one.segment)
            )
            for one in _instances(evaluation, column, kind, worst)
        )
        row = ProfileRow(
            kind,
            str(column.signature),
            tuple(map(float, column.system)),
            *kind.coverage(column),
            instances,
        )
        if column.name in sampled.columns:
            ends = sampled[column.name].intervals
            row = replace(row, intervals=None if ends is None else tuple(map(tuple, ends.tolist())))
        if tests is not None and column.name in tests.p_values:
            row = replace(
                row,
                p=_numbers(tests.p_values[column.name]),
                corrected=_numbers(tests.corrected[column.name]),
                how=f"{tests.how(column.name)}; marks are corrected for {tests.tests} tests (Holm)",
            )
        rows.append(row)
    return Profile(
        table.name,
        tuple(table.systems),
        table.systems[base],
        tuple(rows),
        dict(left_out),
        tuple(str(column.signature) for column in others),
    )


def _instances(
    evaluation: Evaluation, column: Column, kind: Kind, worst: int
) -> Iterator[Instance]:
    """The worst of each system, from the places where it scores lowest.

    Places are looked at in rounds, of all systems together, until each system has enough.
    """
    evalset, chosen = evaluation.evalset, metric(kind.metric)
    by_segment = chosen.unit is Unit.SEGMENT
    scores = column.at("segment" if by_segment else "document")
    waiting = {
        system: deque(_passages(evaluation, chosen, _lowest(own, chosen.scale, LOOKED_AT * worst)))
        for system, own in zip(evalset.systems, scores, strict=True)
    }
    found: dict[str, list[Instance]] = {system: [] for system in evalset.systems}
    while True:
        turn = {
            system: [left.popleft() for _ in range(min(worst - len(found[system]), len(left)))]
            for system, left in waiting.items()
        }
        asked: dict[Passage, set[str]] = {}
        for system, some in turn.items():
            for passage in some:
                asked.setdefault(passage, set()).add(system)
        if not asked:
            break
        views = {
            (view.place, view.system): view
            for _, view in evaluation.views([chosen], list(asked), asked)
        }
        for system, some in turn.items():
            for passage in some:
                view = views[passage.name, system]
                found[system] += _of_view(evalset, view, kind, passage.span.start)
    for instances in found.values():
        yield from instances[:worst]


def _passages(evaluation: Evaluation, chosen: Metric, places: Sequence[int]) -> list[Passage]:
    """Rows of a metric's statistics as passages of the set."""
    if chosen.unit is Unit.SEGMENT:
        return evaluation.passages(chosen, segments=[place + 1 for place in places])
    documents = evaluation.evalset.documents
    return evaluation.passages(chosen, documents=[documents[place].id for place in places])


def _lowest(scores: FloatArray, perfect: float, count: int) -> list[int]:
    """The places with the lowest scores, none of them perfect."""
    order = np.argsort(np.where(np.isnan(scores), np.inf, scores), kind="stable")[:count]
    return [int(at) for at in order if scores[at] < perfect - 1e-9]


def _of_view(evalset: EvalSet, view: View, kind: Kind, start: int) -> Iterator[Instance]:
    """The largest losses of a segment or document that begins at ``start``."""
    ids = evalset.document_ids()
    starts = [document.start for document in evalset.documents]
    lines = evalset.systems[view.system]
    reference = next(iter(evalset.references.values()), None)
    losses = sorted(view.losses, key=lambda loss: -loss.amount)
    for loss in list(filter(kind.flagged, losses))[:A_PLACE]:
        at = start + _line(view, loss)
        first = max(at - BEFORE, starts[bisect_right(starts, at) - 1])
        yield Instance(
            view.system,
            ids[at],
            at + 1,
            view.score,
            loss.amount,
            loss.label,
            lines[at],
            tuple(lines[first:at]),
            evalset.source[at] if evalset.source else None,
            reference[at] if reference else None,
            _marks(view, loss, at - start),
        )


def _line(view: View, loss: Loss) -> int:
    """In which line of a view's texts a loss stands: by its first place in the translation, if any."""
    for place in sorted(loss.places, key=lambda place: place.text):
        if place.tokens:
            text = view.texts[place.text]
            return text.text.count("\n", 0, text.tokens.offsets[place.tokens[0]][0])
    return 0


_SHOWN = {Side.HYPOTHESIS: "text", Side.REFERENCE: "reference", Side.SOURCE: "source"}


def _marks(view: View, loss: Loss, line: int) -> dict[str, list[tuple[int, int]]]:
    """The characters that a loss speaks of in one line of a view's texts (of references, the first)."""
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


def _numbers(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(_number(value) for value in values)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
