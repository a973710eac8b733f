"""chrF and chrF++ (Popović 2015, 2017), with sacreBLEU's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar

import numpy as np

from albeit.metrics import Batch, Context, FloatArray, Metric, MetricError, Side
from albeit.metrics.lexical import ngrams
from albeit.metrics.view import Loss, View, compare_words, divide_loss

_EPSILON = 1e-16
Kind = tuple[ngrams.Texts, int]
"""Texts as characters or words, and the highest order of their n-grams."""
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True)
class Chrf(Metric):
    """F-score over character n-grams, and word n-grams if ``word_order`` is above 0, 0 to 100.

    A row of statistics has, for each order, n-grams of the hypothesis, of the reference, and those
    they share. With several references each segment is compared with the one that gives it
    the best score.
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
        ngrams.check_order(self.name, "char_order", self.char_order)
        ngrams.check_order(self.name, "word_order", self.word_order, least=0)
        if self.beta <= 0:
            raise MetricError(f"{self.name}: beta must be above 0, not {self.beta:g}.")

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return sacreBLEU's version: its definition is used."""
        return {"sacrebleu": version("sacrebleu")}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return counts of each order, with the best reference of each segment."""
        rows = self._rows(batch)
        return np.asarray(rows[0]) if len(rows) == 1 else self.best_rows(rows)

    def _rows(self, batch: Batch) -> FloatArray:
        """Return counts with each reference: (references, segments, k)."""
        numbers: dict[str, int] = {}
        hypotheses = self._kinds(batch.hypotheses, numbers)
        rows = []
        for lines in batch.references:
            kinds = zip(hypotheses, self._kinds(lines, numbers), strict=True)
            rows.append(np.hstack([_counts(a, b, order) for (a, order), (b, _) in kinds]))
        return np.stack(rows).reshape(len(rows), len(batch), -1)

    def _kinds(self, lines: Sequence[str], numbers: dict[str, int]) -> list[Kind]:
        """Return lines as characters, and as words if they count, each with its highest order."""
        strings = [self._string(line) for line in lines]
        kinds = [(ngrams.encode_characters(strings), self.char_order)]
        if self.word_order:
            kinds.append((ngrams.encode(numbers, map(self._split, lines)), self.word_order))
        return kinds

    def gram_counts(self, texts: Sequence[str], lang: str) -> ngrams.GramCounts:
        """Count character n-grams, then word n-grams."""
        return ngrams.GramCounts.of(*self._kinds(texts, {}))

    def gram_rows(self, ours: FloatArray, theirs: FloatArray, shared: FloatArray) -> FloatArray:
        """Return rows of :meth:`statistics`."""
        ours, theirs, shared = np.broadcast_arrays(ours, theirs, shared)
        rows = np.stack([np.where(theirs > 0, ours, 0.0), theirs, shared], axis=-1)
        return rows.reshape(*rows.shape[:-2], -1)

    def _string(self, line: str) -> str:
        """Return the characters of a line that are compared."""
        line = line.lower() if self.lowercase else line
        return line if self.whitespace else "".join(line.split())

    def _split(self, line: str) -> list[str]:
        """Split a line into words, and one punctuation mark off their end or else beginning."""
        words: list[str] = []
        for word in (line.lower() if self.lowercase else line).split():
            if len(word) > 1 and word[-1] in _PUNCTUATION:
                words += [word[:-1], word[-1]]
            elif len(word) > 1 and word[0] in _PUNCTUATION:
                words += [word[0], word[1:]]
            else:
                words.append(word)
        return words

    def score(self, sums: FloatArray) -> FloatArray:
        """Return chrF of summed rows."""
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

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show n-grams by order, with the reference that scored best."""
        best = int(self.score(self._rows(batch)).argmax(axis=0)[0])
        lines = batch.hypotheses[0], batch.references[best][0]
        ours, theirs = map(self._string, lines)
        tables = ngrams.list_ngrams("characters", ours, [theirs], self.char_order)
        if self.word_order:
            hypothesis, reference = (tuple(self._split(line)) for line in lines)
            tables += ngrams.list_ngrams("words", hypothesis, [reference], self.word_order)
        texts = (
            compare_words(Side.HYPOTHESIS, lines[0], ours),
            compare_words(Side.REFERENCE, lines[1], theirs, best),
        )
        links = ngrams.link_runs(ours, [theirs], self.char_order)
        return self.view(row, texts, links, self._losses(row), ngrams=tables)

    def _losses(self, row: FloatArray) -> tuple[Loss, ...]:
        """Divide the loss over orders: the cost of n-grams that only one text has.

        With ``eps_smoothing`` the score is the mean of one F-measure per order, else it is the
        F-measure of mean precision and mean recall.
        """
        counts = row.reshape(-1, 3)
        both = [n for n, (ours, theirs, _) in enumerate(counts) if ours > 0 and theirs > 0]
        groups = [[n] for n in range(len(counts))] if self.eps_smoothing else [both]
        losses: list[Loss] = []
        for orders in groups:
            ours, theirs, shared = counts[orders].T
            if not shared.any():
                which = self._named(*orders) if self.eps_smoothing else "n-grams"
                losses.append(Loss(f"{which}: none is shared", self.scale / len(groups)))
                continue
            precision, recall = shared / ours, shared / theirs
            extra, missing = divide_loss(precision.mean(), recall.mean(), self.beta)
            part = self.scale / len(groups) / len(orders)
            for n, p, r in zip(orders, precision, recall, strict=True):
                mine, its, both_have = map(int, counts[n])
                name = self._named(n)
                if p < 1:
                    label = f"{name}: {mine - both_have} of {mine} not in the reference"
                    losses.append(Loss(label, float(part * extra * (1 - p))))
                if r < 1:
                    label = f"{name}: {its - both_have} of the reference's {its} missing"
                    losses.append(Loss(label, float(part * missing * (1 - r))))
        return tuple(losses)

    def _named(self, number: int) -> str:
        """Name the n-grams of the n-th order of the statistics."""
        if number < self.char_order:
            return f"{number + 1}-grams of characters"
        return f"{number - self.char_order + 1}-grams of words"


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF with word unigrams and bigrams."""

    name: ClassVar[str] = "chrf++"
    summary: ClassVar[str] = "chrF with word unigrams and bigrams (sacreBLEU's scores)"

    word_order: int = 2


def _counts(hypotheses: ngrams.Texts, references: ngrams.Texts, order: int) -> FloatArray:
    """Count n-grams of hypothesis and reference, and shared ones: (segments, order, 3).

    As in sacreBLEU, if a reference is too short for an order, the hypothesis's n-grams of that
    order don't count.
    """
    in_hypothesis, in_reference = hypotheses.totals(order), references.totals(order)
    shared = ngrams.match_ngrams(hypotheses, [references], order)
    counted = np.where(in_reference > 0, in_hypothesis, 0)
    return np.stack([counted, in_reference, shared], axis=-1).astype(np.float64)
