"""Test differences between correlations with human judgments, and compute their intervals.

For that whole documents are drawn again, with scores and judgments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from albeit.arrays import FloatArray, IntArray
from albeit.data.judgments import Pairs
from albeit.errors import InputError, MetricError
from albeit.metaeval import statistics
from albeit.metaeval.judged_set import Task
from albeit.metaeval.measure import (
    Measure,
    correlate,
    human_scores,
    measured_pairs,
    pair_differences,
    scores_of,
    soft_accuracy,
    system_agreement,
)
from albeit.metrics.table import Column
from albeit.stats import (
    BOTH_TIED,
    CONCORDANT,
    DEFAULT_SEED,
    categories,
    count_by,
    document_weights,
    pearson,
)

Test = Literal["input", "system", "both", "pairs", "williams"]


def check_test(measure: Measure, test: Test, tasks: int) -> None:
    """Raise unless the test exists for this measure and so many tasks."""
    if test == "williams":
        if tasks != 1 or measure.statistic not in ("pearson", "spearman") or measure.by == "item":
            raise MetricError("Williams' test is for pearson or spearman, global, on one test set.")
    elif (test == "pairs") != (measure.statistic == "accuracy-ties"):
        what = "accuracy-ties is tested with pairs, which exchanges the outcomes of pairs;"
        raise MetricError(f"{what} other statistics are tested with input, system, or both.")
    elif measure.pairwise and test == "pairs":
        return
    elif measure.pairwise and measure.by == "item":
        raise MetricError("permutation tests of pairwise statistics pool items; use global.")


def difference(
    tasks: Sequence[Task],
    first: str,
    second: str,
    measure: Measure,
    test: Test = "input",
    *,
    samples: int = 1000,
    seed: int = DEFAULT_SEED,
) -> float:
    """Return the p-value that the first metric correlates better than the second.

    ``input``, ``system`` and ``both`` exchange scores, ``pairs`` the outcomes of pairs of
    translations; ``williams`` tests a difference of correlations (Pearson's or Spearman's) on one
    task.
    """
    check_test(measure, test, len(tasks))
    if test == "williams":
        return _williams(tasks[0], first, second, measure)
    nulls: list[statistics.Null] = []
    for n, task in enumerate(tasks):
        how = {"samples": samples, "rng": np.random.default_rng([seed, n])}
        nulls.append(null(task, first, second, measure, test, **how))
    return statistics.p_value(nulls)


def null(
    task: Task,
    first: str,
    second: str,
    measure: Measure,
    test: statistics.Exchange | Literal["pairs"],
    **how: Any,
) -> statistics.Null:
    """Return the observed difference of two metrics on one task, and that after exchanges."""
    # Exchanges of systems' scores happen segment by segment; a system has the mean of its own.
    level = "segment" if measure.level == "system" else measure.level
    columns = task.table[first], task.table[second]
    if test == "pairs":
        one, other = (_outcomes(task, column, measure) for column in columns)
        return statistics.outcome_permutation(one - other, **how)
    a, b = (scores_of(column, level) for column in columns)
    if measure.soft:
        soft = soft_accuracy(task, measure, np.random.default_rng(DEFAULT_SEED))
        a, b = (statistics.standardise(soft.mask(scores)) for scores in (a, b))
        return statistics.permutation(soft, a, b, exchange=test, **how)
    a, b = statistics.standardise(a), statistics.standardise(b)
    human = human_scores(task, measure)
    if measure.pairwise and measure.by == "global":
        pairs, statistic = measured_pairs(task, measure), statistics.PAIRWISE[measure.statistic]
        where = (pairs.segment, pairs.left, pairs.right)
        options = {"exchange": test, **how}
        return statistics.pair_permutation(statistic, a, b, where, pairs.preference, **options)

    def agree(scores: FloatArray) -> float:
        if measure.level == "system":
            return system_agreement(scores.mean(axis=1), human, measure.statistic)
        return correlate(scores, human, measure)

    return statistics.permutation(agree, a, b, exchange=test, **how)


def _outcomes(task: Task, column: Column, measure: Measure) -> FloatArray:
    """Return each pair's part of the accuracy with calibrated ties: its weight, or 0."""
    pairs, pooled = measured_pairs(task, measure), measure.by == "global"
    scores = scores_of(column, measure.level)
    category = categories(pair_differences(scores, pairs, measure, pooled=pooled), pairs.preference)
    right = (category == CONCORDANT) | (category == BOTH_TIED)
    if pooled:
        return np.asarray(right / len(pairs))
    sizes = np.bincount(pairs.segment)
    return np.asarray(right / sizes[pairs.segment] / np.count_nonzero(sizes))


