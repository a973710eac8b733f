"""A package that is none of ours: it adds a layer through the public entry points alone."""

from __future__ import annotations

from typing import Any

from albeit.annotate.layers import TOKENS, Layer


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
