"""Facts about a translation beside its reference or its source, in any of the encoder's languages.

What a learned score weighs where there is too little data to learn more: how well each side's
subwords are met by the other's, weighed by rarity or not, how badly the worst of them, which
are the very same, and how long the texts are. Beside a reference also how well whole words are
met near their place, the more they say the more they weigh; beside a source numbers, what is said
twice, and how rare the words are. All are numbers between −2 and 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from albeit.annotate.multilingual.pieces import rarities
from albeit.annotate.multilingual.states import Text
from albeit.annotate.multilingual.words import readable
from albeit.arrays import FloatArray
from albeit.metrics.base import Batch
from albeit.metrics.lexical.chrf import Chrf
from albeit.metrics.semantics.matching import Rows, nearest

__all__ = ["BESIDE_REFERENCE", "BESIDE_SOURCE", "beside_reference", "beside_source", "chrf_scores"]

_MET = (
    "precision",
    "recall",
    "rare precision",
    "rare recall",
    "worst precision",
    "worst recall",
    "same precision",
    "same recall",
    "longer",
    "shorter",
)
BESIDE_REFERENCE = ("chrF", *_MET, "near precision", "near recall")
BESIDE_SOURCE = (
    "recall",
    "rare precision",
    "worst recall",
    "same precision",
    "longer",
    "shorter",
    "numbers",
    "repeated",
    "rarity",
)
WORST = 0.25
"""The share of subwords that are called the worst."""
FAR = 0.3
"""What a match of words from one end of a text to the other end of its reference loses."""
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


def chrf_scores(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """chrF of each translation beside its reference, from 0 to 100, of what the encoder reads of them:
    Arabic with vowel signs and without them is the same."""
    ours, theirs = ([readable(text)[0] for text in side] for side in zip(*pairs, strict=True))
    chrf = Chrf()
    found: list[float] = chrf.score(chrf.statistics(Batch(ours, [theirs], None, ()), None)).tolist()
    return found


def beside_reference(ours: Text, theirs: Text, chrf: float) -> list[float]:
    """Those of ``BESIDE_REFERENCE``; ``chrf`` is given from 0 to 100."""
    (left, weights), (right, their_weights) = _words(ours), _words(theirs)
    met = nearest(left, right, FAR)
    return [chrf / 100, *_met(ours, theirs), *_means(met, (weights, their_weights))]


def beside_source(ours: Text, source: Text) -> list[float]:
    """Those of ``BESIDE_SOURCE``."""
    met = dict(zip(_MET, _met(ours, source), strict=True))
    mine, given = (set(filter(_number, text.tokens.forms)) for text in (ours, source))
    numbers = len(mine & given) / len(mine | given) if mine | given else 1.0
    pairs = list(zip(ours.ids.tolist(), ours.ids[1:].tolist(), strict=False))
    repeated = 1 - len(set(pairs)) / len(pairs) if pairs else 0.0
    rarity = float(rarities(ours.ids).mean()) / 20
    return [*(met[name] for name in BESIDE_SOURCE if name in met), numbers, repeated, rarity]


def _met(ours: Text, theirs: Text) -> list[float]:
    sides = [
        _Side(np.asarray(met, np.float64), rarities(text.ids))
        for met, text in zip(nearest(ours.states, theirs.states), (ours, theirs), strict=True)
    ]
    (p, rare_p, worst_p), (r, rare_r, worst_r) = (side.facts() for side in sides)
    counts = [Counter(text.ids.tolist()) for text in (ours, theirs)]
    same = sum((counts[0] & counts[1]).values())
    ratio = float(np.log(len(ours.ids) / len(theirs.ids)))
    longer, shorter = min(max(0.0, ratio), FARTHEST), min(max(0.0, -ratio), FARTHEST)
    return [
        p,
        r,
        rare_p,
        rare_r,
        worst_p,
        worst_r,
        same / len(ours.ids),
        same / len(theirs.ids),
        longer,
        shorter,
    ]


def _words(text: Text) -> tuple[Rows, FloatArray]:
    """The unit mean of the vectors of each word that has any, and −log of the word's probability."""
    words, first = np.unique(text.owner, return_index=True)
    sums = np.add.reduceat(text.states, first, axis=0)
    rows = sums / np.maximum(np.sqrt((sums**2).sum(axis=1, keepdims=True)), 1e-9)
    information = np.bincount(text.owner, rarities(text.ids))[words]
    return np.ascontiguousarray(rows, np.float32), information.astype(np.float64)


def _means(met: tuple[Rows, Rows], weights: tuple[FloatArray, FloatArray]) -> list[float]:
    """From both sides."""
    return [float(m.astype(np.float64) @ w / w.sum()) for m, w in zip(met, weights, strict=True)]


def _number(word: str) -> bool:
    return any(map(str.isdigit, word))
