"""Which segments a report explains, and their views by every metric that explains itself.

Views are folded as they come: those of thousands of segments would not fit in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from albeit.corpus.levels import Unit
from albeit.engine import Evaluation, Progress
from albeit.metrics.base import Metric
from albeit.metrics.table import ScoreTable
from albeit.report.page.folded import Folder

__all__ = ["Explanations", "explainable", "explained", "explained_documents", "most_different"]

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
    metrics: Sequence[Metric],
    segments: Sequence[int],
    folder: Folder,
    *,
    progress: Progress | None = None,
) -> Explanations:
    """Every metric's views of these segments (from 0); their scores stand in the report."""
    found: Explanations = {str(at): {} for at in segments}
    if not metrics or not segments:
        return found
    evaluation.check(metrics)
    total = len(metrics) * len(segments) * len(evaluation.evalset.systems)
    chosen = evaluation.passages(metrics[0], segments=[at + 1 for at in segments])
    for done, (metric, view) in enumerate(evaluation.views(metrics, chosen)):
        if progress:
            progress(done, total)
        views = found[str(int(view.place) - 1)].setdefault(str(metric), [])
        views.append(folder.folded(view, scored=True))
    return found


def explained_documents(
    evaluation: Evaluation,
    metrics: Sequence[Metric],
    documents: Sequence[int],
    folder: Folder,
    *,
    scored: Collection[str],
) -> Explanations:
    """The same of documents; the report has scores of those metrics that are ``scored``."""
    names = [evaluation.evalset.documents[at].id for at in documents]
    found: Explanations = {name: {} for name in names}
    if not metrics or not names:
        return found
    evaluation.check(metrics)
    chosen = evaluation.passages(metrics[0], documents=names)
    for metric, view in evaluation.views(metrics, chosen):
        views = found[str(view.place)].setdefault(str(metric), [])
        views.append(folder.folded(view, scored=str(metric) in scored))
    return found
