"""Numbers as a few bytes, and back.

Analyses are kept packed, in the cache and in memory, until somebody looks at them. Labels
are packed as their numbers in the model's inventory, so a record means something only
together with the model version it was made by.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

__all__ = ["pack", "unpack"]


def pack(numbers: Sequence[int]) -> bytes:
    """Numbers as bytes, as narrow as they allow; the first byte says how narrow."""
    try:
        return b"H" + array("H", numbers).tobytes()
    except OverflowError:
        return b"I" + array("I", numbers).tobytes()


def unpack(record: bytes) -> list[int]:
    """The numbers of a record."""
    numbers = array(record[:1].decode("ascii"))
    numbers.frombytes(record[1:])
    return numbers.tolist()
