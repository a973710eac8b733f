"""What words are to each other: universal dependencies, and PropBank's predicates with their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.errors import InputError
from albeit.parsing.layer import Analysis, Labels, Numbered, Part
from albeit.parsing.layers.spans import moved, words
from albeit.parsing.layers.text import TOKENS

__all__ = ["DEPENDENCIES", "ROLES", "Dependencies", "Predicate"]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """UD analysis: part of speech, head (token index; -1 for a root) and relation a token."""

    upos: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


class _Dependencies(Numbered[Dependencies]):
    """In numbers: parts of speech, heads (plus one, 0 the root) and relations, one after the other."""

    name = "dependencies"
    rests_on = (TOKENS,)

    def empty(self) -> Dependencies:
        return Dependencies((), (), ())

    def join(self, parts: Sequence[Part]) -> list[int]:
        upos = [n for row, size, _ in parts for n in row[:size]]
        heads = [n + at if n else 0 for row, size, at in parts for n in row[size : 2 * size]]
        relations = [n for row, size, _ in parts for n in row[2 * size :]]
        return upos + heads + relations

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Dependencies:
        size = len(analysis[TOKENS])
        upos, relations = labels["upos"], labels["rel"]
        if len(numbers) != 3 * size:
            raise ValueError(f"{len(numbers)} numbers for {size} words")
        return Dependencies(
            tuple([upos[n] for n in numbers[:size]]),
            tuple([n - 1 for n in numbers[size : 2 * size]]),
            tuple([relations[n] for n in numbers[2 * size :]]),
        )

    def to_json(self, value: Dependencies) -> Any:
        return {
            "upos": list(value.upos),
            "heads": list(value.heads),
            "relations": list(value.relations),
        }

    def from_json(self, data: Any) -> Dependencies:
        return Dependencies(tuple(data["upos"]), tuple(data["heads"]), tuple(data["relations"]))

    def check(self, value: Dependencies, analysis: Analysis) -> None:
        size = len(analysis.get(TOKENS) or ())
        if not len(value.upos) == len(value.heads) == len(value.relations) == size:
            raise InputError("dependencies need one part of speech, head and relation a token.")

    def draw(self, value: Dependencies, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms
        width = max((len(form) for form in forms), default=0)
        for i, form in enumerate(forms):
            head = "root"
            if value.heads[i] >= 0:
                head = f"{value.relations[i]} ← {forms[value.heads[i]]}"
            yield f"{i + 1:>3}  {form:<{width}}  {value.upos[i]:<5}  {head}"


DEPENDENCIES = _Dependencies()


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
