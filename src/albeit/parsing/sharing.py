"""Who makes what each metric reads: one annotator for all the layers that a metric reads of a text.

Layers of a text point into one sequence of words, so those of *one* metric come from one
annotator; those of several metrics may come from several. Which one depends on what that metric
reads alone, and so neither on the other metrics of a run nor on what a cache holds.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar, cast

from albeit.data.levels import Unit
from albeit.errors import LanguageError
from albeit.parsing.annotator import Annotator, find
from albeit.parsing.layers.base import Analysis, AnyLayer
from albeit.parsing.needs import Need, Side, annotated_needs, layers_of

__all__ = ["ByNeeds", "annotated"]

K = TypeVar("K", str, tuple[str, ...])
"""What is analysed as one: a line, or the lines of a document."""


class Annotate(Protocol[K]):
    """What makes layers of texts, or of documents: ``albeit.parsing.annotate`` and its like."""

    def __call__(
        self, contents: list[K], layers: frozenset[AnyLayer], /, *, annotator: Annotator | None
    ) -> Mapping[K, Analysis]:
        """The analysis of each."""


class ByNeeds(Mapping[K, Analysis], Generic[K]):
    """Analyses of the same texts by several annotators, found by what a metric needs.

    As a mapping it holds those of the first: all there are, where one annotator made them.
    """

    def __init__(self, found: Mapping[frozenset[Need], Mapping[K, Analysis]]) -> None:
        self._found: dict[frozenset[Need], Mapping[K, Analysis]] = dict(found)
        self._first: Mapping[K, Analysis] = next(iter(self._found.values()), {})

    def of(self, needs: frozenset[Need]) -> Mapping[K, Analysis]:
        """Return the annotations made for these needs; for those of a composite, all of them."""
        return self._found.get(needs, self)

    def __getitem__(self, content: K) -> Analysis:
        return self._first[content]

    def __iter__(self) -> Iterator[K]:
        return iter(self._first)

    def __len__(self) -> int:
        return len(self._first)


def annotated(
    every: Iterable[frozenset[Need]],
    unit: Unit,
    sides: tuple[Side, ...],
    lang: str,
    contents: Callable[[Side], Iterable[K]],
    annotate: Annotate[K],
) -> ByNeeds[K]:
    """What several metrics need of lines, or of documents, of some sides; each text once a maker.

    ``every`` are the needs of each metric, ``contents`` the texts of a side.
    """
    shares: dict[Annotator | None, set[Need]] = {}
    makers: dict[frozenset[Need], Annotator | None] = {}
    for needs in every:
        own = annotated_needs(needs, unit, sides)
        if own and own not in makers:
            makers[own] = _maker(frozenset(need.layer for need in own), lang, unit)
            shares.setdefault(makers[own], set()).update(own)
    made = {
        maker: _side_by_side(needs, unit, sides, maker, contents, annotate)
        for maker, needs in shares.items()
    }
    return ByNeeds({own: made[maker] for own, maker in makers.items()})


def _maker(layers: frozenset[AnyLayer], lang: str, unit: Unit) -> Annotator | None:
    """Who makes these layers; nobody, where a user's annotations are all there is."""
    try:
        return find(layers, lang, unit)
    except LanguageError:
        return None


def _side_by_side(
    needs: Iterable[Need],
    unit: Unit,
    sides: tuple[Side, ...],
    maker: Annotator | None,
    contents: Callable[[Side], Iterable[K]],
    annotate: Annotate[K],
) -> Mapping[K, Analysis]:
    """The texts of each side with its layers; what stands on two sides has those of both."""
    own = list(needs)
    wanted: dict[K, frozenset[AnyLayer]] = {}
    for side in sides:
        layers = layers_of(own, side, unit=unit)
        if layers:
            for content in dict.fromkeys(contents(side)):
                wanted[content] = wanted.get(content, layers) | layers
    groups: dict[frozenset[AnyLayer], list[K]] = {}
    for content, layers in wanted.items():
        groups.setdefault(layers, []).append(content)
    found = [annotate(some, layers, annotator=maker) for layers, some in groups.items()]
    if len(found) < 2:
        return found[0] if found else {}
    return ChainMap(*cast("list[dict[K, Analysis]]", found))
