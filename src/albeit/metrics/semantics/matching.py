"""Greedy matching of two texts' unit vectors: how near the nearest one is, from both sides.

Sentences are short, so their products are small. A compiled loop does them faster than
BLAS, which would share each out among threads, and more so on a busy machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = ["Rows", "nearest", "products"]

Rows = npt.NDArray[np.float32]


@jit(fastmath={"reassoc", "contract"})
def nearest(left: Rows, right: Rows, far: float = 0.0) -> tuple[Rows, Rows]:
    """For each row of either side the largest product with a row of the other.

    ``far`` is what a product loses between the beginning of one text and the end of the other,
    and in proportion between.
    """
    width = left.shape[1]
    from_left = np.full(len(left), -np.inf, dtype=np.float32)
    from_right = np.full(len(right), -np.inf, dtype=np.float32)
    for i in range(len(left)):
        for j in range(len(right)):
            product = np.float32(0.0)
            for k in range(width):
                product += left[i, k] * right[j, k]
            product -= np.float32(far * abs(i / len(left) - j / len(right)))
            from_left[i] = max(from_left[i], product)
            from_right[j] = max(from_right[j], product)
    return from_left, from_right


def products(left: Rows, right: Rows, far: float = 0.0) -> Rows:
    """All of those products, to see which row was nearest."""
    places = [np.arange(len(rows)) / len(rows) for rows in (left, right)]
    return np.asarray(left @ right.T - far * np.abs(places[0][:, None] - places[1]), np.float32)
