"""chrF and chrF++ (Popović 2015, 2017), with sacreBLEU's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.lexical.ngrams import Texts, Vocabulary, from_characters, matches

__all__ = ["Chrf", "ChrfPlusPlus"]

_EPSILON = 1e-16
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True)
class Chrf(Metric):
    """F-score over character n-grams, and word n-grams if asked for, 0 to 100.

    A row of statistics holds, for each order, n-grams of the hypothesis, n-grams of the
    reference, and those they share. With several references each segment is compared
    with the one that gives it the best score.
    """

    name: ClassVar[str] = "chrf"
    summary: ClassVar[str] = "F-score over character n-grams (sacreBLEU's scores)"
    scale: ClassVar[float] = 100.0

    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        if self.char_order < 1 or self.word_order < 0:
            raise MetricError(
                f"{self.name}: char_order must be at least 1 and word_order at least 0."
            )
        if self.beta <= 0:
            raise MetricError(f"{self.name}: beta must be above 0, not {self.beta:g}.")

    def versions(self, context: Context = None) -> dict[str, str]:
        """sacreBLEU's version: its definition is the one followed."""
        return {"sacrebleu": version("sacrebleu")}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Counts for each order, against the best reference of each segment."""
        hypotheses = self._characters(batch.hypotheses)
        references = [self._characters(lines) for lines in batch.references]
        parts = [_counts(hypotheses, texts, self.char_order) for texts in references]
        if self.word_order:
            vocabulary = Vocabulary()
            hypotheses = self._words(vocabulary, batch.hypotheses)
            references = [self._words(vocabulary, lines) for lines in batch.references]
            parts = [
                np.concatenate([part, _counts(hypotheses, texts, self.word_order)], axis=1)
                for part, texts in zip(parts, references, strict=True)
            ]
        rows = np.stack(parts).reshape(len(parts), len(batch), -1)
        if len(rows) == 1:
            return np.asarray(rows[0])
        best = self.score(rows).argmax(axis=0)
        return np.asarray(rows[best, np.arange(len(batch))])

    def _characters(self, lines: Sequence[str]) -> Texts:
        if self.lowercase:
            lines = [line.lower() for line in lines]
        if not self.whitespace:
            lines = ["".join(line.split()) for line in lines]
        return from_characters(lines)

    def _words(self, vocabulary: Vocabulary, lines: Sequence[str]) -> Texts:
        if self.lowercase:
            lines = [line.lower() for line in lines]
        return vocabulary.encode(map(_split_punctuation, lines))

    def score(self, sums: FloatArray) -> FloatArray:
        """chrF of summed rows."""
        counts = sums.reshape(*sums.shape[:-1], -1, 3)
        in_hypothesis, in_reference, shared = counts[..., 0], counts[..., 1], counts[..., 2]
        factor = self.beta**2
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(in_hypothesis > 0, shared / in_hypothesis, _EPSILON)
            recall = np.where(in_reference > 0, shared / in_reference, _EPSILON)
            if self.eps_smoothing:
                below = factor * precision + recall
                f = np.where(below > 0, (1 + factor) * precision * recall / below, _EPSILON)
                return np.asarray(100.0 * f.sum(axis=-1) / f.shape[-1])
            both = (in_hypothesis > 0) & (in_reference > 0)
            orders = both.sum(axis=-1)
            p = np.where(both, precision, 0.0).sum(axis=-1) / orders
            r = np.where(both, recall, 0.0).sum(axis=-1) / orders
            f = (1 + factor) * p * r / (factor * p + r)
            return np.where((orders > 0) & (p + r > 0), 100.0 * f, 0.0)


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF with word unigrams and bigrams."""

    name: ClassVar[str] = "chrf++"
    summary: ClassVar[str] = "chrF with word unigrams and bigrams (sacreBLEU's scores)"

    word_order: int = 2


def _counts(hypotheses: Texts, references: Texts, order: int) -> FloatArray:
    """(segments, order, 3): n-grams of hypothesis and reference, and shared ones.

    As in sacreBLEU, where a reference is too short for an order, the hypothesis's n-grams
    of that order are not counted against it.
    """
    steps = np.arange(order)
    in_hypothesis = np.maximum(hypotheses.lengths[:, None] - steps, 0)
    in_reference = np.maximum(references.lengths[:, None] - steps, 0)
    shared = matches(hypotheses, [references], order)
    counted = np.where(in_reference > 0, in_hypothesis, 0)
    return np.stack([counted, in_reference, shared], axis=-1).astype(np.float64)


def _split_punctuation(line: str) -> list[str]:
    """Words with one mark of punctuation cut off: the last character, or else the first."""
    words: list[str] = []
    for word in line.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words
