"""Rank metrics by correlation with human judgments, with intervals and clusters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import InputError, MetricError
from albeit.metaeval.judged_set import Task
from albeit.metaeval.measure import Measure, agreement, counted, scores_of, usual_measure
from albeit.metaeval.significance import Test, check_test, difference, null, resampled_agreement
from albeit.metaeval.statistics import Null, p_value
from albeit.metrics import Signature
from albeit.metrics.table import Column
from albeit.metrics.view import Displayed
from albeit.stats import ALPHA, DEFAULT_SEED, group_means, interval, significance_clusters

WMT24: tuple[tuple[Measure, Literal["both", "pairs"]], ...] = (
    (Measure("system", "spa-mtme"), "both"),
    (Measure("segment", "accuracy-ties", "item"), "pairs"),
)
"""The measures of the WMT24 metrics task, with their tests."""
_TEXTS = re.compile(r"-(src|ref[A-Z])\Z")
"""How names of WMT's score files end: with the text that the metric compares with."""


class Ranked(NamedTuple):
    """One metric: its agreement on each task, their mean, and what is known of it.

    A task where there is none (a constant metric, no scores at that level) is NaN and
    named in ``gaps``; the mean is then NaN too. ``untested`` is a metric without the segment
    scores that a test at system level exchanges.
    """

    metric: str
    values: tuple[float, ...]
    mean: float
    interval: tuple[float, float] | None
    cluster: int | None
    gaps: tuple[str, ...] = ()
    untested: bool = False


@dataclass(frozen=True, repr=False)
class Ranking(Displayed):
    """Metrics, best first; those without a value last. ``print`` and notebooks show a table.

    :func:`albeit.rank_metrics` makes one; its example shows how.

    :param measure: the statistic, and its level
    :param tasks: names of the test sets
    :param metrics: the metrics with their values, best first
    :param test: the test of significance, if there was one
    :param samples: how many resamples or exchanges
    :param seed: where random choices started
    :param counted: number of judged pairs (or human scores, for a correlation) of each task
    :param margins: the difference below which two ratings of a task were no pair
    """

    measure: Measure
    tasks: tuple[str, ...]
    metrics: tuple[Ranked, ...]
    test: Test | None
    samples: int
    seed: int
    counted: tuple[int, ...] = ()
    margins: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"<Ranking by {self.measure}: {', '.join(row.metric for row in self.metrics)}>"


def rank_metrics(
    tasks: Sequence[Task],
    measure: Measure | None = None,
    *,
    confidence: bool = False,
    test: Test | None = None,
    samples: int | None = None,
    alpha: float = ALPHA,
    seed: int = DEFAULT_SEED,
    raters: bool = False,
) -> Ranking:
    """Rank the metrics that all tasks have, by their mean agreement over the tasks.

    :param tasks: scores joined with judgments (:meth:`JudgedSet.task`)
    :param measure: level and statistic; by default the usual one for segments and the tasks' kind
        of judgments
    :param confidence: also 95 % intervals, resampling documents
    :param test: also significance clusters, by this test
    :param samples: how many samples or exchanges are made: 1,000, or more where so many metrics are
        tested that a correction would leave nothing to be found
    :param alpha: the level of significance
    :param seed: where random choices start
    :param raters: also rank human raters of one test set, each against the mean of the others
    :return: the metrics with their correlations, best first

    >>> import albeit
    >>> import numpy as np
    >>> from albeit.data.judgments import Pairs
    >>> demo = albeit.read("examples/demo")
    >>> segments, left, right = np.array([1, 3]), np.array([0, 0]), np.array([1, 1])
    >>> people = Pairs(("careful", "blunt"), segments, left, right, np.array([1, 1]))
    >>> task = albeit.JudgedSet(demo, people).task(albeit.score(demo, ["chrf", "ter"]))
    >>> [each.metric for each in albeit.rank_metrics([task]).metrics]
    ['chrf', 'ter']
    """
    if not tasks:
        raise MetricError("there is no test set with judgments.")
    if measure is None:
        measure = usual_measure("segment", [task.judgments for task in tasks])
    names = _common(tasks)
    if test is not None:
        check_test(measure, test, len(tasks))
    if samples is None:
        samples = max(1000, round(2 * len(names) / alpha))
    rows = [_agreements(tasks, name, measure, seed) for name in names]
    if confidence:
        rows = [_with_interval(tasks, row, measure, samples, seed) for row in rows]
    if test is not None:

        def p(better: int, worse: int) -> float:
            pair = names[better], names[worse]
            return difference(tasks, *pair, measure, test, samples=samples, seed=seed)

        rows = [_testable(tasks, row, measure, test) for row in rows]
        means = [np.nan if row.untested else row.mean for row in rows]
        clusters = significance_clusters(means, p, alpha=alpha)
        rows = [r._replace(cluster=c or None) for r, c in zip(rows, clusters, strict=True)]
    rows += _raters(tasks, measure, seed) if raters else []
    rows.sort(key=lambda row: (np.isnan(row.mean), -row.mean))
    named = tuple(task.name for task in tasks)
    counts = tuple(counted(task, measure) for task in tasks)
    margins = tuple(_margin(task, measure) for task in tasks)
    return Ranking(measure, named, tuple(rows), test, samples, seed, counts, margins)


