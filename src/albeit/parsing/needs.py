"""Define what a metric needs: layers, each of one side, by line or by document."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from albeit.data.levels import Unit
from albeit.parsing.layers.base import AnyLayer
from albeit.parsing.layers.segments import TEXT

__all__ = ["Need", "Side", "annotated_needs", "compared", "layers_of", "read"]


class Side(StrEnum):
    """The text: ``Side.HYPOTHESIS``, ``Side.REFERENCE``, or ``Side.SOURCE``."""

    HYPOTHESIS = "hypothesis"
    REFERENCE = "reference"
    SOURCE = "source"


@dataclass(frozen=True, init=False)
class Need:
    """One layer of one side, which a metric reads.

    :param layer: what is read (:data:`albeit.parsing.layers.TEXT` is the text itself)
    :param side: of translation, reference or source
    :param unit: by line or by document (default: as the layer is made)
    :param optional: used where the side is there; signatures say whether it was

    >>> import albeit
    >>> from albeit.parsing.layers import RST
    >>> albeit.Need(RST, albeit.Side.REFERENCE) in albeit.metric("dr").needs
    True
    """

    layer: AnyLayer
    side: Side
    unit: Unit
    optional: bool

    def __init__(
        self, layer: AnyLayer, side: Side, unit: Unit | None = None, *, optional: bool = False
    ) -> None:
        object.__setattr__(self, "layer", layer)
        object.__setattr__(self, "side", side)
        object.__setattr__(self, "unit", layer.unit if unit is None else unit)
        object.__setattr__(self, "optional", optional)

    def __str__(self) -> str:
        return f"{self.layer} of the {self.side}"


def read(*layers: AnyLayer, side: Side, optional: bool = False) -> frozenset[Need]:
    """These layers of one side."""
    return frozenset(Need(layer, side, optional=optional) for layer in layers)


def compared(*layers: AnyLayer) -> frozenset[Need]:
    """These layers of the translation and of its references."""
    return read(*layers, side=Side.HYPOTHESIS) | read(*layers, side=Side.REFERENCE)


def annotated_needs(needs: Iterable[Need], unit: Unit, sides: Collection[Side]) -> frozenset[Need]:
    """Those of some sides that must be annotated: all that is not the text itself."""
    return frozenset(
        need
        for need in needs
        if need.side in sides and need.unit is unit and need.layer is not TEXT
    )


def layers_of(
    needs: Iterable[Need], *sides: Side, unit: Unit = Unit.SEGMENT
) -> frozenset[AnyLayer]:
    """The layers that must be annotated for these sides: all that is not the text itself."""
    return frozenset(need.layer for need in annotated_needs(needs, unit, sides))
