"""A document's words in blocks, as the tower reads them.

In each layer of the tower a block of words sees itself and its two neighbours.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["APART", "BLOCK", "in_blocks", "in_sight"]

T = TypeVar("T", bound=np.generic)
Ints = npt.NDArray[np.int64]

BLOCK = 64
APART = 1000
"""Sentences whose numbers differ by this or more do not see each other. Places without a word
have the number ``-APART``."""


def in_blocks(rows: npt.NDArray[T], filler: float = 0, size: int = BLOCK) -> npt.NDArray[T]:
    """Rows as blocks of so many, [blocks, size, …]; the last is filled up."""
    count = -(-len(rows) // size)
    out = np.full((count * size, *rows.shape[1:]), filler, rows.dtype)
    out[: len(rows)] = rows
    return out.reshape(count, size, *rows.shape[1:])


def in_sight(numbers: Ints) -> Ints:
    """The sentences that each block and its neighbours may hold, [blocks, sentences], from the
    sentence of each word, [blocks, size].

    A sentence stands in the same column wherever it is seen. Documents may follow each other, an
    empty block between them.
    """
    first, last = numbers[:, 0], numbers.max(1)
    before, after = np.append(first[:1], first[:-1]), np.append(last[1:], last[-1:])
    begin = np.where(first - before < APART, before, first)
    end = np.where(after - last < APART, np.maximum(after, last), last)
    columns = np.arange((end - begin).max() + 1)
    found: Ints = begin[:, None] + (columns - begin[:, None]) % len(columns)
    return found
