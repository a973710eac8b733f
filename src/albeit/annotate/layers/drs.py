"""Boxes of discourse representation theory, built by rule from dependencies and roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from albeit.annotate.layer import Analysis, Layer
from albeit.annotate.layers.dependencies import DEPENDENCIES
from albeit.annotate.layers.roles import ROLES
from albeit.annotate.layers.tokens import TOKENS

__all__ = ["DRS", "Box", "Condition"]


@dataclass(frozen=True)
class Condition:
    """One condition of a box: its type, symbol, arguments, the tokens it rests on, inner boxes."""

    type: str
    symbol: str = ""
    arguments: tuple[str, ...] = ()
    tokens: tuple[int, ...] = ()
    boxes: tuple[Box, ...] = ()


@dataclass
class Box:
    """A DRS: referents and the conditions on them."""

    referents: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    def walk(self) -> Iterator[Condition]:
        """All conditions, those of inner boxes after their own."""
        for condition in self.conditions:
            yield condition
            for box in condition.boxes:
                yield from box.walk()

    def __str__(self) -> str:
        """Box notation in text: ``[x1 e1 | bank(x1), lend(e1), ARG0(e1,x1)]``."""
        shown = []
        for c in self.conditions:
            inside = ", ".join([*c.arguments, *map(str, c.boxes)])
            shown.append(f"{c.symbol or c.type}({inside})")
        return f"[{' '.join(self.referents)} | {', '.join(shown)}]"


class _Drs(Layer[Box]):
    name = "drs"
    rests_on = (TOKENS, DEPENDENCIES, ROLES)
    derived = True

    def empty(self) -> Box:
        return Box()

    def derive(self, analysis: Analysis) -> Box:
        from albeit.annotate.drs import build  # which reads layers

        return build(analysis)

    def to_json(self, value: Box) -> Any:
        conditions = [
            [c.type, c.symbol, list(c.arguments), list(c.tokens), list(map(self.to_json, c.boxes))]
            for c in value.conditions
        ]
        return {"referents": list(value.referents), "conditions": conditions}

    def from_json(self, data: Any) -> Box:
        conditions = [
            Condition(
                str(kind),
                str(symbol),
                tuple(map(str, arguments)),
                tuple(map(int, tokens)),
                tuple(map(self.from_json, boxes)),
            )
            for kind, symbol, arguments, tokens, boxes in data["conditions"]
        ]
        return Box(list(map(str, data["referents"])), conditions)

    def draw(self, value: Box, analysis: Analysis) -> Iterator[str]:
        yield str(value)


DRS = _Drs()
