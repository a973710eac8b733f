"""Agreement with humans on a set: WMT14's τ per segment, Pearson's r between systems."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from training.judge.store import Array, Ints, Store
from training.many.store import SAME

LEAST = 1.0
"""MQM points (ten ESA points) between two translations that count as a preference."""
SAMPLES = 1000


def within(level: Array, segment: Array) -> tuple[Ints, Ints]:
    """Translations of one segment far enough apart, the better one first."""
    pairs: list[tuple[int, int]] = []
    starts = np.flatnonzero(np.diff(segment)) + 1
    for rows in np.split(np.arange(len(segment)), starts):
        for a, b in combinations(rows.tolist(), 2):
            if abs(level[a] - level[b]) >= LEAST:
                pairs.append((a, b) if level[a] > level[b] else (b, a))
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def measure(store: Store, pairs: Ints, ways: dict[str, Array]) -> dict[str, float]:
    """Figures of each way's scores, one a pair, with chrF's, and the standard error of the
    difference
    of both τ over samples of segments. Where a score is missing, figures are `nan`."""
    level, segment = store["pair_level"][pairs].astype(np.float64), store["pair_group"][pairs]
    system = store["pair_name"][pairs]
    better, worse = within(level, segment)
    found: dict[str, float] = {"pairs": len(better), "segments": len(np.unique(segment))}
    if not len(better):
        return found
    _, place = np.unique(segment[better], return_inverse=True)
    sizes = np.bincount(place)
    drawn = np.random.default_rng(1).multinomial(
        len(sizes), np.full(len(sizes), 1 / len(sizes)), SAMPLES
    )
    chrf = store["pair_facts"][pairs, 0] / SAME
    base = np.sign(chrf[better] - chrf[worse])
    names = np.unique(system)
    people = [level[system == n].mean() for n in names]
    for name, scores in {"chrf": chrf, **ways}.items():
        sign = np.sign(scores[better] - scores[worse])
        gain = np.bincount(place, sign - base)
        found[f"{name} tau"] = float(sign.mean())
        found[f"{name} error"] = float((drawn @ gain / (drawn @ sizes)).std())
        means = [scores[system == n].mean() for n in names]
        found[f"{name} r"] = float(np.corrcoef(means, people)[0, 1])
    return found
