"""Universal dependencies: part of speech, head and relation of each word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from albeit.annotate.layer import Analysis, Labels, Numbered, Part
from albeit.annotate.layers.text import TOKENS
from albeit.errors import InputError

__all__ = ["DEPENDENCIES", "Dependencies"]


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
