"""Scores by bucket: how systems do on short and long segments, on news, with a negation, a *since* …"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from albeit.corpus.evalset import Document
from albeit.corpus.levels import Unit
from albeit.metrics.base import Metric
from albeit.metrics.table import Column, ScoreTable
from albeit.stats.resample import bootstrap_scores, percentile_interval

__all__ = ["buckets", "groupings"]

Group = tuple[str, npt.NDArray[np.intp]]
"""A bucket's name and its segments."""

WORDS = (0, 10, 20, 30, 40, 60)
"""Where buckets of length begin."""
UNITS = (0, 2, 3, 4, 6)
"""Where buckets of discourse units begin."""
RESAMPLES = 200
MOST_DOCUMENTS = 40
"""More documents than that are shown in their own part of the report, not as a chart."""


def groupings(
    documents: Sequence[Document],
    lengths: Sequence[int] | None,
    units: Sequence[int] | None,
    named: Mapping[str, Mapping[str, Sequence[int]]],
) -> dict[str, list[Group]]:
    """All ways to part segments that a set allows.

    ``lengths`` are the words and ``units`` the discourse units of each segment, where they are
    known; ``named`` are groups that have names: phenomena, connectives.
    """
    found: dict[str, list[Group]] = {}
    if lengths is not None:
        found["words"] = list(_ranges(lengths, WORDS))
    if units is not None:
        found["discourse units in the reference"] = list(_ranges(units, UNITS))
    if len(documents) <= MOST_DOCUMENTS:
        found["document"] = [(d.id, np.arange(d.start, d.stop)) for d in documents]
    by_domain: dict[str, list[int]] = {}
    for document in documents:
        by_domain.setdefault(document.domain or "(none)", []).extend(
            range(document.start, document.stop)
        )
    found["domain"] = [(name, np.array(rows)) for name, rows in sorted(by_domain.items())]
    for by, groups in named.items():
        found[by] = [(name, np.array(rows)) for name, rows in groups.items()]
    return found


def buckets(
    table: ScoreTable, parted: Mapping[str, Sequence[Group]], *, seed: int
) -> list[dict[str, Any]]:
    """All groupings with at least two groups; a group's score is that of its rows together."""
    able = {
        name: (column, column.metric)
        for name, column in table.columns.items()
        if column.metric is not None and column.metric.unit is Unit.SEGMENT
    }
    if not able:
        return []
    return [
        {"by": by, "groups": [_group(able, label, rows, seed) for label, rows in groups]}
        for by, groups in parted.items()
        if len(groups) > 1
    ]


def _ranges(sizes: Sequence[int], starts: Sequence[int]) -> Iterator[Group]:
    """Segments by size: each bucket from one start up to the next."""
    values = np.asarray(sizes)
    bucket = np.searchsorted(starts, values, side="right") - 1
    for number, start in enumerate(starts):
        rows = np.flatnonzero(bucket == number)
        if len(rows):
            last = starts[number + 1] - 1 if number + 1 < len(starts) else None
            end = "" if last == start else " and more" if last is None else f"–{last}"
            yield f"{start}{end}", rows


def _group(
    able: Mapping[str, tuple[Column, Metric]], label: str, rows: npt.NDArray[np.intp], seed: int
) -> dict[str, Any]:
    scores = {}
    for name, (column, metric) in able.items():
        assert column.statistics is not None
        own = column.statistics[:, rows]
        cells = [[_number(value)] for value in metric.score(own.sum(axis=1))]
        if len(rows) > 1:
            samples = bootstrap_scores(own, metric.score, resamples=RESAMPLES, seed=seed)
            for cell, ends in zip(cells, percentile_interval(samples, 0.95), strict=True):
                cell += map(_number, ends)
        scores[name] = cells
    return {"label": label, "count": len(rows), "scores": scores}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.6g}")
