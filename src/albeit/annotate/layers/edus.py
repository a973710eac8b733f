"""Elementary discourse units, as ranges of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from albeit.annotate.layer import Analysis, Labels, Numbered, Part, Span
from albeit.annotate.layers.spans import spans_from_json, words
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["EDUS"]


class _Edus(Numbered[tuple[Span, ...]]):
    """In numbers: the first word of each unit."""

    name = "edus"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Span, ...]:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        return [n + at for numbers, _, at in parts for n in numbers]

    def decode(
        self, numbers: Sequence[int], analysis: Analysis, labels: Labels
    ) -> tuple[Span, ...]:
        return tuple(zip(numbers, [*numbers[1:], len(analysis[TOKENS])], strict=False))

    def to_json(self, value: tuple[Span, ...]) -> Any:
        return [list(span) for span in value]

    def from_json(self, data: Any) -> tuple[Span, ...]:
        return spans_from_json(data)

    def draw(self, value: tuple[Span, ...], analysis: Analysis) -> Iterator[str]:
        for number, (start, stop) in enumerate(value, 1):
            yield f"{number:>3}  {words(analysis, start, stop)}"


EDUS = _Edus()
