"""What a layer is, and what an analysis is: the values of some layers for one text.

A layer is a value of its own that knows all there is to know about one kind of annotation:
what it is empty, how it is packed, joined, written to JSON and drawn. An analysis is indexed
by layers and gives each one's own type: ``analysis[RST].nuclearity``.

Positions are token indices, 0-based; ranges are half open. A segment may hold several
sentences; all layers index the segment's one token sequence.

Numbers as a few bytes, and back.

Analyses are kept packed, in the cache and in memory, until somebody looks at them. Labels
are packed as their numbers in the model's inventory, so a record means something only
together with the model version it was made by.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from albeit.data.levels import Unit

__all__ = [
    "Analysis",
    "AnyLayer",
    "Labels",
    "Layer",
    "Numbered",
    "Part",
    "Span",
    "joined",
    "pack_numbers",
    "unpack_numbers",
]


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
V = TypeVar("V")
Span = tuple[int, int]
Labels = Mapping[str, Sequence[str]]
"""A model's label inventory, by kind of label."""


class Layer(ABC, Generic[T_co]):
    """One kind of annotation, whose values have type ``T_co``. A module makes one object of it.

    ``name`` stands in files, caches and options. ``rests_on`` names the layers without which
    this one means nothing; whoever asks for this one gets them too. A layer that follows from
    those alone has :meth:`derive`, and no annotator makes it.

    >>> from albeit.parsing.layers import layer
    >>> rst = layer("rst")
    >>> rst.name, [str(below) for below in rst.rests_on]
    ('rst', ['edus'])
    """

    name: str
    unit: Unit = Unit.SEGMENT
    rests_on: tuple[AnyLayer, ...] = ()
    derived: bool = False

    @abstractmethod
    def empty(self) -> T_co:
        """The value for a text without words."""

    @abstractmethod
    def to_json(self, value: Any) -> Any:
        """The value in plain JSON."""

    @abstractmethod
    def from_json(self, data: Any) -> T_co:
        """The value of such JSON; any ``KeyError``, ``TypeError`` or the like means it is none."""

    def to_fields(self, value: Any) -> dict[str, Any]:
        """What the value adds to the JSON object of a text."""
        return {self.name: self.to_json(value)}

    def from_fields(self, data: Mapping[str, Any]) -> T_co:
        """The value in the JSON object of a text, which has this layer's name."""
        return self.from_json(data[self.name])

    def check(self, value: Any, analysis: Analysis) -> None:
        """Raise ``InputError`` if a value from elsewhere does not fit the other layers."""

    def pack(self, value: Any) -> bytes:
        """The value as a record of the cache."""
        return json.dumps(self.to_json(value), separators=(",", ":")).encode()

    def unpack(self, record: bytes) -> T_co:
        """The value of such a record."""
        return self.from_json(json.loads(record))

    def draw(self, value: Any, analysis: Analysis) -> Iterator[str]:
        """Lines for people to read; ``analysis`` has the words."""
        yield json.dumps(self.to_json(value), ensure_ascii=False)

    def derive(self, analysis: Analysis) -> T_co:
        """The value, from the layers that this one rests on."""
        raise NotImplementedError(f"{self.name} does not follow from other layers")

    def same(self, ours: Any, theirs: Any) -> bool:
        """Whether two values are equal."""
        return bool(ours == theirs)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<layer {self.name}>"

    def __lt__(self, other: AnyLayer) -> bool:
        return self.name < other.name

    def __reduce__(self) -> tuple[object, ...]:
        """Another process has its own object of this name."""
        from albeit.parsing.layers import layer

        return layer, (self.name,)


AnyLayer = Layer[Any]


class Part(NamedTuple):
    """What a model says of one sentence of a text, in numbers that count from its first word."""

    numbers: list[int]
    size: int
    """How many words the sentence has."""
    at: int
    """Its first word in the text."""


class Numbered(Layer[T_co]):
    """A layer that a model gives sentence by sentence, as numbers instead of labels.

    150,000 texts packed so fit in tens of megabytes, as Python objects they would take
    gigabytes; they become values when somebody looks at them.
    """

    @abstractmethod
    def join(self, parts: Sequence[Part]) -> list[int]:
        """The numbers of several sentences as those of one text."""

    @abstractmethod
    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> T_co:
        """The value; ``analysis`` has the layers that this one rests on."""


class Analysis:
    """What was annotated of one text: a value per layer. It does not change.

    A text without tokens has empty layers, and its RST tree is ``None``.

    :param text: the line that was annotated
    :param values: what each layer says of it

    >>> from albeit.parsing import annotate
    >>> from albeit.parsing.layers import TOKENS
    >>> line = "It rained."
    >>> annotate([line], frozenset({TOKENS}), "en")[line][TOKENS].forms
    ('It', 'rained', '.')
    """

    __slots__ = ("_drawn", "_text", "_values")

    def __init__(self, text: str, values: Mapping[AnyLayer, Any]) -> None:
        self._text = text
        self._values = dict(values)
        self._drawn: dict[Hashable, Any] = {}

    @property
    def text(self) -> str:
        """What was analysed; of a document, its lines joined by line feeds."""
        return self._text

    def __getitem__(self, layer: Layer[T]) -> T:
        """The layer's value; absent means that nobody said it was needed."""
        try:
            value: T = self._values[layer]
        except KeyError:
            if layer in self:
                return self.draw(layer, layer.derive)
            raise RuntimeError(f"layer {layer} was used but not required") from None
        return value

    def get(self, layer: Layer[T]) -> T | None:
        """The layer's value, or ``None`` where it was not annotated."""
        if layer not in self:
            return None
        return self[layer]

    def __contains__(self, layer: AnyLayer) -> bool:
        """Whether the layer was annotated, or follows from what was."""
        if layer in self._values:
            return True
        return layer.derived and all(low in self for low in layer.rests_on)

    def __iter__(self) -> Iterator[AnyLayer]:
        """The layers that were annotated; not those that follow from them."""
        return iter(self._values)

    def draw(self, key: Hashable, make: Callable[[Analysis], V]) -> V:
        """``make(self)``, made once and kept as long as the analysis: a reference serves every system."""
        try:
            drawn: V = self._drawn[key]
        except KeyError:
            drawn = self._drawn[key] = make(self)
        return drawn

    def replace(self, text: str, values: Mapping[AnyLayer, Any]) -> Analysis:
        """The same with another text and other values of some layers."""
        return Analysis(text, {**self._values, **values})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Analysis):
            return NotImplemented
        return (
            self.text == other.text
            and self._values.keys() == other._values.keys()
            and all(layer.same(value, other[layer]) for layer, value in self._values.items())
        )

    def __repr__(self) -> str:
        return f"Analysis({self.text!r}, {', '.join(map(str, self._values))})"

    def __reduce__(self) -> tuple[object, ...]:
        return Analysis, (self.text, self._values)


def joined(analyses: Sequence[Analysis]) -> Analysis:
    """Several analyses of one text, each with layers of its own, as one."""
    values = {layer: each[layer] for each in analyses for layer in each}
    return Analysis(analyses[0].text, values)


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Numbers as bytes, as narrow as they allow; the first byte says how narrow."""
    try:
        return b"H" + array("H", numbers).tobytes()
    except OverflowError:
        return b"I" + array("I", numbers).tobytes()


def unpack_numbers(record: bytes) -> list[int]:
    """The numbers of a record."""
    numbers = array(record[:1].decode("ascii"))
    numbers.frombytes(record[1:])
    return numbers.tolist()
