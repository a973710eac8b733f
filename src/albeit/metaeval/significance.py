"""Whether one metric agrees better with people than another, beyond chance; and how sure an agreement is.

For that whole documents are drawn again, with scores and judgments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.judgments import Pairs
from albeit.errors import InputError, MetricError
from albeit.metaeval import statistics
from albeit.metaeval.measure import (
    Measure,
    correlate,
    measured_pairs,
    pair_differences,
    scores_of,
    system_agreement,
)
from albeit.metaeval.task import Task
from albeit.metrics.table import Column
from albeit.stats import DEFAULT_SEED, categories, count_by, document_weights, pearson

Test = Literal["input", "system", "both", "williams"]


def check_test(measure: Measure, test: Test, tasks: int) -> None:
    """Raise unless the test exists for this measure and so many tasks."""
    if test == "williams":
        if tasks != 1 or measure.statistic not in ("pearson", "spearman") or measure.by == "item":
            raise MetricError("Williams' test is for pearson or spearman, global, on one test set.")
    elif measure.statistic in ("spa", "accuracy-ties"):
        raise MetricError(f"there is no permutation test for {measure.statistic} here.")
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
    """The p-value that the first metric agrees better with people than the second.

    ``input``, ``system`` and ``both`` exchange scores; ``williams`` tests a difference of
    correlations (Pearson's or Spearman's) on one task.
    """
    check_test(measure, test, len(tasks))
    if test == "williams":
        return _williams(tasks, first, second, measure)
    nulls = [
        _null(task, task.table[first], task.table[second], measure, test, samples, [seed, n])
        for n, task in enumerate(tasks)
    ]
    return statistics.p_value(nulls)


def _null(
    task: Task,
    first: Column,
    second: Column,
    measure: Measure,
    exchange: statistics.Exchange,
    samples: int,
    seed: Sequence[int],
) -> statistics.Null:
    rng = np.random.default_rng(seed)
    if measure.level == "system":
        # Exchanges happen segment by segment; a system's score is then the mean of its own.
        a, b = (statistics.standardise(scores_of(c, "segment")) for c in (first, second))
        human = task.human("system")
        return statistics.permutation(
            lambda x: system_agreement(x.mean(axis=1), human, measure.statistic),
            a,
            b,
            exchange=exchange,
            samples=samples,
            rng=rng,
        )
    a, b = (statistics.standardise(scores_of(c, measure.level)) for c in (first, second))
    if measure.pairwise and measure.by == "global":
        pairs = measured_pairs(task, measure)
        return statistics.pair_permutation(
            statistics.PAIRWISE[measure.statistic],
            a,
            b,
            (pairs.segment, pairs.left, pairs.right),
            pairs.preference,
            exchange=exchange,
            samples=samples,
            rng=rng,
        )
    people = task.human(measure.level)
    return statistics.permutation(
        lambda x: correlate(x, people, measure), a, b, exchange=exchange, samples=samples, rng=rng
    )


def _williams(tasks: Sequence[Task], first: str, second: str, measure: Measure) -> float:
    task = tasks[0]
    human = task.human(measure.level).ravel()
    x, y = (scores_of(task.table[name], measure.level).ravel() for name in (first, second))
    judged = ~np.isnan(human)
    x, y, human = x[judged], y[judged], human[judged]
    if len(human) < 4:
        raise MetricError(
            f"Williams' test needs at least four items; {task.name} has {len(human)}."
        )
    if measure.statistic == "spearman":
        x, y, human = statistics.rank(x), statistics.rank(y), statistics.rank(human)
    return statistics.williams(
        float(pearson(x, human)), float(pearson(y, human)), float(pearson(x, y)), len(human)
    )


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
    statistic = statistics.PAIRWISE[measure.statistic]
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
