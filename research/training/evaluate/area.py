"""The area under the curve of scores that tell two classes apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def area(scores: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """Return how often what is right scores above what is wrong; a tie is half."""
    scores, right = np.asarray(scores, float), np.asarray(right, bool)
    good, bad = np.sort(scores[right]), scores[~right]
    if not len(good) or not len(bad):
        return float("nan")
    above = 2 * len(good) - sum(np.searchsorted(good, bad, side) for side in ("left", "right"))
    return float(above.mean() / 2 / len(good))
