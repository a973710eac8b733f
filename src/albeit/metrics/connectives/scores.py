"""ACT's scores from counts of cases, with coverage and intervals, and comparisons of systems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from albeit.arrays import FloatArray
from albeit.errors import InputError
from albeit.metrics.connectives.assess import Case, Verdict
from albeit.metrics.connectives.lexicon import Lexicon

__all__ = [
    "CaseCounts",
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
    """The number of connectives of each case, and their credit."""

    cases: tuple[int, ...]
    credit: float

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> CaseCounts:
        """Count verdicts."""
        counted: Counter[Case] = Counter()
        credit = 0.0
        for verdict in verdicts:
            counted[verdict.case] += 1
            credit += verdict.credit
        return cls(tuple(counted[case] for case in Case), credit)

    @classmethod
    def from_sums(cls, sums: FloatArray) -> CaseCounts:
        """Read a sum of the metric's rows, which start with the cases and the credit."""
        return cls(tuple(int(n) for n in sums[:6]), float(sums[6]))

    @property
    def total(self) -> int:
        """The number of connectives."""
        return sum(self.cases)

    @property
    def explicit(self) -> int:
        """The number of connectives that the reference translates: cases 1 to 4."""
        return sum(self.cases[:4])

    @property
    def coverage(self) -> float:
        """The share of connectives that the reference translates."""
        return self.explicit / self.total if self.total else math.nan

    @property
    def act_a(self) -> float:
        """Credit over all connectives."""
        return self.credit / self.total if self.total else math.nan

    @property
    def act_a56(self) -> float:
        """Credit over the connectives that the reference translates."""
        return self.credit / self.explicit if self.explicit else math.nan


def wilson(successes: float, total: int, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval of a proportion; [0, 1] for no observations."""
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
    """Count by source connective, the most frequent first."""
    return _group((verdict.connective.name, verdict) for verdict in verdicts)


def by_sense(verdicts: Iterable[Verdict], lexicon: Lexicon) -> dict[str, CaseCounts]:
    """Count by the main sense of the reference's translation; "implicit" if it has none."""

    def sense(verdict: Verdict) -> str:
        hit = verdict.in_reference.hit
        senses = () if hit is None else lexicon.senses(verdict.connective.name, hit.form)
        return senses[0] if senses else "implicit"

    return _group((sense(verdict), verdict) for verdict in verdicts)


def _group(named: Iterable[tuple[str, Verdict]]) -> dict[str, CaseCounts]:
    groups: dict[str, list[Verdict]] = {}
    for name, verdict in named:
        groups.setdefault(name, []).append(verdict)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return {name: CaseCounts.of(group) for name, group in ordered}


def confusion(verdicts: Iterable[Verdict]) -> Counter[tuple[str, str, str]]:
    """Count (connective, form in the reference, form in the candidate); a missing form is empty."""
    return Counter((v.connective.name, v.in_reference.name, v.in_candidate.name) for v in verdicts)


def mcnemar(better: int, worse: int) -> float:
    """Return the exact two-sided p value of these numbers of changes for the better and worse."""
    from scipy.stats import binomtest

    changes = better + worse
    return 1.0 if changes == 0 else float(binomtest(better, changes, 0.5).pvalue)


def compare(
    baseline: Sequence[Verdict],
    system: Sequence[Verdict],
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> dict[str, object]:
    """Compare two systems' verdicts on the same source connectives.

    ``better`` and ``worse`` count connectives that only one system translates correctly; McNemar's
    test is exact and two-sided. The interval of the difference in ACTa and its two-sided p value
    are by the bootstrap. It draws lines, because connectives of one line depend on each other.
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
    tail = (1 - 0.95) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    fewer = min((samples <= 0).mean(), (samples >= 0).mean())
    return {
        "difference": float((two - one).mean()),
        "interval": (float(low), float(high)),
        "better": better,
        "worse": worse,
        "McNemar p": mcnemar(better, worse),
        "bootstrap p": float(min(1.0, 2 * fewer)),
    }
