"""What a student learns: its teachers' scores, on one scale up to the reference itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.judge.store import Store

Floats = npt.NDArray[np.float32]
MARGIN = 0.3
"""Standard deviations between the best (worst) translations and the ends of the scale."""
HIGH, LOW = 99.5, 0.2
"""Percentiles of the teachers' scores that those are."""


@dataclass(frozen=True, slots=True)
class Targets:
    """For each pair of the store what should be said of it, and what people said, on one scale;
    `nan` where nothing is known. `spread`: logits of preferences a unit of that scale."""

    score: Floats
    people: Floats
    spread: float


def mean(store: Store, teachers: Sequence[Path]) -> tuple[Floats, float]:
    """The mean of the teachers' scores, each in its own standard deviations over real translations,
    and the mean of those."""
    parts = [np.load(path).astype(np.float32) for path in teachers]
    real = store.groups(kinds=("judged", "unjudged"))[store["pair_group"]]
    total = np.zeros(len(real), np.float32)
    spreads = []
    for part in parts:
        of = part[real & ~np.isnan(part)]
        spreads.append(float(of.std()))
        total += (part - of.mean()) / spreads[-1] / len(parts)
    return total, float(np.mean(spreads))


def paragraphs(store: Store, scores: Floats) -> Floats:
    """A paragraph's score: the mean of its segments', weighted by the references' subwords."""
    of, part = store["part_of"], store["part"]
    known = part >= 0
    size = store["text_size"][store["group_reference"][store["pair_group"][part]]] * known
    value = np.where(known, scores[part], np.nan)
    weight = np.bincount(of, size, len(scores))
    total = np.bincount(of, value * size, len(scores))  # nan where one is not known
    return np.where(weight > 0, total / np.maximum(weight, 1), np.nan).astype(np.float32)


def ends(store: Store, scores: Floats) -> tuple[float, float]:
    """The bottom and the top of the scale: what is nothing, and the reference itself."""
    real = scores[store.groups(kinds=("judged", "unjudged"))[store["pair_group"]]]
    low, high = np.nanpercentile(real, [LOW, HIGH])
    said = [scores[(store["pair_end"] == end) & ~np.isnan(scores)] for end in (-1, 1)]
    worst, best = (float(np.median(part)) if len(part) else 0.0 for part in said)
    return float(min(low - MARGIN, worst)), float(max(high + MARGIN, best))


def people(store: Store, scores: Floats, use: npt.NDArray[np.bool_]) -> Floats:
    """Experts' levels on the scale of the scores, by a linear map for each set: regressed on the
    scores they have slope 1."""
    found = np.full(len(scores), np.nan, np.float32)
    for data in store.sets:
        groups = use & store.groups(sets=(data,), kinds=("judged",))
        chosen = groups[store["pair_group"]] & ~np.isnan(store["pair_level"]) & ~np.isnan(scores)
        level, score = store["pair_level"][chosen], scores[chosen]
        if len(level) < 3 or np.cov(level, score)[0, 1] <= 0:
            continue
        slope = score.var() / np.cov(level, score, ddof=0)[0, 1]
        found[chosen] = slope * (level - level.mean()) + score.mean()
    return found


def make(store: Store, teachers: Sequence[Path], model: str) -> Targets:
    """All targets of one model's student."""
    scores, spread = mean(store, teachers)
    bottom, top = ends(store, scores)
    scores = np.clip(scores, bottom, top)
    known = people(store, scores, store[f"use_{model}"])
    joined = paragraphs(store, scores)
    scores = np.where(np.isnan(joined), scores, joined)
    scores = np.where(store["pair_end"] > 0, top, np.where(store["pair_end"] < 0, bottom, scores))
    return Targets(scores.astype(np.float32), known, spread)
