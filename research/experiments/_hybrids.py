"""Hybrids of a metric and cohesion over documents, weighed on other sets than the one tested."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from _documents import DocumentSet, Floats

from albeit.combine.maxcorr import maximum_correlation
from albeit.stats import document_weights, interval

__all__ = ["SAMPLES", "SEED", "UNTUNED", "Mixed", "choose", "resampled"]

UNTUNED = "zh-en TED"
SAMPLES, SEED = 1000, 12345


@dataclass(frozen=True)
class Mixed:
    """A hybrid: an inner metric and a cohesion metric, mixed by a weight for each set."""

    title: str
    inner: str
    cohesion: str

    def weight(self, sets: Sequence[DocumentSet], family: str | None) -> float:
        """The weight of cohesion that is best on the sets of other families."""
        tasks = []
        for one in tuning(sets, family):
            columns = [one.points(one.metrics[m]) for m in (self.cohesion, self.inner)]
            tasks.append((np.stack([c[0] for c in columns], axis=-1), columns[0][1]))
        return float(maximum_correlation(tasks, nonnegative=True).weights[0])

    def scores(self, one: DocumentSet, weight: float) -> Floats:
        """The mixture on one set."""
        return weight * one.metrics[self.cohesion] + (1 - weight) * one.metrics[self.inner]


def tuning(sets: Sequence[DocumentSet], family: str | None) -> list[DocumentSet]:
    """The sets that may be tuned on when this family is tested."""
    return [one for one in sets if one.family != family and one.name != UNTUNED]


def choose(
    sets: Sequence[DocumentSet], family: str | None, pairs: Sequence[tuple[str, str]]
) -> Mixed:
    """The hybrid of these (inner metric, cohesion) that is best on the sets of other families."""
    best: tuple[float, Mixed] | None = None
    for inner, variant in pairs:
        if all(m in one.metrics for m in (inner, variant) for one in sets):
            mixed = Mixed(f"{inner}+{variant}", inner, variant)
            weight = mixed.weight(sets, family)
            others = tuning(sets, family)
            value = float(np.mean([one.pearson(mixed.scores(one, weight)) for one in others]))
            if best is None or value > best[0]:
                best = value, mixed
    if best is None:
        sys.exit("no hybrid can be made: neither BLEU nor METEOR is there")
    return best[1]


def resampled(one: DocumentSet, ours: Floats, theirs: Floats) -> tuple[float, float]:
    """The middle 95 % of the difference of r over samples of documents."""
    weights = document_weights(ours.shape[1], SAMPLES, np.random.default_rng(SEED))
    found = [weighted_pearson(one, scores, weights) for scores in (ours, theirs)]
    return interval(found[0] - found[1])


def weighted_pearson(one: DocumentSet, scores: Floats, weights: Floats) -> Floats:
    """Pearson's r over all points for every row of document weights."""
    judged = ~np.isnan(one.human)
    human = np.where(judged, one.shown(one.human), 0.0)
    x = np.where(judged, one.shown(scores), 0.0)

    def total(values: Floats) -> Floats:
        return np.asarray(weights @ values.sum(axis=0))

    n = total(judged.astype(float))
    sx, sy = total(x), total(human)
    covariance = total(x * human) - sx * sy / n
    spread = (total(x * x) - sx**2 / n) * (total(human * human) - sy**2 / n)
    return np.asarray(covariance / np.sqrt(spread))
