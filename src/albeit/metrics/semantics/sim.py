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

from albeit.data.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, mean_statistics
from albeit.metrics.lengths import check_lengths
from albeit.metrics.semantics.matching import Rows, Search, nearest, words_met
from albeit.metrics.view import Loss, View, compared_pair, f_shares
from albeit.parsing.annotator import find
from albeit.parsing.layers import TOKENS, VECTORS, Analysis
from albeit.parsing.needs import Need, compared

__all__ = ["Sim"]

Part = Literal["f", "precision", "recall"]
Weights = Literal["rare", "set", "equal"]
Rarity = Mapping[str, float]
NEW = "*"
"""The key of words that a table of rarity does not have."""


@dataclass(frozen=True)
class Sim(MeanMetric):
    """Greedy matching of contextual token vectors.

    ``part`` chooses precision, recall or ``f``, their F1. ``weights`` says how much a word counts:
    as much as it is ``rare`` in English (by a table that ships with albeit); as much as it is rare
    in the references of the ``set`` at hand (scores of different sets cannot be compared then); or
    ``equal``. ``tail`` below 1 looks only at that share of the subwords, the least similar ones:
    what was lost, or made up, most. Several references: the best counts.
    """

    part: Part = "f"
    weights: Weights = "rare"
    tail: float = 1.0

    name: ClassVar[str] = "sim"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "similarity of tokens in context, greedily matched (model's vectors)"
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, VECTORS)
    """Vectors, and the words they belong to."""
    languages: ClassVar[frozenset[str]] = frozenset({"en"})

    def __post_init__(self) -> None:
        if self.part not in ("f", "precision", "recall"):
            raise MetricError(f"sim: part is f, precision or recall, not {self.part!r}.")
        if self.weights not in ("rare", "set", "equal"):
            raise MetricError(f"sim: weights are rare, set or equal, not {self.weights!r}.")
        if not 0 < self.tail <= 1:
            raise MetricError(f"sim: tail is above 0 and at most 1, not {self.tail:g}.")

    @property
    def whole_set(self) -> bool:
        """How rare a word is may be counted in the set itself."""
        return self.weights == "set"

    def check(self, evalset: EvalSet) -> None:
        """Raise if a text is too long."""
        super().check(evalset)
        check_lengths(self, evalset)

    def prepare(self, evalset: EvalSet) -> Context:
        """How rare words are, where they do not count the same."""
        if self.weights == "equal":
            return None
        if self.weights == "set":
            return _rarity_in(evalset)
        from albeit.resources import rarity

        return dict(rarity("en"))

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(similarity, 1) a segment."""
        return mean_statistics(self._scores(batch, context).max(axis=0))

    def _scores(self, batch: Batch, rarity: Rarity | None) -> FloatArray:
        """The similarity to each reference: (references, segments)."""
        scores = np.zeros((len(batch.references), len(batch)))
        for r, references in enumerate(batch.references):
            for i, (ours, theirs) in enumerate(zip(batch.hypotheses, references, strict=True)):
                pair = batch.analyses[ours], batch.analyses[theirs]
                scores[r, i] = self._similarity(*pair, rarity)
        return scores

    def _similarity(self, ours: Analysis, theirs: Analysis, rarity: Rarity | None) -> float:
        left, right = (a[VECTORS].rows for a in (ours, theirs))
        if not len(left) or not len(right):
            return float(len(left) == len(right))
        from_left, from_right = nearest(left, right)
        precision = self._mean(from_left, self._row_weights(ours, rarity))
        recall = self._mean(from_right, self._row_weights(theirs, rarity))
        if self.part == "precision":
            return precision
        if self.part == "recall":
            return recall
        total = precision + recall
        return 2 * precision * recall / total if total > 0 else 0.0

    def _row_weights(self, analysis: Analysis, rarity: Rarity | None) -> FloatArray | None:
        """How much each row counts; by the table that ships, worked out once for all forms."""
        if rarity is None:
            return None
        if self.weights == "rare":
            return analysis.memoize("rarity", lambda one: _weights(one, rarity))
        return _weights(analysis, rarity)

    def _mean(self, similarities: Rows, weights: FloatArray | None) -> float:
        """The weighted mean; over the least similar rows where only a tail counts."""
        if self.tail < 1:
            rows = self._least(similarities)
            similarities = similarities[rows]
            weights = None if weights is None else weights[rows]
        if weights is None:
            return float(similarities.mean())
        return float(similarities @ weights / weights.sum())

    def _least(self, similarities: Rows) -> npt.NDArray[np.intp]:
        """The least similar rows, as many as count."""
        last = max(1, int(self.tail * len(similarities)))
        return np.argsort(similarities, kind="stable")[:last]

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Which word met which, and what each word cost, against the best reference."""
        best = int(self._scores(batch, context)[:, 0].argmax())
        ours = batch.analyses[batch.hypotheses[0]]
        theirs = batch.analyses[batch.references[best][0]]
        texts = compared_pair((ours.text, ours[TOKENS]), (theirs.text, theirs[TOKENS]), best)
        score = float(self.segment_score(row))
        left, right = (a[VECTORS].rows for a in (ours, theirs))
        if not len(left) or not len(right) or score <= 0:
            lost = (Loss("no word has anything in common with one there", 1 - score),)
            return self.view(row, texts, losses=lost if score < 1 else ())
        found = nearest(left, right)
        weights = [
            self._relative(rows, self._row_weights(analysis, context))
            for rows, analysis in zip(found, (ours, theirs), strict=True)
        ]
        means = [float(rows @ w) for rows, w in zip(found, weights, strict=True)]
        shares = {"precision": (1.0, 0.0), "recall": (0.0, 1.0)}
        of_ours, of_theirs = shares.get(self.part) or f_shares(means[0], means[1])
        matrix = left @ right.T
        links, losses = words_met(
            Search(ours, found[0], matrix.argmax(axis=1), weights[0], of_ours),
            Search(theirs, found[1], matrix.argmax(axis=0), weights[1], of_theirs),
        )
        return self.view(row, texts, links, losses)

    def _relative(self, similarities: Rows, weights: FloatArray | None) -> FloatArray:
        """How much of the mean each row makes up; nothing where it is not in the tail."""
        whole = np.ones(len(similarities)) if weights is None else weights
        rows = self._least(similarities) if self.tail < 1 else slice(None)
        found = np.zeros(len(whole))
        found[rows] = whole[rows] / whole[rows].sum()
        return found


def _rarity_in(evalset: EvalSet) -> dict[str, float]:
    """log((n + 1) / (segments with the word + 1)), over all references."""
    tokenize = find(frozenset({VECTORS}), evalset.target_lang).tokenize
    seen: Counter[str] = Counter()
    lines: Sequence[str] = [line for text in evalset.references.values() for line in text]
    for line in lines:
        seen.update({form.lower() for form in tokenize(line).forms})
    top = len(lines) + 1
    found = {word: float(np.log(top / (count + 1))) for word, count in seen.items()}
    return found | {NEW: float(np.log(top))}


def _weights(analysis: Analysis, rarity: Rarity) -> FloatArray:
    """Weigh each row by the root of its word's rarity, and a trifle, so that the sum isn't zero."""
    new = rarity[NEW]
    forms = analysis[TOKENS].forms
    by_word = np.sqrt(np.array([rarity.get(form.lower(), new) for form in forms]))
    return np.asarray(by_word[analysis[VECTORS].words] + 1e-9)
