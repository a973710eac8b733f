"""Bags of typed items, their overlap, and matches by depth, after ASIYA (Giménez and Màrquez 2010).

The *overlap* of two bags is Σ min(counts) / Σ max(counts). Items have a type; a metric over all
types pools hits and totals. For subtrees and head-word chains, matches are clipped and divided by
the hypothesis's count, depth by depth, and averaged over the depths. Two texts without items score
0, as in ASIYA (other metrics of albeit give 1). A depth that neither text reaches doesn't count;
one that only the reference reaches counts 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.data.textio import warn
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, Metric, mean_statistics
from albeit.parsing.layers import DEPENDENCIES, TOKENS, Analysis, Constituent

Bag = Mapping[Any, int]
Features = TypeVar("Features")


def overlap(hypothesis: Bag, reference: Bag) -> float:
    """Return Σ min(counts) / Σ max(counts); 0 for two empty bags."""
    if len(hypothesis) > len(reference):
        hypothesis, reference = reference, hypothesis
    hits = _hits(hypothesis, reference)
    total = sum(hypothesis.values()) + sum(reference.values()) - hits
    return hits / total if total else 0.0


def depth_precision(hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
    """Return the mean over depths of clipped matches over the hypothesis's items."""
    scores = []
    for ours, theirs in zip(hypothesis, reference, strict=True):
        if ours or theirs:
            scores.append(_hits(ours, theirs) / sum(ours.values()) if ours else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


def _hits(ours: Bag, theirs: Bag) -> int:
    """Return Σ min(counts). Each item is hashed once, because subtrees are deep."""
    count = theirs.get
    return sum([n if n < m else m for item, n in ours.items() if (m := count(item, 0))])


def subtrees(roots: Iterable[Constituent], depth: int) -> list[Bag]:
    """Count the subtrees of trees, by depth from 1 up.

    A subtree of depth d has exactly d levels, cut below; depth 1 is the label alone. A node that
    isn't d levels deep has none.
    """
    shapes: list[list[Hashable]] = [[] for _ in range(depth)]
    for root in roots:
        _add_shapes(root, shapes)
    return list(map(Counter, shapes))


def _add_shapes(node: Constituent, shapes: Sequence[list[Hashable]]) -> list[Hashable]:
    """Add the subtrees at and under a node to those of their depth; return the node's own."""
    own: list[Hashable] = [node.label]
    if node.children:
        below = [_add_shapes(child, shapes) for child in node.children]
        for level in range(1, min(len(shapes), max(map(len, below)) + 1)):
            cut = [parts[level - 1] if len(parts) >= level else parts[-1] for parts in below]
            own.append((node.label, *cut))
    for same_depth, shape in zip(shapes, own, strict=False):
        same_depth.append(shape)
    return own


def words(analysis: Analysis) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    return analysis.memoize(words, lambda one: tuple(map(str.lower, one[TOKENS].forms)))


def parts_of_speech(analysis: Analysis) -> Sequence[str]:
    """Return the universal part of speech of each word."""
    return analysis[DEPENDENCIES].upos


@dataclass(frozen=True)
class Typed(Metric):
    """A metric over items of one type, or of all (``*``)."""

    labels: ClassVar[str]
    """The layer of the model whose labels are its types."""
    harmless_text: ClassVar[frozenset[str]] = frozenset({"type"})

    type: str = "*"

    def types(self) -> Collection[str]:
        """Return the types that the shipped model gives, with combined labels split."""
        from albeit.parsing.model import load_model

        labels = load_model().labels[self.labels]
        return frozenset(part for label in labels for part in label.split("+"))

    def check(self, evalset: EvalSet) -> None:
        """Warn about a type that the model never gives: every score would be 0."""
        super().check(evalset)
        if self.type.strip("*") and self.type not in self.types():
            known = ", ".join(sorted(self.types()))
            warn(f"{self}: albeit's model gives no {self.type!r}, only {known}.")


@dataclass(frozen=True)
class SegmentMetric(MeanMetric, Generic[Features]):
    """A metric that compares two texts by features computed once from each.

    Several references: the best counts. Documents and systems: the mean of their segments.
    """

    @abstractmethod
    def features(self, analysis: Analysis) -> Features:
        """Return what is compared of one text."""

    @abstractmethod
    def compare(self, hypothesis: Features, reference: Features) -> float:
        """Return the score of one pair."""

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per segment."""
        ours = [self.features(batch.analyses[text]) for text in batch.hypotheses]
        best = np.zeros(len(batch))
        for lines in batch.references:
            theirs = [batch.analyses[text].memoize(self, self.features) for text in lines]
            scores = [self.compare(h, r) for h, r in zip(ours, theirs, strict=True)]
            best = np.maximum(best, scores)
        return mean_statistics(best)


@dataclass(frozen=True)
class BagMetric(Typed, SegmentMetric[Bag]):
    """A metric that is the overlap of two bags of (type, item)."""

    @abstractmethod
    def items(self, analysis: Analysis) -> Iterable[tuple[str, str]]:
        """Return the items of one text, of all types, with repetitions."""

    def features(self, analysis: Analysis) -> Bag:
        """Count the items of the chosen type, or all."""
        return Counter(item for item in self.items(analysis) if self.type in ("*", item[0]))

    def compare(self, hypothesis: Bag, reference: Bag) -> float:
        """Return their overlap."""
        return overlap(hypothesis, reference)


@dataclass(frozen=True)
class DepthMetric(SegmentMetric[Sequence[Bag]]):
    """A metric that matches structures depth by depth, from 1 to 9."""

    depth_name: ClassVar[str] = "depth"
    """The parameter that is the depth."""

    def __post_init__(self) -> None:
        depth = getattr(self, self.depth_name)
        if not 1 <= depth <= 9:
            raise MetricError(f"{self.name}: {self.depth_name} is from 1 to 9, not {depth}.")

    def compare(self, hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
        """Return the mean precision over depths."""
        return depth_precision(hypothesis, reference)
