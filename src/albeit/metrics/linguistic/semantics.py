"""Overlap of semantic roles, named entities, and DRS conditions (ASIYA's families).

A text without such items scores 0, as in ASIYA. ``missing`` changes that: ``backoff`` scores such a
segment by word overlap, ``interpolate`` averages every segment with word overlap (ASIYA's ``_b``
and ``_i``).

``sr-or``      semantic roles: how often each role occurs
``sr-or(*)``   words of the arguments, by role; ``sr-or(ARG0)`` for one role
``sr-mr(*)``   whole arguments, by role; ``sr-mr(ARG0)`` for one role
``ne-oe``      words of named entities, by kind; ``ne-oe(person)`` for one kind
``ne-oe(**)``  the same, and the words outside entities as another kind
``ne-me``      whole entities, by kind
``drs-or``     words of discourse representation structures (ASIYA's DR-Or), by type of condition
``drs-orp``    parts of speech of these (DR-Orp)
``drs-stm``    base.subtrees of these (DR-STM)

In albeit, ``dr`` is rhetorical structure, so ASIYA's DR family is called ``drs``. The layer ``drs``
(:mod:`albeit.parsing.layers.drs`) is built by rules.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from albeit.data.evalset import EvalSet
from albeit.metrics.base import Metric, check_english
from albeit.metrics.linguistic import base
from albeit.metrics.linguistic.base import Bag, overlap, words
from albeit.parsing import layers
from albeit.parsing.layers import DRS, ENTITIES, ROLES, TOKENS, Analysis, Constituent
from albeit.parsing.layers.drs import TYPES
from albeit.parsing.needs import Need, compared

Span = tuple[str, tuple[str, ...]]
"""A label and the words under it."""


@dataclass(frozen=True)
class SpanMetric(base.Typed, base.SegmentMetric[tuple[Bag, Bag]]):
    """Overlap of items of labeled spans of words."""

    whole: ClassVar[bool] = False
    """Whether spans are compared as a whole, not word by word."""

    missing: Literal["zero", "backoff", "interpolate"] = "zero"

    @abstractmethod
    def spans(self, analysis: Analysis) -> Iterable[Span]:
        """Return the labeled spans of a text, of all types."""

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """Return what is compared: (label, word), or whole spans."""
        if self.whole:
            return spans
        return [(label, word) for label, filler in spans for word in filler]

    def features(self, analysis: Analysis) -> tuple[Bag, Bag]:
        """Return the items of the chosen type, and the words if they replace missing items."""
        chosen = [s for s in self.spans(analysis) if self.type in ("", "*", "**", s[0])]
        lexical: Bag = Counter(words(analysis)) if self.missing != "zero" else {}
        return Counter(self.items(chosen)), lexical

    def compare(self, hypothesis: tuple[Bag, Bag], reference: tuple[Bag, Bag]) -> float:
        """Return the overlap of items, or of words if chosen."""
        typed = overlap(hypothesis[0], reference[0])
        if self.missing == "interpolate":
            return (typed + overlap(hypothesis[1], reference[1])) / 2
        if self.missing == "backoff" and not (hypothesis[0] and reference[0]):
            return overlap(hypothesis[1], reference[1])
        return typed


@dataclass(frozen=True)
class _Roles(SpanMetric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, ROLES)
    labels: ClassVar[str] = "role"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """Return the arguments of all predicates."""
        forms = words(analysis)
        for predicate in analysis[ROLES]:
            for role, start, stop in predicate.arguments:
                yield role, forms[start:stop]


@dataclass(frozen=True)
class SrOr(_Roles):
    """Roles alone; with a type, words of arguments by role."""

    name: ClassVar[str] = "sr-or"
    summary: ClassVar[str] = "semantic roles; sr-or(*): words of arguments by role (ASIYA SR-Or)"

    type: str = ""

    def items(self, spans: Sequence[Span]) -> Sequence[Hashable]:
        """Return one item per role, or (role, word)."""
        return super().items(spans) if self.type else [role for role, _ in spans]


@dataclass(frozen=True)
class SrMr(_Roles):
    """Whole arguments, by role."""

    name: ClassVar[str] = "sr-mr"
    summary: ClassVar[str] = "whole arguments, by role (ASIYA SR-Mr(*))"
    whole: ClassVar[bool] = True


@dataclass(frozen=True)
class _Entities(SpanMetric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, ENTITIES)
    labels: ClassVar[str] = "entity"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """Return the entities."""
        forms = words(analysis)
        for entity in analysis[ENTITIES]:
            yield entity.kind, forms[entity.start : entity.stop]


@dataclass(frozen=True)
class NeOe(_Entities):
    """Words of entities, by kind."""

    name: ClassVar[str] = "ne-oe"
    summary: ClassVar[str] = "words of named entities, by kind; ne-oe(**): all words (ASIYA NE-Oe)"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """Return the entities, and for ``**`` the words outside them."""
        yield from super().spans(analysis)
        if self.type == "**":
            named = {k for entity in analysis[ENTITIES] for k in range(entity.start, entity.stop)}
            yield "", tuple(w for k, w in enumerate(words(analysis)) if k not in named)


@dataclass(frozen=True)
class NeMe(_Entities):
    """Whole entities, by kind."""

    name: ClassVar[str] = "ne-me"
    summary: ClassVar[str] = "whole named entities, by kind (ASIYA NE-Me(*))"
    whole: ClassVar[bool] = True


@dataclass(frozen=True)
class _Boxes(Metric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, layers.DEPENDENCIES, DRS)
    """Boxes, and the words and parts of speech of their conditions."""

    def check(self, evalset: EvalSet) -> None:
        """Raise for other languages than English."""
        super().check(evalset)
        check_english(self, evalset, "its rules know the words of English")


@dataclass(frozen=True)
class _Conditions(_Boxes, base.BagMetric):
    def types(self) -> Collection[str]:
        """Return the types of conditions."""
        return TYPES

    units: ClassVar[Callable[[Analysis], Sequence[str]]]
    """Returns what is compared of each token."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """Return (type of condition, unit) for every token of a condition."""
        units = type(self).units(analysis)
        for condition in analysis[DRS].walk():
            yield from ((condition.type, units[token]) for token in condition.tokens)


@dataclass(frozen=True)
class DrsOr(_Conditions):
    """Words of conditions, by type."""

    name: ClassVar[str] = "drs-or"
    summary: ClassVar[str] = "words of DRS conditions, by type (ASIYA DR-Or(*))"
    units: ClassVar[Callable[[Analysis], Sequence[str]]] = words


@dataclass(frozen=True)
class DrsOrp(_Conditions):
    """Parts of speech of conditions, by type."""

    name: ClassVar[str] = "drs-orp"
    summary: ClassVar[str] = "parts of speech of DRS conditions, by type (ASIYA DR-Orp(*))"
    units: ClassVar[Callable[[Analysis], Sequence[str]]] = base.parts_of_speech


@dataclass(frozen=True)
class DrsStm(_Boxes, base.DepthMetric):
    """Subtrees of the box structure: types of conditions and the boxes inside them."""

    name: ClassVar[str] = "drs-stm"
    summary: ClassVar[str] = "subtrees of DRS boxes up to a depth (ASIYA DR-STM)"

    depth: int = 4

    def features(self, analysis: Analysis) -> Sequence[Bag]:
        """Return subtrees by depth."""
        box = analysis[DRS]
        return base.subtrees([_tree(box)] if box.conditions else [], self.depth)


def _tree(box: layers.Box) -> Constituent:
    """Return a box as a labeled tree: one child per condition, its boxes below."""
    below = []
    for condition in box.conditions:
        label = condition.symbol if condition.type == "role" else condition.type
        inner = tuple(_tree(inner) for inner in condition.boxes)
        below.append(Constituent(label, 0, 0, inner))
    return Constituent("box", 0, 0, tuple(below))
