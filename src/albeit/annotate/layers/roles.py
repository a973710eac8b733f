"""Semantic roles: PropBank's predicates and their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.annotate.layer import Analysis, Labels, Numbered, Part
from albeit.annotate.layers.spans import moved, words
from albeit.annotate.layers.text import TOKENS

__all__ = ["ROLES", "Predicate"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A PropBank predicate at ``token`` with its arguments as (role, start, stop)."""

    token: int
    arguments: tuple[tuple[str, int, int], ...]


class _Roles(Numbered[tuple[Predicate, ...]]):
    """In numbers: token, number of arguments, then (role, start, stop) each."""

    name = "roles"
    rests_on = (TOKENS,)

    def empty(self) -> tuple[Predicate, ...]:
        return ()

    def join(self, parts: Sequence[Part]) -> list[int]:
        return [n for row, _, at in parts for n in _moved_roles(row, at)]

    def decode(
        self, numbers: Sequence[int], analysis: Analysis, labels: Labels
    ) -> tuple[Predicate, ...]:
        names = labels["role"]
        predicates = []
        at = 0
        while at < len(numbers):
            token, count = numbers[at], numbers[at + 1]
            flat = iter(numbers[at + 2 : at + 2 + 3 * count])
            arguments = tuple(
                [(names[role], a, b) for role, a, b in zip(flat, flat, flat, strict=True)]
            )
            predicates.append(Predicate(token, arguments))
            at += 2 + 3 * count
        return tuple(predicates)

    def to_json(self, value: tuple[Predicate, ...]) -> Any:
        return [{"token": p.token, "arguments": [list(a) for a in p.arguments]} for p in value]

    def from_json(self, data: Any) -> tuple[Predicate, ...]:
        return tuple(
            Predicate(p["token"], tuple((str(r), int(a), int(b)) for r, a, b in p["arguments"]))
            for p in data
        )

    def draw(self, value: tuple[Predicate, ...], analysis: Analysis) -> Iterator[str]:
        for predicate in value:
            yield analysis[TOKENS].forms[predicate.token]
            for role, start, stop in predicate.arguments:
                yield f"  {role:<9} {words(analysis, start, stop)}"


def _moved_roles(row: list[int], at: int) -> Iterator[int]:
    i = 0
    while i < len(row):
        count = row[i + 1]
        yield row[i] + at
        yield count
        yield from moved(row[i + 2 : i + 2 + 3 * count], (0, at, at))
        i += 2 + 3 * count


ROLES = _Roles()
