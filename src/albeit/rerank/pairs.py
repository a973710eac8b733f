"""Every candidate against every other, by any metric: the matrix that reranking rests on.

Each text is annotated once. Metrics over n-grams count each text once and compare counts
(:mod:`albeit.metrics.lexical.ngrams`); all others score blocks of pairs as they score
any lines, with analyses shared by all pairs.

How good a candidate is on average over all candidates as references, its expected score, comes
exactly, by the matrix of all pairs; fast, in linear time, from *mean* statistics: n-gram
counts averaged over all references (DeNero et al. 2009; Vamvas and Sennrich 2024), vectors
averaged for ``sim``; or pruned, where candidates that can hardly win any more are left out
while references are added one round after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from albeit.annotate.layers import VECTORS, Analysis
from albeit.arrays import FloatArray, IntArray
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.engine import Evaluation
from albeit.engine.work import statistics
from albeit.errors import InputError, MetricError
from albeit.metrics.base import Metric
from albeit.metrics.lexical.ngrams import GramCounts, GramMetric
from albeit.metrics.registry import metric as named
from albeit.metrics.semantics.sim import Sim
from albeit.rerank.candidates import CandidateList, sources_of

__all__ = ["Comparer", "Pairs", "aggregated", "exact", "pairwise", "pruned"]

BLOCK = 1 << 15
"""About how many pairs are scored together."""


class Comparer:
    """A metric made ready for many texts at once; lists of them are compared with each other."""

    def __init__(
        self,
        metric: Metric,
        texts: Sequence[str],
        lang: str = "en",
        *,
        sources: Sequence[str] | None = None,
        source_lang: str | None = None,
    ) -> None:
        if not texts:
            raise InputError("there are no texts to compare.")
        self.metric, self.lang = metric, lang
        single = tuple(Document(str(i), i, i + 1) for i in range(len(texts)))
        evalset = EvalSet(
            {"text": tuple(texts)},
            {"text": tuple(texts)},
            None if sources is None else tuple(sources),
            single,
            source_lang=source_lang,
            target_lang=lang,
        )
        evaluation = Evaluation(evalset)
        evaluation.check([metric])
        self._job = evaluation.job([metric])
        self._shared = evaluation.batch([metric], evalset.documents)

    @classmethod
    def of(
        cls, metric: Metric, lists: Sequence[CandidateList], lang: str, source_lang: str | None
    ) -> Comparer:
        """One for all candidates of some segments."""
        texts = [text for one in lists for text in one.texts]
        return cls(metric, texts, lang, sources=sources_of(lists), source_lang=source_lang)

    @property
    def analyses(self) -> Mapping[str, Analysis]:
        """The analyses of the texts, as far as the metric reads any."""
        return self._shared.analyses

    def pairs(self, texts: Sequence[str], source: str | None = None) -> Pairs:
        """Some of the texts, to be compared with each other."""
        return Pairs(self, texts, source)

    def rows(
        self, left: Sequence[str], right: Sequence[str], source: str | None = None
    ) -> FloatArray:
        """Rows of statistics of each left text with its right one as reference."""
        documents: tuple[Document, ...] = (Document("all", 0, len(left)),)
        if self.metric.unit is Unit.DOCUMENT:
            documents = tuple(Document(str(i), i, i + 1) for i in range(len(left)))
        batch = replace(
            self._shared,
            hypotheses=left,
            references=(right,),
            documents=documents,
            sources=None if source is None else [source] * len(left),
        )
        return statistics(self._job, batch)[0]


class Pairs:
    """Pairs of some texts by one metric."""

    def __init__(self, comparer: Comparer, texts: Sequence[str], source: str | None = None) -> None:
        self.comparer, self.texts, self.source = comparer, tuple(texts), source
        self.metric = comparer.metric
        self.counts: GramCounts | None = None
        if isinstance(self.metric, GramMetric):
            self.counts = self.metric.gram_counts(self.texts, comparer.lang)

    def rows(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Statistics of each row's text with each column's as its reference: (rows, columns, k)."""
        if self.counts is not None and isinstance(self.metric, GramMetric):
            totals = self.counts.totals
            return self.metric.gram_rows(
                totals[rows][:, None], totals[columns][None], self.counts.shared(rows, columns)
            )
        step = max(1, BLOCK // max(1, len(columns)))
        blocks = []
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            left = [self.texts[i] for i in np.repeat(some, len(columns))]
            right = [self.texts[j] for j in np.tile(columns, len(some))]
            found = self.comparer.rows(left, right, self.source)
            blocks.append(found.reshape(len(some), len(columns), -1))
        return np.concatenate(blocks)

    def scores(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """The score of each row's text with each column's as its reference."""
        return self.metric.segment_score(self.rows(rows, columns))

    def better(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """The same, turned so that higher is better."""
        return self.scores(rows, columns) * (1.0 if self.metric.higher_is_better else -1.0)


def pairwise(
    texts: Sequence[str],
    metric: str | Metric,
    *,
    lang: str = "en",
    source: str | None = None,
    source_lang: str | None = None,
) -> FloatArray:
    """The matrix of a metric: row ``i``, column ``j`` is text ``i`` with text ``j`` as reference.

    :param texts: translations of one segment
    :param metric: a metric, or its name
    :param lang: the language translated into
    :param source: the segment's source, for metrics that read it
    :param source_lang: the language translated from

    >>> import albeit
    >>> albeit.pairwise(["A dog barked.", "A dog barked."], "chrf").tolist()
    [[100.0, 100.0], [100.0, 100.0]]
    """
    sources = None if source is None else [source] * len(texts)
    comparer = Comparer(named(metric), texts, lang, sources=sources, source_lang=source_lang)
    everyone = np.arange(len(texts))
    return comparer.pairs(texts, source).scores(everyone, everyone)


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
