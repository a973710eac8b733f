"""ACT's scores from counts of cases, with coverage and intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from albeit.arrays import FloatArray
from albeit.lexicons import Lexicon
from albeit.metrics.connectives.assess import Verdict
from albeit.metrics.connectives.cases import Case

__all__ = ["CaseCounts", "Interval", "by_connective", "by_sense", "confusion", "wilson"]

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
