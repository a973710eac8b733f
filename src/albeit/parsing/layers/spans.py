"""Layers of ranges of words: sentences, elementary discourse units, connectives, named entities.

What layers share that give ranges of words, and the numbers of labelled ranges, is here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.parsing.layer import Analysis, Labels, Layer, Numbered, Part, Span
from albeit.parsing.layers.text import TOKENS

__all__ = [
    "CONNECTIVES",
    "EDUS",
    "ENTITIES",
    "SENTENCES",
    "Connective",
    "Entity",
    "moved",
    "triples",
    "words",
]

Spans = tuple[Span, ...]


def words(analysis: Analysis, start: int, stop: int) -> str:
    """The words of a range, for people."""
    return " ".join(analysis[TOKENS].forms[start:stop])


def triples(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Numbers three by three."""
    return zip(*[iter(numbers)] * 3, strict=True)


def moved(numbers: Iterable[int], shift: tuple[int, int, int]) -> Iterator[int]:
    """Numbers that come in threes, each moved by its share."""
    for i, n in enumerate(numbers):
        yield n + shift[i % 3]


def _joined_triples(parts: Sequence[Part]) -> list[int]:
    """(start, stop, label) of several sentences."""
    return [n for numbers, _, at in parts for n in moved(numbers, (at, at, 0))]


class _Spans(Layer[Spans]):
    """Ranges of words, written as pairs."""

    rests_on = (TOKENS,)

    def empty(self) -> Spans:
        return ()

    def to_json(self, value: Spans) -> Any:
        return [list(span) for span in value]

    def from_json(self, data: Any) -> Spans:
        return tuple((int(a), int(b)) for a, b in data)


class _Sentences(_Spans):
    name = "sentences"

    def draw(self, value: Spans, analysis: Analysis) -> Iterator[str]:
        for start, stop in value:
            yield words(analysis, start, stop)


class _Edus(_Spans, Numbered[Spans]):
    """Elementary discourse units. In numbers: the first word of each unit."""

    name = "edus"

    def join(self, parts: Sequence[Part]) -> list[int]:
        return [n + at for numbers, _, at in parts for n in numbers]

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Spans:
        return tuple(zip(numbers, [*numbers[1:], len(analysis[TOKENS])], strict=False))

    def draw(self, value: Spans, analysis: Analysis) -> Iterator[str]:
        for number, (start, stop) in enumerate(value, 1):
            yield f"{number:>3}  {words(analysis, start, stop)}"


@dataclass(frozen=True, slots=True)
class Connective:
    """An explicit connective: its tokens (maybe apart) and its sense ("Contingency.Cause")."""

    tokens: tuple[int, ...]
    sense: str


Connectives = tuple[Connective, ...]


class _Connectives(Numbered[Connectives]):
    """Explicit discourse connectives and their senses. In numbers: (start, stop, sense)."""

    name = "connectives"
    rests_on = (TOKENS,)

    def empty(self) -> Connectives:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        return _joined_triples(parts)

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Connectives:
        names = labels["sense"]
        return tuple([Connective(tuple(range(a, b)), names[n]) for a, b, n in triples(numbers)])

    def to_json(self, value: Connectives) -> Any:
        return [{"tokens": list(c.tokens), "sense": c.sense} for c in value]

    def from_json(self, data: Any) -> Connectives:
        return tuple(Connective(tuple(c["tokens"]), c["sense"]) for c in data)

    def draw(self, value: Connectives, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms
        for connective in value:
            yield f"{' '.join(forms[i] for i in connective.tokens)}  {connective.sense}"


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity over tokens ``start`` to ``stop``."""

    kind: str
    start: int
    stop: int


Entities = tuple[Entity, ...]


class _Entities(Numbered[Entities]):
    """Named entities: ranges of words and their kind. In numbers: (start, stop, kind)."""

    name = "entities"
    rests_on = (TOKENS,)

    def empty(self) -> Entities:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        return _joined_triples(parts)

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Entities:
        names = labels["entity"]
        return tuple([Entity(names[kind], a, b) for a, b, kind in triples(numbers)])

    def to_json(self, value: Entities) -> Any:
        return [[e.kind, e.start, e.stop] for e in value]

    def from_json(self, data: Any) -> Entities:
        return tuple(Entity(str(k), int(a), int(b)) for k, a, b in data)

    def draw(self, value: Entities, analysis: Analysis) -> Iterator[str]:
        for entity in value:
            yield f"{entity.kind:<13} {words(analysis, entity.start, entity.stop)}"


SENTENCES = _Sentences()
EDUS = _Edus()
CONNECTIVES = _Connectives()
ENTITIES = _Entities()
