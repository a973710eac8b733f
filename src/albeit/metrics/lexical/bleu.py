"""BLEU (Papineni et al. 2002) with sacreBLEU's scores, and NIST (Doddington 2002) with mteval's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from math import log
from typing import ClassVar, Literal

import numpy as np

from albeit.metrics import BoolArray, EvalSet, FloatArray, IntArray, MetricError, Side
from albeit.metrics.base import Batch, Context, Metric
from albeit.metrics.lexical import ngrams
from albeit.metrics.lexical.tokenizers import TokenizerName, choose_tokenizer, tokenizer
from albeit.metrics.view import Loss, View, compare_words

_LOG_OF_ZERO = -9999999999.0
"""sacreBLEU's value for log 0: small enough that the score is 0."""
_BETA = -log(0.5) / log(1.5) ** 2
"""So that NIST halves the score of a translation of two thirds the references' length."""
_LOWER = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


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
        ngrams.check_order("bleu", "max_ngram", self.max_ngram)
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
        hypotheses = ngrams.encode(numbers, map(words, batch.hypotheses))
        references = [ngrams.encode(numbers, map(words, lines)) for lines in batch.references]
        length = hypotheses.lengths
        closest = _closest(length, np.stack([texts.lengths for texts in references]))
        total = hypotheses.totals(self.max_ngram)
        shared = ngrams.match_ngrams(hypotheses, references, self.max_ngram)
        return np.column_stack([length, closest, shared, total]).astype(np.float64)

    def gram_counts(self, texts: Sequence[str], lang: str) -> ngrams.GramCounts:
        """Count word n-grams."""
        numbered = ngrams.encode({}, map(self._words(lang), texts))
        return ngrams.GramCounts.of((numbered, self.max_ngram))

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

    def _precisions(self, sums: FloatArray) -> tuple[FloatArray, BoolArray]:
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
        found: dict[str, float | list[float]] = {"precisions": precision.tolist()}
        found["brevity_penalty"] = penalty if length else 0.0
        found["length_ratio"] = length / reference if reference else 0.0
        return found | {"hypothesis_length": length, "reference_length": reference}

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show n-grams by order, with all references."""
        words = self._words(batch.target_lang)
        lines = [batch.hypotheses[0], *(reference[0] for reference in batch.references)]
        ours, *theirs = (tuple(words(line)) for line in lines)
        texts = [compare_words(Side.HYPOTHESIS, lines[0], ours)]
        for number, (line, reference) in enumerate(zip(lines[1:], theirs, strict=True)):
            texts.append(compare_words(Side.REFERENCE, line, reference, number))
        links = ngrams.link_runs(ours, theirs, self.max_ngram)
        tables = ngrams.list_ngrams("words", ours, theirs, self.max_ngram)
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
        lost = self.scale - score
        return tuple(Loss(label, float(lost * log / whole)) for label, log in logs.items() if log)


def _closest(lengths: IntArray, references: IntArray) -> IntArray:
    """Return the reference length closest to the hypothesis's; the shorter of two."""
    distance = np.abs(references - lengths)
    rank = distance * (references.max(initial=0) + 1) + references
    best = rank.argmin(axis=0)
    return np.asarray(np.take_along_axis(references, best[None], axis=0)[0])


