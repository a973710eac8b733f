"""Explicit discourse connectives and their senses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.annotate.layer import Analysis, Labels, Numbered, Part
from albeit.annotate.layers.spans import joined_triples, triples
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["CONNECTIVES", "Connective"]


@dataclass(frozen=True, slots=True)
class Connective:
    """An explicit connective: its tokens (maybe apart) and its sense ("Contingency.Cause")."""

    tokens: tuple[int, ...]
    sense: str


class _Connectives(Numbered[tuple[Connective, ...]]):
    """In numbers: (start, stop, sense)."""

    name = "connectives"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Connective, ...]:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        return joined_triples(parts)

    def decode(
        self, numbers: Sequence[int], analysis: Analysis, labels: Labels
    ) -> tuple[Connective, ...]:
        names = labels["sense"]
        return tuple([Connective(tuple(range(a, b)), names[n]) for a, b, n in triples(numbers)])

    def to_json(self, value: tuple[Connective, ...]) -> Any:
        return [{"tokens": list(c.tokens), "sense": c.sense} for c in value]

    def from_json(self, data: Any) -> tuple[Connective, ...]:
        return tuple(Connective(tuple(c["tokens"]), c["sense"]) for c in data)

    def draw(self, value: tuple[Connective, ...], analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms
        for connective in value:
            yield f"{' '.join(forms[i] for i in connective.tokens)}  {connective.sense}"


CONNECTIVES = _Connectives()
