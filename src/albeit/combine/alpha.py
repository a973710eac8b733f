"""Tune the weight of cohesion in a hybrid for the highest correlation with human judgments.

Gradient ascent on Pearson's r of documents, the mean over test sets (Liu and Gildea 2007), as in
Gong and Zhou (2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray
from albeit.combine.tune import document_folds
from albeit.data.judgments import Pairs
from albeit.errors import InputError
from albeit.metaeval.judged_set import Task
from albeit.stats import DEFAULT_SEED

_CLOSE = 1e-9


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
    """Subtract the mean of each document if people compared translations of one document."""
    if not isinstance(task.judgments, Pairs):
        return task
    judged = ~np.isnan(task.human("document"))
    count = np.maximum(1, judged.sum(axis=0))
    columns = {
        name: replace(c, document=c.document - np.sum(c.document, axis=0, where=judged) / count)
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
    while abs(step * slope) > _CLOSE:
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
