"""ACT's scores from counts of cases, with coverage and intervals; and whether one system is better.

That is answered by McNemar's test and the paired bootstrap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.errors import InputError
from albeit.metrics.connectives.assess import Case, Verdict
from albeit.metrics.connectives.lexicons import Lexicon

__all__ = [
    "CaseCounts",
    "Difference",
    "Interval",
    "by_connective",
    "by_sense",
    "compare",
    "confusion",
    "mcnemar",
    "wilson",
]

Interval = tuple[float, float]


@dataclass(frozen=True)
class CaseCounts:
    """How many connectives fell into each case, and the credit they earned.

    ``correct`` is how many of cases 5 and 6 a person judged correct, for ACTm.
    """

    cases: tuple[int, int, int, int, int, int]
    credit: float
    correct: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], correct: int = 0) -> CaseCounts:
        """Count verdicts."""
        counted: Counter[Case] = Counter()
        credit = 0.0
        for verdict in verdicts:
            counted[verdict.case] += 1
            credit += verdict.credit
        one, two, three, four, five, six = (counted[case] for case in Case)
        return cls((one, two, three, four, five, six), credit, correct)

    @classmethod
    def from_sums(cls, sums: FloatArray) -> CaseCounts:
        """From a sum of the metric's rows, whose first numbers are the cases and the credit."""
        one, two, three, four, five, six = (int(n) for n in sums[:6])
        return cls((one, two, three, four, five, six), float(sums[6]))

    @property
    def total(self) -> int:
        """All connectives."""
        return sum(self.cases)

    @property
    def explicit(self) -> int:
        """Those translated in the reference: cases 1 to 4."""
        return sum(self.cases[:4])

    @property
    def coverage(self) -> float:
        """The share of connectives that ACTa5+6 speaks of."""
        return self.explicit / self.total if self.total else math.nan

    @property
    def act_a(self) -> float:
        """Credit over all connectives."""
        return self.credit / self.total if self.total else math.nan

    @property
    def act_a56(self) -> float:
        """Credit over the connectives that the reference translates."""
        return self.credit / self.explicit if self.explicit else math.nan

    @property
    def act_m(self) -> float:
        """Credit with the instances of cases 5 and 6 that a person found correct."""
        return (self.credit + self.correct) / self.total if self.total else math.nan


def wilson(successes: float, total: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a proportion; all of [0, 1] for no observations."""
    if total == 0:
        return 0.0, 1.0
    from scipy.special import ndtri

    z = float(ndtri(0.5 + confidence / 2))
    share = successes / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def by_connective(verdicts: Iterable[Verdict]) -> dict[str, CaseCounts]:
    """Counts of each source connective, the commonest first."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.connective.name, []).append(verdict)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: CaseCounts.of(group) for name, group in ordered}


def by_sense(verdicts: Iterable[Verdict], lexicon: Lexicon) -> dict[str, CaseCounts]:
    """Counts by the main sense of the reference's translation; "implicit" where it has none."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        hit = verdict.in_reference.hit
        senses = () if hit is None else lexicon.senses(verdict.connective.name, hit.form)
        groups.setdefault(senses[0] if senses else "implicit", []).append(verdict)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: CaseCounts.of(group) for name, group in ordered}


def confusion(verdicts: Iterable[Verdict]) -> Counter[tuple[str, str, str]]:
    """How often (connective, form in the reference, form in the candidate) came together.

    A form that was not found is the empty string.
    """
    return Counter((v.connective.name, v.in_reference.name, v.in_candidate.name) for v in verdicts)


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
