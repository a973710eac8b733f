"""Metrics as features: the two sides of every human preference, side by side, on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.errors import InputError, MetricError
from albeit.metaeval.task import Task, oriented
from albeit.metrics.table import ScoreTable


@dataclass(frozen=True, eq=False)
class PairSet:
    """Features of the better and the worse side of pairs, (pairs, k) each.

    ``weight`` counts equal judgments of the same pair; ``fold`` is the fold of the
    pair's document.
    """

    better: FloatArray
    worse: FloatArray
    weight: FloatArray
    fold: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.weight)

    def sides(self) -> FloatArray:
        """The features of all translations compared: (2 × pairs, k)."""
        return np.concatenate([self.better, self.worse])

    def take(self, rows: npt.NDArray[np.bool_]) -> PairSet:
        """Some of the pairs."""
        return PairSet(self.better[rows], self.worse[rows], self.weight[rows], self.fold[rows])


def features(table: ScoreTable, metrics: Sequence[str]) -> FloatArray:
    """Oriented segment scores: (systems, segments, metrics); NaN where there is none."""
    return np.stack([oriented(table[name], "segment") for name in metrics], axis=-1)


def pair_set(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    folds: Sequence[Mapping[str, int]] | None = None,
    *,
    balance: bool = False,
) -> PairSet:
    """All decided pairs of the tasks; ``folds`` maps each task's document ids to folds.

    With ``balance`` every test set name (a campaign's language pairs together) weighs the
    same, however many judgments it has.
    """
    totals: dict[str, int] = {}
    for task in tasks:
        totals[task.table.name] = totals.get(task.table.name, 0) + len(task.decided)
    parts = []
    for number, task in enumerate(tasks):
        values = features(task.table, metrics)
        pairs = task.decided
        better = np.where(pairs.preference > 0, pairs.left, pairs.right)
        worse = np.where(pairs.preference > 0, pairs.right, pairs.left)
        size = len(pairs.systems)
        code = (pairs.segment * size + better) * size + worse
        unique, count = np.unique(code, return_counts=True)
        rest, loser = np.divmod(unique, size)
        segment, winner = np.divmod(rest, size)
        fold = np.zeros(len(unique), dtype=np.int64)
        if folds is not None:
            ids = [folds[number][d.id] for d in task.table.documents]
            fold = np.array(ids, dtype=np.int64)[task.document_of_segment[segment]]
        weight = count.astype(np.float64)
        if balance:
            weight /= max(1, totals[task.table.name])
        parts.append((values[winner, segment], values[loser, segment], weight, fold))
    if not parts:
        raise InputError("there is nothing to tune on.")
    joined = [np.concatenate(side) for side in zip(*parts, strict=True)]
    if not len(joined[2]):
        raise InputError("people preferred no translation over another: nothing to tune on.")
    for side in joined[:2]:
        missing = np.flatnonzero(np.isnan(side).any(axis=0))
        if len(missing):
            raise MetricError(f"{metrics[missing[0]]} has no score for a judged translation.")
    return PairSet(*joined)


@dataclass(frozen=True, eq=False)
class Standard:
    """Means and deviations of the features over the translations tuned on."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def fit(cls, features: FloatArray, names: tuple[str, ...]) -> Standard:
        """From features of shape (..., k); a constant one is an error that names it."""
        rows = features.reshape(-1, features.shape[-1])
        deviation = rows.std(axis=0)
        flat = np.flatnonzero(rows.max(axis=0) == rows.min(axis=0))
        if len(flat):
            raise MetricError(f"{names[flat[0]]} is constant over the training data.")
        return cls(rows.mean(axis=0), deviation)

    def __call__(self, features: FloatArray) -> FloatArray:
        """Features with mean 0 and deviation 1 over the training data."""
        return np.asarray((features - self.mean) / self.deviation)
