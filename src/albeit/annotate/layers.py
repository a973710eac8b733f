"""The layers of an analysis: what annotators produce and metrics ask for.

Positions are token indices, 0-based; ranges are half open. A segment may hold several
sentences; all layers index the segment's one token sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:  # names of layers are wanted where NumPy's import would be felt
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Analysis",
    "Connective",
    "Constituent",
    "Dependencies",
    "Entity",
    "Layer",
    "Predicate",
    "RstNode",
    "Tokens",
    "Vectors",
    "blank",
    "given",
]

T = TypeVar("T")
Span = tuple[int, int]
Nuclearity = Literal["NS", "SN", "NN"]


class Layer(StrEnum):
    """What can be known of a text, by name."""

    TOKENS = "tokens"
    SENTENCES = "sentences"
    EDUS = "edus"
    RST = "rst"
    DEPENDENCIES = "dependencies"
    CONSTITUENTS = "constituents"
    ROLES = "roles"
    CONNECTIVES = "connectives"
    ENTITIES = "entities"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text and where they stand in it (character offsets).

    Words that the text writes as one without spelling them out (German *zum* for *zu dem*)
    share its place.
    """

    forms: tuple[str, ...]
    offsets: tuple[Span, ...]

    def __len__(self) -> int:
        return len(self.forms)

    def groups(self) -> Iterator[tuple[int, int]]:
        """First word and the one after the last of all words that share a place."""
        first = 0
        for stop in range(1, len(self) + 1):
            if stop == len(self) or self.offsets[stop] != self.offsets[first]:
                yield first, stop
                first = stop


@dataclass(frozen=True, slots=True)
class RstNode:
    """A node of a binary RST tree over EDUs ``first`` to ``last`` (inclusive, 0-based).

    A leaf has no children, and its ``relation`` and ``nuclearity`` are empty. An inner
    node's ``nuclearity`` tells which child is nucleus ("NS": the left one) and
    ``relation`` names the coarse relation between its children.
    """

    first: int
    last: int
    nuclearity: Nuclearity | Literal[""] = ""
    relation: str = ""
    left: RstNode | None = None
    right: RstNode | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether this is one EDU."""
        return self.left is None

    def children(self) -> tuple[RstNode, ...]:
        """The two children, or none."""
        return () if self.left is None or self.right is None else (self.left, self.right)

    def walk(self) -> Iterator[RstNode]:
        """All nodes, parents before children, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))


@dataclass(frozen=True, slots=True)
class Dependencies:
    """UD analysis: part of speech, head (token index; -1 for a root) and relation a token."""

    upos: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constituent:
    """A phrase ``label`` over tokens ``start`` to ``stop``; a part of speech where it is a leaf."""

    label: str
    start: int
    stop: int
    children: tuple[Constituent, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A PropBank predicate at ``token`` with its arguments as (role, start, stop)."""

    token: int
    arguments: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Connective:
    """An explicit connective: its tokens (maybe apart) and its sense ("Contingency.Cause")."""

    tokens: tuple[int, ...]
    sense: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity over tokens ``start`` to ``stop``."""

    kind: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Contextual vectors of the subword tokens, unit length, one row a subword.

    ``words`` gives the token index each row belongs to.
    """

    rows: npt.NDArray[np.float32]
    words: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that was annotated of one text; a layer that was not asked for is ``None``.

    A text without tokens has empty layers and no RST tree.
    """

    text: str
    tokens: Tokens | None = None
    sentences: tuple[Span, ...] | None = None
    edus: tuple[Span, ...] | None = None
    rst: RstNode | None = None
    dependencies: Dependencies | None = None
    constituents: tuple[Constituent, ...] | None = None
    roles: tuple[Predicate, ...] | None = None
    connectives: tuple[Connective, ...] | None = None
    entities: tuple[Entity, ...] | None = None
    vectors: Vectors | None = None


def blank(text: str) -> Analysis:
    """The analysis of a text without words: every layer is there, and empty."""
    import numpy as np

    vectors = Vectors(np.zeros((0, 0), np.float32), np.zeros(0, np.int32))
    return Analysis(
        text, Tokens((), ()), (), (), None, Dependencies((), (), ()), (), (), (), (), vectors
    )


def given(value: T | None, layer: Layer) -> T:
    """The layer's value; absent means that a metric did not declare what it requires."""
    if value is None:
        raise RuntimeError(f"layer {layer} was used but not required")
    return value
