"""Tune the weights of metrics on human judgments.

Segments: pairwise logistic regression (maximum entropy, as in Guzmán et al. 2014). The probability
of a preference is logistic in the difference of the two scores, with an L2 penalty. Metrics are
standardized on the training data.

Hybrids: the weight of cohesion, by gradient ascent on Pearson's r of documents, the mean over test
sets (Liu and Gildea 2007), as in Gong and Zhou (2015).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.data.judgments import Pairs
from albeit.errors import InputError, MetricError
from albeit.metaeval.judged_set import Task, oriented
from albeit.metrics.table import ScoreTable
from albeit.stats import DEFAULT_SEED

INNER_FOLDS = 4
"""The number of folds that choose the strength of L2."""
L2_GRID = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
"""The strengths that inner cross-validation compares."""
_PASSES = 50
_CLOSE = 1e-8
_CLOSE_ALPHA = 1e-9


@dataclass(frozen=True, eq=False)
class PairSet:
    """Features of the better and the worse side of pairs, (pairs, k) each.

    ``weight`` counts equal judgments of the same pair; ``fold`` is the fold of the pair's document.
    """

    better: FloatArray
    worse: FloatArray
    weight: FloatArray
    fold: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, rows: npt.NDArray[np.bool_]) -> PairSet:
        """Return some of the pairs."""
        return PairSet(self.better[rows], self.worse[rows], self.weight[rows], self.fold[rows])


@dataclass(frozen=True, eq=False)
class Fitted:
    """Metrics with the mean, deviation, and weight of each."""

    metrics: tuple[str, ...]
    mean: FloatArray
    deviation: FloatArray
    weights: FloatArray
    l2: float

    def __call__(self, values: FloatArray) -> FloatArray:
        """Return combined scores of oriented metric values: (..., k) to (...)."""
        return np.asarray((values - self.mean) / self.deviation @ self.weights)


def fit(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    *,
    l2: float | None = None,
    seed: int = DEFAULT_SEED,
) -> Fitted:
    """Tune on all preferences of the tasks together.

    Without ``l2``, its strength is chosen by inner cross-validation over whole documents.
    """
    names = tuple(dict.fromkeys(metrics))
    folds = document_folds(tasks, INNER_FOLDS, seed) if l2 is None else None
    return _fit(_pair_set(tasks, names, folds), names, l2)


def cross_validate(
    tasks: Sequence[Task],
    metrics: Sequence[str],
    *,
    folds: int = 10,
    l2: float | None = None,
    seed: int = DEFAULT_SEED,
) -> list[FloatArray]:
    """Return held-out segment scores of every task: (systems, segments).

    Scaling, L2, and weights come from the training folds of all tasks.
    """
    names = tuple(dict.fromkeys(metrics))
    fold_of = document_folds(tasks, folds, seed)
    pairs = _pair_set(tasks, names, fold_of)
    values = [features(task.table, names) for task in tasks]
    results = [np.empty(value.shape[:2]) for value in values]
    for fold in range(folds):
        fitted = _fit(pairs.take(pairs.fold != fold), names, l2)
        for task, own, value, result in zip(tasks, fold_of, values, results, strict=True):
            held_out = _segment_folds(task, own) == fold
            result[:, held_out] = fitted(value[:, held_out])
    return results


def features(table: ScoreTable, metrics: Sequence[str]) -> FloatArray:
    """Return oriented segment scores, (systems, segments, metrics); NaN if there is none."""
    return np.stack([oriented(table[name], "segment") for name in metrics], axis=-1)


def document_folds(
    tasks: Sequence[Task], folds: int = 10, seed: int = DEFAULT_SEED
) -> list[dict[str, int]]:
    """Return the fold of each document, for each task.

    A document is in the same fold in all test sets of one name, because their references are the
    same for all source languages. Documents are shuffled, then each goes to the fold with the
    fewest segments so far.
    """
    lengths = check_folds([task.table for task in tasks], folds)
    keys = sorted(lengths)
    np.random.default_rng(seed).shuffle(keys)
    keys.sort(key=lambda key: -lengths[key])
    size = [0] * folds
    fold_of: dict[tuple[str, str], int] = {}
    for key in keys:
        fold_of[key] = size.index(min(size))
        size[fold_of[key]] += lengths[key]
    return [{d.id: fold_of[task.table.name, d.id] for d in task.table.documents} for task in tasks]


def check_folds(sets: Iterable[EvalSet | ScoreTable], folds: int) -> dict[tuple[str, str], int]:
    """Raise if there are fewer documents than folds; return their lengths, by set and id."""
    if folds < 2:
        raise InputError(f"cross-validation needs at least two folds, not {folds}.")
    lengths: dict[tuple[str, str], int] = {}
    for each in sets:
        for document in each.documents:
            key = (each.name, document.id)
            lengths[key] = max(lengths.get(key, 0), len(document))
    if len(lengths) < folds:
        what = f"{folds} folds need at least as many documents, but there are {len(lengths)}."
        raise InputError(what, hint="Give document ids, or fewer folds.")
    return lengths


def _segment_folds(task: Task, folds: Mapping[str, int]) -> npt.NDArray[np.int64]:
    return np.array([folds[d.id] for d in task.table.documents])[task.document_of_segment]


def _pair_set(
    tasks: Sequence[Task], metrics: Sequence[str], folds: Sequence[Mapping[str, int]] | None
) -> PairSet:
    """Return all decided pairs of the tasks; ``folds`` maps each task's documents to folds."""
    if not metrics:
        raise MetricError("a combination needs at least one metric.")
    parts = []
    for number, task in enumerate(tasks):
        values = features(task.table, metrics)
        pairs = task.decided
        won = pairs.preference > 0
        sides = np.where(won, (pairs.left, pairs.right), (pairs.right, pairs.left))
        shape = (len(task.table), len(pairs.systems), len(pairs.systems))
        every = np.ravel_multi_index((pairs.segment, *sides), shape)
        keys, count = np.unique(every, return_counts=True)
        segment, winner, loser = np.unravel_index(keys, shape)
        fold = 0 * count if folds is None else _segment_folds(task, folds[number])[segment]
        weight = count.astype(np.float64)
        parts.append((values[winner, segment], values[loser, segment], weight, fold))
    if not parts:
        raise InputError("there is nothing to tune on.")
    joint = PairSet(*(np.concatenate(side) for side in zip(*parts, strict=True)))
    if not len(joint):
        raise InputError("the judgments prefer no translation: there is nothing to tune on.")
    missing = np.flatnonzero(np.isnan(joint.better + joint.worse).any(axis=0))
    if len(missing):
        raise MetricError(f"{metrics[missing[0]]} has no score for a judged translation.")
    return joint


