"""Which segments a report explains, and their views by every metric that explains itself.

Views are folded as they come: those of thousands of segments would not fit in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from albeit.data.levels import Unit
from albeit.evaluation import Evaluation, Progress
from albeit.metrics.base import Metric
from albeit.metrics.table import ScoreTable
from albeit.report.page.folded import Folder

__all__ = ["Explanations", "explainable", "explained", "most_different"]

Explanations = dict[str, dict[str, list[dict[str, Any]]]]
"""Segment (its number from 0) or document (its id) to metric to one folded view a system."""


def explainable(metrics: Iterable[Metric], unit: Unit) -> list[Metric]:
    """Those that say why a segment, or a document, scored as it did."""
    return [m for m in dict.fromkeys(metrics) if m.explains() and m.unit is unit]


def most_different(
    table: ScoreTable, count: int | None, level: Literal["segment", "document"] = "segment"
) -> list[int]:
    """The segments or documents (from 0) on which systems differ most, the metrics in turn.

    With a single system, those that it translates worst. ``None`` is all.
    """
    if count is None:
        return list(range(len(table) if level == "segment" else len(table.documents)))
    orders = []
    for column in table.columns.values():
        values = column.segment if level == "segment" else column.document
        if values is None:
            continue
        scores = values if column.higher_is_better else -values
        alone = len(scores) == 1
        spread = -scores[0] if alone else np.ptp(scores, axis=0)
        spread = np.where(np.isnan(spread), -np.inf, spread)
        orders.append(np.argsort(-spread, kind="stable")[:count].tolist())
    turns = (at for turn in zip_longest(*orders) for at in turn if at is not None)
    return sorted(list(dict.fromkeys(turns))[:count])


def explained(
    evaluation: Evaluation,
    metrics: Iterable[Metric],
    unit: Unit,
    places: Sequence[int],
    folder: Folder,
    *,
    scored: Collection[str],
    progress: Progress | None = None,
) -> Explanations:
    """Views of these segments, or documents (from 0), by every metric that explains such.

    The report has the scores of those metrics that are ``scored``.
    """
    able, evalset = explainable(metrics, unit), evaluation.evalset
    if unit is Unit.SEGMENT:
        numbers, names = [at + 1 for at in places], list[str]()
        keys: dict[int | str, str] = {at + 1: str(at) for at in places}
    else:
        numbers, names = list[int](), [evalset.documents[at].id for at in places]
        keys = {name: name for name in names}
    found: Explanations = {key: {} for key in keys.values()}
    if not able or not keys:
        return found
    evaluation.check(able)
    total = len(able) * len(places) * len(evalset.systems)
    chosen = evaluation.passages(able[0], numbers, names)
    for done, (metric, view) in enumerate(evaluation.views(able, chosen)):
        if progress:
            progress(done, total)
        views = found[keys[view.place]].setdefault(str(metric), [])
        views.append(folder.folded(view, scored=str(metric) in scored))
    return found
