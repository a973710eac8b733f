"""The activation range of a product's input, for static quantization.

A range has the least squared rounding error of 8-bit activations over a sample: a few outliers may
be clipped so that all other values keep their precision.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Range = tuple[float, float]
LEVELS = 255
WEIGHT_LEVEL = 63
SHRINK = tuple(1 - 0.03 * k for k in range(28))
Floats = npt.NDArray[np.float32]


def _error(values: Floats, low: float, high: float) -> float:
    scale = (high - low) / LEVELS
    zero = round(-low / scale)
    rounded = np.clip(np.round(values / scale + zero), 0, LEVELS)
    return float(np.square((rounded - zero) * scale - values).mean())


def best_range(values: Floats) -> Range:
    """Return the range (always with 0 in it) that loses least."""
    best = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if best[0] == best[1]:
        return (0.0, 1.0)
    least = _error(values, *best)
    for sides in ((1, 1), (1, 0), (0, 1)):
        start = best
        for shrink in SHRINK[1:]:
            tried = start[0] * shrink ** sides[0], start[1] * shrink ** sides[1]
            error = _error(values, *tried) if tried[1] > tried[0] else np.inf
            if error < least:
                least, best = error, tried
    return best
