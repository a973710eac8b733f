"""Subtrees and overlap over constituent trees (ASIYA's CP family).

``cp-stm``  subtrees of depth 1 to 4, of labels without words (Liu and Gildea 2005)
``cp-oc``   words under each kind of phrase
``cp-op``   words of each part of speech
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from albeit.annotate.layers import CONSTITUENTS, TOKENS, Analysis, Constituent
from albeit.annotate.needs import Need, compared
from albeit.metrics.linguistic.bags import Bag, BagMetric, DepthMetric, words

__all__ = ["CpOc", "CpOp", "CpStm", "subtrees"]


def nodes(analysis: Analysis) -> Iterator[Constituent]:
    """All constituents of all sentences, leaves included."""
    stack = list(analysis[CONSTITUENTS])
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


def subtrees(roots: Iterable[Constituent], depth: int) -> list[Bag]:
    """The subtrees of some trees, counted, by depth from 1 up.

    A subtree of depth d has exactly d levels, cut below; depth 1 is the label alone. A
    node that is not d levels deep has none.
    """
    shapes: list[list[Hashable]] = [[] for _ in range(depth)]
    for root in roots:
        _shapes(root, shapes)
    return list(map(Counter, shapes))


def _shapes(node: Constituent, shapes: Sequence[list[Hashable]]) -> list[Hashable]:
    """Add the subtrees at and under a node to those of their depth; return the node's own."""
    own: list[Hashable] = [node.label]
    if node.children:
        below = [_shapes(child, shapes) for child in node.children]
        for level in range(1, min(len(shapes), max(map(len, below)) + 1)):
            cut = [parts[level - 1] if len(parts) >= level else parts[-1] for parts in below]
            own.append((node.label, *cut))
    for same_depth, shape in zip(shapes, own, strict=False):
        same_depth.append(shape)
    return own


@dataclass(frozen=True)
class CpStm(DepthMetric):
    """Matching subtrees of labels, up to a depth."""

    name: ClassVar[str] = "cp-stm"
    summary: ClassVar[str] = "constituent subtrees up to a depth (ASIYA CP-STM)"
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, CONSTITUENTS)

    depth: int = 4
    single: bool = False

    def __post_init__(self) -> None:
        self.check_depth("depth", self.depth)

    def features(self, analysis: Analysis) -> Sequence[Bag]:
        """Subtrees by depth; only the deepest where ``single``."""
        bags = subtrees(analysis[CONSTITUENTS], self.depth)
        return bags[-1:] if self.single else bags


@dataclass(frozen=True)
class CpOc(BagMetric):
    """Words under each kind of phrase."""

    name: ClassVar[str] = "cp-oc"
    summary: ClassVar[str] = "words under each kind of phrase (ASIYA CP-Oc)"
    needs: ClassVar[frozenset[Need]] = CpStm.needs
    labels: ClassVar[str] = "bracket"
    """The model's phrases."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """(label, word) for every phrase above the word."""
        forms = words(analysis)
        for node in nodes(analysis):
            if node.children:
                yield from ((node.label, form) for form in forms[node.start : node.stop])


@dataclass(frozen=True)
class CpOp(BagMetric):
    """Words of each part of speech of the constituent tree."""

    name: ClassVar[str] = "cp-op"
    summary: ClassVar[str] = "words of each part of speech (ASIYA CP-Op)"
    needs: ClassVar[frozenset[Need]] = CpStm.needs
    labels: ClassVar[str] = "xpos"
    """Penn's parts of speech."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """(part of speech, word)."""
        forms = words(analysis)
        return ((node.label, forms[node.start]) for node in nodes(analysis) if not node.children)
