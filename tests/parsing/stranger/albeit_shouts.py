"""A third-party package whose annotator brings a layer of its own."""

from __future__ import annotations

from typing import Any

from albeit.parsing.annotator import Annotator
from albeit.parsing.layers import TOKENS, Layer


class Shouts(Layer[tuple[int, ...]]):
    """Words in capitals."""

    name = "shouts"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[int, ...]:
        return ()

    def to_json(self, value: tuple[int, ...]) -> Any:
        return list(value)

    def from_json(self, data: Any) -> tuple[int, ...]:
        return tuple(map(int, data))


SHOUTS = Shouts()


class Capitals(Annotator):
    """Makes that layer of Norwegian."""

    name = "capitals"
    languages = frozenset({"nb"})
    layers = (SHOUTS,)
    version = "1"


CAPITALS = Capitals()
