"""Choose candidates so that the *document* scores best: a beam search from its first segment.

A partial document is rated by every metric. For a metric over segments the rows of statistics
of the chosen candidates are added up, as everywhere in albeit; with candidates as references
they are the expected rows, the mean over all of them. A metric over documents that needs no
reference (``rc``, ``lc``) scores the partial document as a text; one that compares (``cohesion``)
needs the given references. What is best up to a segment
need not be best in the end, so the best few are kept at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from albeit import engine
from albeit.annotate.needs import Side
from albeit.arrays import FloatArray
from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.levels import Unit
from albeit.engine.scoring import Progress
from albeit.errors import MetricError
from albeit.metrics.base import Metric
from albeit.rerank.candidates import CandidateList, CandidateSet
from albeit.rerank.choose import Choice, Recipe, candidate_rows, in_order
from albeit.rerank.pairs import Comparer

__all__ = ["rerank_documents"]


@dataclass(frozen=True)
class _Search:
    """What all documents of a set are searched by."""

    additive: Sequence[tuple[Metric, float]]
    whole: Sequence[tuple[Metric, float]]
    recipe: Recipe
    beam: int
    target_lang: str
    source_lang: str | None


@dataclass(frozen=True)
class _Partial:
    """Choices for the first segments of a document, and the sums of their rows by metric."""

    chosen: tuple[int, ...]
    sums: tuple[FloatArray, ...]
    features: float


def rerank_documents(
    candidates: CandidateSet,
    recipe: Recipe,
    beam: int = 8,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Choice]:
    """One choice per segment, made for whole documents, which that many ``workers`` share."""
    recipe.check_rates()
    if beam < 1:
        raise MetricError(f"the beam must be at least 1, not {beam}.")
    if recipe.fast or recipe.error is not None:
        raise MetricError(
            "choosing for documents compares all candidates; leave out fast and error."
        )
    candidates.tell()
    additive = [(m, w) for m, w in recipe.metrics if m.unit is Unit.SEGMENT]
    whole = [(m, w) for m, w in recipe.metrics if m.unit is Unit.DOCUMENT]
    for metric, _ in whole:
        if metric.reads(Side.REFERENCE) and recipe.against == "candidates":
            raise MetricError(
                f"{metric} compares whole documents, and candidates of segments make none; choose"
                " by metrics over segments, by rc or lc, or against references."
            )
    rows = [_rows(candidates, metric, recipe) for metric, _ in additive]
    tasks: list[tuple[Sequence[CandidateList], list[list[FloatArray]]]] = []
    place = 0
    for _, lists in candidates.by_document():
        tasks.append((lists, [own[place : place + len(lists)] for own in rows]))
        place += len(lists)
    search = _Search(additive, whole, recipe, beam, candidates.target_lang, candidates.source_lang)
    made: list[Choice] = []
    for choices in in_order(_document, search, tasks, workers):
        made += choices
        if progress is not None:
            progress(len(made), len(candidates))
    return made


def _rows(candidates: CandidateSet, metric: Metric, recipe: Recipe) -> list[FloatArray]:
    """The rows of each segment's candidates: (candidates, k)."""
    if recipe.against == "references" or not metric.reads(Side.REFERENCE):
        return candidate_rows(candidates, metric)
    languages = candidates.target_lang, candidates.source_lang
    comparer = Comparer.of(metric, candidates.lists, *languages)
    found = []
    for one in candidates.lists:
        everyone = np.arange(len(one))
        found.append(comparer.pairs(one.texts, one.source).rows(everyone, everyone).mean(axis=1))
    return found


def _document(
    search: _Search, task: tuple[Sequence[CandidateList], Sequence[Sequence[FloatArray]]]
) -> list[Choice]:
    """The best choices for one document, from its candidates and their rows by metric."""
    lists, rows = task
    kept = [_Partial((), tuple(np.zeros(own[0].shape[1]) for own in rows), 0.0)]
    ratings: list[FloatArray] = []
    for i, one in enumerate(lists):
        partials = [
            _Partial(
                (*before.chosen, c),
                tuple(total + own[i][c] for total, own in zip(before.sums, rows, strict=True)),
                before.features
                + sum(w * one.candidates[c].features[f] for f, w in search.recipe.features.items()),
            )
            for before in kept
            for c in range(len(one))
        ]
        rated = np.array([partial.features / (i + 1) for partial in partials], np.float64)
        for k, (metric, weight) in enumerate(search.additive):
            scores = metric.score(np.stack([partial.sums[k] for partial in partials]))
            rated += weight * _turned(metric, scores)
        for metric, weight in search.whole:
            texts = [tuple(lists[j].texts[c] for j, c in enumerate(p.chosen)) for p in partials]
            rated += weight * _turned(metric, _as_texts(metric, texts, lists, search))
        order = np.argsort(-rated, kind="stable")[: search.beam]
        kept = [partials[n] for n in order]
        ratings.append(np.array([rated[c :: len(one)].max() for c in range(len(one))]))
    return [
        Choice(one.id, c, one.texts[c], tuple(map(float, rated)))
        for one, c, rated in zip(lists, kept[0].chosen, ratings, strict=True)
    ]


def _turned(metric: Metric, scores: FloatArray) -> FloatArray:
    return scores / metric.scale * (1.0 if metric.higher_is_better else -1.0)


def _as_texts(
    metric: Metric,
    texts: Sequence[tuple[str, ...]],
    lists: Sequence[CandidateList],
    search: _Search,
) -> FloatArray:
    """The document score of each text, all of which stand for the first segments."""
    here = lists[: len(texts[0])]
    known = here[0].source is not None
    evalset = EvalSet(
        {str(r): tuple(one.references[r] for one in here) for r in range(len(here[0].references))},
        {str(n): lines for n, lines in enumerate(texts)},
        tuple(one.source or "" for one in here) if known else None,
        documents=(Document("text", 0, len(here)),),
        source_lang=search.source_lang,
        target_lang=search.target_lang,
    )
    return engine.score(evalset, [metric])[metric].at("document")[:, 0]
