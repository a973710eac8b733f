"""Sums of rows in one fixed order: the first row, plus the second, plus the third, and so on.

Addition of floating-point numbers is not associative, so a sum depends on the order in which
it is made. This one is the order of the rows and nothing else: rows that come in pieces,
however they are cut, give the same bits as all of them at once.
"""

from __future__ import annotations

import numpy as np

from albeit.arrays import FloatArray

__all__ = ["running_sums"]

_BLOCK = 4096
"""Rows that are added up at once; it bounds memory and changes nothing else."""


def running_sums(rows: FloatArray, before: FloatArray | None = None) -> FloatArray:
    """Sums over the second axis of (systems, rows, k), on top of those ``before``: (systems, k).

    ``np.add.accumulate`` adds one row after the other by definition, ``sum`` as it likes.
    """
    total = before
    for start in range(0, rows.shape[1], _BLOCK):
        block = rows[:, start : start + _BLOCK]
        if total is not None:
            block = np.concatenate([total[:, None], block], axis=1)
        total = np.add.accumulate(block, axis=1)[:, -1]
    if total is None:
        raise ValueError("there are no rows to add up")
    return total
