"""Tune a combination on human preferences, and see by cross-validation what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from albeit.arrays import FloatArray
from albeit.combine.features import PairSet, Standard, features, pair_set
from albeit.combine.learners import LargeMargin, Logistic, Network
from albeit.data.evalset import EvalSet
from albeit.errors import InputError, MetricError
from albeit.metaeval.task import Task
from albeit.metrics.table import ScoreTable
from albeit.stats import DEFAULT_SEED

INNER_FOLDS = 4
"""Folds by which the strength of L2 is chosen."""
L2_GRID = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
"""Strengths tried by inner cross-validation."""


class Scorer(Protocol):
    """What a learner finds: standardised features (..., k) to scores (...)."""

    def __call__(self, features: FloatArray) -> FloatArray:
        """Score."""

    def parameters(self) -> dict[str, object]:
        """What a saved model keeps."""


class Learner(Protocol):
    """Finds a scorer that puts the better side of pairs above the worse one."""

    kind: ClassVar[str]

    def fit(self, pairs: PairSet, l2: float) -> Scorer:
        """Fit to pairs of standardised features."""


LEARNERS: Mapping[str, Callable[[], Learner]] = {
    "logistic": Logistic,
    "margin": LargeMargin,
    "network": Network,
}


@dataclass(frozen=True, eq=False)
class Fitted:
    """A combination: which metrics, how they are standardised, how they are scored."""

    metrics: tuple[str, ...]
    standard: Standard
    scorer: Scorer
    l2: float

    def __call__(self, values: FloatArray) -> FloatArray:
        """Scores of oriented metric values: (..., k) to (...)."""
        return self.scorer(self.standard(values))


def fit(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    learner: Learner | None = None,
    *,
    l2: float | None = None,
    inner_folds: int = INNER_FOLDS,
    seed: int = DEFAULT_SEED,
    balance: bool = False,
) -> Fitted:
    """Tune on all preferences of the tasks together.

    Without ``l2`` its strength is chosen by inner cross-validation over whole documents.
    With ``balance`` every campaign weighs the same.
    """
    learner = learner or Logistic()
    names = _distinct(metrics)
    folds = document_folds(tasks, inner_folds, seed) if l2 is None else None
    pairs = pair_set(tasks, names, folds, balance=balance)
    return _fit(pairs, names, learner, l2)


def cross_validate(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    learner: Learner | None = None,
    *,
    folds: int = 10,
    l2: float | None = None,
    seed: int = DEFAULT_SEED,
) -> list[FloatArray]:
    """Segment scores of every task, (systems, segments), from folds that did not see them.

    Scaling and L2 come from the training folds alone; preferences of all tasks are tuned
    on together.
    """
    learner = learner or Logistic()
    names = _distinct(metrics)
    fold_of = document_folds(tasks, folds, seed)
    pairs = pair_set(tasks, names, fold_of)
    values = [features(task.table, names) for task in tasks]
    segment_fold = [
        np.array([fold_of[t][d.id] for d in task.table.documents])[task.document_of_segment]
        for t, task in enumerate(tasks)
    ]
    results = [np.empty(v.shape[:2]) for v in values]
    for fold in range(folds):
        fitted = _fit(pairs.take(pairs.fold != fold), names, learner, l2)
        for result, value, f in zip(results, values, segment_fold, strict=True):
            result[:, f == fold] = fitted(value[:, f == fold])
    return results


def _fit(pairs: PairSet, names: tuple[str, ...], learner: Learner, l2: float | None) -> Fitted:
    standard = Standard.fit(pairs.sides(), names)
    scaled = PairSet(standard(pairs.better), standard(pairs.worse), pairs.weight, pairs.fold)
    strength = _choose_l2(scaled, learner) if l2 is None else l2
    return Fitted(names, standard, learner.fit(scaled, strength), strength)


def _choose_l2(pairs: PairSet, learner: Learner) -> float:
    """The strength with the best held-out accuracy; of equal ones the strongest.

    The folds of the pairs' documents, joined to at most four, are the inner folds.
    """
    inner = pairs.fold % 4
    right = np.zeros(len(L2_GRID))
    for fold in np.unique(inner):
        train, held = pairs.take(inner != fold), pairs.take(inner == fold)
        if not len(train) or not len(held):
            continue
        for place, l2 in enumerate(L2_GRID):
            scorer = learner.fit(train, l2)
            gap = scorer(held.better) - scorer(held.worse)
            right[place] += held.weight @ (gap > 0)
    best = np.flatnonzero(right == right.max())[-1]
    return L2_GRID[int(best)]


def _distinct(metrics: Sequence[str]) -> tuple[str, ...]:
    """Each metric once: a copy adds nothing to weights that are tuned."""
    if not metrics:
        raise MetricError("a combination needs at least one metric.")
    return tuple(dict.fromkeys(metrics))


def document_folds(
    tasks: Sequence[Task], folds: int = 10, seed: int = DEFAULT_SEED
) -> list[dict[str, int]]:
    """The fold of each document, for each task.

    Test sets of one name share their documents (the references are the same whatever the
    source language), so a document id stands in the same fold in all of them. Documents
    are shuffled, then each goes to the fold with the fewest segments so far.
    """
    lengths = check_folds([task.table for task in tasks], folds)
    keys = sorted(lengths)
    np.random.default_rng(seed).shuffle(keys)
    keys.sort(key=lambda key: -lengths[key])
    size = [0] * folds
    fold_of: dict[tuple[str, str], int] = {}
    for key in keys:
        smallest = min(range(folds), key=lambda f: size[f])
        fold_of[key] = smallest
        size[smallest] += lengths[key]
    return [{d.id: fold_of[task.table.name, d.id] for d in task.table.documents} for task in tasks]


def check_folds(sets: Iterable[EvalSet | ScoreTable], folds: int) -> dict[tuple[str, str], int]:
    """Raise where sets cannot be cut so often; else the length of each document, by set and id.

    It asks for no scores, so that it can be asked before any are made.
    """
    if folds < 2:
        raise InputError(f"cross-validation needs at least two folds, not {folds}.")
    lengths: dict[tuple[str, str], int] = {}
    for each in sets:
        for document in each.documents:
            key = (each.name, document.id)
            lengths[key] = max(lengths.get(key, 0), len(document))
    if len(lengths) < folds:
        raise InputError(
            f"{folds} folds need at least as many documents, but there are {len(lengths)}.",
            hint="Give document ids, or fewer folds.",
        )
    return lengths
