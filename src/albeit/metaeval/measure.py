"""Define correlation with human judgments: a level, a statistic, and how items are combined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Level
from albeit.data.judgments import Pairs, Ratings
from albeit.errors import MetricError
from albeit.metaeval import statistics
from albeit.metaeval.judged_set import Task, oriented
from albeit.metaeval.statistics import SOFT, SoftAccuracy
from albeit.metrics.table import Column
from albeit.stats import categories, count_by, pearson

_CORRELATIONS: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray | float]] = {
    "pearson": pearson,
    "spearman": statistics.spearman,
    "kendall": statistics.kendall,
}

_CALIBRATED = {"error-free": statistics.best_mcc}
"""Statistics of segments that choose a threshold of the metric's scores, over all segments."""
_LEAST = {"esa": 85.0, "mqm": 0.0}
"""From which rating on a translation without marked errors is error-free (WMT26), by kind."""


def statistic_names(level: Level) -> tuple[str, ...]:
    """Return the statistics that exist at a level."""
    if level == "system":
        return (*_CORRELATIONS, "accuracy", *SOFT)
    return (*statistics.PAIRWISE, *_CORRELATIONS, *(_CALIBRATED if level == "segment" else ()))


_WITH_TIES = ("tau-b", "accuracy-ties")
"""Statistics that use human ties."""


_USUAL: Mapping[Level, tuple[str, str]] = {
    "segment": ("tau-wmt12", "tau-wmt14"),
    "document": ("pearson", "pearson"),
    "system": ("spearman", "pearson"),
}
"""The usual statistics of rankings and of ratings."""


@dataclass(frozen=True)
class Measure:
    """A statistic at a level.

    Pairwise statistics (the τ of the campaigns, accuracies) compare two systems on the
    same segment or document. ``kendall`` is τ-b between scores, ``tau-b`` between preferences.

    :param level: ``segment``, ``document`` or ``system``
    :param statistic: its name, as ``albeit metaeval --help`` lists them
    :param by: pairs: ``global`` pools all of them, ``item`` takes the mean over segments or
        documents. Correlations: ``global`` over all scored translations, ``item`` over the systems
        of each segment or document, then the mean of those that exist

    >>> import albeit
    >>> str(albeit.Measure("system", "pearson"))
    'system pearson'
    """

    level: Level = "segment"
    statistic: str = "tau-wmt12"
    by: Literal["global", "item"] = "global"

    def __post_init__(self) -> None:
        if self.level not in _USUAL:
            raise MetricError(f"unknown level {self.level!r}; there are {', '.join(_USUAL)}.")
        names = statistic_names(self.level)
        if self.statistic not in names:
            what = f"{self.statistic!r} isn't a statistic at {self.level} level"
            raise MetricError(f"{what}; there are {', '.join(names)}.")
        if self.by == "item" and self.statistic in _CALIBRATED:
            raise MetricError(f"{self.statistic} is over all segments together; use global.")
        if self.by not in ("global", "item"):
            raise MetricError(f"items are combined as global or item, not {self.by!r}.")

    @property
    def scored(self) -> Level:
        """The level of the metric's scores that it reads: SPA resamples segments."""
        return "segment" if self.soft else self.level

    @property
    def soft(self) -> bool:
        """Whether it is soft pairwise accuracy."""
        return self.statistic in SOFT

    @property
    def pairwise(self) -> bool:
        """Whether the statistic counts pairs of translations of one item."""
        return self.level != "system" and self.statistic in statistics.PAIRWISE

    @property
    def on_decided(self) -> bool:
        """Whether it counts the preferences on segments above the margin, and no ties."""
        return self.level == "segment" and self.statistic not in _WITH_TIES

    @property
    def needs_three(self) -> bool:
        """Whether it correlates scores of systems, of which two aren't enough."""
        return self.level == "system" and self.statistic in ("pearson", "spearman")

    def __str__(self) -> str:
        """Return the name for reports: ``segment tau-wmt12``."""
        by = "" if self.by == "global" else ", item by item"
        return f"{self.level} {self.statistic}{by}"


def scores_of(column: Column, level: Level) -> FloatArray:
    """Return a column's oriented scores as (systems, items); the system level has one item."""
    scores = oriented(column, level)
    return scores[:, None] if level == "system" else scores


YEARS: Mapping[str, tuple[Measure, ...]] = {
    "wmt12": (Measure("segment", "tau-wmt12"), Measure("system", "spearman")),
    "wmt13": (Measure("segment", "tau-wmt13"), Measure("system", "spearman")),
    "wmt14": (Measure("segment", "tau-wmt14"), Measure("system", "pearson")),
    "wmt23": (
        Measure("system", "accuracy"),
        Measure("system", "pearson"),
        Measure("segment", "accuracy-ties", "item"),
        Measure("segment", "pearson"),
    ),
}
"""The measures of the WMT metrics tasks by year; :data:`albeit.metaeval.rank.WMT24` has a test."""


def measured_pairs(task: Task, measure: Measure) -> Pairs:
    """Return the human preferences that a pairwise measure counts, on segments or documents."""
    if measure.level == "segment":
        return task.decided if measure.on_decided else task.pairs
    return task.document_pairs if measure.statistic in _WITH_TIES else task.document_pairs.decided()


