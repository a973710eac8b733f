"""The inner loop of the permutation test that exchanges every translation by itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = ["count_cases"]


@jit
def count_cases(
    cases: npt.NDArray[np.int8],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    swap: npt.NDArray[np.uint8],
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
) -> None:
    """Add the categories of every pair to ``x``, and of the opposite exchange to ``y``."""
    for pair in range(len(left)):
        case = swap[left[pair]] * 2 + swap[right[pair]]
        x[cases[pair, case]] += 1.0
        y[cases[pair, 3 - case]] += 1.0
