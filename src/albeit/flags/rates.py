"""Likely faults per thousand words of each system, with an interval over documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.flags.flag import Flag
from albeit.stats.resample import bootstrap_scores, percentile_interval
from albeit.stats.significance import DEFAULT_SEED

__all__ = ["Rate", "rates"]

_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Rate:
    """How many likely faults a system has, and per thousand words, with the 95 % interval."""

    count: int
    per_thousand: float
    interval: tuple[float, float]


def rates(found: Iterable[Flag], evalset: EvalSet, seed: int = DEFAULT_SEED) -> list[Rate]:
    """A rate for each system of a set, in its order.

    :param found: flags of one kind, or of several
    """
    systems = {name: n for n, name in enumerate(evalset.systems)}
    starts = np.array([document.start for document in evalset.documents])
    rows = np.zeros((len(systems), len(starts), 2))
    for name, lines in evalset.systems.items():
        words = [sum(len(line.split()) for line in lines[d.rows]) for d in evalset.documents]
        rows[systems[name], :, 1] = words
    for flag in found:
        if flag.likely:
            document = int(np.searchsorted(starts, flag.finding.line - 1, side="right")) - 1
            rows[systems[flag.system], document, 0] += 1
    ends = percentile_interval(bootstrap_scores(rows, _rate, resamples=_RESAMPLES, seed=seed), 0.95)
    return [
        Rate(int(own[0]), float(rate), (float(low), float(high)))
        for own, rate, (low, high) in zip(
            rows.sum(axis=1), _rate(rows.sum(axis=1)), ends.tolist(), strict=True
        )
    ]


def _rate(sums: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1000 * sums[..., 0] / sums[..., 1])
