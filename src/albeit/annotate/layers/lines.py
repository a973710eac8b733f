"""The lines of a document, in order: what is always there of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from albeit.annotate.layer import Analysis, Layer
from albeit.corpus.levels import Unit

__all__ = ["LINES"]


class _Lines(Layer[tuple[str, ...]]):
    name = "lines"
    unit = Unit.DOCUMENT

    def empty(self) -> tuple[str, ...]:
        return ()

    def to_json(self, value: tuple[str, ...]) -> Any:
        return list(value)

    def from_json(self, data: Any) -> tuple[str, ...]:
        return tuple(map(str, data))

    def draw(self, value: tuple[str, ...], analysis: Analysis) -> Iterator[str]:
        yield from value


LINES = _Lines()
