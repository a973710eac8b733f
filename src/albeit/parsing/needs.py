"""Define layers and annotations, and what a metric needs: layers, each of one side.

A layer is one kind of annotation. It defines the empty value, the JSON form, the packed form,
and the text form. An annotation is indexed by layers: ``analysis[RST].nuclearity``.

Positions are token indices from 0, and ranges are half open. A segment can have several
sentences, and all layers index the segment's one token sequence.
"""

from __future__ import annotations

import json
from abc import ABC
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from albeit.data.evalset import Unit

_T = TypeVar("_T")
T_co = TypeVar("T_co", covariant=True)
_V = TypeVar("_V")


Span = tuple[int, int]


class Row:
    """Mark a dataclass whose JSON form is a list of its fields instead of an object."""

    __slots__ = ()


def to_plain(value: Any) -> Any:
    """Return a value as JSON values: numbers, texts, and tuples, lists, or dataclasses of these."""
    if is_dataclass(value):
        parts = {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
        return list(parts.values()) if isinstance(value, Row) else parts
    if isinstance(value, (tuple, list)):
        return [to_plain(each) for each in value]
    return value if isinstance(value, (str, int, float)) else value.item()  # a number of NumPy


@cache
def reader(form: Any) -> Callable[[Any], Any]:
    """Return the function that makes values of a type from JSON values.

    A type is ``int``, ``float``, ``str``, a ``Literal``, or a tuple, list, or dataclass of these.
    """
    if is_dataclass(form):
        return lambda data: _read_dataclass(form, data)
    origin, inner = get_origin(form), get_args(form)
    if origin is Literal:
        return lambda data: inner[inner.index(data)]
    if origin not in (tuple, list):
        plain: type = form
        return plain
    if origin is list or inner[-1] is Ellipsis:
        return lambda data: origin(map(reader(inner[0]), data))
    parts = [reader(each) for each in inner]
    return lambda data: tuple([read(item) for read, item in zip(parts, data, strict=True)])


def _read_dataclass(form: Any, data: Any) -> Any:
    readers = _field_readers(form)
    values = data if issubclass(form, Row) else [data[name] for name in readers]
    return form(*[read(value) for read, value in zip(readers.values(), values, strict=True)])


@cache
def _field_readers(form: Any) -> dict[str, Callable[[Any], Any]]:
    hints = get_type_hints(form)
    return {field.name: reader(hints[field.name]) for field in fields(form)}


class Layer(ABC, Generic[T_co]):
    """One kind of annotation, with values of type ``T_co``. Each layer has one object.

    ``name`` is used in files, stores, and options. ``rests_on`` names the layers that this one
    needs. A layer that follows from those alone is ``derived``, and defines :meth:`derive`.
    The type of values determines the JSON form.

    >>> from albeit.parsing.layers import layer
    >>> rst = layer("rst")
    >>> rst.name, [str(below) for below in rst.rests_on]
    ('rst', ['edus'])
    """

    name: str
    unit: Unit = Unit.SEGMENT
    rests_on: tuple[AnyLayer, ...] = ()
    derived: bool = False
    form: Any = tuple

    def __init_subclass__(cls) -> None:
        for base in cls.__dict__.get("__orig_bases__", ()):
            for form in get_args(base):
                cls.form = form

    def empty(self) -> T_co:
        """Return the value for a text without words."""
        value: T_co = self.form()
        return value

    def to_json(self, value: Any) -> Any:
        """Return the value as plain JSON values."""
        return to_plain(value)

    def from_json(self, data: Any) -> T_co:
        """Return the value of such JSON; a ``KeyError``, ``TypeError``, or similar is an error."""
        value: T_co = reader(self.form)(data)
        return value

    def check(self, value: Any, analysis: Analysis) -> None:
        """Raise ``InputError`` if a supplied value doesn't fit the other layers."""

    def pack(self, value: Any) -> bytes:
        """Return the value as a record for the store."""
        return json.dumps(self.to_json(value), separators=(",", ":")).encode()

    def unpack(self, record: bytes) -> T_co:
        """Return the value of such a record."""
        return self.from_json(json.loads(record))

    def render(self, value: Any, analysis: Analysis) -> Iterator[str]:
        """Yield lines for a terminal; ``analysis`` has the words."""
        yield json.dumps(self.to_json(value), ensure_ascii=False)

    def derive(self, analysis: Analysis) -> T_co:
        """Return the value, from the layers that this one rests on."""
        raise NotImplementedError(f"{self.name} doesn't follow from other layers")

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<layer {self.name}>"

    def __lt__(self, other: AnyLayer) -> bool:
        return self.name < other.name

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by name: another process has its own object."""
        from albeit.parsing.layers import layer

        return layer, (self.name,)


AnyLayer = Layer[Any]


class _Text(Layer[str]):
    name = "text"
    derived = True

    def derive(self, analysis: Analysis) -> str:
        return analysis.text

    def render(self, value: str, analysis: Analysis) -> Iterator[str]:
        yield value


TEXT = _Text()


class Analysis:
    """The annotation of one text: a value per layer. It doesn't change.

    A text without tokens has empty layers, and its RST tree is ``None``.

    :param text: the line that was annotated; of a document, its lines joined by line feeds
    :param values: the value of each layer

    >>> from albeit.parsing import annotate
    >>> from albeit.parsing.layers import TOKENS
    >>> line = "It rained."
    >>> annotate([line], frozenset({TOKENS}), "en")[line][TOKENS].forms
    ('It', 'rained', '.')
    """

    __slots__ = ("_memo", "_values", "text")

    def __init__(self, text: str, values: Mapping[AnyLayer, Any]) -> None:
        self.text = text
        self._values = dict(values)
        self._memo: dict[Hashable, Any] = {}

    def __getitem__(self, layer: Layer[_T]) -> _T:
        """Return the layer's value; raise if no metric required it."""
        try:
            value: _T = self._values[layer]
        except KeyError:
            if layer in self:
                return self.memoize(layer, layer.derive)
            raise RuntimeError(f"layer {layer} was used but not required") from None
        return value

    def get(self, layer: Layer[_T]) -> _T | None:
        """Return the layer's value, or ``None`` if it wasn't annotated."""
        if layer not in self:
            return None
        return self[layer]

    def __contains__(self, layer: AnyLayer) -> bool:
        """Return whether the layer was annotated, or follows from those that were."""
        if layer in self._values:
            return True
        return layer.derived and all(low in self for low in layer.rests_on)

    def __iter__(self) -> Iterator[AnyLayer]:
        """Iterate over the annotated layers, without those that follow from them."""
        return iter(self._values)

    def memoize(self, key: Hashable, compute: Callable[[Analysis], _V]) -> _V:
        """Return ``compute(self)``, computed once: every system is compared with a reference."""
        try:
            value: _V = self._memo[key]
        except KeyError:
            value = self._memo[key] = compute(self)
        return value

    def replace(self, text: str, values: Mapping[AnyLayer, Any]) -> Analysis:
        """Return a copy with another text and other values of some layers."""
        return Analysis(text, {**self._values, **values})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Analysis):
            return NotImplemented
        return self.text == other.text and self._values == other._values

    def __repr__(self) -> str:
        return f"Analysis({self.text!r}, {', '.join(map(str, self._values))})"

    def __reduce__(self) -> tuple[object, ...]:
        return Analysis, (self.text, self._values)


