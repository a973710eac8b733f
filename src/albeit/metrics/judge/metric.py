"""``judge``: a network, trained on what people preferred, reads translation and reference together.

The raw score becomes one from 0 to 100 that has a meaning: 100 less four times the MQM points
that experts would be expected to take off a segment (25 points, the most there are, give 0).
How, was fitted on documents that no training saw; the constants stand beside the weights.
"""

from __future__ import annotations

import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.errors import AlbeitWarning
from albeit.metrics.base import (
    Batch,
    Context,
    FloatArray,
    Metric,
    mean_error,
    mean_score,
    mean_statistics,
)
from albeit.metrics.judge import DEFAULT, FILES, SHIPPED, WEIGHTS
from albeit.metrics.judge.seen import share_seen
from albeit.metrics.view import Compared, Loss, Place, Severity, View
from albeit.parsing.layers import Tokens
from albeit.parsing.needs import Side

if TYPE_CHECKING:
    from albeit.metrics.judge.network import Calibration, Network, Reading

__all__ = ["Judge", "JudgeSmall", "Learned", "longer", "pieces_note"]

Asked = TypeVar("Asked")
"""What a network reads together, such as a translation and its reference."""
_WORD = re.compile(r"\S+")
NOTABLE_SHARE = 0.05
"""From which part of a set's references on it is said that the network was trained on them."""
SIDES = (Side.HYPOTHESIS, Side.REFERENCE)
NOTABLE = 0.1
"""A word that an expert would mark with this probability or a higher one is named."""
SEVERITIES: tuple[tuple[Severity, float], ...] = (("major", 5.0), ("minor", 1.0))
"""Kinds of errors that a network may tell apart, and the MQM points that one costs."""
UNTOLD: tuple[tuple[Severity, float], ...] = (("", 1.0),)


class Loaded(Protocol):
    """What metrics ask of a network beside its scores."""

    folder: Path
    version: str
    calibration: Calibration
    longest: int


@dataclass(frozen=True)
class Learned(Metric):
    """A score of each segment by a network; that of documents and systems is the mean.

    Several references: the mean of the scores beside each.
    """

    scale: ClassVar[float] = 100.0
    network: ClassVar[str]
    """The folder of the weights that ship."""
    results: ClassVar[str] = "docs/results/judge.md"
    """Where the figures of networks are that left out what they were tested on."""

    weights: str = SHIPPED

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
        beside = "references" if evalset.references else "source"
        texts = [*evalset.references.values()] or [evalset.source or ()]
        share = share_seen((line for text in texts for line in text), self._network().folder)
        if share >= NOTABLE_SHARE:
            warnings.warn(
                AlbeitWarning(
                    f"{self} was trained on {share:.0%} of this set's {beside}, so its scores here"
                    " agree with people better than they would on new texts. For figures of networks"
                    f" that left this set out, see {self.results}; to rank metrics on this set,"
                    " use metrics that learnt nothing from it (chrf, sim)."
                ),
                stacklevel=2,
            )

    def versions(self, context: Context = None) -> dict[str, str]:
        """The version of the network, the constants that give its scores their meaning, and how
        long texts are read."""
        from albeit.metrics.judge.pairs import FINEST, SLACK, TIMES

        network = self._network()
        return {
            "model": network.version,
            "calibration": str(network.calibration),
            "longest": str(network.longest),
            "cut": f"sentences,{FINEST}",
            "covered": f"{TIMES},{SLACK}",
            "references": "mean",
        }

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(score, 1) a segment, and the score's variance where the network says it.

        Several references: the mean of the scores beside each.
        """
        scores, variances = self.scores(batch)
        return mean_statistics(
            scores.mean(axis=0), None if variances is None else variances.mean(axis=0)
        )

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean."""
        return mean_score(sums)

    def standard_error(self, sums: FloatArray) -> FloatArray | None:
        """By the variances of its segments."""
        return mean_error(sums)

    @abstractmethod
    def scores(self, batch: Batch) -> tuple[FloatArray, FloatArray | None]:
        """Scores beside each reference, and their variances: (references, segments)."""

    def scored(
        self,
        asked: Sequence[Sequence[Asked]],
        compared: Callable[[Asked], tuple[str, str]],
        read: Callable[[list[Asked]], Reading],
    ) -> tuple[FloatArray, FloatArray | None]:
        """Scores and variances of what is asked, each distinct one read once.

        What ``compared`` gives must be there: where one of the two texts is blank the score is 0,
        and where both are it is 100.
        """
        flat = [one for row in asked for one in row]
        full = dict.fromkeys(one for one in flat if all(map(str.strip, compared(one))))
        place = {one: k for k, one in enumerate(full)}
        scores, errors = self._calibrated(read(list(place)))
        shape = len(asked), len(asked[0])
        at = np.array([place.get(one, -1) for one in flat], np.int64)
        blank = np.array([self.scale * (not any(map(str.strip, compared(one)))) for one in flat])
        known = np.where(at < 0, blank, np.append(scores, 0.0)[at])
        if errors is None:
            return known.reshape(shape), None
        return known.reshape(shape), np.append(errors**2, 0.0)[at].reshape(shape)

    def _calibrated(self, reading: Reading) -> tuple[FloatArray, FloatArray | None]:
        """Scores from 0 to 100, and their standard errors: those of raw scores by the curve's slope."""
        calibration = self._network().calibration
        share, steep = calibration.share(reading.scores)
        most = self.scale * reading.covered
        if reading.spreads is None or calibration.spread is None:
            return most * share, None
        return most * share, most * calibration.spread * steep * reading.spreads

    def nearest(self, batch: Batch) -> int:
        """The number of the reference beside which a segment scores best: the one that is shown."""
        return int(self.scores(batch)[0][:, 0].argmax()) if len(batch.references) > 1 else 0

    def by_length(self, reading: Reading) -> float:
        """Which part of what a pair loses it loses because one text is many times as long."""
        found = float(self._calibrated(reading)[0][0])
        whole = found / float(reading.covered[0])
        return (whole - found) / (self.scale - found)

    def _folder(self) -> Path:
        return WEIGHTS / self.network if self.weights == SHIPPED else Path(self.weights)

    @abstractmethod
    def _network(self) -> Loaded:
        """The network, not yet loaded."""


