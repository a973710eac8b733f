"""NIST (Doddington 2002) as mteval v13a defines it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import log
from typing import ClassVar

import numpy as np

from albeit.arrays import IntArray
from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics import Batch, Context, FloatArray, Metric
from albeit.metrics.lexical.ngrams import LONGEST_NGRAM, Texts, encode
from albeit.metrics.lexical.tokenizers import TokenizerName, choose_tokenizer, tokenizer

__all__ = ["Nist", "Weights"]

_BETA = -log(0.5) / log(1.5) ** 2
"""So that a translation of two thirds the references' length loses half its score."""


@dataclass(frozen=True)
class Weights:
    """The information of each n-gram of the references, in bits, and which references these were.

    N-grams of one order are numbered. ``keys[n]`` holds, ascending, the number of an n-gram
    without its last word times the number of all words, plus its last word; its place
    there is the n-gram's own number, and its place in ``bits[n]`` has its information.
    """

    words: dict[str, int]
    keys: tuple[IntArray, ...]
    bits: tuple[FloatArray, ...]
    tokenizer: str
    digest: str

    @classmethod
    def of(
        cls, references: Sequence[Sequence[str]], orders: int, tokenizer: str, digest: str
    ) -> Weights:
        """Weights from the words of all references, as that tokenizer gave them."""
        words: dict[str, int] = {}
        texts = encode(words, references)
        before = np.array([len(texts.symbols)])
        numbers = np.zeros_like(texts.symbols)
        keys, bits = [], []
        for order in range(orders):
            here = _starts_of_ngrams(texts, order)
            key = numbers[here] * len(words) + texts.symbols[here + order]
            distinct, place, counts = np.unique(key, return_inverse=True, return_counts=True)
            parents = distinct // max(len(words), 1)
            below = before[parents]
            if order == 1 and "0" in words:
                # mteval takes a first word "0" for no word at all: Perl holds "0" to be false.
                below = np.where(parents == words["0"], len(texts.symbols), below)
            keys.append(distinct)
            bits.append(np.log2(below / counts))
            numbers[here] = place
            before = counts
        return cls(words, tuple(keys), tuple(bits), tokenizer, digest)

    def encode(self, lines: Iterable[Sequence[str]]) -> Texts:
        """Texts of words as texts of numbers; -1 for a word no reference has."""
        found = [[self.words.get(word, -1) for word in line] for line in lines]
        starts = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return Texts(np.array([n for line in found for n in line], dtype=np.int64), starts)

    def ngrams(self, texts: Texts) -> Iterator[tuple[IntArray, IntArray]]:
        """For each order the segments and numbers of all n-grams that some reference has."""
        segments = np.repeat(np.arange(texts.size), texts.lengths)
        numbers = np.zeros_like(texts.symbols)
        for order, keys in enumerate(self.keys):
            here = _starts_of_ngrams(texts, order)
            words = texts.symbols[here + order]
            key = numbers[here] * len(self.words) + words
            place = np.searchsorted(keys, key)
            known = (numbers[here] >= 0) & (words >= 0) & (place < len(keys))
            known[known] = keys[place[known]] == key[known]
            numbers[here] = np.where(known, place, -1)
            yield segments[here[known]], place[known]


def _starts_of_ngrams(texts: Texts, order: int) -> IntArray:
    """Where in ``symbols`` n-grams of an order (from 0) start that stay within their text."""
    ends = np.repeat(texts.starts[1:], texts.lengths)
    return np.flatnonzero(np.arange(len(ends)) + order < ends)


@dataclass(frozen=True)
class Nist(Metric):
    """Information of the matched n-grams, summed over orders, times a length penalty.

    A row of statistics holds, for orders 1 to ``max_ngram``, the information matched and
    the n-grams of the hypothesis, then the mean length of the references. The information
    of an n-gram comes from all references of the test set. A perfect translation has no
    fixed score.
    """

    name: ClassVar[str] = "nist"
    summary: ClassVar[str] = "information-weighted n-gram precision (mteval v13a)"

    max_ngram: int = 5
    tokenize: TokenizerName = "auto"
    lowercase: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.max_ngram <= LONGEST_NGRAM:
            raise MetricError(
                f"nist: max_ngram must be from 1 to {LONGEST_NGRAM}, not {self.max_ngram}."
            )

    def check(self, evalset: EvalSet) -> None:
        """Also load the tokenizer, so that a missing one is an error before any work."""
        super().check(evalset)
        self._words(evalset.target_lang)

    def prepare(self, evalset: EvalSet) -> Context:
        """Compute the information of every n-gram of the references."""
        words = self._words(evalset.target_lang)
        digest = sha256()
        for lines in evalset.references.values():
            for line in lines:
                digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        found = [words(line) for lines in evalset.references.values() for line in lines]
        name = choose_tokenizer(self.tokenize, evalset.target_lang)
        return Weights.of(found, self.max_ngram, name, digest.hexdigest()[:8])

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the tokenizer, and a digest of the references."""
        if not isinstance(context, Weights):
            return {}
        return {"tok": context.tokenizer, "weights": context.digest}

    def _words(self, language: str) -> Callable[[str], list[str]]:
        return _words(choose_tokenizer(self.tokenize, language), self.lowercase)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return matched information, n-grams, and reference length of each segment."""
        words = self._words(batch.target_lang)
        weights: Weights = context
        hypotheses = weights.encode(map(words, batch.hypotheses))
        references = [weights.encode(map(words, lines)) for lines in batch.references]
        matched = [
            np.bincount(segments, bits[numbers] * counts, len(batch))
            for bits, (segments, numbers, counts) in zip(
                weights.bits, _matches(weights, hypotheses, references), strict=True
            )
        ]
        total = np.maximum(hypotheses.lengths[:, None] - np.arange(self.max_ngram), 0)
        length = np.mean([texts.lengths for texts in references], axis=0)
        return np.column_stack([*matched, total, length])

    def score(self, sums: FloatArray) -> FloatArray:
        """Return NIST of summed rows; 0 with empty references."""
        orders = self.max_ngram
        matched, counts, length = sums[..., :orders], sums[..., orders:-1], sums[..., -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(counts[..., 0] / length, 1.0)
            penalty = np.where(ratio > 0, np.exp(-_BETA * np.log(ratio) ** 2), 0.0)
        return np.asarray((matched / np.maximum(counts, 1)).sum(axis=-1) * penalty)


@lru_cache(maxsize=8)
def _words(name: str, lowercase: bool) -> Callable[[str], list[str]]:
    """Tokenize a line; of capitals only A to Z are lowered, as in mteval."""
    split = tokenizer(name)
    table = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} if lowercase else {}
    return lambda line: split(line.rstrip()).translate(table).split()


def _matches(
    weights: Weights, hypotheses: Texts, references: Sequence[Texts]
) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """For each order: segment, number and count of every n-gram that is matched there.

    An n-gram matches as often as in the reference of its segment that has it most.
    """
    streams = [weights.ngrams(texts) for texts in (hypotheses, *references)]
    for keys, (ours, *theirs) in zip(weights.keys, zip(*streams, strict=True), strict=True):
        size = len(keys)
        grams, counts = np.unique(ours[0] * size + ours[1], return_counts=True)
        at_most = np.zeros_like(counts)
        for segments, numbers in theirs:
            known, often = np.unique(segments * size + numbers, return_counts=True)
            place = np.searchsorted(known, grams)
            found = place < len(known)
            found[found] = known[place[found]] == grams[found]
            at_most[found] = np.maximum(at_most[found], often[place[found]])
        size = max(size, 1)
        yield grams // size, grams % size, np.minimum(counts, at_most)
