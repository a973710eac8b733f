"""Token similarity: every token finds its nearest counterpart by its vector in context.

Each subword of the translation is matched with the most similar one of the reference
(precision), each of the reference with the most similar one of the translation (recall),
after Zhang et al.'s BERTScore, with the vectors of our own model. Nothing is one to one:
a word may serve twice, and words that mean nearly the same match nearly fully.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from albeit.annotate.layers import Analysis, Layer, given
from albeit.corpus.model import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, Metric, mean_score, mean_statistics

__all__ = ["Sim"]

Part = Literal["f1", "precision", "recall"]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sim(Metric):
    """Greedy matching of contextual token vectors.

    ``part`` chooses F1, precision or recall. With ``idf`` rare words of the references
    count more; their frequencies are those of the set at hand, so that scores of different
    sets cannot be compared then. Several references: the best counts.
    """

    part: Part = "f1"
    idf: bool = False

    name: ClassVar[str] = "sim"
    summary: ClassVar[str] = "similarity of tokens in context, greedily matched (model's vectors)"

    def __post_init__(self) -> None:
        if self.part not in ("f1", "precision", "recall"):
            raise MetricError(f"sim: part is f1, precision or recall, not {self.part!r}.")

    @property
    def requires(self) -> frozenset[Layer]:
        """Vectors, and the words they belong to."""
        return frozenset({Layer.TOKENS, Layer.VECTORS})

    def prepare(self, evalset: EvalSet) -> Context:
        """How rare each word of the references is, where that is asked for."""
        return _inverse_frequencies(evalset) if self.idf else None

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(similarity, 1) a segment."""
        scores = np.zeros((len(batch.references), len(batch)))
        for r, references in enumerate(batch.references):
            for i, (ours, theirs) in enumerate(zip(batch.hypotheses, references, strict=True)):
                scores[r, i] = self._similarity(
                    batch.analyses[ours], batch.analyses[theirs], context
                )
        return mean_statistics(scores.max(axis=0))

    def score(self, sums: FloatArray) -> FloatArray:
        """The mean similarity."""
        return mean_score(sums)

    def _similarity(
        self, ours: Analysis, theirs: Analysis, rarity: Mapping[str, float] | None
    ) -> float:
        left, right = (given(a.vectors, Layer.VECTORS).rows for a in (ours, theirs))
        if not len(left) or not len(right):
            return float(len(left) == len(right))
        alike = left @ right.T
        if rarity is None:
            precision = float(alike.max(axis=1).mean())
            recall = float(alike.max(axis=0).mean())
        else:
            precision = float(np.average(alike.max(axis=1), weights=_weights(ours, rarity)))
            recall = float(np.average(alike.max(axis=0), weights=_weights(theirs, rarity)))
        if self.part == "precision":
            return precision
        if self.part == "recall":
            return recall
        total = precision + recall
        return 2 * precision * recall / total if total > 0 else 0.0


def _inverse_frequencies(evalset: EvalSet) -> dict[str, float]:
    """log((n + 1) / (segments with the word + 1)), over all references; "" is a new word's."""
    from albeit.annotate.tokenize import tokenize

    seen: Counter[str] = Counter()
    lines: Sequence[str] = [line for text in evalset.references.values() for line in text]
    for line in lines:
        seen.update({form.lower() for form in tokenize(line).forms})
    top = len(lines) + 1
    found = {word: float(np.log(top / (count + 1))) for word, count in seen.items()}
    return found | {"": float(np.log(top))}


def _weights(analysis: Analysis, rarity: Mapping[str, float]) -> Weights:
    """A weight for every row; a word's subwords share its own, and no text weighs nothing."""
    forms = given(analysis.tokens, Layer.TOKENS).forms
    words = given(analysis.vectors, Layer.VECTORS).words
    new = rarity[""]
    by_word = np.array([rarity.get(form.lower(), new) for form in forms])
    return np.asarray(by_word[words] + 1e-9)
