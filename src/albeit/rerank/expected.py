"""How good a candidate is on average over all candidates as references: expected scores.

Exactly, by the matrix of all pairs; fast, in linear time, from *mean* statistics: n-gram
counts averaged over all references (DeNero et al. 2009; Vamvas and Sennrich 2024), vectors
averaged for ``sim``; or pruned, where candidates that can hardly win any more are left out
while references are added one round after the other.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from albeit.annotate.layers import VECTORS
from albeit.arrays import FloatArray
from albeit.errors import MetricError
from albeit.metrics.lexical.gramcounts import GramMetric
from albeit.metrics.semantics.sim import Sim
from albeit.rerank.pairs import Pairs

__all__ = ["aggregated", "exact", "pruned"]

FIRST = 8
"""How many references the first round of pruning looks at; each round doubles them."""


def exact(pairs: Pairs, weights: FloatArray) -> FloatArray:
    """Expected scores, higher is better; ``weights`` of the references sum to 1."""
    everyone = np.arange(len(pairs.texts))
    return pairs.better(everyone, everyone) @ weights


def aggregated(pairs: Pairs, weights: FloatArray) -> FloatArray:
    """Scores against the mean of all references, in linear time: not the mean of the scores."""
    if isinstance(pairs.metric, GramMetric) and pairs.counts is not None:
        counts = pairs.counts
        shared = counts.shared_with_mean(np.arange(len(counts)), weights)
        rows = pairs.metric.gram_rows(counts.totals, weights @ counts.totals, shared)
        return pairs.metric.segment_score(rows)
    if isinstance(pairs.metric, Sim):
        return _against_mean_vector(pairs, weights)
    raise MetricError(
        f"{pairs.metric} has no mean statistics; bleu, chrf and sim do. Leave out --fast."
    )


def _against_mean_vector(pairs: Pairs, weights: FloatArray) -> FloatArray:
    """The cosine of each text's mean vector with the mean of all; a text without words has none."""
    rows = [pairs.comparer.analyses[text][VECTORS].rows for text in pairs.texts]
    width = max(row.shape[1] for row in rows)
    means = np.zeros((len(rows), width))
    for mean, own in zip(means, rows, strict=True):
        if len(own):
            mean[:] = own.mean(axis=0)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    unit = means / np.where(lengths > 0, lengths, 1.0)
    middle = weights @ unit
    return np.asarray(unit @ middle / max(float(np.linalg.norm(middle)), 1e-12))


def pruned(pairs: Pairs, weights: FloatArray, error: float, seed: int) -> tuple[FloatArray, int]:
    """Expected scores, minus infinity for candidates left out, and how many pairs were scored.

    References come in a random order. After each round candidates are left out whose mean
    gap to the leader is larger than its standard error allows: the chance that the best one
    goes that way is at most ``error``, as far as gaps are normal (shared out among all
    candidates and rounds). Those that stay have their exact expected score.
    """
    count = len(pairs.texts)
    order = np.random.default_rng(seed).permutation(count)
    alive = np.arange(count)
    scores = np.zeros((count, count))
    rounds = max(1, int(np.ceil(np.log2(count / FIRST))) + 1)
    bound = -float(ndtri(error / (count * rounds)))
    seen = done = 0
    while seen < count:
        new = order[seen : max(FIRST, 2 * seen)]
        scores[np.ix_(alive, new)] = pairs.better(alive, new)
        done += len(alive) * len(new)
        seen += len(new)
        share = weights[order[:seen]] / weights[order[:seen]].sum()
        known = scores[np.ix_(alive, order[:seen])]
        gaps = known[(known @ share).argmax()] - known
        gap = gaps @ share
        spread = (gaps - gap[:, None]) ** 2 @ share
        doubt = np.sqrt(spread / max(seen - 1, 1) * (1 - seen / count))
        if seen < count:
            alive = alive[gap <= bound * doubt]
    found = np.full(count, -np.inf)
    found[alive] = scores[alive] @ weights
    return found, done
