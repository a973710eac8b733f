"""Types of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Floats32 = npt.NDArray[np.float32]
Ints32 = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
"""The content of a file."""