def _williams(task: Task, first: str, second: str, measure: Measure) -> float:
    human = task.human(measure.level).ravel()
    judged = ~np.isnan(human)
    rows = [scores_of(task.table[name], measure.level).ravel() for name in (first, second)]
    x, y, human = (row[judged] for row in (*rows, human))
    if len(human) < 4:
        what = f"Williams' test needs at least four items; {task.name} has {len(human)}."
        raise MetricError(what)
    if measure.statistic == "spearman":
        x, y, human = map(statistics.rank, (x, y, human))
    own, other = float(pearson(x, human)), float(pearson(y, human))
    return statistics.williams(own, other, float(pearson(x, y)), len(human))


def resampled_agreement(
    task: Task, column: Column, measure: Measure, *, samples: int, rng: np.random.Generator
) -> FloatArray | None:
    """Return the correlation in each sample of documents.

    ``None`` where it can't be computed: system scores from elsewhere don't show what they would be
    on other documents.
    """
    documents = len(task.table.documents)
    if documents < 2:
        what = f"{task.name} has one document, and resampling needs several."
        raise InputError(what, hint="Give document ids with --docs.")
    weights = document_weights(documents, samples, rng)
    if measure.pairwise:
        return _pairs(task, column, measure, weights)
    if measure.level == "system":
        resample = _soft if measure.soft else _systems
        return resample(task, column, measure, weights)
    return _cells(task, column, measure, weights)


def _pairs(task: Task, column: Column, measure: Measure, weights: FloatArray) -> FloatArray:
    pairs, document, size = measured_pairs(task, measure), _documents(task, measure), len(weights.T)
    scores = scores_of(column, measure.level)
    difference = pair_differences(scores, pairs, measure, pooled=measure.by == "global")
    category = categories(difference, pairs.preference)
    statistic = statistics.PAIRWISE[measure.statistic]
    if measure.by == "global":
        return np.asarray(statistic(weights @ count_by(category, document[pairs.segment], size)))
    values = statistic(count_by(category, pairs.segment, scores.shape[1]))
    known = ~np.isnan(values)
    total = np.bincount(document[known], weights=values[known], minlength=size)
    count = np.bincount(document[known], minlength=size)
    return np.asarray((weights @ total) / (weights @ count))


def _documents(task: Task, measure: Measure) -> IntArray:
    """Return the number of the document of each segment, or of each document."""
    by_segment = measure.level == "segment"
    return task.document_of_segment if by_segment else np.arange(len(task.table.documents))


def _cells(task: Task, column: Column, measure: Measure, weights: FloatArray) -> FloatArray:
    scores, human = scores_of(column, measure.level), human_scores(task, measure)
    document = _documents(task, measure)
    found = np.empty(len(weights))
    for sample, weight in enumerate(weights.astype(np.int64)):
        items = np.repeat(np.arange(human.shape[1]), weight[document])
        found[sample] = correlate(scores[:, items], human[:, items], measure)
    return found


def _soft(task: Task, column: Column, measure: Measure, weights: FloatArray) -> FloatArray:
    soft = soft_accuracy(task, measure, np.random.default_rng(DEFAULT_SEED))
    scores, document = soft.mask(scores_of(column, "segment")), task.document_of_segment
    judged = np.flatnonzero(~np.isnan(soft.human).all(axis=0))
    drawn = (np.repeat(judged, weight[document[judged]]) for weight in weights.astype(np.int64))
    return np.array([soft.resampled(scores, items) for items in drawn])


def _systems(
    task: Task, column: Column, measure: Measure, weights: FloatArray
) -> FloatArray | None:
    scores = _sampled_system_scores(task, column, weights)
    if scores is None:
        return None
    both = zip(scores, _sampled_human_scores(task, weights), strict=True)
    return np.array([system_agreement(x, y, measure.statistic) for x, y in both])


def _sampled_system_scores(task: Task, column: Column, weights: FloatArray) -> FloatArray | None:
    """Return system scores in each sample: (samples, systems), oriented."""
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


def _sampled_human_scores(task: Task, weights: FloatArray) -> FloatArray:
    """Return human system scores in each sample: (samples, systems)."""
    judgments, shape = task.judgments, (weights.shape[1], len(task.table.systems))

    def add_up(segment: IntArray, system: IntArray, values: FloatArray | None = None) -> FloatArray:
        cell = task.document_of_segment[segment] * shape[1] + system
        sums = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
        return weights @ sums.reshape(shape).astype(np.float64)

    if isinstance(judgments, Pairs):
        pairs = task.decided
        won = pairs.preference > 0
        top = add_up(pairs.segment, np.where(won, pairs.left, pairs.right))
        below = top + add_up(pairs.segment, np.where(won, pairs.right, pairs.left))
    else:
        top = add_up(judgments.segment, judgments.system, judgments.score)
        below = add_up(judgments.segment, judgments.system)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(top / below)
