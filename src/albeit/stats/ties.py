"""Tie calibration: below which difference a metric should call two translations equal.

A metric that gives real numbers hardly ever ties, people often do. Deutsch, Foster and
Freitag (2023) choose, for each metric, the threshold ε that makes its pairwise accuracy
(ties included) best; |difference| ≤ ε is then a tie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray

__all__ = ["Calibration", "calibrate_ties", "tied_difference"]


@dataclass(frozen=True)
class Calibration:
    """The threshold found and the accuracy it gives."""

    epsilon: float
    accuracy: float


def calibrate_ties(
    difference: npt.ArrayLike, preference: npt.ArrayLike, weight: npt.ArrayLike | None = None
) -> Calibration:
    """The best ε over all pairs, exactly: every distinct difference is tried.

    ``weight`` gives each pair its share: 1 / (pairs of its item) averages accuracies
    item by item, equal weights pool all pairs. The smallest of equally good thresholds wins.
    """
    gap = np.asarray(difference, dtype=np.float64)
    human = np.asarray(preference, dtype=np.float64)
    if gap.size == 0:
        raise ValueError("there are no pairs to calibrate on")
    share = np.ones_like(gap) if weight is None else np.asarray(weight, dtype=np.float64)
    size = np.abs(gap)
    order = np.argsort(size, kind="stable")
    size = size[order]
    concordant = np.where(gap * human > 0, share, 0.0)[order]
    tied = np.where(human == 0, share, 0.0)[order]
    # With ε at the k-th smallest size, the first k pairs are ties and the rest are decided.
    right = np.concatenate([[0.0], np.cumsum(tied)])
    right += concordant.sum() - np.concatenate([[0.0], np.cumsum(concordant)])
    last = np.flatnonzero(np.append(size[1:] != size[:-1], True)) + 1
    candidates = last if size[0] == 0 else np.concatenate([[0], last])
    best = candidates[int(np.argmax(right[candidates]))]
    epsilon = float(size[best - 1]) if best else 0.0
    return Calibration(epsilon, float(right[best] / share.sum()))


def tied_difference(difference: npt.ArrayLike, epsilon: float) -> FloatArray:
    """Differences with those of at most ``epsilon`` set to zero."""
    gap = np.asarray(difference, dtype=np.float64)
    return np.where(np.abs(gap) <= epsilon, 0.0, gap)
