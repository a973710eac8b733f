"""From a place in a document to a place in one of its segments, and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["Positions"]


@dataclass(frozen=True, slots=True)
class Positions:
    """How something is counted through a document: sentences, words or characters.

    ``starts`` has the first place of each segment, and at its end the number of places.
    """

    starts: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Iterable[int]) -> Positions:
        """From the number of places in each segment."""
        return cls(tuple(accumulate(sizes, initial=0)))

    def __len__(self) -> int:
        """The number of places in the document."""
        return self.starts[-1]

    def in_segment(self, place: int) -> tuple[int, int]:
        """The segment of a place of the document, and the place within it."""
        if not 0 <= place < len(self):
            raise IndexError(f"there is no place {place} among {len(self)}")
        segment = bisect_right(self.starts, place) - 1
        return segment, place - self.starts[segment]

    def in_document(self, segment: int, place: int) -> int:
        """The place in the document of a segment's place."""
        found = self.starts[segment] + place
        if not self.starts[segment] <= found < self.starts[segment + 1]:
            raise IndexError(f"segment {segment} has no place {place}")
        return found
