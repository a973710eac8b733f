"""The text itself, which is always there: for metrics that read nothing but strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from albeit.annotate.layer import Analysis, Layer

__all__ = ["TEXT"]


class _Text(Layer[str]):
    name = "text"
    derived = True

    def empty(self) -> str:
        return ""

    def derive(self, analysis: Analysis) -> str:
        return analysis.text

    def to_json(self, value: str) -> Any:
        return value

    def from_json(self, data: Any) -> str:
        return str(data)

    def draw(self, value: str, analysis: Analysis) -> Iterator[str]:
        yield value


TEXT = _Text()
