"""BLEU (Papineni et al. 2002) with sacreBLEU's tokenizers, smoothing, and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from albeit.arrays import IntArray
from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics import Batch, Compared, Context, FloatArray, Loss, Metric, View, locate
from albeit.metrics.lexical.ngrams import (
    LONGEST_NGRAM,
    GramCounts,
    encode,
    link_runs,
    list_ngrams,
    match_ngrams,
)
from albeit.metrics.lexical.tokenizers import TokenizerName, choose_tokenizer, tokenizer
from albeit.parsing.needs import Side

__all__ = ["Bleu"]

_LOG_OF_ZERO = -9999999999.0
"""sacreBLEU's value for log 0: small enough that the score is 0."""


@dataclass(frozen=True)
class Bleu(Metric):
    """Geometric mean of clipped n-gram precisions times a brevity penalty, 0 to 100.

    A row of statistics is hypothesis length, closest reference length, matched n-grams of
    orders 1 to ``max_ngram``, n-grams of the hypothesis of the same orders. ``tokenize=auto`` is
    sacreBLEU's choice for the target language. Single segments are scored with effective order, as
    sacreBLEU recommends; ``effective_order`` uses it at all levels.
    """

    name: ClassVar[str] = "bleu"
    summary: ClassVar[str] = "n-gram precision with a brevity penalty (sacreBLEU's scores)"
    scale: ClassVar[float] = 100.0
    whole_set: ClassVar[bool] = False
    """Its tokenizer depends on the language only."""

    tokenize: TokenizerName = "auto"
    lowercase: bool = False
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp"
    smooth_value: float | None = None
    max_ngram: int = 4
    effective_order: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.max_ngram <= LONGEST_NGRAM:
            raise MetricError(
                f"bleu: max_ngram must be from 1 to {LONGEST_NGRAM}, not {self.max_ngram}."
            )
        if self.smooth_value is not None and self.smooth not in ("floor", "add-k"):
            raise MetricError(f"bleu: smooth={self.smooth} takes no smooth_value.")
        if self.smooth_value is not None and self.smooth_value < 0:
            raise MetricError("bleu: smooth_value must not be negative.")

    def check(self, evalset: EvalSet) -> None:
        """Also load the tokenizer, so that a missing one is an error before any work."""
        super().check(evalset)
        tokenizer(self.prepare(evalset))

    def prepare(self, evalset: EvalSet) -> Context:
        """Return the name of the tokenizer."""
        return choose_tokenizer(self.tokenize, evalset.target_lang)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the tokenizer and sacreBLEU's version."""
        tok = {} if context is None else {"tok": str(context)}
        return tok | {"sacrebleu": version("sacrebleu")}

    def _words(self, language: str) -> Callable[[str], list[str]]:
        """Return a function that splits a line into words."""
        split = tokenizer(choose_tokenizer(self.tokenize, language))
        return lambda line: split((line.lower() if self.lowercase else line).rstrip()).split()

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return lengths, matches, and totals of each segment."""
        words, numbers = self._words(batch.target_lang), dict[str, int]()
        hypotheses = encode(numbers, map(words, batch.hypotheses))
        references = [encode(numbers, map(words, lines)) for lines in batch.references]
        length = hypotheses.lengths
        closest = _closest(length, np.stack([texts.lengths for texts in references]))
        total = np.maximum(length[:, None] - np.arange(self.max_ngram), 0)
        shared = match_ngrams(hypotheses, references, self.max_ngram)
        return np.column_stack([length, closest, shared, total]).astype(np.float64)

    def gram_counts(self, texts: Sequence[str], lang: str) -> GramCounts:
        """Count word n-grams."""
        return GramCounts.of(encode({}, map(self._words(lang), texts)), self.max_ngram)

    def gram_rows(self, ours: FloatArray, theirs: FloatArray, shared: FloatArray) -> FloatArray:
        """Return rows of :meth:`statistics`; the reference's length is its number of words."""
        ours, theirs, shared = np.broadcast_arrays(ours, theirs, shared)
        return np.concatenate([ours[..., :1], theirs[..., :1], shared, ours], axis=-1)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return BLEU of summed rows."""
        return self._bleu(sums, self.effective_order)

    def segment_score(self, rows: FloatArray) -> FloatArray:
        """Return BLEU of single segments, over the orders that a segment is long enough for."""
        return self._bleu(rows, effective_order=True)

    def _bleu(self, sums: FloatArray, effective_order: bool) -> FloatArray:
        length, reference = sums[..., 0], sums[..., 1]
        precision, counted = self._precisions(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(precision > 0, np.log(precision), _LOG_OF_ZERO)
            penalty = np.where(length < reference, np.exp(1 - reference / length), 1.0)
            used = self.max_ngram * np.ones_like(length)
            if effective_order:
                logs, used = np.where(counted, logs, 0.0), counted.sum(axis=-1)
            bleu = penalty * np.exp(logs.sum(axis=-1) / used)
        return np.where(sums[..., 2 : 2 + self.max_ngram].any(axis=-1), bleu, 0.0)

    def _precisions(self, sums: FloatArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
        """Return the smoothed precision of each order in percent, and whether it has n-grams."""
        orders = self.max_ngram
        correct, total = sums[..., 2 : 2 + orders], sums[..., 2 + orders :]
        if self.smooth == "add-k":
            k = 1.0 if self.smooth_value is None else self.smooth_value
            extra = np.array([0.0] + [k] * (orders - 1))
            correct, total = correct + extra, total + extra
        counted = np.logical_and.accumulate(total > 0, axis=-1)
        missed = counted & (correct == 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(counted, 100.0 * correct / total, 0.0)
            if self.smooth == "exp":
                halved = np.cumsum(missed, axis=-1)
                precision = np.where(missed, 100.0 / (np.exp2(halved) * total), precision)
            elif self.smooth == "floor":
                floor = 0.1 if self.smooth_value is None else self.smooth_value
                precision = np.where(missed, 100.0 * floor / total, precision)
        return precision, counted

    def details(self, sums: FloatArray) -> dict[str, float | list[float]]:
        """Return precisions, brevity penalty, and lengths, as sacreBLEU prints them."""
        length, reference = float(sums[0]), float(sums[1])
        precision, _ = self._precisions(sums)
        penalty = float(np.exp(1 - reference / length)) if 0 < length < reference else 1.0
        return {
            "precisions": [float(p) for p in precision],
            "brevity_penalty": penalty if length else 0.0,
            "length_ratio": length / reference if reference else 0.0,
            "hypothesis_length": length,
            "reference_length": reference,
        }

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show n-grams by order, with all references."""
        words = self._words(batch.target_lang)
        lines = [batch.hypotheses[0], *(reference[0] for reference in batch.references)]
        ours, *theirs = (tuple(words(line)) for line in lines)
        texts = [Compared(Side.HYPOTHESIS, lines[0], locate(lines[0], ours))]
        texts += [
            Compared(Side.REFERENCE, line, locate(line, reference), n)
            for n, (line, reference) in enumerate(zip(lines[1:], theirs, strict=True))
        ]
        links = link_runs(ours, theirs, self.max_ngram)
        tables = list_ngrams("words", ours, theirs, self.max_ngram)
        return self.view(row, texts, links, self._losses(row), ngrams=tables)

    def _losses(self, row: FloatArray) -> tuple[Loss, ...]:
        """Divide the loss by logarithms: BLEU is a product of penalty and precisions."""
        score = float(self.segment_score(row))
        length, reference = row[:2]
        matched, total = row[2 : 2 + self.max_ngram], row[2 + self.max_ngram :]
        if not matched.any():
            return (Loss("no word is in a reference", self.scale - score),)
        precision, counted = self._precisions(row)
        logs = {}
        if length < reference:
            logs[f"brevity: {length:.0f} words against {reference:.0f}"] = 1 - reference / length
        for n in np.flatnonzero(counted):
            log = np.log(precision[n] / 100) if precision[n] > 0 else _LOG_OF_ZERO
            label = f"{n + 1}-grams: {total[n] - matched[n]:.0f} of {total[n]:.0f} in no reference"
            logs[label] = log / counted.sum()
        whole = sum(logs.values())
        return tuple(
            Loss(label, float((self.scale - score) * log / whole))
            for label, log in logs.items()
            if log
        )


def _closest(lengths: IntArray, references: IntArray) -> IntArray:
    """Return the reference length closest to the hypothesis's; the shorter of two."""
    distance = np.abs(references - lengths)
    rank = distance * (references.max(initial=0) + 1) + references
    best = rank.argmin(axis=0)
    return np.asarray(np.take_along_axis(references, best[None], axis=0)[0])
