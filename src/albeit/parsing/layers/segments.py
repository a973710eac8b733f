"""Define the layers of single texts.

They are tokens, sentences, and discourse units; connectives, named entities, dependencies, and
semantic roles; and embeddings. Trees are in :mod:`albeit.parsing.layers.trees`. NumPy is imported
where it is used, because commands that only need names must start fast.

Annotations stay packed in the store and in memory until they are read. Labels are packed as
indices into the model's labels, so a record is only valid for the model version that made it.
"""

from __future__ import annotations

import base64
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from albeit.arrays import Floats32, Ints32
from albeit.errors import InputError
from albeit.parsing.needs import Analysis, Layer, Row, Span, T_co, Tokens

Spans = tuple[Span, ...]
Labels = Mapping[str, Sequence[str]]
"""A model's labels, by kind of label."""


class Part(NamedTuple):
    """The model's output for one sentence of a text, as numbers from its first word."""

    numbers: list[int]
    size: int
    """Number of words in the sentence."""
    at: int
    """Index of its first word in the text."""


class Numbered(Layer[T_co]):
    """A layer that a model makes sentence by sentence, as numbers instead of labels.

    150,000 packed texts take tens of megabytes; as Python objects they would take gigabytes.
    """

    def join(self, parts: Sequence[Part]) -> list[int]:
        """Return the numbers of several sentences as those of one text: (start, stop, label)."""
        return [n for part in parts for n in self.shift(part.numbers, part.at)]

    @staticmethod
    def triples(numbers: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Yield numbers three by three."""
        return zip(*[iter(numbers)] * 3, strict=True)

    @staticmethod
    def shift(numbers: Sequence[int], by: int) -> list[int]:
        """Add a number to the first two of every three."""
        return [n if i % 3 == 2 else n + by for i, n in enumerate(numbers)]

    @abstractmethod
    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> T_co:
        """Return the value; ``analysis`` has the layers that this one rests on."""


def pack_numbers(numbers: Sequence[int]) -> bytes:
    """Return numbers as bytes, as narrow as possible; the first byte is the type."""
    try:
        return b"H" + array("H", numbers).tobytes()
    except OverflowError:
        return b"I" + array("I", numbers).tobytes()


def unpack_numbers(record: bytes) -> list[int]:
    """Return the numbers of a record."""
    numbers = array(record[:1].decode("ascii"))
    numbers.frombytes(record[1:])
    return numbers.tolist()


class _Tokens(Layer[Tokens]):
    name = "tokens"

    def from_json(self, data: Any) -> Tokens:
        value = super().from_json(data)
        if len(value.forms) != len(value.offsets):
            raise InputError(f"{len(value.forms)} tokens have {len(value.offsets)} offsets.")
        return value

    def render(self, value: Tokens, analysis: Analysis) -> Iterator[str]:
        yield " · ".join(value.forms)


TOKENS = _Tokens()


def join_words(analysis: Analysis, start: int, stop: int) -> str:
    """Return the words of a range with spaces between them."""
    return " ".join(analysis[TOKENS].forms[start:stop])


class _Sentences(Layer[Spans]):
    name = "sentences"
    rests_on = (TOKENS,)

    def render(self, value: Spans, analysis: Analysis) -> Iterator[str]:
        for span in value:
            yield join_words(analysis, *span)


SENTENCES = _Sentences()


class _Edus(Numbered[Spans]):
    """Elementary discourse units. Numbers: the first word of each unit."""

    name = "edus"
    rests_on = (TOKENS,)

    def join(self, parts: Sequence[Part]) -> list[int]:
        return [n + at for numbers, _, at in parts for n in numbers]

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Spans:
        return tuple(pairwise([*numbers, len(analysis[TOKENS])]))

    def render(self, value: Spans, analysis: Analysis) -> Iterator[str]:
        for number, span in enumerate(value, 1):
            yield f"{number:>3}  {join_words(analysis, *span)}"


EDUS = _Edus()


@dataclass(frozen=True, slots=True)
class Connective:
    """An explicit connective: its tokens (can be discontinuous) and its PDTB sense."""

    tokens: tuple[int, ...]
    sense: str


Connectives = tuple[Connective, ...]


class _Connectives(Numbered[Connectives]):
    """Explicit discourse connectives and their senses. Numbers: (start, stop, sense)."""

    name = "connectives"
    rests_on = (TOKENS,)

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Connectives:
        senses = labels["sense"]
        triples = self.triples(numbers)
        return tuple([Connective(tuple(range(a, b)), senses[n]) for a, b, n in triples])

    def render(self, value: Connectives, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms
        for connective in value:
            yield f"{' '.join(forms[i] for i in connective.tokens)}  {connective.sense}"


CONNECTIVES = _Connectives()


@dataclass(frozen=True, slots=True)
class Entity(Row):
    """A named entity over tokens ``start`` to ``stop``."""

    kind: str
    start: int
    stop: int


Entities = tuple[Entity, ...]


class _Entities(Numbered[Entities]):
    """Named entities. Numbers: (start, stop, kind)."""

    name = "entities"
    rests_on = (TOKENS,)

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Entities:
        names = labels["entity"]
        return tuple([Entity(names[kind], a, b) for a, b, kind in self.triples(numbers)])

    def render(self, value: Entities, analysis: Analysis) -> Iterator[str]:
        for entity in value:
            yield f"{entity.kind:<13} {join_words(analysis, entity.start, entity.stop)}"


ENTITIES = _Entities()


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Universal dependencies: part of speech, head (-1 for a root), and relation per token."""

    upos: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()


class _Dependencies(Numbered[Dependencies]):
    """Numbers: parts of speech, then heads (plus one; 0 is the root), then relations."""

    name = "dependencies"
    rests_on = (TOKENS,)

    def join(self, parts: Sequence[Part]) -> list[int]:
        upos = [n for row, size, _ in parts for n in row[:size]]
        heads = [n + at if n else 0 for row, size, at in parts for n in row[size : 2 * size]]
        return upos + heads + [n for row, size, _ in parts for n in row[2 * size :]]

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Dependencies:
        size = len(analysis[TOKENS])
        upos, relations = labels["upos"], labels["rel"]
        return Dependencies(
            tuple([upos[n] for n in numbers[:size]]),
            tuple([n - 1 for n in numbers[size : 2 * size]]),
            tuple([relations[n] for n in numbers[2 * size :]]),
        )

    def check(self, value: Dependencies, analysis: Analysis) -> None:
        size = len(analysis.get(TOKENS) or ())
        if not len(value.upos) == len(value.heads) == len(value.relations) == size:
            raise InputError("dependencies need one part of speech, head, and relation per token.")

    def render(self, value: Dependencies, analysis: Analysis) -> Iterator[str]:
        forms = analysis[TOKENS].forms
        width = max((len(form) for form in forms), default=0)
        rows = zip(forms, value.upos, value.heads, value.relations, strict=True)
        for number, (form, upos, head, relation) in enumerate(rows, 1):
            to = f"{relation} ← {forms[head]}" if head >= 0 else "root"
            yield f"{number:>3}  {form:<{width}}  {upos:<5}  {to}"


DEPENDENCIES = _Dependencies()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A PropBank predicate at ``token`` with its arguments as (role, start, stop)."""

    token: int
    arguments: tuple[tuple[str, int, int], ...]


Predicates = tuple[Predicate, ...]


class _Roles(Numbered[Predicates]):
    """Numbers: token, number of arguments, then (role, start, stop) each."""

    name = "roles"
    rests_on = (TOKENS,)

    def join(self, parts: Sequence[Part]) -> list[int]:
        joined = []
        for numbers, _, at in parts:
            for token, arguments in self._split(numbers):
                joined += [token + at, len(arguments)]
                for role, start, stop in arguments:
                    joined += [role, start + at, stop + at]
        return joined

    def decode(self, numbers: Sequence[int], analysis: Analysis, labels: Labels) -> Predicates:
        names = labels["role"]
        return tuple(
            Predicate(token, tuple([(names[role], a, b) for role, a, b in arguments]))
            for token, arguments in self._split(numbers)
        )

    def _split(self, numbers: Sequence[int]) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
        """Yield each token with its arguments."""
        at = 0
        while at < len(numbers):
            stop = at + 2 + 3 * numbers[at + 1]
            yield numbers[at], list(self.triples(numbers[at + 2 : stop]))
            at = stop

    def render(self, value: Predicates, analysis: Analysis) -> Iterator[str]:
        for predicate in value:
            yield analysis[TOKENS].forms[predicate.token]
            for role, start, stop in predicate.arguments:
                yield f"  {role:<9} {join_words(analysis, start, stop)}"


ROLES = _Roles()


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Contextual embeddings of the subwords, with unit length, one row per subword.

    ``words`` has the token index of each row.
    """

    rows: Floats32
    words: Ints32

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vectors) and VECTORS.to_json(self) == VECTORS.to_json(other)