Annotations = Mapping[str, Analysis]
"""Annotations by text."""


def closure(wanted: frozenset[AnyLayer]) -> frozenset[AnyLayer]:
    """Return these layers and all that they rest on."""
    below = frozenset(low for each in wanted for low in each.rests_on)
    return wanted if below <= wanted else closure(wanted | below)


@dataclass(frozen=True, slots=True)
class Tokens(Row):
    """The words of a text and their character offsets in it.

    Words that the text contracts (German *zum* for *zu dem*) have the same offsets.
    """

    forms: tuple[str, ...] = ()
    offsets: tuple[Span, ...] = ()

    def __len__(self) -> int:
        return len(self.forms)

    def groups(self) -> Iterator[tuple[int, int]]:
        """Yield the range of all words that have the same offsets."""
        first = 0
        for stop in range(1, len(self) + 1):
            if stop == len(self) or self.offsets[stop] != self.offsets[first]:
                yield first, stop
                first = stop


class Side(StrEnum):
    """The text: ``Side.HYPOTHESIS``, ``Side.REFERENCE``, or ``Side.SOURCE``."""

    HYPOTHESIS = "hypothesis"
    REFERENCE = "reference"
    SOURCE = "source"


@dataclass(frozen=True)
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
    unit: Unit = None  # type: ignore[assignment]
    optional: bool = False

    def __post_init__(self) -> None:
        if self.unit is None:
            object.__setattr__(self, "unit", self.layer.unit)

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