def _fit(pairs: PairSet, metrics: tuple[str, ...], l2: float | None) -> Fitted:
    rows = np.concatenate([pairs.better, pairs.worse])
    constant = np.flatnonzero(rows.max(axis=0) == rows.min(axis=0))
    if len(constant):
        raise MetricError(f"{metrics[constant[0]]} is constant over the training data.")
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    better, worse = ((side - mean) / deviation for side in (pairs.better, pairs.worse))
    scaled = replace(pairs, better=better, worse=worse)
    strength = _choose_l2(scaled) if l2 is None else l2
    return Fitted(metrics, mean, deviation, logistic_weights(scaled, strength), strength)


def _choose_l2(pairs: PairSet) -> float:
    """Return the strength with the best held-out accuracy; of equal ones the largest."""
    inner = pairs.fold % INNER_FOLDS
    right = np.zeros(len(L2_GRID))
    for fold in np.unique(inner):
        train, held_out = pairs.take(inner != fold), pairs.take(inner == fold)
        for n, l2 in enumerate(L2_GRID if len(train) else ()):
            weights = logistic_weights(train, l2)
            right[n] += held_out.weight @ (held_out.better @ weights > held_out.worse @ weights)
    return L2_GRID[int(np.flatnonzero(right == right.max())[-1])]


def logistic_weights(pairs: PairSet, l2: float) -> FloatArray:
    """Return the weights of least logistic loss with an L2 penalty, by damped Newton steps."""
    difference = pairs.better - pairs.worse
    share = pairs.weight / pairs.weight.sum()
    size = difference.shape[1]
    weights = np.zeros(size)

    def loss(w: FloatArray) -> float:
        return float(share @ np.logaddexp(0.0, -(difference @ w)) + 0.5 * l2 * (w @ w))

    current = loss(weights)
    for _ in range(_PASSES):
        right = 0.5 * (1.0 + np.tanh(0.5 * (difference @ weights)))
        gradient = difference.T @ (share * (right - 1.0)) + l2 * weights
        hessian = difference.T @ (difference * (share * (right * (1.0 - right)))[:, None])
        step = np.linalg.solve(hessian + (l2 + 1e-12) * np.eye(size), gradient)
        expected = float(gradient @ step)
        length = 1.0
        while (tried := loss(weights - length * step)) > current - 1e-4 * length * expected:
            length *= 0.5
            if length < 1e-6:
                return weights
        weights = weights - length * step
        if expected < _CLOSE * max(1.0, current):
            break
        current = tried
    return weights