class _Vectors(Layer[Vectors]):
    """Packed in half precision; callers never see more."""

    name = "vectors"
    rests_on = (TOKENS,)

    def empty(self) -> Vectors:
        import numpy as np

        return Vectors(np.zeros((0, 0), np.float32), np.zeros(0, np.int32))

    def pack(self, value: Vectors) -> bytes:
        import numpy as np

        head = np.array(value.rows.shape, dtype="<u4")
        words, rows = value.words.astype("<u4"), value.rows.astype("<f2")
        return head.tobytes() + words.tobytes() + rows.tobytes()

    def unpack(self, record: bytes) -> Vectors:
        import numpy as np

        count, width = (int(n) for n in np.frombuffer(record, "<u4", 2))
        words = np.frombuffer(record, "<u4", count, offset=8).astype(np.int32)
        rows = np.frombuffer(record, "<f2", count * width, offset=8 + 4 * count)
        return Vectors(rows.reshape(count, width).astype(np.float32), words)

    def to_json(self, value: Vectors) -> Any:
        rows = base64.b64encode(value.rows.astype("<f4").tobytes()).decode("ascii")
        return {"words": value.words.tolist(), "shape": list(value.rows.shape), "float32": rows}

    def from_json(self, data: Any) -> Vectors:
        import numpy as np

        rows = np.frombuffer(base64.b64decode(data["float32"]), dtype="<f4").reshape(data["shape"])
        return Vectors(rows.astype(np.float32), np.asarray(data["words"], dtype=np.int32))

    def render(self, value: Vectors, analysis: Analysis) -> Iterator[str]:
        count, width = value.rows.shape
        yield f"{count} vectors of {width} numbers (see -f json)"


VECTORS = _Vectors()
