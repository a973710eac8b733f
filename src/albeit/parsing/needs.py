"""Define what a metric needs (layers, each of one side), and annotate texts for several metrics.

Layers of a text index one sequence of words, so those of *one* metric come from one annotator;
those of several metrics can come from several. Which one depends only on what that metric reads,
not on the other metrics of a run or on the cache.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar, cast

from albeit.data.levels import Unit
from albeit.errors import LanguageError
from albeit.parsing.annotator import Annotator, find
from albeit.parsing.layers import TEXT, Analysis, AnyLayer

K = TypeVar("K", str, tuple[str, ...])
"""A line, or the lines of a document."""


class Side(StrEnum):
    """The text: ``Side.HYPOTHESIS``, ``Side.REFERENCE``, or ``Side.SOURCE``."""

    HYPOTHESIS = "hypothesis"
    REFERENCE = "reference"
    SOURCE = "source"


@dataclass(frozen=True, init=False)
class Need:
    """One layer of one side, which a metric reads.

    :param layer: what is read (:data:`albeit.parsing.layers.TEXT` is the text itself)
    :param side: hypothesis, reference, or source
    :param unit: by line or by document [default: the layer's unit]
    :param optional: used if the set has this side; signatures state whether it was

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
    """Return the needs of these layers of one side."""
    return frozenset(Need(layer, side, optional=optional) for layer in layers)


def compared(*layers: AnyLayer) -> frozenset[Need]:
    """Return the needs of these layers of the hypothesis and of its references."""
    return read(*layers, side=Side.HYPOTHESIS) | read(*layers, side=Side.REFERENCE)


def annotated_needs(needs: Iterable[Need], unit: Unit, sides: Collection[Side]) -> frozenset[Need]:
    """Return the needs of some sides that must be annotated: all except the text itself."""
    return frozenset(
        need
        for need in needs
        if need.side in sides and need.unit is unit and need.layer is not TEXT
    )


def layers_of(
    needs: Iterable[Need], *sides: Side, unit: Unit = Unit.SEGMENT
) -> frozenset[AnyLayer]:
    """Return the layers of these sides that must be annotated: all except the text itself."""
    return frozenset(need.layer for need in annotated_needs(needs, unit, sides))


class ByNeeds(ChainMap[K, Analysis], Generic[K]):
    """Annotations of the same texts by several annotators, found by what a metric needs.

    As a mapping it has those of the first annotator, often the only one.
    """

    def __init__(self, found: Mapping[frozenset[Need], Mapping[K, Analysis]]) -> None:
        first: Any = next(iter(found.values()), {})
        super().__init__(first)
        self._found: Mapping[frozenset[Need], Mapping[K, Analysis]] = found

    def of(self, needs: frozenset[Need]) -> Mapping[K, Analysis]:
        """Return the annotations made for these needs; for those of a composite, all of them."""
        return self._found.get(needs, self)


def annotated(
    every: Iterable[frozenset[Need]],
    unit: Unit,
    sides: tuple[Side, ...],
    lang: str,
    contents: Callable[[Side], Iterable[K]],
    annotate: Callable[..., Mapping[K, Analysis]],
) -> ByNeeds[K]:
    """Annotate what several metrics need of lines, or of documents, of some sides.

    Each annotator reads each text once.

    :param every: the needs of each metric
    :param contents: returns the texts of a side
    :param annotate: annotates texts with layers, by an annotator (:func:`albeit.parsing.annotate`)
    """
    shares: dict[Annotator | None, set[Need]] = {}
    makers: dict[frozenset[Need], Annotator | None] = {}
    for needs in every:
        own = annotated_needs(needs, unit, sides)
        if own and own not in makers:
            try:
                makers[own] = find(frozenset(need.layer for need in own), lang, unit)
            except LanguageError:
                makers[own] = None  # all annotations are supplied by the user
            shares.setdefault(makers[own], set()).update(own)
    made = {
        maker: _annotate_share(share, unit, sides, contents, partial(annotate, annotator=maker))
        for maker, share in shares.items()
    }
    return ByNeeds({own: made[maker] for own, maker in makers.items()})


def _annotate_share(
    needs: set[Need],
    unit: Unit,
    sides: tuple[Side, ...],
    contents: Callable[[Side], Iterable[K]],
    annotate: Callable[..., Mapping[K, Analysis]],
) -> Mapping[K, Analysis]:
    """Annotate the texts of each side with its layers; a text of two sides with those of both."""
    wanted: dict[K, frozenset[AnyLayer]] = {}
    for side in sides:
        if layers := layers_of(needs, side, unit=unit):
            for content in dict.fromkeys(contents(side)):
                wanted[content] = wanted.get(content, layers) | layers
    groups: dict[frozenset[AnyLayer], list[K]] = {}
    for content, layers in wanted.items():
        groups.setdefault(layers, []).append(content)
    found = [annotate(some, layers) for layers, some in groups.items()]
    return found[0] if len(found) == 1 else ChainMap(*cast("list[dict[K, Analysis]]", found))
