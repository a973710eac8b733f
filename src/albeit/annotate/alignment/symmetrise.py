"""Two directions into one set of links: grow-diag-final-and (Koehn et al., 2005)."""

# mypy: disable-error-code="no-untyped-def,misc"

from __future__ import annotations

import numpy as np

from albeit.jit import jit

__all__ = ["grow_diag_final_and"]


@jit
def grow_diag_final_and(one, two):
    """Links from two boolean matrices of one shape, as a boolean matrix.

    Start from what both say; add what one says beside a link already there while it
    covers a new word; last, what one says where both words are still free.
    """
    height, width = one.shape
    links = one & two
    rows = np.zeros(height, np.bool_)
    columns = np.zeros(width, np.bool_)
    for j in range(height):
        for i in range(width):
            if links[j, i]:
                rows[j] = True
                columns[i] = True
    grown = True
    while grown:
        grown = False
        for j in range(height):
            for i in range(width):
                if not links[j, i]:
                    continue
                for dj in range(-1, 2):
                    for di in range(-1, 2):
                        y, x = j + dj, i + di
                        if y < 0 or x < 0 or y >= height or x >= width or links[y, x]:
                            continue
                        if (one[y, x] or two[y, x]) and not (rows[y] and columns[x]):
                            links[y, x] = True
                            rows[y] = True
                            columns[x] = True
                            grown = True
    for direction in range(2):
        for j in range(height):
            for i in range(width):
                said = one[j, i] if direction == 0 else two[j, i]
                if said and not rows[j] and not columns[i]:
                    links[j, i] = True
                    rows[j] = True
                    columns[i] = True
    return links
