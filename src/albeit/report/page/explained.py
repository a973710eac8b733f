"""Which segments a report explains, and their views by every metric that explains itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from albeit.annotate.given import Given
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.engine import Progress
from albeit.engine.explain import Explainer
from albeit.metrics.base import Metric
from albeit.metrics.table import ScoreTable
from albeit.metrics.view import View

__all__ = ["Explanations", "explainable", "explained", "most_different"]

Explanations = dict[int, dict[str, list[View]]]
"""Segment (from 0) to metric to one view a system."""


def explainable(table: ScoreTable) -> list[Metric]:
    """The metrics of a table that say why a segment scored as it did."""
    metrics = [column.metric for column in table.columns.values() if column.metric is not None]
    return [m for m in metrics if m.explains() and m.unit is Unit.SEGMENT]


def most_different(table: ScoreTable, count: int | None) -> list[int]:
    """The segments (from 0) on which systems differ most, the metrics taken in turn.

    With a single system, those that it translates worst. ``None`` is all.
    """
    if count is None:
        return list(range(len(table)))
    orders = []
    for column in table.columns.values():
        if column.segment is None:
            continue
        scores = column.segment if column.higher_is_better else -column.segment
        alone = len(scores) == 1
        spread = -scores[0] if alone else np.ptp(scores, axis=0)
        spread = np.where(np.isnan(spread), -np.inf, spread)
        orders.append(np.argsort(-spread, kind="stable")[:count].tolist())
    turns = (at for turn in zip_longest(*orders) for at in turn if at is not None)
    return sorted(list(dict.fromkeys(turns))[:count])


def explained(
    evalset: EvalSet,
    metrics: Sequence[Metric],
    segments: Sequence[int],
    *,
    annotations: Given | None = None,
    progress: Progress | None = None,
) -> Explanations:
    """Every metric's views of these segments (from 0)."""
    found: Explanations = {at: {} for at in segments}
    total = len(metrics) * len(segments)
    for number, metric in enumerate(metrics if segments else ()):
        explainer = Explainer(evalset, metric, annotations)
        for done, at in enumerate(segments):
            if progress:
                progress(number * len(segments) + done, total)
            found[at][str(metric)] = explainer.views([at + 1])
    return found