@dataclass(frozen=True)
class Weights:
    """The information of each n-gram of the references, in bits, and which references these were.

    N-grams of one order are numbered. ``keys[n]`` has, ascending, the number of an n-gram without
    its last word times the number of all words, plus its last word. Its position there is the
    n-gram's own number. ``bits[n]`` has its information at that position.
    """

    words: dict[str, int]
    keys: tuple[IntArray, ...]
    bits: tuple[FloatArray, ...]
    versions: dict[str, str]

    @classmethod
    def of(cls, lines: Sequence[Sequence[str]], orders: int, versions: dict[str, str]) -> Weights:
        """Compute weights from the words of all references."""
        words: dict[str, int] = {}
        texts = ngrams.encode(words, lines)
        before = np.array([len(texts.symbols)])
        numbers = np.zeros_like(texts.symbols)
        keys, bits = [], []
        for order in range(orders):
            here = texts.starts_of_ngrams(order)
            key = numbers[here] * len(words) + texts.symbols[here + order]
            distinct, position, counts = np.unique(key, return_inverse=True, return_counts=True)
            parents = distinct // max(len(words), 1)
            below = before[parents]
            if order == 1 and "0" in words:
                # mteval takes a first word "0" for no word at all: in Perl, "0" is false.
                below = np.where(parents == words["0"], len(texts.symbols), below)
            keys.append(distinct)
            bits.append(np.log2(below / counts))
            numbers[here] = position
            before = counts
        return cls(words, tuple(keys), tuple(bits), versions)

    def encode(self, lines: Iterable[Sequence[str]]) -> ngrams.Texts:
        """Replace words by their numbers; -1 for a word that no reference has."""
        return ngrams.Texts.of([self.words.get(word, -1) for word in line] for line in lines)

    def ngrams(self, texts: ngrams.Texts) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield per order, for each n-gram and segment in a reference, a key and its count.

        The key is the segment times the number of all n-grams, plus the number of the n-gram.
        """
        segments = np.repeat(np.arange(texts.size), texts.lengths)
        numbers = np.zeros_like(texts.symbols)
        for order, keys in enumerate(self.keys):
            here = texts.starts_of_ngrams(order)
            words = texts.symbols[here + order]
            key = numbers[here] * len(self.words) + words
            position, known = _find(keys, key)
            known &= (numbers[here] >= 0) & (words >= 0)
            numbers[here] = np.where(known, position, -1)
            counted = segments[here[known]] * len(keys) + position[known]
            yield np.unique(counted, return_counts=True)


def _find(keys: IntArray, wanted: IntArray) -> tuple[IntArray, BoolArray]:
    """Return positions in sorted keys, and whether the key is there."""
    position = np.searchsorted(keys, wanted)
    known = position < len(keys)
    known[known] = keys[position[known]] == wanted[known]
    return position, known


@dataclass(frozen=True)
class Nist(Metric):
    """Information of the matched n-grams, summed over orders, times a length penalty.

    A row of statistics has, for orders 1 to ``max_ngram``, the matched information and the n-grams
    of the hypothesis, then the mean length of the references. The information of an n-gram comes
    from all references of the test set. A perfect translation has no fixed score.
    """

    name: ClassVar[str] = "nist"
    summary: ClassVar[str] = "information-weighted n-gram precision (mteval v13a)"

    max_ngram: int = 5
    tokenize: TokenizerName = "auto"
    lowercase: bool = True

    def __post_init__(self) -> None:
        ngrams.check_order("nist", "max_ngram", self.max_ngram)

    def check(self, evalset: EvalSet) -> None:
        """Also load the tokenizer, so that a missing one is an error before any work."""
        super().check(evalset)
        self._words(evalset.target_lang)

    def prepare(self, evalset: EvalSet) -> Context:
        """Compute the information of every n-gram of the references."""
        lines = [line for lines in evalset.references.values() for line in lines]
        text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
        name = choose_tokenizer(self.tokenize, evalset.target_lang)
        versions = {"tok": name, "weights": sha256(text).hexdigest()[:8]}
        words = self._words(evalset.target_lang)
        return Weights.of([words(line) for line in lines], self.max_ngram, versions)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the tokenizer, and a digest of the references."""
        return context.versions if isinstance(context, Weights) else {}

    def _words(self, language: str) -> Callable[[str], list[str]]:
        """Return a function that tokenizes a line; of capitals only A to Z are lowered."""
        split = tokenizer(choose_tokenizer(self.tokenize, language))
        table = _LOWER if self.lowercase else {}
        return lambda line: split(line.rstrip()).translate(table).split()

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return matched information, n-grams, and reference length of each segment.

        An n-gram matches as often as in the reference of its segment that has it most.
        """
        words = self._words(batch.target_lang)
        weights: Weights = context
        hypotheses = weights.encode(map(words, batch.hypotheses))
        references = [weights.encode(map(words, lines)) for lines in batch.references]
        streams = zip(*(weights.ngrams(texts) for texts in (hypotheses, *references)), strict=True)
        matched = []
        for bits, ((grams, counts), *others) in zip(weights.bits, streams, strict=True):
            most = np.zeros_like(counts)
            for known_grams, often in others:
                position, known = _find(known_grams, grams)
                most[known] = np.maximum(most[known], often[position[known]])
            size = max(len(bits), 1)
            information = bits[grams % size] * np.minimum(counts, most)
            matched.append(np.bincount(grams // size, information, len(batch)))
        length = np.mean([texts.lengths for texts in references], axis=0)
        return np.column_stack([*matched, hypotheses.totals(self.max_ngram), length])

    def score(self, sums: FloatArray) -> FloatArray:
        """Return NIST of summed rows; 0 with empty references."""
        orders = self.max_ngram
        matched, counts, length = sums[..., :orders], sums[..., orders:-1], sums[..., -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(counts[..., 0] / length, 1.0)
            penalty = np.where(ratio > 0, np.exp(-_BETA * np.log(ratio) ** 2), 0.0)
        return np.asarray((matched / np.maximum(counts, 1)).sum(axis=-1) * penalty)
