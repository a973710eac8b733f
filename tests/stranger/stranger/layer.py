"""Which words of a line are shouted."""

from typing import Any

from albeit.annotate.layers import TOKENS, Layer


class Shouts(Layer[tuple[int, ...]]):
    name = "shouts"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[int, ...]:
        return ()

    def to_json(self, value: tuple[int, ...]) -> Any:
        return list(value)

    def from_json(self, data: Any) -> tuple[int, ...]:
        return tuple(map(int, data))


SHOUTS = Shouts()
