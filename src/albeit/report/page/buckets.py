"""Scores by bucket: how systems do on short and long segments, document by document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.metrics.base import Level
from albeit.metrics.table import ScoreTable
from albeit.stats.resample import bootstrap_scores, percentile_interval

__all__ = ["buckets"]

EDGES = (0, 10, 20, 30, 40, 60, 10**9)
"""Bounds of the buckets of length, in words."""
RESAMPLES = 200
MOST_DOCUMENTS = 40
"""More documents than that are shown in their own part of the report, not as a chart."""


def buckets(table: ScoreTable, lengths: Sequence[int], *, seed: int) -> list[dict[str, Any]]:
    """All groupings with at least two groups; a group's score is that of its rows together."""
    groupings = [("words in the reference", list(_by_length(lengths)))]
    if table.has_documents and len(table.documents) <= MOST_DOCUMENTS:
        by_document = [(d.id, np.arange(d.start, d.stop)) for d in table.documents]
        groupings.append(("document", by_document))
    return [
        {"by": by, "groups": [_group(table, label, rows, seed) for label, rows in groups]}
        for by, groups in groupings
        if len(groups) > 1 and any(_fits(column) for column in table.columns.values())
    ]


def _by_length(lengths: Sequence[int]) -> Iterator[tuple[str, npt.NDArray[np.intp]]]:
    sizes = np.asarray(lengths)
    for low, high in pairwise(EDGES):
        rows = np.flatnonzero((sizes >= low) & (sizes < high))
        if len(rows):
            yield (f"{low}–{high - 1}" if high < EDGES[-1] else f"{low} and more"), rows


def _fits(column: Any) -> bool:
    return (
        column.metric is not None
        and column.statistics is not None
        and column.metric.level is Level.SEGMENT
    )


def _group(table: ScoreTable, label: str, rows: npt.NDArray[np.intp], seed: int) -> dict[str, Any]:
    scores = {}
    for name, column in table.columns.items():
        if not _fits(column):
            continue
        own = column.statistics[:, rows]
        values = column.metric.score(own.sum(axis=1))
        ends: list[list[float | None]] = [[None, None] for _ in values]
        if len(rows) > 1:
            samples = bootstrap_scores(own, column.metric.score, resamples=RESAMPLES, seed=seed)
            ends = [[float(a), float(b)] for a, b in percentile_interval(samples, 0.95)]
        scores[name] = [
            [None if np.isnan(value) else float(value), *ends[i]] for i, value in enumerate(values)
        ]
    return {"label": label, "count": len(rows), "scores": scores}
