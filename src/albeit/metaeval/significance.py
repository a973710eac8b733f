"""Whether one metric agrees better with people than another, beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from albeit.errors import MetricError
from albeit.judged.task import Task
from albeit.metaeval.measure import Measure, correlate, measured_pairs, scores_of, system_agreement
from albeit.metrics.table import Column
from albeit.stats.concordance import pairwise_statistic
from albeit.stats.correlation import pearson, rank, williams
from albeit.stats.permutation import (
    Exchange,
    Null,
    p_value,
    pair_permutation,
    permutation,
    standardise,
)
from albeit.stats.significance import DEFAULT_SEED

__all__ = ["Test", "check_test", "difference"]

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
    return p_value(nulls)


def _null(
    task: Task,
    first: Column,
    second: Column,
    measure: Measure,
    exchange: Exchange,
    samples: int,
    seed: Sequence[int],
) -> Null:
    rng = np.random.default_rng(seed)
    if measure.level == "system":
        # Exchanges happen segment by segment; a system's score is then the mean of its own.
        a, b = (standardise(scores_of(c, "segment")) for c in (first, second))
        human = task.human("system")
        return permutation(
            lambda x: system_agreement(x.mean(axis=1), human, measure.statistic),
            a,
            b,
            exchange=exchange,
            samples=samples,
            rng=rng,
        )
    a, b = (standardise(scores_of(c, measure.level)) for c in (first, second))
    if measure.pairwise and measure.by == "global":
        pairs = measured_pairs(task, measure)
        return pair_permutation(
            pairwise_statistic(measure.statistic),
            a,
            b,
            pairs.segment,
            pairs.left,
            pairs.right,
            pairs.preference,
            exchange=exchange,
            samples=samples,
            rng=rng,
        )
    people = task.human(measure.level)
    return permutation(
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
        x, y, human = rank(x), rank(y), rank(human)
    return williams(
        float(pearson(x, human)), float(pearson(y, human)), float(pearson(x, y)), len(human)
    )
