"""The discourse profile as a report shows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from albeit.annotate.given import Given
from albeit.corpus.evalset import EvalSet
from albeit.metrics.base import Metric
from albeit.metrics.registry import metric
from albeit.metrics.table import ScoreTable
from albeit.report.profile import KINDS, ProfileRow, fitting, gather

__all__ = ["profile_metrics", "profile_rows"]


def profile_metrics(evalset: EvalSet, annotations: Given | None = None) -> list[Metric]:
    """The metrics of all kinds that can be measured on this set."""
    kinds, _ = fitting(evalset, annotations)
    return [metric(kind.metric) for kind in kinds]


def profile_rows(
    evalset: EvalSet, table: ScoreTable, *, annotations: Given | None = None, seed: int
) -> list[dict[str, Any]]:
    """A row a kind that the table has a column of: scores, intervals, tests, worst places."""
    kinds = [kind for kind in KINDS if str(metric(kind.metric)) in table.columns]
    profile = gather(evalset, table, kinds, {}, annotations=annotations, seed=seed)
    return [_row(row, profile.systems) for row in profile.rows]


def _row(row: ProfileRow, systems: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": row.kind.name,
        "about": row.kind.about,
        "signature": row.signature,
        "coverage": row.seen,
        "scores": [None if np.isnan(v) else v for v in row.scores],
        "instances": [
            {
                "system": systems.index(one.system), "segment": one.segment - 1,
                "score": one.score, "what": one.what,
            }
            for one in row.instances
        ],
    }  # fmt: skip
    if row.intervals is not None and row.p is not None:
        found |= {"intervals": row.intervals, "p": row.p}
    return found