def _raters(tasks: Sequence[Task], measure: Measure, seed: int) -> list[Ranked]:
    """Return a row per rater of the only task, which no test compares with metrics."""
    if len(tasks) > 1:
        raise MetricError("raters are ranked on one test set.")
    found = []
    for name, task in rater_tasks(tasks[0]):
        row = _agreements([task], name, measure, seed)
        note = f"{name}: against the mean of the others, {counted(task, measure):,} judgments"
        found.append(row._replace(gaps=(*row.gaps, note)))
    if not found:
        raise MetricError("no translation has ratings of two raters (column 'rater').")
    return found


def _common(tasks: Sequence[Task]) -> list[str]:
    names = [n for n in tasks[0].table.metrics if all(n in t.table.columns for t in tasks)]
    if not names:
        raise MetricError("the test sets have no metric in common.")
    return names


def _without_texts(task: Task) -> Task:
    """Return the task with the names of WMT's tables: COMET-refB is COMET if it is the only one.

    The best reference differs between language pairs, and so do the names of score files.
    """
    names = {name: _TEXTS.sub("", name) for name in task.table.columns}
    count = Counter(names.values())
    columns = (
        column if count[names[name]] > 1 else column._replace(name=names[name])
        for name, column in task.table.columns.items()
    )
    named = {column.name: column for column in columns}
    return replace(task, table=replace(task.table, columns=named))


def rank_wmt24(
    tasks: Sequence[Task], *, samples: int = 0, alpha: float = ALPHA, seed: int = DEFAULT_SEED
) -> tuple[Ranking, ...]:
    """Rank metrics as the WMT24 metrics task: by the mean over test sets and levels.

    The levels are soft pairwise accuracy of systems and accuracy with calibrated ties of segments;
    all have the same weight. The first ranking is by the mean, the others by its parts. Clusters
    are ranks, by WMT's rule.

    :param tasks: scores joined with judgments (:meth:`JudgedSet.task`)
    :param samples: how many exchanges test a difference; with 0, each metric has its own rank
    :param alpha: the level of significance
    :param seed: where random choices start
    """
    ordered = [_without_texts(task) for task in sorted(tasks, key=lambda task: task.name)]
    names = _common(ordered)
    parts = [(task, *how) for task in ordered for how in WMT24]
    found = [[_agreements([task], name, m, seed) for name in names] for task, m, _ in parts]

    @cache
    def nulls(part: int, first: str, second: str) -> Null:
        task, measure, test = parts[part]
        how = {"samples": samples, "rng": np.random.default_rng([seed, part])}
        return null(task, first, second, measure, test, **how)

    def rank(rows: Sequence[Ranked], chosen: Sequence[int]) -> tuple[Ranked, ...]:
        def p(better: int, worse: int) -> float:
            pair = names[better], names[worse]
            return p_value([nulls(part, *pair) for part in chosen]) if samples else 0.0

        means = [row.mean for row in rows]
        ranks = significance_clusters(means, p, alpha=alpha, wmt=True)
        ranked = [row._replace(cluster=r or None) for row, r in zip(rows, ranks, strict=True)]
        return tuple(sorted(ranked, key=lambda row: (np.isnan(row.mean), -row.mean)))

    rankings = []
    for n, (task, measure, test) in enumerate(parts):
        rows, counts = rank(found[n], [n]), (counted(task, measure),)
        one = Ranking(measure, (task.name,), rows, test, samples, seed, counts, (0.0,))
        rankings.append(one)
    means = [
        Ranked(name, values := tuple(row.mean for row in rows), float(np.mean(values)), None, None)
        for name, rows in zip(names, zip(*found, strict=True), strict=True)
    ]
    whole = rank(means, range(len(parts)))
    return replace(rankings[0], metrics=whole, tasks=tuple(t.name for t in ordered)), *rankings


def _margin(task: Task, measure: Measure) -> float:
    """Return the margin of a task's pairs; 0 where it has no effect."""
    if not measure.pairwise or isinstance(task.judgments, Pairs):
        return 0.0
    return task.decisive if measure.on_decided else task.margin or 0.0


