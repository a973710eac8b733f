"""The best set of nested constituents of each sentence, by CKY over span scores.

A span's score is the logit of its being a constituent. The tree that maximises the sum of its
spans' scores is searched over binary trees in which a span may also stay unlabelled at no cost, so
constituents with many children need no binarised labels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from albeit.jit import jit

__all__ = ["brackets"]


@jit
def brackets(
    scores: npt.NDArray[np.float32], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Constituents as rows (sentence, start, stop), parents before children, left to right.

    Scores are [sentences, 1 + words, 1 + words] over word boundaries: ``scores[s, i, j]`` for the
    span of words ``i`` to ``j`` (half open). The whole sentence is always a constituent.
    """
    total = 0
    for length in lengths:
        total += max(0, 2 * length - 1)
    found = np.zeros((total, 3), np.int32)
    count = 0
    for row in range(scores.shape[0]):
        size = lengths[row]
        if size == 0:
            continue
        best = np.zeros((size + 1, size + 1))
        split = np.zeros((size + 1, size + 1), np.int32)
        for width in range(1, size + 1):
            for start in range(size - width + 1):
                stop = start + width
                value = 0.0
                if width > 1:
                    value = -1e300
                    for middle in range(start + 1, stop):
                        joined = best[start, middle] + best[middle, stop]
                        if joined > value:
                            value = joined
                            split[start, stop] = middle
                own = scores[row, start, stop]
                best[start, stop] = value + (own if own > 0 else 0.0)
        stack = np.zeros((2 * size + 2, 2), np.int32)
        stack[0, 1] = size
        top = 1
        while top > 0:
            top -= 1
            start, stop = stack[top, 0], stack[top, 1]
            if scores[row, start, stop] > 0 or stop - start == size:
                found[count, 0] = row
                found[count, 1] = start
                found[count, 2] = stop
                count += 1
            if stop - start > 1:
                middle = split[start, stop]
                stack[top, 0] = middle
                stack[top, 1] = stop
                stack[top + 1, 0] = start
                stack[top + 1, 1] = middle
                top += 2
    return found[:count]
