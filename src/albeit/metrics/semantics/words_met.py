"""Which word met which in greedy matching, and what each word cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.annotate.layers import TOKENS, VECTORS, Analysis
from albeit.metrics.base import FloatArray
from albeit.metrics.semantics.matching import Rows
from albeit.metrics.view import Link, Loss, Place

__all__ = ["Search", "words_met"]


@dataclass(frozen=True, eq=False)
class Search:
    """One direction: every row of one text looks for its nearest in the other.

    ``met`` says which. ``weights`` of the rows sum to 1; ``share`` is what a wholly unlike text
    would cost.
    """

    analysis: Analysis
    similarities: Rows
    met: npt.NDArray[np.intp]
    weights: FloatArray
    share: float


def words_met(ours: Search, theirs: Search) -> tuple[tuple[Link, ...], tuple[Loss, ...]]:
    """From either side: each word with the one that it met, and what was lost there.

    A word's similarity is the mean over its subwords; it met the word that most of them met.
    """
    links: list[Link] = []
    losses: list[Loss] = []
    for text, (search, other) in enumerate(((ours, theirs), (theirs, ours))):
        mine = search.analysis[VECTORS].words
        found = other.analysis[VECTORS].words[search.met]
        forms, others = (s.analysis[TOKENS].forms for s in (search, other))
        for word in np.unique(mine).tolist():
            rows = mine == word
            nearest = Counter(found[rows].tolist()).most_common(1)[0][0]
            similarity = float(search.similarities[rows].mean())
            weight = float(search.weights[rows].sum())
            places = Place(text, (word,)), Place(1 - text, (nearest,))
            links.append(Link(*places, min(max(similarity, 0.0), 1.0), "back" if text else "forth"))
            lost = search.weights[rows] @ (1.0 - search.similarities[rows].astype(np.float64))
            label = f"{'reference' if text else 'hypothesis'}: {forms[word]} met {others[nearest]} ({similarity:.2f})"
            details = {"similarity": similarity, "weight": weight}
            losses.append(Loss(label, float(search.share * lost), places, details))
    return tuple(links), tuple(losses)
