"""Confidence by resampling whole documents: segments of a document are not independent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.arrays import FloatArray

__all__ = ["document_weights", "interval"]


def document_weights(documents: int, samples: int, rng: np.random.Generator) -> FloatArray:
    """How often each document is drawn in each sample: (samples, documents), rows sum to n.

    Anything additive over documents (pair counts, sums of scores) is resampled by one
    product: ``weights @ sums``.
    """
    if documents < 2:
        raise ValueError("resampling needs at least two documents")
    drawn = rng.multinomial(documents, np.full(documents, 1.0 / documents), size=samples)
    return drawn.astype(np.float64)


def interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """The middle ``level`` of resampled values, NaN left out; NaN where none is left."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not known.size:
        return float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
