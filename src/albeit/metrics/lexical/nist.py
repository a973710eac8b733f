"""NIST (Doddington 2002) as mteval v13a defines it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import log, log2
from typing import ClassVar

import numpy as np

from albeit.corpus.model import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, Metric
from albeit.metrics.lexical.tokenizers import TokenizerName, default_tokenizer, tokenizer

__all__ = ["Nist", "Weights"]

_BETA = -log(0.5) / log(1.5) ** 2
"""So that a translation of two thirds the references' length loses half its score."""


@dataclass(frozen=True)
class Weights:
    """What each n-gram of the references tells, in bits, and which references these were."""

    information: dict[str, float]
    digest: str


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
    tokenize: TokenizerName = "13a"
    lowercase: bool = True

    def __post_init__(self) -> None:
        if self.max_ngram < 1:
            raise MetricError(f"nist: max_ngram must be at least 1, not {self.max_ngram}.")

    def check(self, evalset: EvalSet) -> None:
        """Also load the tokeniser, so that a missing one is told before any work."""
        super().check(evalset)
        self._words(evalset.target_lang)

    def prepare(self, evalset: EvalSet) -> Context:
        """The information of every n-gram of the references."""
        words = self._words(evalset.target_lang)
        counts: Counter[str] = Counter()
        total = 0
        digest = sha256()
        for lines in evalset.references.values():
            for line in lines:
                digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
                found = words(line)
                total += len(found)
                counts.update(gram for gram, _ in _ngrams(found, self.max_ngram))
        information: dict[str, float] = {}
        for gram, count in counts.items():
            start = gram.rpartition(" ")[0]
            # mteval takes a first word "0" for no word at all: Perl holds "0" to be false.
            below = total if start in ("", "0") else counts[start]
            information[gram] = -log2(count / below)
        return Weights(information, digest.hexdigest()[:8])

    def versions(self, context: Context = None) -> dict[str, str]:
        """A digest of the references, on which the weights depend."""
        return {"weights": context.digest} if isinstance(context, Weights) else {}

    def _words(self, language: str) -> Callable[[str], list[str]]:
        name = default_tokenizer(language) if self.tokenize == "auto" else self.tokenize
        return _words(name, self.lowercase)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Matched information, n-grams, and reference length of each segment."""
        words = self._words(batch.target_lang)
        information: dict[str, float] = context.information
        orders = self.max_ngram
        rows = np.zeros((len(batch), 2 * orders + 1))
        for row, line, *references in zip(rows, batch.hypotheses, *batch.references, strict=True):
            at_most, row[-1] = _reference_counts(words, tuple(references), orders)
            found = words(line)
            row[orders:-1] = np.maximum(len(found) - np.arange(orders), 0)
            seen: Counter[str] = Counter()
            for gram, order in _ngrams(found, orders):
                seen[gram] += 1
                if seen[gram] <= at_most.get(gram, 0):
                    row[order] += information[gram]
        return rows

    def score(self, sums: FloatArray) -> FloatArray:
        """NIST of summed rows; 0 against empty references."""
        orders = self.max_ngram
        matched, counts, length = sums[..., :orders], sums[..., orders:-1], sums[..., -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.minimum(counts[..., 0] / length, 1.0)
            penalty = np.where(ratio > 0, np.exp(-_BETA * np.log(ratio) ** 2), 0.0)
        return np.asarray((matched / np.maximum(counts, 1)).sum(axis=-1) * penalty)


@lru_cache(maxsize=8)
def _words(name: str, lowercase: bool) -> Callable[[str], list[str]]:
    """Tokenise a line; of capitals only A to Z are lowered, as in mteval."""
    split = tokenizer(name)
    table = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} if lowercase else {}
    return lambda line: split(line.rstrip()).translate(table).split()


def _ngrams(words: Sequence[str], orders: int) -> Iterator[tuple[str, int]]:
    """All n-grams with their order, counted from 0."""
    for i in range(len(words)):
        gram = words[i]
        yield gram, 0
        for order in range(1, min(orders, len(words) - i)):
            gram = f"{gram} {words[i + order]}"
            yield gram, order


@lru_cache(maxsize=1 << 13)
def _reference_counts(
    words: Callable[[str], list[str]], lines: tuple[str, ...], orders: int
) -> tuple[dict[str, int], float]:
    """How often each n-gram may match, and the mean length; kept for the next system."""
    at_most: Counter[str] = Counter()
    length = 0
    for line in lines:
        found = words(line)
        length += len(found)
        at_most |= Counter(gram for gram, _ in _ngrams(found, orders))
    return dict(at_most), length / len(lines)
