"""Precision, recall and F1 from counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """Matched, predicted and gold things."""

    matched: int = 0
    predicted: int = 0
    gold: int = 0

    def add(self, predicted: Iterable[Hashable], gold: Iterable[Hashable]) -> None:
        """Count one sentence's things; equal things match as often as both sides have them."""
        mine, theirs = Counter(predicted), Counter(gold)
        self.matched += sum((mine & theirs).values())
        self.predicted += sum(mine.values())
        self.gold += sum(theirs.values())

    @property
    def f1(self) -> float:
        """F1 in percent; 100 where there was nothing to find and nothing was found."""
        total = self.predicted + self.gold
        return 200 * self.matched / total if total else 100.0
