"""How sure an agreement is: whole documents are drawn again, with scores and judgments."""

from __future__ import annotations

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.judgments import Pairs
from albeit.errors import InputError
from albeit.judged.task import Task
from albeit.metaeval.measure import (
    Measure,
    correlate,
    measured_pairs,
    pair_differences,
    scores_of,
    system_agreement,
)
from albeit.metrics.table import Column
from albeit.stats.bootstrap import document_weights
from albeit.stats.concordance import categories, count_by, pairwise_statistic

__all__ = ["resampled_agreement", "sampled_human_scores", "sampled_system_scores"]


def resampled_agreement(
    task: Task, column: Column, measure: Measure, *, samples: int, rng: np.random.Generator
) -> FloatArray | None:
    """The agreement in each sample of documents.

    ``None`` where it cannot be had: system scores from elsewhere do not tell what they
    would be on other documents, and soft pairwise accuracy resamples within itself.
    """
    documents = len(task.table.documents)
    if documents < 2:
        raise InputError(
            f"{task.name} has one document, and resampling needs several.",
            hint="Give document ids with --docs.",
        )
    weights = document_weights(documents, samples, rng)
    if measure.pairwise:
        return _pairs(task, column, measure, weights)
    if measure.level == "system":
        return None if measure.statistic == "spa" else _systems(task, column, measure, weights)
    return _cells(task, column, measure, weights)


def _pairs(task: Task, column: Column, measure: Measure, weights: FloatArray) -> FloatArray:
    pairs = measured_pairs(task, measure)
    scores = scores_of(column, measure.level)
    document = task.document_of_segment if measure.level == "segment" else None
    difference = pair_differences(scores, pairs, measure, pooled=measure.by == "global")
    category = categories(difference, pairs.preference)
    statistic = pairwise_statistic(measure.statistic)
    if measure.by == "global":
        unit = pairs.segment if document is None else document[pairs.segment]
        return np.asarray(statistic(weights @ count_by(category, unit, weights.shape[1])))
    values = statistic(count_by(category, pairs.segment, scores.shape[1]))
    known = ~np.isnan(values)
    place = np.arange(len(values)) if document is None else document
    size = weights.shape[1]
    total = np.bincount(place[known], weights=values[known], minlength=size)
    count = np.bincount(place[known], minlength=size)
    return np.asarray((weights @ total) / (weights @ count))


def _cells(task: Task, column: Column, measure: Measure, weights: FloatArray) -> FloatArray:
    scores, human = scores_of(column, measure.level), task.human(measure.level)
    document = task.document_of_segment if measure.level == "segment" else np.arange(human.shape[1])
    found = np.empty(len(weights))
    for sample, weight in enumerate(weights.astype(np.int64)):
        items = np.repeat(np.arange(human.shape[1]), weight[document])
        found[sample] = correlate(scores[:, items], human[:, items], measure)
    return found


def _systems(
    task: Task, column: Column, measure: Measure, weights: FloatArray
) -> FloatArray | None:
    scores = sampled_system_scores(task, column, weights)
    if scores is None:
        return None
    human = sampled_human_scores(task, weights)
    return np.array(
        [system_agreement(x, y, measure.statistic) for x, y in zip(scores, human, strict=True)]
    )


def sampled_system_scores(task: Task, column: Column, weights: FloatArray) -> FloatArray | None:
    """System scores in each sample: (samples, systems), oriented."""
    starts = [d.start for d in task.table.documents]
    sign = 1.0 if column.higher_is_better else -1.0
    if column.statistics is not None and column.metric is not None:
        rows = column.statistics
        if rows.shape[1] == len(task.table):
            rows = np.add.reduceat(rows, starts, axis=1)
        return sign * column.metric.score(np.einsum("bd,sdk->bsk", weights, rows))
    if column.segment is None:
        return None
    sums = np.add.reduceat(column.segment, starts, axis=1)
    sizes = weights @ np.array([len(d) for d in task.table.documents], dtype=np.float64)
    return np.asarray(sign * (weights @ sums.T) / sizes[:, None])


def sampled_human_scores(task: Task, weights: FloatArray) -> FloatArray:
    """Human system scores in each sample: (samples, systems)."""
    judgments, systems = task.judgments, len(task.table.systems)
    documents = weights.shape[1]
    if isinstance(judgments, Pairs):
        decided = task.decided
        better = np.where(decided.preference > 0, decided.left, decided.right)
        worse = np.where(decided.preference > 0, decided.right, decided.left)
        document = task.document_of_segment[decided.segment]
        cells = documents * systems
        top = np.bincount(document * systems + better, minlength=cells).astype(np.float64)
        low = np.bincount(document * systems + worse, minlength=cells).astype(np.float64)
        below = top + low
    else:
        place = task.document_of_segment[judgments.segment] * systems + judgments.system
        top = np.bincount(place, weights=judgments.score, minlength=documents * systems).astype(
            np.float64
        )
        below = np.bincount(place, minlength=documents * systems).astype(np.float64)
    shape = (documents, systems)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((weights @ top.reshape(shape)) / (weights @ below.reshape(shape)))
