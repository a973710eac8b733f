"""Is one system better than another? McNemar's test and the paired bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from albeit.errors import InputError
from albeit.metrics.connectives.assess import Verdict

__all__ = ["Difference", "compare", "mcnemar"]


@dataclass(frozen=True)
class Difference:
    """A system beside a baseline over the same connectives.

    ``better`` and ``worse`` count connectives that only one of the two got right;
    ``mcnemar`` is the exact two-sided p value. ``low`` and ``high`` bound the difference in
    ACTa by the bootstrap over lines, and ``bootstrap`` is its two-sided p value.
    """

    difference: float
    better: int
    worse: int
    mcnemar: float
    low: float
    high: float
    bootstrap: float


def mcnemar(better: int, worse: int) -> float:
    """Exact two-sided p value of so many changes for the better and for the worse."""
    from scipy.stats import binomtest

    changes = better + worse
    return 1.0 if changes == 0 else float(binomtest(better, changes, 0.5).pvalue)


def compare(
    baseline: Sequence[Verdict],
    system: Sequence[Verdict],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 12345,
) -> Difference:
    """Compare two systems' verdicts on the same source connectives.

    The bootstrap draws lines, not connectives, since those of one line depend on each other.
    """
    places = [(v.line, v.connective.tokens) for v in baseline]
    if places != [(v.line, v.connective.tokens) for v in system]:
        raise InputError("the two systems were not assessed on the same connectives.")
    if not places:
        raise InputError("there is no connective to compare the systems on.")
    one = np.array([v.credit for v in baseline])
    two = np.array([v.credit for v in system])
    better, worse = int((two > one).sum()), int((two < one).sum())
    lines, group = np.unique([v.line for v in baseline], return_inverse=True)
    gains = np.bincount(group, weights=two - one)
    sizes = np.bincount(group)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(len(lines), size=(resamples, len(lines)))
    samples = gains[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    fewer = min((samples <= 0).mean(), (samples >= 0).mean())
    return Difference(
        float((two - one).mean()),
        better,
        worse,
        mcnemar(better, worse),
        float(low),
        float(high),
        float(min(1.0, 2 * fewer)),
    )
