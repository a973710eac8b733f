"""Remember what was drawn from an analysis: a reference serves every system of a batch."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar, cast

from albeit.annotate.layers import Analysis

__all__ = ["Memo"]

V = TypeVar("V")


class Memo(Generic[V]):
    """``make(analysis)``, computed once an analysis object; bounded, one store a process and key."""

    LIMIT = 5_000
    _stores: dict[Hashable, Memo[Any]] = {}  # noqa: RUF012 - meant to be shared

    def __init__(self, make: Callable[[Analysis], V]) -> None:
        self._make = make
        self._known: dict[int, tuple[Analysis, V]] = {}

    @classmethod
    def of(cls, key: Hashable, make: Callable[[Analysis], V]) -> Memo[V]:
        """The store of this key; ``make`` is kept from the first call."""
        return cast("Memo[V]", cls._stores.setdefault(key, cls(make)))

    def __call__(self, analysis: Analysis) -> V:
        """The value for this analysis (the pair is kept, so that its id stays its own)."""
        found = self._known.get(id(analysis))
        if found is None:
            if len(self._known) >= self.LIMIT:
                self._known.clear()
            found = self._known[id(analysis)] = (analysis, self._make(analysis))
        return found[1]
