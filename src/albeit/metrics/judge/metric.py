"""``judge``: a small network, trained on what people preferred, reads translation and reference.

The raw score becomes one from 0 to 100 that has a meaning: 100 less four times the MQM points
that experts would be expected to take off a segment (25 points, the most there are, give 0).
How, was fitted on documents that no training saw; the constants stand beside the weights.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from albeit.annotate.layers import Tokens
from albeit.annotate.needs import Side
from albeit.corpus.evalset import EvalSet
from albeit.errors import AlbeitWarning
from albeit.metrics.base import (
    Batch,
    Context,
    FloatArray,
    Metric,
    mean_score,
    mean_statistics,
)
from albeit.metrics.judge import FILES, SHIPPED
from albeit.metrics.judge.seen import share_seen
from albeit.metrics.view import Compared, Loss, Place, View

if TYPE_CHECKING:
    from albeit.metrics.judge.network import Network, Reading

__all__ = ["Judge"]

_WORD = re.compile(r"\S+")
NOTABLE_SHARE = 0.05
"""From which part of a set's references on it is said that the network was trained on them."""
SIDES = (Side.HYPOTHESIS, Side.REFERENCE)
NOTABLE = 0.1
"""A word that an expert would mark with this probability or a higher one is named."""


@dataclass(frozen=True)
class Judge(Metric):
    """A learned score of each segment; that of documents and systems is the mean.

    Several references: the best counts. An empty translation scores 0, and so does one whose
    reference is empty; where both are, nothing is missing, and it scores 100. ``weights`` is
    a folder with another network than the one that ships.
    """

    weights: str = SHIPPED

    name: ClassVar[str] = "judge"
    summary: ClassVar[str] = "learned from people's preferences, translation and reference in one"
    scale: ClassVar[float] = 100.0

    @property
    def languages(self) -> frozenset[str]:
        """It has learned English."""
        return frozenset({"en"})

    @property
    def exact(self) -> bool:
        """It is a network."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        """Those of another network."""
        own = self.weights != SHIPPED
        return tuple(str(Path(self.weights) / name) for name in FILES) if own else ()

    def check(self, evalset: EvalSet) -> None:
        """Also say so where the network was trained on what it is about to score."""
        super().check(evalset)
        lines = (line for text in evalset.references.values() for line in text)
        share = share_seen(lines, self._network().folder)
        if share >= NOTABLE_SHARE:
            warnings.warn(
                AlbeitWarning(
                    f"{self} was trained on {share:.0%} of this set's references, so its scores here"
                    " agree with people better than they would on new texts. For figures of networks"
                    " that left this set out, see docs/results/judge.md; to rank metrics on this set,"
                    " use metrics that learnt nothing from it (chrf, sim)."
                ),
                stacklevel=2,
            )

    def versions(self, context: Context = None) -> dict[str, str]:
        """The version of the network, and the constants that give its scores their meaning."""
        network = self._network()
        constants = ",".join(f"{value:g}" for value in network.calibration.values())
        longest = str(network.longest)
        return {"model": network.version, "calibration": constants, "longest": longest}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(score, 1) a segment."""
        return mean_statistics(self._scores(batch).max(axis=0))

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean."""
        return mean_score(sums)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Which words of the translation look wrong: what is lost is shared by these odds.

        The network's second output is the probability that an expert marks a word. What falls
        on words that hardly look wrong is nobody's: a word is missing, or the whole is odd.
        """
        best = int(self._scores(batch)[:, 0].argmax())
        texts = batch.hypotheses[0], batch.references[best][0]
        compared = tuple(
            Compared(side, text, _tokens(text), number)
            for side, text, number in zip(SIDES, texts, (0, best), strict=True)
        )
        score = float(self.segment_score(row))
        missing = self.scale - score
        if not all(len(text.tokens) for text in compared):
            lost = (Loss("one of the texts is empty", missing),) if missing else ()
            return View(str(self), score, self.scale, compared, losses=lost)
        reading = self._network().read([texts], marks=True)
        odds = 1 / (1 + np.exp(-reading.marks[0].astype(np.float64)))
        notes: tuple[str, ...] = ()
        if (pieces := int(reading.pieces[0])) > 1:
            notes = (f"too long to be read at once: read in {pieces} pieces, side by side",)
        losses = _losses(compared[0].tokens.forms, odds, missing)
        return View(str(self), score, self.scale, compared, losses=losses, notes=notes)

    def _scores(self, batch: Batch) -> FloatArray:
        """Calibrated scores beside each reference: (references, segments)."""
        pairs = [
            pair for lines in batch.references for pair in zip(batch.hypotheses, lines, strict=True)
        ]
        read = [pair for pair in dict.fromkeys(pairs) if all(map(str.strip, pair))]
        known = dict(zip(read, self._calibrated(self._network().read(read)), strict=True))
        scores = [
            known[pair] if pair in known else 0.0 if any(map(str.strip, pair)) else self.scale
            for pair in pairs
        ]
        return np.array(scores).reshape(len(batch.references), len(batch))

    def _calibrated(self, reading: Reading) -> FloatArray:
        constants = self._network().calibration
        raw = constants["slope"] * reading.scores + constants["offset"]
        return np.asarray(self.scale / (1 + np.exp(-raw)))

    def _network(self) -> Network:
        from albeit.metrics.judge.network import load_judge

        return load_judge(self.weights)


def _tokens(text: str) -> Tokens:
    found = list(_WORD.finditer(text))
    return Tokens(tuple(m.group() for m in found), tuple(m.span() for m in found))


def _losses(words: Sequence[str], odds: FloatArray, missing: float) -> tuple[Loss, ...]:
    """What each word that looks wrong cost, most first, and what the others share."""
    found = [
        Loss(word, missing * p / odds.sum(), (Place(0, (k,)),), {"marked": p})
        for k, (word, p) in enumerate(zip(words, odds.tolist(), strict=True))
        if p >= NOTABLE
    ]
    found.sort(key=lambda loss: -loss.amount)
    rest = missing - sum(loss.amount for loss in found)
    return (*found, Loss("no single word", rest)) if rest > 0 else tuple(found)