@dataclass(frozen=True)
class Judge(Learned):
    """A learned score of each segment; that of documents and systems is the mean.

    Several references: the mean of the scores beside each. An empty translation scores 0, and so
    does one whose reference is empty; where both are, nothing is missing, and it scores 100. Of a
    text many times as long as the other, what the other cannot stand for counts as 0.
    ``weights`` is a folder with another network than the one that ships.
    """

    name: ClassVar[str] = "judge"
    summary: ClassVar[str] = "learned from people's preferences, translation and reference in one"
    network: ClassVar[str] = DEFAULT

    @property
    def languages(self) -> frozenset[str]:
        """It has learned English."""
        return frozenset({"en"})

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Which words of the translation look wrong: what is lost is shared by these odds.

        The network says how likely an expert is to mark a word, as a major and as a minor error
        where it distinguishes them; one weighs as the other's MQM points. What falls on words that
        hardly look wrong is nobody's: a word is missing, or the whole is odd. What a text loses by
        being many times as long as the other is named first. Of several references the nearest is
        shown.
        """
        best = self.nearest(batch)
        texts = batch.hypotheses[0], batch.references[best][0]
        compared = tuple(
            Compared(side, text, _tokens(text), number)
            for side, text, number in zip(SIDES, texts, (0, best), strict=True)
        )
        score, error = float(self.segment_score(row)), self.standard_error(row)
        missing = self.scale - score
        losses: tuple[Loss, ...] = ()
        notes: tuple[str, ...] = ()
        if not all(len(text.tokens) for text in compared):
            losses = (Loss("one of the texts is empty", missing),) if missing else losses
        else:
            reading = self._network().read([texts], marks=True)
            odds = 1 / (1 + np.exp(-reading.marks[0].astype(np.float64)))
            by_length = self.by_length(reading) * missing
            losses = _losses(compared[0].tokens.forms, odds, missing - by_length)
            if by_length:
                losses = (Loss(longer(compared), by_length), *losses)
            notes = pieces_note(reading)
        return View(
            str(self),
            score,
            self.scale,
            compared,
            losses=losses,
            notes=notes,
            standard_error=None if error is None else float(error),
        )

    def scores(self, batch: Batch) -> tuple[FloatArray, FloatArray | None]:
        """Beside each reference."""
        asked = [list(zip(batch.hypotheses, lines, strict=True)) for lines in batch.references]
        return self.scored(asked, lambda pair: pair, lambda pairs: self._network().read(pairs))

    def _network(self) -> Network:
        from albeit.metrics.judge.network import load_judge

        return load_judge(self._folder())


@dataclass(frozen=True)
class JudgeSmall(Judge):
    """The same with a network of half the width: several times as fast, and less often right."""

    name: ClassVar[str] = "judge-small"
    summary: ClassVar[str] = "judge with a smaller network, for speed"
    network: ClassVar[str] = "small"


def _tokens(text: str) -> Tokens:
    found = list(_WORD.finditer(text))
    return Tokens(tuple(m.group() for m in found), tuple(m.span() for m in found))


def pieces_note(reading: Reading) -> tuple[str, ...]:
    """What is said of texts that were read in pieces."""
    pieces = int(reading.pieces[0])
    said = f"too long to be read at once: read in {pieces} pieces, side by side"
    return (said,) if pieces > 1 else ()


def longer(compared: Sequence[Compared]) -> str:
    """What is said of a translation many times as long, or short, as the text beside it."""
    ours, theirs = (len(text.tokens) for text in compared[:2])
    which = "longer" if ours > theirs else "shorter"
    return f"far {which} than the {compared[1].side}"


def _losses(words: Sequence[str], odds: FloatArray, missing: float) -> tuple[Loss, ...]:
    """What each word that looks wrong cost, most first, and what the others share.

    ``odds`` (words, kinds): that it is marked, or that it is marked as a major and a minor error.
    """
    kinds = SEVERITIES if odds.shape[1] == len(SEVERITIES) else UNTOLD
    points = odds @ [cost for _, cost in kinds]
    found = []
    for k in np.flatnonzero(odds.max(axis=1) >= NOTABLE).tolist():
        severity = kinds[int(odds[k].argmax())][0]
        names: list[str] = [kind or "marked" for kind, _ in kinds]
        details = dict(zip(names, odds[k].tolist(), strict=True))
        amount = float(missing * points[k] / points.sum())
        found.append(Loss(words[k], amount, (Place(0, (k,)),), details, severity))
    found.sort(key=lambda loss: -loss.amount)
    rest = missing - sum(loss.amount for loss in found)
    return (*found, Loss("no single word", rest)) if rest > 0 else tuple(found)
