"""What "agrees with people" means: a level, a statistic, and how items are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.judgments import Pairs, Ratings
from albeit.data.levels import Level
from albeit.errors import MetricError
from albeit.metaeval.statistics import (
    PAIRWISE,
    accuracy,
    calibrate_ties,
    kendall,
    soft_pairwise_accuracy,
    spearman,
    tied_difference,
)
from albeit.metaeval.task import Task, oriented
from albeit.metrics.table import Column
from albeit.stats import categories, count_by, pearson

CORRELATIONS = ("pearson", "spearman", "kendall")


def statistics(level: Level) -> tuple[str, ...]:
    """The statistics that exist at a level."""
    if level == "system":
        return (*CORRELATIONS, "accuracy", "spa")
    return (*PAIRWISE, *CORRELATIONS)


_WITH_TIES = ("tau-b", "accuracy-ties")
"""Statistics for which it matters that people tied two translations."""


_OF_RANKINGS: Mapping[Level, str] = {
    "segment": "tau-wmt12",
    "document": "pearson",
    "system": "spearman",
}
_OF_RATINGS: Mapping[Level, str] = {
    "segment": "tau-wmt14",
    "document": "pearson",
    "system": "pearson",
}


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
        if self.level not in _OF_RATINGS:
            raise MetricError(f"unknown level {self.level!r}; there are {', '.join(_OF_RATINGS)}.")
        if self.statistic not in statistics(self.level):
            known = ", ".join(statistics(self.level))
            raise MetricError(
                f"there is no statistic {self.statistic!r} at {self.level} level; there are {known}."
            )
        if self.by not in ("global", "item"):
            raise MetricError(f"items are put together as global or item, not {self.by!r}.")

    @property
    def scored(self) -> Level:
        """The level of the metric's scores that it reads: SPA resamples segments."""
        return "segment" if self.statistic == "spa" else self.level

    @property
    def pairwise(self) -> bool:
        """Whether the statistic counts pairs of translations of one item."""
        return self.level != "system" and self.statistic in PAIRWISE

    @property
    def on_decided(self) -> bool:
        """Whether it counts the preferences on segments that lie beyond the margin, and no ties."""
        return self.level == "segment" and self.statistic not in _WITH_TIES

    def __str__(self) -> str:
        """As reports name it: ``segment tau-wmt12``."""
        by = "" if self.by == "global" else ", item by item"
        return f"{self.level} {self.statistic}{by}"


def scores_of(column: Column, level: Level) -> FloatArray:
    """A column's oriented scores as (systems, items); the system level has one item."""
    scores = oriented(column, level)
    return scores[:, None] if level == "system" else scores


def measured_pairs(task: Task, measure: Measure) -> Pairs:
    """The human preferences that a pairwise measure counts, on segments or documents."""
    if measure.level == "segment":
        return task.decided if measure.on_decided else task.pairs
    return task.document_pairs if measure.statistic in _WITH_TIES else task.document_pairs.decided()


def usual_measure(
    level: Level, judgments: Sequence[Pairs | Ratings], by: Literal["global", "item"] = "global"
) -> Measure:
    """What is usual for this level and kind of judgment, where no statistic is named.

    Rankings are read as at WMT12, when people gave them. Ratings (MQM, DA, ESA) come with
    numbers, and by them metrics' ties are no errors (τ of WMT14), and systems have r.
    """
    rated = any(isinstance(each, Ratings) for each in judgments)
    return Measure(level, (_OF_RATINGS if rated else _OF_RANKINGS)[level], by)


def counted(task: Task, measure: Measure) -> int:
    """How many judged pairs, or scores of people, a measure counts."""
    if measure.pairwise:
        return len(measured_pairs(task, measure))
    return int((~np.isnan(task.human(measure.level))).sum())


def agreement(
    task: Task, column: Column, measure: Measure, *, rng: np.random.Generator | None = None
) -> float:
    """One metric's agreement with people on one task; NaN where it does not exist.

    It does not exist for a constant metric, one that lacks a score, a single system, or
    where nobody judged.
    """
    scores = scores_of(column, measure.level)
    if np.isnan(scores).all() or np.nanmin(scores) == np.nanmax(scores):
        return float("nan")
    if measure.statistic == "spa":
        rng = rng or np.random.default_rng(0)
        human = task.human("segment")
        if len(human) < 2 or (np.isnan(scores_of(column, "segment")) & ~np.isnan(human)).any():
            return float("nan")
        return soft_pairwise_accuracy(scores_of(column, "segment"), human, rng=rng)
    if measure.level == "system":
        return system_agreement(scores[:, 0], task.human("system"), measure.statistic)
    if not measure.pairwise:
        return correlate(scores, task.human(measure.level), measure)
    pairs = measured_pairs(task, measure)
    difference = pair_differences(scores, pairs, measure, pooled=measure.by == "global")
    if not len(difference) or np.isnan(difference).any():
        return float("nan")
    category = categories(difference, pairs.preference)
    counts = count_by(category, pairs.segment, scores.shape[1])
    statistic = PAIRWISE[measure.statistic]
    if measure.by == "global":
        return float(statistic(counts.sum(axis=0)))
    return _mean(statistic(counts))


def pair_differences(
    scores: FloatArray, pairs: Pairs, measure: Measure, *, pooled: bool = True
) -> FloatArray:
    """Score differences, left minus right (NaN: a side has no score); calibrated to tie where the statistic counts ties."""
    difference = scores[pairs.left, pairs.segment] - scores[pairs.right, pairs.segment]
    if measure.statistic == "accuracy-ties" and len(difference) and not np.isnan(difference).any():
        weight = None
        if not pooled:
            weight = 1.0 / np.bincount(pairs.segment)[pairs.segment]
        epsilon, _ = calibrate_ties(difference, pairs.preference, weight)
        difference = tied_difference(difference, epsilon)
    return difference


def correlate(scores: FloatArray, human: FloatArray, measure: Measure) -> float:
    """A correlation over all cells, or over the systems of each item, then the mean."""
    if (np.isnan(scores) & ~np.isnan(human)).any():
        return float("nan")
    if measure.by == "global":
        return _vector(scores.ravel(), human.ravel(), measure.statistic)
    if measure.statistic == "kendall":
        judged = np.flatnonzero((~np.isnan(human)).sum(axis=0) > 1)
        return _mean(np.array([kendall(scores[:, i], human[:, i]) for i in judged]))
    function = pearson if measure.statistic == "pearson" else spearman
    return _mean(function(scores.T, human.T))


def _vector(scores: FloatArray, human: FloatArray, statistic: str) -> float:
    if statistic == "kendall":
        return kendall(scores, human)
    return float((pearson if statistic == "pearson" else spearman)(scores, human))


def system_agreement(scores: FloatArray, human: FloatArray, statistic: str) -> float:
    """Agreement on the systems that people judged, from one score per system."""
    if (np.isnan(scores) & ~np.isnan(human)).any():
        return float("nan")
    if statistic != "accuracy":
        return _vector(scores, human, statistic)
    judged = ~np.isnan(human)
    first, second = np.triu_indices(int(judged.sum()), k=1)
    x, y = scores[judged], human[judged]
    if not len(first):
        return float("nan")
    category = categories(x[first] - x[second], np.sign(y[first] - y[second]))
    return float(accuracy(count_by(category, np.zeros(len(first), int), 1)[0]))


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")
