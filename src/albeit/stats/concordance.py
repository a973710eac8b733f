"""How often a metric and people agree on which of two translations is better.

Every pairwise statistic here is a function of five counts. A pair is *concordant* or
*discordant* where both sides prefer one translation, or tied for the metric, for the
human, or for both. Counts add up, so they can be kept for each document and resampled.

Tie calibration finds the difference below which a metric should call two translations equal. A metric that gives real numbers hardly ever ties, people often do. Deutsch, Foster and
Freitag (2023) choose, for each metric, the threshold ε that makes its pairwise accuracy
(ties included) best; |difference| ≤ ε is then a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray

__all__ = [
    "BOTH_TIED",
    "CONCORDANT",
    "DISCORDANT",
    "HUMAN_TIED",
    "METRIC_TIED",
    "PAIRWISE",
    "Calibration",
    "Statistic",
    "accuracy",
    "accuracy_with_ties",
    "calibrate_ties",
    "categories",
    "count_by",
    "tau_b",
    "tau_wmt12",
    "tau_wmt13",
    "tau_wmt14",
    "tied_difference",
]


CONCORDANT, DISCORDANT, METRIC_TIED, HUMAN_TIED, BOTH_TIED = range(5)


def categories(difference: npt.ArrayLike, preference: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """The category of each pair: the metric's score difference against the human preference.

    ``difference`` is left minus right (higher better), ``preference`` 1, 0 or −1. A
    difference that is NaN has no category: it is an error to compare what was not scored.
    """
    metric = np.sign(np.asarray(difference, dtype=np.float64))
    human = np.asarray(preference)
    if np.isnan(metric).any():
        raise ValueError("a score difference is NaN")
    agreed = metric * human
    result = np.full(metric.shape, HUMAN_TIED, dtype=np.int8)
    result[agreed > 0] = CONCORDANT
    result[agreed < 0] = DISCORDANT
    result[(metric == 0) & (human != 0)] = METRIC_TIED
    result[(metric == 0) & (human == 0)] = BOTH_TIED
    return result


def count_by(category: npt.NDArray[np.int8], unit: npt.ArrayLike, units: int) -> FloatArray:
    """Counts of the five categories within each unit (segment, document): (units, 5)."""
    place = np.asarray(unit, dtype=np.int64) * 5 + category
    return np.bincount(place, minlength=units * 5).reshape(units, 5).astype(np.float64)


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(numerator / denominator)


def tau_wmt12(counts: FloatArray) -> FloatArray:
    """Kendall's τ as WMT12: a metric's tie is discordant; human ties do not count."""
    c, d, t = counts[..., CONCORDANT], counts[..., DISCORDANT], counts[..., METRIC_TIED]
    return _ratio(c - d - t, c + d + t)


def tau_wmt13(counts: FloatArray) -> FloatArray:
    """Kendall's τ as WMT13: a metric's ties are dropped."""
    c, d = counts[..., CONCORDANT], counts[..., DISCORDANT]
    return _ratio(c - d, c + d)


def tau_wmt14(counts: FloatArray) -> FloatArray:
    """Kendall's τ as WMT14: a metric's ties count in the denominator only."""
    c, d, t = counts[..., CONCORDANT], counts[..., DISCORDANT], counts[..., METRIC_TIED]
    return _ratio(c - d, c + d + t)


def tau_b(counts: FloatArray) -> FloatArray:
    """Kendall's τ-b over the pairs: ties on one side shrink that side's share."""
    c, d = counts[..., CONCORDANT], counts[..., DISCORDANT]
    untied_metric = c + d + counts[..., HUMAN_TIED]
    untied_human = c + d + counts[..., METRIC_TIED]
    return _ratio(c - d, np.sqrt(untied_metric * untied_human))


def accuracy(counts: FloatArray) -> FloatArray:
    """Share of the pairs decided by people that the metric orders alike."""
    c, d, t = counts[..., CONCORDANT], counts[..., DISCORDANT], counts[..., METRIC_TIED]
    return _ratio(c, c + d + t)


def accuracy_with_ties(counts: FloatArray) -> FloatArray:
    """Share of all pairs, ties included, on which metric and people say the same."""
    return _ratio(counts[..., CONCORDANT] + counts[..., BOTH_TIED], counts.sum(axis=-1))


Statistic = Callable[[FloatArray], FloatArray]
"""Counts (..., 5) to values (...)."""

PAIRWISE: Mapping[str, Statistic] = MappingProxyType(
    {
        "tau-wmt12": tau_wmt12,
        "tau-wmt13": tau_wmt13,
        "tau-wmt14": tau_wmt14,
        "tau-b": tau_b,
        "accuracy": accuracy,
        "accuracy-ties": accuracy_with_ties,
    }
)
"""Pairwise statistics by name."""


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
