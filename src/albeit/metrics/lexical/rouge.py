"""ROUGE-L and ROUGE-W (Lin 2004) of single segments, and their mean over a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from albeit.jit import jit
from albeit.languages import WITHOUT_SPACES
from albeit.metrics import EvalSet, FloatArray, IntArray, MetricError
from albeit.metrics.base import Batch, Context, MeanMetric, check_lengths, mean_statistics
from albeit.metrics.lexical.ngrams import Texts, encode, nth
from albeit.metrics.lexical.tokenizers import characters, word_versions
from albeit.resources.wordnet import wordnet
from albeit.resources.words import stemmer

_ASCII = re.compile(r"[a-z0-9]+")
_LETTERS = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class RougeL(MeanMetric):
    """F-score over the longest common subsequence of words, 0 to 1.

    A row of statistics is the segment's score and 1: a text's score is the mean of its
    segments. With several references the best counts. ``beta`` above 1 favours recall.
    """

    name: ClassVar[str] = "rouge-l"
    summary: ClassVar[str] = "longest common subsequence of words (ROUGE 1.5.5)"

    stem: bool = False
    beta: float = 1.0

    def __post_init__(self) -> None:
        if self.beta <= 0:
            raise MetricError(f"{self.name}: beta must be above 0, not {self.beta:g}.")

    def check(self, evalset: EvalSet) -> None:
        """Also check the stemmer of the language and the lengths of lines."""
        super().check(evalset)
        check_lengths(self, evalset)
        _words(evalset.target_lang, self.stem)

    def versions(self, context: Context = None) -> dict[str, str]:
        """Return the versions of what stems words, if they are stemmed."""
        return word_versions() if self.stem else {}

    def _runs(self) -> tuple[float, bool]:
        """Return the weight of runs, and whether to count them as the program ROUGE-1.5.5 does."""
        return 1.0, False

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return the best score of each segment with any of its references."""
        words = _words(batch.target_lang, self.stem)
        numbers: dict[str, int] = {}
        hypotheses = encode(numbers, map(words, batch.hypotheses))
        scores = np.zeros(len(batch))
        for lines in batch.references:
            texts = encode(numbers, map(words, lines))
            precision, recall = _common(hypotheses, texts, *self._runs()).T
            with np.errstate(invalid="ignore"):
                f = (1 + self.beta**2) * precision * recall / (recall + self.beta**2 * precision)
            np.maximum(scores, np.where(precision * recall > 0, f, 0.0), out=scores)
        return mean_statistics(scores)


@dataclass(frozen=True)
class RougeW(RougeL):
    """F-score over the common subsequence that values runs: a run of k words is k**weight.

    ``variant`` ``paper`` is Lin's definition. ``script`` is what the program ROUGE-1.5.5
    computes: a run need be unbroken in the reference only, and the reference's length is
    weighted twice, so that even identical texts stay below 1.
    """

    name: ClassVar[str] = "rouge-w"
    summary: ClassVar[str] = "weighted longest common subsequence (Lin 2004)"

    weight: float = 1.2
    variant: Literal["paper", "script"] = "paper"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weight < 1:
            raise MetricError(f"rouge-w: weight must be at least 1, not {self.weight:g}.")

    def _runs(self) -> tuple[float, bool]:
        return self.weight, self.variant == "script"


@lru_cache(maxsize=8)
def _words(language: str, stem: bool) -> Callable[[str], list[str]]:
    """Tokenize like ROUGE: runs of ASCII letters and digits, lower case, optionally stemmed.

    ROUGE-1.5.5 supports only English. For other languages all letters and digits of Unicode
    make words; where a script has no spaces, every character is one.
    """
    find: Callable[[str], list[str]] = (_ASCII if language == "en" else _LETTERS).findall
    if language in WITHOUT_SPACES:
        find = characters
    if not stem:
        return lambda line: find(line.lower())
    stem_word = _stemmer(language)
    return lambda line: [stem_word(word) for word in find(line.lower())]


def _stemmer(language: str) -> Callable[[str], str]:
    """Stem English like ROUGE-1.5.5: irregular forms from WordNet's lists, others by Porter.

    Words of up to three letters stay as they are. Other languages have Snowball's stemmers.
    """
    if language != "en":
        return stemmer(language)
    import snowballstemmer

    irregular = wordnet().irregular
    porter: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord

    @lru_cache(maxsize=1 << 17)
    def stem_word(word: str) -> str:
        if len(word) <= 3:
            return word
        return irregular[word][0] if word in irregular else porter(word)

    return stem_word


@jit
def _common(hypotheses: Texts, references: Texts, weight: float, as_script: bool) -> FloatArray:
    """Return precision and recall of the weighted common subsequence of every segment."""
    segments = len(hypotheses.starts) - 1
    found = np.zeros((segments, 2))
    for s in range(segments):
        hypothesis, reference = nth(hypotheses, s), nth(references, s)
        n, m = len(hypothesis), len(reference)
        if n == 0 or m == 0:
            continue
        value = np.zeros((m + 1, n + 1))
        run = np.zeros((m + 1, n + 1), dtype=np.int64)
        for i in range(1, m + 1):
            for j in range(1, n + 1):
                if reference[i - 1] == hypothesis[j - 1]:
                    k = run[i - 1, j - 1]
                    run[i, j] = k + 1
                    value[i, j] = value[i - 1, j - 1] + (k + 1.0) ** weight - float(k) ** weight
                else:
                    value[i, j] = max(value[i - 1, j], value[i, j - 1])
        hits = value[m, n]
        below = float(m) ** weight
        if as_script:
            hits = _runs(value, run, weight)
            below = below**weight
        found[s, 0] = (hits / float(n) ** weight) ** (1 / weight)
        found[s, 1] = (hits / below) ** (1 / weight)
    return found


@jit
def _runs(value: FloatArray, run: IntArray, weight: float) -> float:
    """Weigh the runs of matched words of the reference (the rows), wherever their partners are."""
    i, j = value.shape[0] - 1, value.shape[1] - 1
    hits, length, last = 0.0, 0, -1
    while i > 0 and j > 0:
        if run[i, j] > 0:
            i -= 1
            j -= 1
            if i + 1 != last:
                hits += float(length) ** weight
                length = 0
            length += 1
            last = i
        elif value[i - 1, j] >= value[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return float(hits + float(length) ** weight)