def tune_alpha(
    tasks: Sequence[Task],
    cohesion: str,
    metric: str,
    scale: float = 1.0,
    *,
    folds: int = 10,
    seed: int = DEFAULT_SEED,
) -> tuple[float, list[FloatArray]]:
    """Return the best weight on all documents, and held-out scores of the documents of each task.

    :param tasks: test sets with document scores of both metrics (:func:`within_documents`)
    :param cohesion: the name of the cohesion metric
    :param metric: the name of the metric that it is mixed with
    :param scale: a perfect score of that metric
    :param folds: folds of whole documents in cross-validation
    :param seed: seed of the folds
    """
    names, scales = (cohesion, metric), np.array([1.0, scale])[:, None, None]
    parts = [np.stack([task.table[n].at("document") for n in names]) / scales for task in tasks]
    fold_of = [
        np.array([own[d.id] for d in task.table.documents])
        for task, own in zip(tasks, document_folds(tasks, folds, seed), strict=True)
    ]
    held_out = [np.empty(each.shape[1:]) for each in parts]
    for fold in range(folds):
        alpha = _ascend(tasks, parts, [own != fold for own in fold_of])
        for each, own, result in zip(parts, fold_of, held_out, strict=True):
            result[:, own == fold] = _mix(alpha, each[..., own == fold])
    return _ascend(tasks, parts, [own >= 0 for own in fold_of]), held_out


def within_documents(task: Task) -> Task:
    """Subtract the mean of each document if judgments compare translations of one document."""
    if not isinstance(task.judgments, Pairs):
        return task
    judged = ~np.isnan(task.human("document"))
    count = np.maximum(1, judged.sum(axis=0))
    columns = {
        name: c._replace(document=c.document - np.sum(c.document, axis=0, where=judged) / count)
        for name, c in task.table.columns.items()
        if c.document is not None
    }
    return replace(task, table=replace(task.table, columns=columns))


def _mix(alpha: float, parts: FloatArray) -> FloatArray:
    return np.asarray(alpha * parts[0] + (1 - alpha) * parts[1])


def _ascend(
    tasks: Sequence[Task], parts: Sequence[FloatArray], used: Sequence[npt.NDArray[np.bool_]]
) -> float:
    """Return the weight from 0 to 1 with the highest mean r on these documents."""
    covariances = []
    for task, own, documents in zip(tasks, parts, used, strict=True):
        human = task.human("document")
        rows = np.vstack([own.reshape(2, -1), human.ravel()])[
            :, (~np.isnan(human) & documents).ravel()
        ]
        covariance = np.cov(rows) if rows.shape[1] > 1 else np.zeros((3, 3))
        if covariance[2, 2] > 0 and covariance[0, 0] + covariance[1, 1] > 0:
            covariances.append(covariance)
    if not covariances:
        raise InputError("no human or metric scores of documents differ: nothing to tune on.")
    alpha, step = 0.0, 1.0
    value, slope = _correlation(alpha, covariances)
    while abs(step * slope) > _CLOSE_ALPHA:
        tried = min(1.0, max(0.0, alpha + step * slope))
        new, new_slope = _correlation(tried, covariances)
        if new > value:
            alpha, value, slope, step = tried, new, new_slope, 2 * step
        else:
            step /= 2
    return alpha


def _correlation(alpha: float, covariances: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the mean of r over the test sets, and its derivative."""
    weights, change = np.array([alpha, 1 - alpha]), np.array([1.0, -1.0])
    found = []
    for covariance in covariances:
        spread = covariance[:2, :2] @ weights
        deviation = max(np.sqrt(weights @ spread), 1e-12)
        with_human = covariance[:2, 2] / np.sqrt(covariance[2, 2])
        r = weights @ with_human / deviation
        found.append((r, change @ (with_human - r * spread / deviation) / deviation))
    value, slope = np.mean(found, axis=0)
    return float(value), float(slope)
