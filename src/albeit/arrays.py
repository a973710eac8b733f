"""The arrays that albeit passes about, by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Bytes", "FloatArray", "IntArray"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Bytes = npt.NDArray[np.uint8]
"""The content of a file."""
