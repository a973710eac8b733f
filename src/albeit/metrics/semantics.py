"""Overlap of semantic roles, named entities, and DRS conditions (ASIYA's families).

A text without such items scores 0, as in ASIYA, unless ``missing`` changes that.

``sr-or``      semantic roles: how often each role occurs
``sr-or(*)``   words of the arguments, by role; ``sr-or(ARG0)`` for one role
``sr-mr(*)``   whole arguments, by role; ``sr-mr(ARG0)`` for one role
``ne-oe``      words of named entities, by kind; ``ne-oe(person)`` for one kind
``ne-oe(**)``  the same, and the words outside entities as another kind
``ne-me``      whole entities, by kind
``drs-or``     words of discourse representation structures (ASIYA's DR-Or), by type of condition
``drs-orp``    parts of speech of these (DR-Orp)
``drs-stm``    subtrees of these (DR-STM)

In albeit, ``dr`` is rhetorical structure, so ASIYA's DR family is called ``drs``. The layer ``drs``
(:mod:`albeit.parsing.layers.drs`) is built by rules.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from albeit.metrics import EvalSet, base, compared, syntax
from albeit.metrics.syntax import Bag, Item, words
from albeit.parsing import layers
from albeit.parsing.layers import DRS, TOKENS, TYPES, Analysis, Constituent

Span = tuple[str, tuple[str, ...]]
"""A label, and the words under it."""


@dataclass(frozen=True)
class SpanMetric(syntax.OverlapMetric):
    """Overlap of labeled spans, word by word or as a whole.

    ``missing``: ``backoff`` scores a segment without items by word overlap, ``interpolate``
    averages every segment with word overlap (ASIYA's ``_b`` and ``_i``).
    """

    all_types = ("", "*", "**")
    whole: ClassVar[bool] = False
    """Whether spans are compared as a whole."""

    missing: Literal["zero", "backoff", "interpolate"] = "zero"

    @abstractmethod
    def spans(self, analysis: Analysis) -> Iterable[Span]:
        """Return the labeled spans of a text, of all types."""

    def items(self, analysis: Analysis) -> Iterable[Item]:
        """Return (label, word), or whole spans."""
        spans = self.spans(analysis)
        return spans if self.whole else ((label, word) for label, own in spans for word in own)

    def bags(self, analysis: Analysis) -> Sequence[Bag]:
        """Count also the words, if they replace missing items."""
        lexical = words(analysis) if self.missing != "zero" else ()
        return [*super().bags(analysis), Counter(lexical)]

    def compare(self, hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
        """Return the overlap of items, or of words if chosen."""
        typed = super().compare(hypothesis, reference)
        if self.missing == "interpolate":
            return (typed + syntax.overlap(hypothesis[1], reference[1])) / 2
        if self.missing == "backoff" and not (hypothesis[0] and reference[0]):
            return syntax.overlap(hypothesis[1], reference[1])
        return typed


class _Roles(SpanMetric):
    needs = compared(TOKENS, layers.ROLES)
    labels = "role"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """Return the arguments of all predicates."""
        forms = words(analysis)
        for predicate in analysis[layers.ROLES]:
            yield from ((role, forms[a:b]) for role, a, b in predicate.arguments)


@dataclass(frozen=True)
class SrOr(_Roles):
    """Roles alone; with a type, words of arguments by role."""

    name = "sr-or"
    summary = "semantic roles; sr-or(*): words of arguments by role (ASIYA SR-Or)"

    type: str = ""

    def items(self, analysis: Analysis) -> Iterable[Item]:
        """Return one item per role, or (role, word)."""
        if self.type:
            return super().items(analysis)
        return ((role, "") for role, _ in self.spans(analysis))


class SrMr(_Roles):
    """Whole arguments, by role."""

    name = "sr-mr"
    summary = "whole arguments, by role (ASIYA SR-Mr(*))"
    whole = True


class _Entities(SpanMetric):
    needs = compared(TOKENS, layers.ENTITIES)
    labels = "entity"

    def spans(self, analysis: Analysis) -> Iterator[Span]:
        """Return the entities, and for ``**`` the words outside them."""
        forms, outside = words(analysis), dict(enumerate(words(analysis)))
        for entity in analysis[layers.ENTITIES]:
            yield entity.kind, forms[entity.start : entity.stop]
            for token in range(entity.start, entity.stop):
                outside.pop(token, None)
        if self.type == "**" and not self.whole:
            yield "", tuple(outside.values())


class NeOe(_Entities):
    """Words of entities, by kind."""

    name = "ne-oe"
    summary = "words of named entities, by kind; ne-oe(**): all words (ASIYA NE-Oe)"


class NeMe(_Entities):
    """Whole entities, by kind."""

    name = "ne-me"
    summary = "whole named entities, by kind (ASIYA NE-Me(*))"
    whole = True


class _Boxes(base.Metric):
    needs = compared(TOKENS, layers.DEPENDENCIES, DRS)

    def check(self, evalset: EvalSet) -> None:
        """Raise for other languages than English."""
        super().check(evalset)
        base.check_english(self, evalset, "its rules know the words of English")


class _Conditions(_Boxes, syntax.OverlapMetric):
    units: ClassVar[syntax.Units]

    def types(self) -> Collection[str]:
        """Return the types of conditions."""
        return TYPES

    def items(self, analysis: Analysis) -> Iterator[Item]:
        """Return (type of condition, unit) for every token of a condition."""
        units = type(self).units(analysis)
        for condition in analysis[DRS].walk():
            yield from ((condition.type, units[token]) for token in condition.tokens)


class DrsOr(_Conditions):
    """Words of conditions, by type."""

    name = "drs-or"
    summary = "words of DRS conditions, by type (ASIYA DR-Or(*))"
    units = words


class DrsOrp(_Conditions):
    """Parts of speech of conditions, by type."""

    name = "drs-orp"
    summary = "parts of speech of DRS conditions, by type (ASIYA DR-Orp(*))"
    units = syntax.parts_of_speech


@dataclass(frozen=True)
class DrsStm(_Boxes, syntax.DepthMetric):
    """Subtrees of the box structure: types of conditions and the boxes inside them."""

    name = "drs-stm"
    summary = "subtrees of DRS boxes up to a depth (ASIYA DR-STM)"

    depth: int = 4

    def bags(self, analysis: Analysis) -> Sequence[Bag]:
        """Return subtrees by depth."""
        box = analysis[DRS]
        return syntax.subtrees([_box_tree(box)] if box.conditions else [], self.depth)


def _box_tree(box: layers.Box) -> Constituent:
    """Return a box as a labeled tree: one child per condition, its boxes below."""
    below = []
    for condition in box.conditions:
        label = condition.symbol if condition.type == "role" else condition.type
        below.append(Constituent(label, 0, 0, tuple(map(_box_tree, condition.boxes))))
    return Constituent("box", 0, 0, tuple(below))
