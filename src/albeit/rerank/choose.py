"""Choose one candidate per segment: by the other candidates, by references, or by neither.

Each metric that compares takes the other candidates as references (minimum Bayes risk: the
candidate that is nearest to all the others on average), or, where asked for, the given
references (what could be reached at best). A metric that needs no reference scores the
candidate itself. Metrics and a model's features are added up with weights, each metric
divided by its scale, so that 100 points of BLEU weigh as much as 1 of sim.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from albeit import engine
from albeit.annotate.needs import Side
from albeit.arrays import FloatArray
from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.engine.scoring import Progress
from albeit.engine.workers import Pending, WorkerDiedError, WorkerError
from albeit.engine.workers.engines import employed
from albeit.errors import InputError, MetricError
from albeit.judged.task import oriented
from albeit.metrics.base import Metric
from albeit.metrics.table import Column
from albeit.rerank.candidates import CandidateList, CandidateSet, sources_of
from albeit.rerank.pairs import Comparer, aggregated, exact, pruned

__all__ = [
    "Against",
    "Choice",
    "Recipe",
    "candidate_rows",
    "in_order",
    "rerank",
    "utilities",
]

Against = Literal["candidates", "references"]
CHUNK = 2000
"""About how many candidates are annotated together."""


@dataclass(frozen=True)
class Recipe:
    """How candidates are rated.

    ``metrics`` and ``features`` have weights. ``fast`` compares with mean statistics in linear
    time; ``error`` leaves out candidates early, with at most that chance of losing the best.
    ``temperature`` makes the candidates' own ``score`` weigh them as references: the weights
    are the softmax of score / temperature.
    """

    metrics: tuple[tuple[Metric, float], ...]
    features: Mapping[str, float] = field(default_factory=dict)
    against: Against = "candidates"
    fast: bool = False
    error: float | None = None
    temperature: float | None = None
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.fast and self.error is not None:
            raise MetricError("fast needs no pruning: leave out one of them.")
        if self.error is not None and not 0 < self.error < 1:
            raise MetricError(f"the error of pruning lies between 0 and 1, not at {self.error:g}.")
        if self.error is not None and len(self.metrics) != 1:
            raise MetricError("pruning goes by one metric; give one, or leave it out.")
        if self.temperature is not None and self.temperature <= 0:
            raise MetricError(f"the temperature must be above 0, not {self.temperature:g}.")

    def check_rates(self) -> None:
        """Raise an error where there is nothing to rate by, which only some ways do without."""
        if not self.metrics and not self.features:
            raise MetricError("no metric and no feature to choose by.")


@dataclass(frozen=True)
class Choice:
    """The candidate chosen for a segment, and how all were rated (higher is better)."""

    id: str
    index: int
    text: str
    utilities: tuple[float, ...]

    @property
    def tied(self) -> tuple[int, ...]:
        """The candidates that are rated as the chosen one is, which is among them."""
        best = self.utilities[self.index]
        return tuple(n for n, rated in enumerate(self.utilities) if rated == best)


def rerank(
    candidates: CandidateSet, recipe: Recipe, *, workers: int = 1, progress: Progress | None = None
) -> list[Choice]:
    """One choice per segment; between equals the first candidate.

    That many ``workers`` share the work (0: one per core), which changes nothing but the time;
    ``progress`` is called with how many segments are done, of how many.
    """
    candidates.tell()
    rated = utilities(candidates, recipe, workers=workers, progress=progress)
    return [
        Choice(one.id, best := int(np.argmax(own)), one.texts[best], tuple(map(float, own)))
        for one, own in zip(candidates.lists, rated, strict=True)
    ]


def in_order(
    function: Callable[[Any, Any], Any], shared: Any, tasks: Sequence[Any], workers: int
) -> Iterator[Any]:
    """What a function makes of each task, by that many processes, in the tasks' order."""
    with employed(None, workers, len(tasks)) as team:
        pending: deque[Pending] = deque()
        for number, task in enumerate(tasks, 1):
            pending.append(team.executor.submit(function, shared, task))
            while pending and (number == len(tasks) or len(pending) > team.ahead()):
                try:
                    yield pending.popleft().result()
                except WorkerDiedError:
                    raise WorkerError("a worker process died; was there memory enough?") from None


