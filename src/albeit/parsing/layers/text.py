"""What is always there: the text itself, for metrics that read nothing but strings; of a document its
lines, in order; and words, with where they stand in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from albeit.data.levels import Unit
from albeit.errors import InputError
from albeit.parsing.layer import Analysis, Layer, Span

__all__ = ["LINES", "TEXT", "TOKENS", "Tokens"]


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


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text and where they stand in it (character offsets).

    Words that the text writes as one without spelling them out (German *zum* for *zu dem*)
    share its place.
    """

    forms: tuple[str, ...]
    offsets: tuple[Span, ...]

    def __len__(self) -> int:
        return len(self.forms)

    def groups(self) -> Iterator[tuple[int, int]]:
        """First word and the one after the last of all words that share a place."""
        first = 0
        for stop in range(1, len(self) + 1):
            if stop == len(self) or self.offsets[stop] != self.offsets[first]:
                yield first, stop
                first = stop


class _Tokens(Layer[Tokens]):
    name = "tokens"

    def empty(self) -> Tokens:
        return Tokens((), ())

    def to_json(self, value: Tokens) -> Any:
        return [list(value.forms), [list(span) for span in value.offsets]]

    def from_json(self, data: Any) -> Tokens:
        forms, offsets = data
        value = Tokens(tuple(map(str, forms)), tuple((int(a), int(b)) for a, b in offsets))
        if len(value.forms) != len(value.offsets):
            raise InputError(f"{len(value.forms)} tokens have {len(value.offsets)} offsets.")
        return value

    def to_fields(self, value: Tokens) -> dict[str, Any]:
        forms, offsets = self.to_json(value)
        return {"tokens": forms, "offsets": offsets}

    def from_fields(self, data: Mapping[str, Any]) -> Tokens:
        return self.from_json([data["tokens"], data["offsets"]])

    def draw(self, value: Tokens, analysis: Analysis) -> Iterator[str]:
        yield " · ".join(value.forms)


TOKENS = _Tokens()