def _agreements(tasks: Sequence[Task], name: str, measure: Measure, seed: int) -> Ranked:
    """Return a metric's correlation on every task, or the reason why there is none."""
    values: list[float] = []
    gaps: list[str] = []
    for task in tasks:
        column = task.table[name]
        if getattr(column, measure.scored) is None:
            values.append(float("nan"))
            gaps.append(f"{task.name}: {name} has no {measure.scored} scores")
            continue
        values.append(agreement(task, column, measure, rng=np.random.default_rng(seed)))
        if np.isnan(values[-1]):
            why = _why(task, column, measure)
            gaps.append(f"{task.name}: {measure} of {name} does not exist ({why})")
    return Ranked(name, tuple(values), float(np.mean(values)), None, None, tuple(gaps))


def _testable(tasks: Sequence[Task], row: Ranked, measure: Measure, test: Test) -> Ranked:
    """Return the row, with a reason if the test isn't possible: it exchanges segments."""
    if test == "williams" or measure.level != "system" or np.isnan(row.mean):
        return row
    if all(task.table[row.metric].segment is not None for task in tasks):
        return row
    why = f"{row.metric} has no segment scores, and is in no cluster"
    return row._replace(untested=True, gaps=(*row.gaps, why))


def _why(task: Task, column: Column, measure: Measure) -> str:
    if len(task.judgments.judged_systems()) < 2:
        return "fewer than two systems are judged"
    if measure.needs_three and len(task.judgments.judged_systems()) == 2:
        return "over two systems, it is always 1 or -1"
    scores = scores_of(column, measure.level)
    if not np.isnan(scores).all() and np.nanmin(scores) == np.nanmax(scores):
        return "its scores are constant"
    return "a score is missing" if np.isnan(scores).any() else "too few judgments"


def _with_interval(
    tasks: Sequence[Task], row: Ranked, measure: Measure, samples: int, seed: int
) -> Ranked:
    """Return the row with the interval of its mean; documents are drawn in each task by itself."""
    drawn: list[FloatArray] = []
    for number, task in enumerate(() if np.isnan(row.mean) else tasks):
        rng = np.random.default_rng([seed, number])
        column = task.table[row.metric]
        values = resampled_agreement(task, column, measure, samples=samples, rng=rng)
        if values is None:
            return row
        drawn.append(values)
    return row._replace(interval=interval(np.mean(drawn, axis=0))) if drawn else row


def sentinel_columns(evalset: EvalSet) -> list[Column]:
    """Return the scores of sentinels: shorter texts, usual lengths, and shorter sources are better.

    - ``sentinel-length``: characters of the translation
    - ``sentinel-ratio``: how far the length is from that of the first reference (or the source)
    - ``sentinel-source``: characters of the source (or the first reference), for all systems
    """
    others = [*evalset.references.values()][:1]
    source = evalset.source or (others or [()])[0]
    texts = [_lengths(lines) for lines in evalset.systems.values()]
    if not source or not texts:
        raise InputError("sentinels need a source or a reference, and translations.")
    own = np.array(texts)
    ratio = np.abs(np.log(own / _lengths((others or [source])[0])))
    constant = np.broadcast_to(_lengths(source), own.shape)
    named = {"length": own, "ratio": ratio, "source": constant}
    return [_column(evalset, f"sentinel-{name}", scores) for name, scores in named.items()]


def _lengths(lines: tuple[str, ...]) -> FloatArray:
    return np.array([max(1, len(line)) for line in lines], dtype=np.float64)


def _column(evalset: EvalSet, name: str, scores: FloatArray) -> Column:
    starts, sizes = zip(*((d.start, len(d)) for d in evalset.documents), strict=True)
    documents = np.add.reduceat(scores, starts, axis=1) / sizes
    system = group_means(
        scores.ravel(), np.repeat(np.arange(len(scores)), scores.shape[1]), len(scores)
    )
    return Column(name, Signature(name), False, system, documents, scores)


def rater_tasks(task: Task) -> Iterator[tuple[str, Task]]:
    """Yield the raters, each with the task of the translations that others rated, too.

    The rater is a column of the task's table, and the judgments are those of the others.
    """
    ratings, size = task.judgments, len(task.table)
    if not isinstance(ratings, Ratings) or ratings.rater is None:
        return
    cell = ratings.system * size + ratings.segment
    for number, name in enumerate(ratings.raters):
        mine = ratings.rater == number
        both = np.intersect1d(cell[mine], cell[~mine])
        if not len(both):
            continue
        shared = np.isin(cell, both)
        own, others = ratings.take(mine & shared), ratings.take(~mine & shared)
        documents = own.document_scores(task.table.documents, task.lengths)
        levels = own.system_scores(), documents, own.matrix(size)
        column = Column(f"rater {name}", Signature("rater"), True, *levels)
        table = replace(task.table, columns={column.name: column})
        yield column.name, replace(task, table=table, judgments=others)
