"""The discourse profile: how each system keeps what holds a text together, and where it fails.

A kind of glue is a metric of the toolkit. It is scored beside those that were asked for,
wherever the set and its languages allow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from albeit.annotate.given import Given
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.engine import check
from albeit.engine.explain import Explainer
from albeit.errors import AlbeitError
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.metrics.table import Column, ScoreTable
from albeit.metrics.view import View
from albeit.report.page.pairs import pair_tests

__all__ = ["KINDS", "Kind", "profile_metrics", "profile_rows"]

WORST = 6
"""How many places of each system are shown."""


def _rows_scored(column: Column) -> str:
    """On how many segments or documents all systems have a score."""
    scores = column.document if column.segment is None else column.segment
    if scores is None:
        return ""
    known = int((~np.isnan(scores)).all(axis=0).sum())
    unit = "documents" if column.segment is None else "segments"
    return f"{known:,} of {scores.shape[1]:,} {unit}"


def _connectives(column: Column) -> str:
    """ACT's rows hold the number of connectives of each of the six cases."""
    assert column.statistics is not None
    return f"{int(column.statistics[0, :, :6].sum()):,} connectives"


@dataclass(frozen=True)
class Kind:
    """One kind of glue: its name, the metric that measures it, and what that looks at."""

    name: str
    metric: str
    about: str
    coverage: Callable[[Column], str] = _rows_scored


KINDS = (
    Kind("connectives", "act", "Connectives of the source (although, since, while …) whose"
         " translation says what the reference's says.", _connectives),
    Kind("lexical cohesion", "cohesion", "Words that the reference takes up again, taken up again"
         " at the same places of the document."),
    Kind("discourse trees", "dr", "How far the discourse tree of the translation is that of the"
         " reference."),
)  # fmt: skip


def profile_metrics(evalset: EvalSet, annotations: Given | None = None) -> list[Metric]:
    """The metrics of all kinds that can be measured on this set."""
    found = []
    for kind in KINDS:
        made = metric(kind.metric)
        if made.unit is Unit.DOCUMENT and not evalset.has_documents:
            continue
        try:
            check(evalset, [made], annotations)
        except AlbeitError:  # another language, no source, no reference: the row is not there
            continue
        found.append(made)
    return found


def profile_rows(
    evalset: EvalSet, table: ScoreTable, *, annotations: Given | None = None, seed: int
) -> list[dict[str, Any]]:
    """A row a kind that the table has a column of: scores, intervals, tests, worst places."""
    tests = pair_tests(table, seed)
    rows = []
    for kind in KINDS:
        column = table.columns.get(str(metric(kind.metric)))
        if column is None or column.metric is None or np.isnan(column.system).all():
            continue
        row: dict[str, Any] = {
            "name": kind.name,
            "about": kind.about,
            "signature": str(column.signature),
            "coverage": kind.coverage(column),
            "scores": [None if np.isnan(v) else float(v) for v in column.system],
            "instances": list(_instances(evalset, table, column, annotations)),
        }
        if column.name in tests:
            test = tests[column.name]
            row |= {"intervals": test.intervals, "p": test.p[0]}
        rows.append(row)
    return rows


def _instances(
    evalset: EvalSet, table: ScoreTable, column: Column, annotations: Given | None
) -> Iterator[dict[str, Any]]:
    """The worst places of each system, with what was lost there."""
    assert column.metric is not None
    by_segment = column.metric.unit is Unit.SEGMENT
    scores = column.at("segment" if by_segment else "document")
    worst = {s: _lowest(scores[s], column.metric.scale) for s in range(len(table.systems))}
    places = sorted({place for found in worst.values() for place in found})
    if not places:
        return
    explainer = Explainer(evalset, column.metric, annotations)
    if by_segment:
        views = explainer.views([place + 1 for place in places])
    else:
        views = explainer.views(documents=[table.documents[place].id for place in places])
    said = {(view.place, view.system): _said(view) for view in views}
    for s, system in enumerate(table.systems):
        for place in worst[s]:
            name = place + 1 if by_segment else table.documents[place].id
            where = {"segment": place} if by_segment else {"document": name}
            what = said[name, system]
            yield {"system": s, "score": float(scores[s, place]), "what": what, **where}


def _lowest(scores: np.ndarray[Any, Any], perfect: float) -> list[int]:
    """The places with the lowest scores, none of them perfect."""
    order = np.argsort(np.where(np.isnan(scores), np.inf, scores), kind="stable")[:WORST]
    return [int(at) for at in order if scores[at] < perfect - 1e-9]


def _said(view: View) -> str:
    """The largest losses in words."""
    losses = sorted(view.losses, key=lambda loss: -loss.amount)[:3]
    return "; ".join(loss.label for loss in losses if loss.amount > 0)
