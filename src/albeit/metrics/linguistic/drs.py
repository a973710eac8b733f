"""Overlap of discourse representation structures (ASIYA's "DR" family, renamed).

ASIYA calls these DR-Or, DR-Orp and DR-STM; here ``dr`` is rhetorical structure, so they
are ``drs-or``, ``drs-orp`` and ``drs-stm``. The structures are those of
layer ``drs`` (:mod:`albeit.parsing.layers.drs`), built by rule.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from albeit.data.evalset import EvalSet
from albeit.metrics.base import Metric, check_english
from albeit.metrics.linguistic.bags import Bag, BagMetric, DepthMetric, words
from albeit.metrics.linguistic.syntax import subtrees
from albeit.parsing.layers import DEPENDENCIES, DRS, TOKENS, Analysis, Box, Constituent
from albeit.parsing.layers.drs import TYPES
from albeit.parsing.needs import Need, compared

__all__ = ["DrsOr", "DrsOrp", "DrsStm"]


@dataclass(frozen=True)
class _Boxes(Metric):
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, DEPENDENCIES, DRS)
    """Boxes, and the words and parts of speech they rest on."""

    def check(self, evalset: EvalSet) -> None:
        """The rules know English words."""
        super().check(evalset)
        check_english(self, evalset, "its rules know the words of English")


@dataclass(frozen=True)
class _Conditions(_Boxes, BagMetric):
    def types(self) -> Collection[str]:
        """The types of conditions."""
        return TYPES

    @abstractmethod
    def units(self, analysis: Analysis) -> Sequence[str]:
        """What stands for a token."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """(type of condition, unit) for every token a condition rests on."""
        units = self.units(analysis)
        for condition in analysis[DRS].walk():
            yield from ((condition.type, units[token]) for token in condition.tokens)


@dataclass(frozen=True)
class DrsOr(_Conditions):
    """Words of conditions, by type."""

    name: ClassVar[str] = "drs-or"
    summary: ClassVar[str] = "words of DRS conditions, by type (ASIYA DR-Or(*))"

    def units(self, analysis: Analysis) -> Sequence[str]:
        """Words."""
        return words(analysis)


@dataclass(frozen=True)
class DrsOrp(_Conditions):
    """Parts of speech of conditions, by type."""

    name: ClassVar[str] = "drs-orp"
    summary: ClassVar[str] = "parts of speech of DRS conditions, by type (ASIYA DR-Orp(*))"

    def units(self, analysis: Analysis) -> Sequence[str]:
        """Parts of speech."""
        return analysis[DEPENDENCIES].upos


@dataclass(frozen=True)
class DrsStm(_Boxes, DepthMetric):
    """Subtrees of the box structure: types of conditions and the boxes inside them."""

    name: ClassVar[str] = "drs-stm"
    summary: ClassVar[str] = "subtrees of DRS boxes up to a depth (ASIYA DR-STM)"

    depth: int = 4

    def __post_init__(self) -> None:
        self.check_depth("depth", self.depth)

    def features(self, analysis: Analysis) -> Sequence[Bag]:
        """Subtrees by depth."""
        box = analysis[DRS]
        return subtrees([_tree(box)] if box.conditions else [], self.depth)


def _tree(box: Box) -> Constituent:
    """A box as a labelled tree: one child a condition, its boxes below."""
    below = []
    for condition in box.conditions:
        label = condition.symbol if condition.type == "role" else condition.type
        inner = tuple(_tree(inner) for inner in condition.boxes)
        below.append(Constituent(label, 0, 0, inner))
    return Constituent("box", 0, 0, tuple(below))
