"""The learning rate over a training."""

from __future__ import annotations


def rate(progress: float, warm: float = 0.06) -> float:
    """The learning rate's factor: linear up, then linear down to zero."""
    return min(progress / warm, max(0.0, 1 - progress) / (1 - warm))
