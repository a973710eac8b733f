"""What layers share that give ranges of words, and the numbers of labelled ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from albeit.annotate.layer import Analysis, Part, Span
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["joined_triples", "moved", "spans_from_json", "triples", "words"]


def words(analysis: Analysis, start: int, stop: int) -> str:
    """The words of a range, for people."""
    return " ".join(analysis[TOKENS].forms[start:stop])


def spans_from_json(data: Iterable[Any]) -> tuple[Span, ...]:
    """Ranges written as pairs."""
    return tuple((int(a), int(b)) for a, b in data)


def triples(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Numbers three by three."""
    return zip(*[iter(numbers)] * 3, strict=True)


def moved(numbers: Iterable[int], shift: tuple[int, int, int]) -> Iterator[int]:
    """Numbers that come in threes, each moved by its share."""
    for i, n in enumerate(numbers):
        yield n + shift[i % 3]


def joined_triples(parts: Sequence[Part]) -> list[int]:
    """(start, stop, label) of several sentences."""
    return [n for numbers, _, at in parts for n in moved(numbers, (at, at, 0))]