def usual_measure(
    level: Level, judgments: Sequence[Pairs | Ratings], by: Literal["global", "item"] = "global"
) -> Measure:
    """Return the usual statistic for this level and kind of judgment.

    Rankings are read as at WMT12, when people gave them. Ratings (MQM, DA, ESA) come with
    numbers, and by them metrics' ties are no errors (τ of WMT14), and systems have r.
    """
    rated = any(isinstance(each, Ratings) for each in judgments)
    return Measure(level, _USUAL[level][rated], by)


def counted(task: Task, measure: Measure) -> int:
    """Return the number of judged pairs, or human scores, that a measure counts."""
    if measure.pairwise:
        return len(measured_pairs(task, measure))
    return int((~np.isnan(task.human(measure.level))).sum())


def agreement(
    task: Task, column: Column, measure: Measure, *, rng: np.random.Generator | None = None
) -> float:
    """Return one metric's correlation on one task; NaN where it does not exist.

    It does not exist for a constant metric, one that lacks a score, a single system, or
    where unjudged. Over two systems, every r and ρ is 1 or -1.
    """
    if measure.needs_three and len(task.judgments.judged_systems()) < 3:
        return float("nan")
    scores = scores_of(column, measure.level)
    if np.isnan(scores).all() or np.nanmin(scores) == np.nanmax(scores):
        return float("nan")
    if measure.soft:
        human, own = task.human("segment"), scores_of(column, "segment")
        if len(human) < 2 or (np.isnan(own) & ~np.isnan(human)).any():
            return float("nan")
        return soft_accuracy(task, measure, rng or np.random.default_rng(0))(own)
    if measure.level == "system":
        return system_agreement(scores[:, 0], task.human("system"), measure.statistic)
    if not measure.pairwise:
        return correlate(scores, human_scores(task, measure), measure)
    pairs = measured_pairs(task, measure)
    difference = pair_differences(scores, pairs, measure, pooled=measure.by == "global")
    if not len(difference) or np.isnan(difference).any():
        return float("nan")
    category = categories(difference, pairs.preference)
    counts = count_by(category, pairs.segment, scores.shape[1])
    statistic = statistics.PAIRWISE[measure.statistic]
    if measure.by == "global":
        return float(statistic(counts.sum(axis=0)))
    return _mean(statistic(counts))


def human_scores(task: Task, measure: Measure) -> FloatArray:
    """Return the human scores that a measure compares with; NaN where unjudged.

    For ``error-free`` it is whether a translation has a good rating and no marked error.
    """
    human = task.human(measure.level)
    if measure.statistic not in _CALIBRATED:
        return human
    ratings = task.judgments
    words = ratings.kind.replace("_", "-").split("-") if isinstance(ratings, Ratings) else []
    least = next((_LEAST[word] for word in words if word in _LEAST), None)
    if not isinstance(ratings, Ratings) or least is None:
        raise MetricError("error-free needs ratings of ESA or MQM.")
    free = np.where(np.isnan(human), np.nan, human >= least)
    if ratings.errors is not None and least:
        wrong = ratings.errors > 0
        free[ratings.system[wrong], ratings.segment[wrong]] = 0.0
    return free


def soft_accuracy(task: Task, measure: Measure, rng: np.random.Generator) -> SoftAccuracy:
    """Return the soft pairwise accuracy against a task's human scores, with its random draws."""
    mtme = measure.statistic == "spa-mtme"
    return SoftAccuracy(task.human("segment"), mtme, int(rng.integers(2**63)))


def pair_differences(
    scores: FloatArray, pairs: Pairs, measure: Measure, *, pooled: bool = True
) -> FloatArray:
    """Return score differences, left minus right; NaN if a side has no score.

    If the statistic counts ties, small differences are ties, by calibration.
    """
    difference = scores[pairs.left, pairs.segment] - scores[pairs.right, pairs.segment]
    if measure.statistic == "accuracy-ties" and len(difference) and not np.isnan(difference).any():
        weight = None if pooled else 1.0 / np.bincount(pairs.segment)[pairs.segment]
        epsilon, _ = statistics.calibrate_ties(difference, pairs.preference, weight)
        difference = statistics.tied_difference(difference, epsilon)
    return difference


def correlate(scores: FloatArray, human: FloatArray, measure: Measure) -> float:
    """Return a correlation over all cells, or the mean over items of that of their systems."""
    if (np.isnan(scores) & ~np.isnan(human)).any():
        return float("nan")
    function = {**_CORRELATIONS, **_CALIBRATED}[measure.statistic]
    if measure.by == "global":
        return float(function(scores.ravel(), human.ravel()))
    if measure.statistic != "kendall":
        return _mean(np.asarray(function(scores.T, human.T)))
    judged = np.flatnonzero((~np.isnan(human)).sum(axis=0) > 1)
    return _mean(np.array([statistics.kendall(scores[:, i], human[:, i]) for i in judged]))


def system_agreement(scores: FloatArray, human: FloatArray, statistic: str) -> float:
    """Return the correlation on judged systems, from one score per system."""
    judged = ~np.isnan(human)
    if np.isnan(scores[judged]).any():
        return float("nan")
    if statistic != "accuracy":
        return float(_CORRELATIONS[statistic](scores, human))
    first, second = np.triu_indices(int(judged.sum()), k=1)
    x, y = scores[judged], human[judged]
    if not len(first):
        return float("nan")
    category = categories(x[first] - x[second], np.sign(y[first] - y[second]))
    return float(statistics.accuracy(count_by(category, np.zeros(len(first), int), 1)[0]))


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")
