"""Named entities: ranges of words and their kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.annotate.layer import Analysis, Labels, Numbered, Part
from albeit.annotate.layers.spans import joined_triples, triples, words
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["ENTITIES", "Entity"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity over tokens ``start`` to ``stop``."""

    kind: str
    start: int
    stop: int


class _Entities(Numbered[tuple[Entity, ...]]):
    """In numbers: (start, stop, kind)."""

    name = "entities"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Entity, ...]:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        return joined_triples(parts)

    def decode(
        self, numbers: Sequence[int], analysis: Analysis, labels: Labels
    ) -> tuple[Entity, ...]:
        names = labels["entity"]
        return tuple([Entity(names[kind], a, b) for a, b, kind in triples(numbers)])

    def to_json(self, value: tuple[Entity, ...]) -> Any:
        return [[e.kind, e.start, e.stop] for e in value]

    def from_json(self, data: Any) -> tuple[Entity, ...]:
        return tuple(Entity(str(k), int(a), int(b)) for k, a, b in data)

    def draw(self, value: tuple[Entity, ...], analysis: Analysis) -> Iterator[str]:
        for entity in value:
            yield f"{entity.kind:<13} {words(analysis, entity.start, entity.stop)}"


ENTITIES = _Entities()
