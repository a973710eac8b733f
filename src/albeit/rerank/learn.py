"""Learn the weights of features so that the best-rated candidates score best by a metric.

Minimum error rate training (Och 2003): along a line of weights every candidate's rating is a
straight line, the best candidate of a segment changes only where such lines cross, and
between crossings the score of all choices together is the same. So the best point on a line
is found exactly, from sums of the metric's rows. Lines run along each feature and along random
directions, from the given weights and from random ones; the best end point wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.levels import Unit
from albeit.errors import InputError, MetricError
from albeit.metrics.base import Metric
from albeit.rerank.candidates import CandidateSet
from albeit.rerank.choose import candidate_rows

__all__ = ["Learnt", "learn_weights"]

FAR = 1e-4
"""Crossings nearer than this leave no safe place between them."""


@dataclass(frozen=True)
class Learnt:
    """Weights by feature, with the score of the choices they make, and of the first candidates."""

    weights: Mapping[str, float]
    score: float
    before: float


@dataclass(frozen=True)
class _Task:
    """Features (candidates, f) and rows (candidates, k) of every segment."""

    features: Sequence[FloatArray]
    rows: Sequence[FloatArray]
    metric: Metric

    def score(self, sums: FloatArray) -> FloatArray:
        found = self.metric.score(sums)
        return found if self.metric.higher_is_better else -found

    def chosen(self, weights: FloatArray) -> float:
        """The score of the best-rated candidates."""
        best = [int((f @ weights).argmax()) for f in self.features]
        return float(
            self.score(np.sum([r[b] for r, b in zip(self.rows, best, strict=True)], axis=0))
        )


def learn_weights(
    candidates: CandidateSet,
    metric: Metric,
    *,
    start: Mapping[str, float] | None = None,
    restarts: int = 10,
    seed: int = 12345,
) -> Learnt:
    """Weights of the candidates' features that make the choices score best on their references."""
    if metric.unit is not Unit.SEGMENT:
        raise MetricError(
            f"{metric} scores documents; weights are learnt by a metric over segments."
        )
    names = candidates.features()
    if not names:
        raise InputError("the candidates have no features to weigh.", path=candidates.path)
    candidates.tell()
    rows = candidate_rows(candidates, metric)
    raw = np.array(
        [[c.features[n] for n in names] for one in candidates.lists for c in one.candidates]
    )
    spread = raw.std(axis=0)
    spread[spread == 0] = 1.0
    task = _Task(candidates.by_segment(raw / spread), rows, metric)
    random = np.random.default_rng(seed)
    given = np.array([(start or {}).get(name, 0.0) for name in names]) * spread
    starts = [given if start else np.ones(len(names))]
    starts += [random.normal(size=len(names)) for _ in range(restarts)]
    best, score = max((_climbed(task, weights, random) for weights in starts), key=lambda e: e[1])
    best = best / max(float(np.abs(best).sum()), 1e-12) / spread
    sign = 1.0 if metric.higher_is_better else -1.0
    first = task.score(np.sum([own[0] for own in rows], axis=0))
    return Learnt(
        dict(zip(names, map(float, best), strict=True)), sign * score, sign * float(first)
    )


def _climbed(
    task: _Task, weights: FloatArray, random: np.random.Generator
) -> tuple[FloatArray, float]:
    """Line searches until none helps."""
    score = task.chosen(weights)
    size = len(weights)
    while True:
        directions = [*np.eye(size), *random.normal(size=(size, size))]
        steps = [(*_on_line(task, weights, direction), direction) for direction in directions]
        step, reached, direction = max(steps, key=lambda found: found[1])
        if reached <= score + 1e-9:
            return weights, score
        weights, score = weights + step * direction, reached


def _on_line(task: _Task, weights: FloatArray, direction: FloatArray) -> tuple[float, float]:
    """The best step along a direction, and the score there."""
    total = np.zeros(task.rows[0].shape[1])
    changes: list[tuple[float, FloatArray]] = []
    for features, rows in zip(task.features, task.rows, strict=True):
        places, winners = _envelope(features @ direction, features @ weights)
        total += rows[winners[0]]
        changes += [
            (place, rows[after] - rows[before])
            for place, before, after in zip(places, winners, winners[1:], strict=False)
        ]
    if not changes:
        return 0.0, float(task.score(total))
    changes.sort(key=lambda change: change[0])
    crossings = np.array([place for place, _ in changes])
    sums = total + np.concatenate(
        [[np.zeros_like(total)], np.cumsum([c for _, c in changes], axis=0)]
    )
    middles = np.concatenate(
        [[crossings[0] - 1], (crossings[1:] + crossings[:-1]) / 2, [crossings[-1] + 1]]
    )
    wide = np.concatenate([[True], np.diff(crossings) > FAR, [True]])
    scores = np.where(wide, task.score(sums), -np.inf)
    best = int(scores.argmax())
    return float(middles[best]), float(scores[best])


def _envelope(slopes: FloatArray, heights: FloatArray) -> tuple[list[float], list[int]]:
    """The lines that are highest somewhere, from left to right, and where each gives way."""
    order = np.lexsort((-heights, slopes))
    places: list[float] = []
    winners: list[int] = []
    for n in order.tolist():
        if winners and slopes[n] == slopes[winners[-1]]:
            continue  # the same slope, and not higher
        while winners:
            last = winners[-1]
            cross = float((heights[last] - heights[n]) / (slopes[n] - slopes[last]))
            if len(winners) == 1 or cross > places[-1]:
                places.append(cross)
                break
            winners.pop()
            places.pop()
        winners.append(n)
    return places, winners
