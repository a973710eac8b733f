"""BLEU (Papineni et al. 2002) with sacreBLEU's tokenisers and smoothing, and its scores."""

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
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.lexical.grams import common_runs, ngram_tables
from albeit.metrics.lexical.ngrams import LONGEST_NGRAM, GramCounts, Vocabulary, matches
from albeit.metrics.lexical.tokenizers import TokenizerName, default_tokenizer, tokenizer
from albeit.metrics.view import Compared, Loss, View, locate
from albeit.parsing.needs import Side

__all__ = ["Bleu"]

_LOG_OF_ZERO = -9999999999.0
"""What sacreBLEU puts for log 0: small enough that the score is 0."""


@dataclass(frozen=True)
class Bleu(Metric):
    """Geometric mean of clipped n-gram precisions times a brevity penalty, 0 to 100.

    A row of statistics is hypothesis length, closest reference length, matched n-grams of
    orders 1 to ``max_ngram``, n-grams of the hypothesis of the same orders. ``tokenize``
    ``auto`` is sacreBLEU's choice for the target language. Single segments are scored
    with effective order, as sacreBLEU recommends; ``effective_order`` asks for it at all
    levels.
    """

    name: ClassVar[str] = "bleu"
    summary: ClassVar[str] = "n-gram precision with a brevity penalty (sacreBLEU's scores)"
    scale: ClassVar[float] = 100.0
    whole_set: ClassVar[bool] = False
    """Its tokeniser hangs on the language alone."""

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
        if self.smooth_value is not None:
            if self.smooth not in ("floor", "add-k"):
                raise MetricError(f"bleu: smooth={self.smooth} takes no smooth_value.")
            if self.smooth_value < 0:
                raise MetricError("bleu: smooth_value must not be negative.")

    def check(self, evalset: EvalSet) -> None:
        """Also load the tokeniser, so that a missing one is refused before any work."""
        super().check(evalset)
        tokenizer(self._tokenizer_name(evalset.target_lang))

    def prepare(self, evalset: EvalSet) -> Context:
        """The name of the tokeniser, which ``auto`` leaves to the language."""
        return self._tokenizer_name(evalset.target_lang)

    def versions(self, context: Context = None) -> dict[str, str]:
        """The tokeniser in use and sacreBLEU's version."""
        tok = {} if context is None else {"tok": str(context)}
        return tok | {"sacrebleu": version("sacrebleu")}

    def _tokenizer_name(self, language: str) -> str:
        return default_tokenizer(language) if self.tokenize == "auto" else self.tokenize

    def _words(self, language: str) -> Callable[[str], list[str]]:
        """How a line is cut into words."""
        split = tokenizer(self._tokenizer_name(language))
        return lambda line: split((line.lower() if self.lowercase else line).rstrip()).split()

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Lengths, matches and totals of each segment."""
        words = self._words(batch.target_lang)
        vocabulary = Vocabulary()
        hypotheses = vocabulary.encode(map(words, batch.hypotheses))
        references = [vocabulary.encode(map(words, lines)) for lines in batch.references]
        length = hypotheses.lengths
        closest = _closest(length, np.stack([texts.lengths for texts in references]))
        total = np.maximum(length[:, None] - np.arange(self.max_ngram), 0)
        shared = matches(hypotheses, references, self.max_ngram)
        return np.column_stack([length, closest, shared, total]).astype(np.float64)

    def gram_counts(self, texts: Sequence[str], lang: str) -> GramCounts:
        """Word n-grams."""
        words = self._words(lang)
        return GramCounts.of(Vocabulary().encode(map(words, texts)), self.max_ngram)

    def gram_rows(self, ours: FloatArray, theirs: FloatArray, shared: FloatArray) -> FloatArray:
        """Rows as :meth:`statistics` gives them: the reference's length is its count of words."""
        ours, theirs, shared = np.broadcast_arrays(ours, theirs, shared)
        return np.concatenate([ours[..., :1], theirs[..., :1], shared, ours], axis=-1)

    def score(self, sums: FloatArray) -> FloatArray:
        """BLEU of summed rows."""
        return self._bleu(sums, self.effective_order)

    def segment_score(self, rows: FloatArray) -> FloatArray:
        """BLEU of single segments, over the orders a segment is long enough for."""
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
        """The smoothed precision of each order in per cent, and whether there are such n-grams."""
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
        """As sacreBLEU prints them: precisions, brevity penalty, lengths."""
        length, reference = float(sums[0]), float(sums[1])
        precision, _ = self._precisions(sums)
        short = 0 < length < reference
        return {
            "precisions": [float(p) for p in precision],
            "brevity_penalty": float(np.exp(1 - reference / length))
            if short
            else float(length > 0),
            "length_ratio": length / reference if reference else 0.0,
            "hypothesis_length": length,
            "reference_length": reference,
        }

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """N-grams by order; every reference counts, so every one is there."""
        cut = self._words(batch.target_lang)
        lines = [batch.hypotheses[0], *(reference[0] for reference in batch.references)]
        ours, *theirs = map(cut, lines)
        score = float(self.segment_score(row))
        texts = [Compared(Side.HYPOTHESIS, lines[0], locate(lines[0], ours))]
        texts += [
            Compared(Side.REFERENCE, line, locate(line, words), n)
            for n, (line, words) in enumerate(zip(lines[1:], theirs, strict=True))
        ]
        return self.view(
            row,
            texts,
            common_runs(ours, theirs, self.max_ngram),
            self._losses(row, score),
            ngrams=ngram_tables("words", ours, theirs, self.max_ngram),
        )

    def _losses(self, row: FloatArray, score: float) -> tuple[Loss, ...]:
        """What is missing, shared out by logarithm: BLEU is a product of penalty and precisions."""
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
    """For each segment the reference length closest to the hypothesis's; the shorter of two."""
    distance = np.abs(references - lengths)
    rank = distance * (references.max(initial=0) + 1) + references
    best = rank.argmin(axis=0)
    return np.asarray(np.take_along_axis(references, best[None], axis=0)[0])