def utilities(
    candidates: CandidateSet, recipe: Recipe, *, workers: int = 1, progress: Progress | None = None
) -> list[FloatArray]:
    """How each candidate of each segment is rated; higher is better."""
    recipe.check_rates()
    for name in recipe.features:
        if name not in candidates.features():
            raise InputError(
                f"the candidates have no feature {name!r}.",
                path=candidates.path,
                hint=f"They have: {', '.join(candidates.features()) or 'none'}.",
            )
    rated = [np.zeros(len(one)) for one in candidates.lists]
    for total, one in zip(rated, candidates.lists, strict=True):
        for name, weight in recipe.features.items():
            total += weight * np.array([candidate.features[name] for candidate in one.candidates])
    for metric, weight in recipe.metrics:
        if metric.unit is not Unit.SEGMENT:
            raise MetricError(f"{metric} scores documents: it goes with choosing for documents.")
        compares = metric.reads(Side.REFERENCE)
        if compares and recipe.against == "candidates":
            found = _expected(candidates, metric, recipe, workers, progress)
        else:
            if compares and not candidates.lists[0].references:
                raise InputError(
                    f"{metric} needs references to choose by them; there are none.",
                    path=candidates.path,
                )
            found = _direct(candidates, metric, workers, progress)
        for total, own in zip(rated, found, strict=True):
            total += weight * own / metric.scale
    return rated


@dataclass(frozen=True)
class _Rating:
    """What candidates are rated by when they are compared with each other."""

    metric: Metric
    recipe: Recipe
    target_lang: str
    source_lang: str | None


def _expected(
    candidates: CandidateSet,
    metric: Metric,
    recipe: Recipe,
    workers: int,
    progress: Progress | None,
) -> list[FloatArray]:
    """Each candidate's expected score with all candidates as references."""
    rating = _Rating(metric, recipe, candidates.target_lang, candidates.source_lang)
    found: list[FloatArray] = []
    for own in in_order(_rated, rating, list(_chunks(candidates.lists)), workers):
        found += own
        if progress is not None:
            progress(len(found), len(candidates))
    return found


def _rated(rating: _Rating, lists: Sequence[CandidateList]) -> list[FloatArray]:
    """The expected scores of the candidates of some segments."""
    recipe = rating.recipe
    comparer = Comparer.of(rating.metric, lists, rating.target_lang, rating.source_lang)
    found: list[FloatArray] = []
    for one in lists:
        pairs = comparer.pairs(one.texts, one.source)
        weights = _weights(one, recipe.temperature)
        if recipe.fast:
            found.append(aggregated(pairs, weights))
        elif recipe.error is not None:
            found.append(pruned(pairs, weights, recipe.error, recipe.seed)[0])
        else:
            found.append(exact(pairs, weights))
    return found


def _weights(one: CandidateList, temperature: float | None) -> FloatArray:
    """How much each candidate counts as a reference."""
    if temperature is None:
        return np.full(len(one), 1 / len(one))
    missing = [n for n, c in enumerate(one.candidates, 1) if "score" not in c.features]
    if missing:
        raise InputError(
            f"candidate {missing[0]} of segment {one.id!r} has no score, by which"
            " candidates could be weighted."
        )
    scores = np.array([c.features["score"] for c in one.candidates]) / temperature
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def _chunks(lists: Sequence[CandidateList]) -> Iterator[list[CandidateList]]:
    chunk: list[CandidateList] = []
    size = 0
    for one in lists:
        chunk.append(one)
        size += len(one)
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _direct(
    candidates: CandidateSet, metric: Metric, workers: int, progress: Progress | None
) -> list[FloatArray]:
    """Each candidate's own score, with the given references where the metric compares."""
    column = candidate_column(candidates, metric, workers, progress)
    return candidates.by_segment(oriented(column, "segment")[0])


def candidate_column(
    candidates: CandidateSet, metric: Metric, workers: int = 1, progress: Progress | None = None
) -> Column:
    """All candidates, one after the other, as the lines of one system, scored by a metric."""
    flat = [(one, text) for one in candidates.lists for text in one.texts]
    sources = sources_of(candidates.lists)
    first = candidates.lists[0]
    evalset = EvalSet(
        {str(r): tuple(one.references[r] for one, _ in flat) for r in range(len(first.references))},
        {"candidates": tuple(text for _, text in flat)},
        None if sources is None else tuple(sources),
        source_lang=candidates.source_lang,
        target_lang=candidates.target_lang,
    )
    return engine.score(evalset, [metric], workers=workers, progress=progress)[metric]


def candidate_rows(candidates: CandidateSet, metric: Metric) -> list[FloatArray]:
    """The rows of statistics of each segment's candidates: (candidates, k)."""
    rows = candidate_column(candidates, metric).statistics
    assert rows is not None, "they were made here"
    return candidates.by_segment(rows[0])
