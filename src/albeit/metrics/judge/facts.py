"""Facts about a translation beside its reference or its source, in any of the encoder's languages.

What a learned score weighs where there is too little data to learn more: how well each side's
subwords are met by the other's, weighed by rarity or not, how badly the worst of them, which
are the very same, and how long the texts are. All are numbers between −2 and 2.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from albeit.annotate.multilingual.pieces import rarities
from albeit.annotate.multilingual.vectors import Text
from albeit.arrays import FloatArray
from albeit.metrics.semantics.matching import nearest

__all__ = ["BESIDE_REFERENCE", "BESIDE_SOURCE", "beside_reference", "beside_source"]

_MET = ("precision", "recall", "rare precision", "rare recall", "worst precision", "worst recall",
        "same precision", "same recall", "longer", "shorter")  # fmt: skip
BESIDE_REFERENCE = ("chrF", *_MET)
BESIDE_SOURCE = (*_MET, "numbers", "repeated", "rarity", "unknown")
WORST = 0.25
"""The share of subwords that are called the worst."""
FARTHEST = 2.0
"""Lengths that differ by more than this factor's power of e count no more."""


class _Side(NamedTuple):
    """How each subword of a text is met by the other text, and how rare it is."""

    met: FloatArray
    rarity: FloatArray

    def facts(self) -> tuple[float, float, float]:
        """The mean, the mean by rarity, and the mean of the worst."""
        weights = self.rarity**2
        worst = np.sort(self.met)[: max(1, int(WORST * len(self.met)))]
        return (
            float(self.met.mean()),
            float(self.met @ weights / weights.sum()),
            float(worst.mean()),
        )


def beside_reference(ours: Text, theirs: Text, chrf: float) -> list[float]:
    """Those of ``BESIDE_REFERENCE``; ``chrf`` is given from 0 to 100."""
    return [chrf / 100, *_met(ours, theirs)]


def beside_source(ours: Text, source: Text) -> list[float]:
    """Those of ``BESIDE_SOURCE``."""
    mine, given = (set(filter(_number, text.tokens.forms)) for text in (ours, source))
    numbers = len(mine & given) / len(mine | given) if mine | given else 1.0
    pairs = list(zip(ours.ids.tolist(), ours.ids[1:].tolist(), strict=False))
    repeated = 1 - len(set(pairs)) / len(pairs) if pairs else 0.0
    unknown = float((ours.ids == 0).mean())
    return [*_met(ours, source), numbers, repeated, float(rarities(ours.ids).mean()) / 20, unknown]


def _met(ours: Text, theirs: Text) -> list[float]:
    sides = [
        _Side(np.asarray(met, np.float64), rarities(text.ids))
        for met, text in zip(nearest(ours.states, theirs.states), (ours, theirs), strict=True)
    ]
    (p, rare_p, worst_p), (r, rare_r, worst_r) = (side.facts() for side in sides)
    counts = [Counter(text.ids.tolist()) for text in (ours, theirs)]
    same = sum((counts[0] & counts[1]).values())
    ratio = float(np.log(len(ours.ids) / len(theirs.ids)))
    longer, shorter = min(max(ratio, 0.0), FARTHEST), min(max(-ratio, 0.0), FARTHEST)
    return [p, r, rare_p, rare_r, worst_p, worst_r, same / len(ours.ids), same / len(theirs.ids),
            longer, shorter]  # fmt: skip


def _number(word: str) -> bool:
    return any(map(str.isdigit, word))
