"""The activation range of a product's input, for static quantisation.

A range is chosen to minimise the squared rounding error of 8-bit activations over a sample of
training sentences: a few outliers may be clipped so that all other values keep their precision.
"""

from __future__ import annotations

from torch import Tensor

Range = tuple[float, float]
SHRINK = tuple(1 - 0.03 * k for k in range(28))
LEVELS = 255


def _error(values: Tensor, low: float, high: float) -> float:
    scale = (high - low) / LEVELS
    zero = round(-low / scale)
    rounded = (values / scale + zero).round().clamp(0, LEVELS)
    return float(((rounded - zero) * scale - values).square().mean())


def best_range(values: Tensor) -> Range:
    """The range (always with 0 in it) that loses least."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    best = (low, high)
    if low == high:
        return (0.0, 1.0)
    least = _error(values, *best)
    for side in ("both", "low", "high"):
        start = best
        for shrink in SHRINK[1:]:
            tried = (
                start[0] * (shrink if side in ("both", "low") else 1),
                start[1] * (shrink if side in ("both", "high") else 1),
            )
            if tried[1] - tried[0] <= 0:
                continue
            error = _error(values, *tried)
            if error < least:
                least, best = error, tried
    return best
