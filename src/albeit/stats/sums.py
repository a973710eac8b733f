"""Sums of rows in one fixed order, and means without rounding on the way.

Addition of floating-point numbers is not associative, so a sum depends on the order in which
it is made. This one is the order of the rows (the first, plus the second, plus the third, and so
on) and nothing else: rows that come in pieces, however they are cut, give the same bits as all of
them at once. Means are exact, so that equal numbers have that very number as their mean.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from albeit.arrays import FloatArray, IntArray

__all__ = ["group_means", "running_sums", "weighted_mean"]


_BLOCK = 4096
"""Rows that are added up at once; it bounds memory and changes nothing else."""


def running_sums(rows: FloatArray, before: FloatArray | None = None) -> FloatArray:
    """Sums over the second axis of (systems, rows, k), on top of those ``before``: (systems, k).

    ``np.add.accumulate`` adds one row after the other by definition, ``sum`` as it likes.
    """
    total = before
    for start in range(0, rows.shape[1], _BLOCK):
        block = rows[:, start : start + _BLOCK]
        if total is not None:
            block = np.concatenate([total[:, None], block], axis=1)
        total = np.add.accumulate(block, axis=1)[:, -1]
    if total is None:
        raise ValueError("there are no rows to add up")
    return total


def weighted_mean(values: Iterable[float], weights: Iterable[float]) -> float:
    """The float nearest to the true mean; NaN where the weights sum to zero.

    Floats are fractions whose denominators are powers of two, so whole numbers hold their
    sums exactly. ``0.1 + 0.1 + 0.1`` in floats is not three times 0.1; here its mean is 0.1.
    """
    parts = [
        (*float(value).as_integer_ratio(), *float(weight).as_integer_ratio())
        for value, weight in zip(values, weights, strict=True)
    ]
    common = max((below * of for _, below, _, of in parts), default=1)
    finest = max((of for *_, of in parts), default=1)
    total = sum(top * weight * (common // (below * of)) for top, below, weight, of in parts)
    below_it = sum(weight * (finest // of) for _, _, weight, of in parts)
    return total * finest / (below_it * common) if below_it else float("nan")


def group_means(
    values: FloatArray, group: IntArray, groups: int, weights: FloatArray | None = None
) -> FloatArray:
    """The mean of each group's values; NaN for a group that has none."""
    found = np.full(groups, np.nan)
    weights = np.ones(len(values)) if weights is None else weights
    alone = (np.bincount(group, minlength=groups) == 1)[group] & (weights > 0)
    found[group[alone]] = values[alone]
    rest = np.flatnonzero(~alone)
    order = rest[np.argsort(group[rest], kind="stable")]
    numbers, starts = np.unique(group[order], return_index=True)
    for number, rows in zip(numbers, np.split(order, starts[1:]), strict=False):
        found[number] = weighted_mean(values[rows].tolist(), weights[rows].tolist())
    return found
