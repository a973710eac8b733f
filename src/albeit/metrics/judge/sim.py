"""``sim``: greedy matching of contextual token embeddings.

Each subword of the translation is matched with the most similar one of the reference (precision),
and each of the reference with the most similar one of the translation (recall). This is BERTScore
(Zhang et al. 2020) with the embeddings of albeit's own model. A word may be matched twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from albeit.jit import jit
from albeit.metrics import Batch, Context, EvalSet, FloatArray, Floats32, MeanMetric, base, compared
from albeit.metrics.view import Link, Loss, Place, View, compare_pair, divide_loss
from albeit.parsing.annotator import find
from albeit.parsing.layers import TOKENS, VECTORS, Analysis

Rarity = Mapping[str, float]
NEW = "*"
"""The key of words that aren't in a table of rarity."""


@jit(fastmath={"reassoc", "contract"})
def nearest(left: Floats32, right: Floats32) -> tuple[Floats32, Floats32]:
    """Return for each row of either side the largest product with a row of the other.

    The matrices are small: a compiled loop is faster than BLAS, which would use threads.
    """
    width = left.shape[1]
    from_left = np.full(len(left), -np.inf, dtype=np.float32)
    from_right = np.full(len(right), -np.inf, dtype=np.float32)
    for i in range(len(left)):
        for j in range(len(right)):
            product = np.float32(0.0)
            for k in range(width):
                product += left[i, k] * right[j, k]
            from_left[i] = max(from_left[i], product)
            from_right[j] = max(from_right[j], product)
    return from_left, from_right


@dataclass(frozen=True)
class Sim(MeanMetric):
    """Greedy matching of contextual token embeddings.

    ``part`` is precision, recall, or ``f``, their F1. ``weights`` are those of words: how ``rare``
    they are in English (by a shipped table), how rare in the references of the ``set`` (then scores
    of different sets aren't comparable), or ``equal``. Several references: the best counts.
    """

    part: Literal["f", "precision", "recall"] = "f"
    weights: Literal["rare", "set", "equal"] = "rare"

    name = "sim"
    summary = "greedy matching of contextual token embeddings"
    needs = compared(TOKENS, VECTORS)
    languages = frozenset({"en"})

    @property
    def whole_set(self) -> bool:
        """Whether the rarity of words is counted in the set."""
        return self.weights == "set"

    def check(self, evalset: EvalSet) -> None:
        """Raise if a text is too long."""
        super().check(evalset)
        base.check_lengths(self, evalset)

    def prepare(self, evalset: EvalSet) -> Context:
        """Return how rare words are, unless all count the same."""
        if self.weights == "equal":
            return None
        if self.weights == "set":
            return _rarity_in(evalset)
        from albeit.resources.words import rarity

        return dict(rarity("en"))

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (similarity, 1) per segment."""
        return base.mean_statistics(self._scores(batch, context).max(axis=0))

    def _scores(self, batch: Batch, rarity: Rarity | None) -> FloatArray:
        """Return the similarity to each reference: (references, segments)."""
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
        precision = _mean(from_left, self._row_weights(ours, rarity))
        recall = _mean(from_right, self._row_weights(theirs, rarity))
        if self.part != "f":
            return precision if self.part == "precision" else recall
        total = precision + recall
        return 2 * precision * recall / total if total > 0 else 0.0

    def _row_weights(self, analysis: Analysis, rarity: Rarity | None) -> FloatArray | None:
        """Return the weight of each subword; those of the shipped table are computed once."""
        if rarity is None:
            return None
        if self.weights == "rare":
            return analysis.memoize("rarity", lambda one: _weights(one, rarity))
        return _weights(analysis, rarity)

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show the match of each word, and what it cost, against the best reference."""
        best = int(self._scores(batch, context)[:, 0].argmax())
        pair = batch.analyses[batch.hypotheses[0]], batch.analyses[batch.references[best][0]]
        ours, theirs = ((analysis.text, analysis[TOKENS]) for analysis in pair)
        texts = compare_pair(ours, theirs, best)
        score = float(self.segment_score(row))
        left, right = (analysis[VECTORS].rows for analysis in pair)
        if not len(left) or not len(right) or score <= 0:
            lost = (Loss("no word matches", 1 - score),)
            return self.view(row, texts, losses=lost if score < 1 else ())
        similarities = nearest(left, right)
        weights = []
        for rows, analysis in zip(similarities, pair, strict=True):
            own = self._row_weights(analysis, context)
            own = np.ones(len(rows)) if own is None else own
            weights.append(own / own.sum())
        means = [float(rows @ own) for rows, own in zip(similarities, weights, strict=True)]
        shares = {"precision": (1.0, 0.0), "recall": (0.0, 1.0)}
        share = shares.get(self.part) or divide_loss(*means)
        matrix = left @ right.T
        matches = matrix.argmax(axis=1), matrix.argmax(axis=0)
        sides = zip((0, 1), matches, similarities, weights, share, strict=True)
        found = [match for side in sides for match in _word_matches(pair, *side)]
        return self.view(row, texts, [link for link, _ in found], [loss for _, loss in found])


def _mean(similarities: Floats32, weights: FloatArray | None) -> float:
    """Return the mean, weighted unless all rows count the same."""
    if weights is None:
        return float(similarities.mean())
    return float(similarities @ weights / weights.sum())


def _word_matches(
    pair: tuple[Analysis, Analysis],
    text: int,
    matches: npt.NDArray[np.intp],
    similarities: Floats32,
    weights: FloatArray,
    share: float,
) -> Iterator[tuple[Link, Loss]]:
    """Yield the match of each word of a text, and what is lost of the score.

    A word's similarity is the mean over its subwords. It matches the word that most of them match.
    """
    own, other = pair[text], pair[1 - text]
    words, matched = own[VECTORS].words, other[VECTORS].words[matches]
    for word in np.unique(words).tolist():
        rows = words == word
        match = Counter(matched[rows].tolist()).most_common(1)[0][0]
        similarity = float(similarities[rows].mean())
        places = Place(text, (word,)), Place(1 - text, (match,))
        link = Link(*places, min(max(similarity, 0.0), 1.0), "back" if text else "forth")
        label = (
            f"{'reference' if text else 'hypothesis'}: {own[TOKENS].forms[word]} met"
            f" {other[TOKENS].forms[match]} ({similarity:.2f})"
        )
        details = {"similarity": similarity, "weight": float(weights[rows].sum())}
        lost = weights[rows] @ (1.0 - similarities[rows].astype(np.float64))
        yield link, Loss(label, float(share * lost), places, details)


def _rarity_in(evalset: EvalSet) -> dict[str, float]:
    """Return log((n + 1) / (segments with the word + 1)), over all references."""
    tokenize = find(frozenset({VECTORS}), evalset.target_lang).tokenize
    seen: Counter[str] = Counter()
    lines = [line for text in evalset.references.values() for line in text]
    for line in lines:
        seen.update({form.lower() for form in tokenize(line).forms})
    top = len(lines) + 1
    found = {word: float(np.log(top / (count + 1))) for word, count in seen.items()}
    return found | {NEW: float(np.log(top))}


def _weights(analysis: Analysis, rarity: Rarity) -> FloatArray:
    """Return the root of the rarity of each subword's word, never 0."""
    new = rarity[NEW]
    forms = analysis[TOKENS].forms
    by_word = np.sqrt(np.array([rarity.get(form.lower(), new) for form in forms]))
    return np.asarray(by_word[analysis[VECTORS].words] + 1e-9)
