"""The work itself: a pure function of a job and a portion, wherever it runs."""

from __future__ import annotations

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.levels import Unit
from albeit.engine.batches import batches
from albeit.engine.plan import Job, Portion, Step
from albeit.errors import MetricError
from albeit.metrics.base import Batch
from albeit.metrics.composite import Composite

__all__ = ["statistics", "work"]


def work(job: Job, portion: Portion) -> list[FloatArray]:
    """The statistics of each wanted metric over a portion: (systems, rows, k)."""
    by_system = [statistics(job, batch) for batch in batches(job, portion)]
    return [np.stack(rows) for rows in zip(*by_system, strict=True)]


def statistics(job: Job, batch: Batch) -> list[FloatArray]:
    """Every step over one system's batch; those that are wanted."""
    rows: list[FloatArray] = []
    for step in job.steps:
        rows.append(_checked(step, batch, _rows(step, batch, rows)))
    return [rows[place] for place in job.wanted]


def _rows(step: Step, batch: Batch, known: list[FloatArray]) -> FloatArray:
    if isinstance(step.metric, Composite):
        return step.metric.combine([known[place] for place in step.parts], batch)
    return step.metric.statistics(batch, step.context)


def _checked(step: Step, batch: Batch, rows: FloatArray) -> FloatArray:
    """A wrong number of rows would shift all scores."""
    metric = step.metric
    expected = len(batch) if metric.unit is Unit.SEGMENT else len(batch.documents)
    if rows.ndim != 2 or len(rows) != expected:
        raise MetricError(
            f"{metric} gave statistics of shape {rows.shape} for {expected} {metric.unit}s;"
            " it must give one row each. This is a fault of the metric."
        )
    return rows
