"""What the linguistic families share: bags of typed items, their overlap, and matches by depth.

After ASIYA (Giménez and Màrquez 2010). The *overlap* of two bags is Σ min(counts) /
Σ max(counts). Items carry a type; a metric over all types pools hits and totals. For
subtrees and head-word chains, matches are clipped and divided by the hypothesis's count,
depth by depth, and averaged over the depths.

Two texts without a single item share nothing: their score is 0, as in ASIYA (metrics of our
own give 1 there: nothing to translate, nothing lost). A depth that
neither text reaches does not count; one that only the reference reaches counts 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.data.textio import warn
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, Metric, mean_statistics
from albeit.parsing.layers import TOKENS, Analysis

__all__ = [
    "BagMetric",
    "DepthMetric",
    "SegmentMetric",
    "Typed",
    "depth_precision",
    "model_labels",
    "overlap",
    "words",
]

Bag = Mapping[Any, int]
Features = TypeVar("Features")


def overlap(hypothesis: Bag, reference: Bag) -> float:
    """Σ min(counts) / Σ max(counts); 0 for two empty bags."""
    if len(hypothesis) > len(reference):
        hypothesis, reference = reference, hypothesis
    hits = _hits(hypothesis, reference)
    total = sum(hypothesis.values()) + sum(reference.values()) - hits
    return hits / total if total else 0.0


def depth_precision(hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
    """The mean over depths of clipped matches over the hypothesis's items at that depth."""
    scores = []
    for ours, theirs in zip(hypothesis, reference, strict=True):
        if not ours and not theirs:
            continue
        scores.append(_hits(ours, theirs) / sum(ours.values()) if ours else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


def _hits(ours: Bag, theirs: Bag) -> int:
    """Σ min(counts): each item is hashed once, for subtrees are deep."""
    count = theirs.get
    return sum([n if n < m else m for item, n in ours.items() if (m := count(item, 0))])


def words(analysis: Analysis) -> tuple[str, ...]:
    """The words of a text, case-blind."""
    return analysis.memoize(words, _lowered)


def _lowered(analysis: Analysis) -> tuple[str, ...]:
    return tuple(form.lower() for form in analysis[TOKENS].forms)


def model_labels(*layers: str) -> frozenset[str]:
    """The labels that the shipped model gives in these layers, chains of labels taken apart."""
    from albeit.parsing.model import load_model

    labels = load_model().labels
    return frozenset(
        part for layer in layers for label in labels[layer] for part in label.split("+")
    )


@dataclass(frozen=True)
class Typed(Metric):
    """A metric over items of one type, or of all (``*``)."""

    labels: ClassVar[str]
    """The labels of the model that are its types."""
    harmless_text: ClassVar[frozenset[str]] = frozenset({"type"})

    type: str = "*"

    def types(self) -> Collection[str]:
        """The types that the model gives."""
        return model_labels(self.labels)

    def check(self, evalset: EvalSet) -> None:
        """A type that the model never gives makes every score 0: more likely a slip than a wish."""
        super().check(evalset)
        if self.type.strip("*") and self.type not in self.types():
            known = ", ".join(sorted(self.types()))
            warn(f"{self}: albeit's model gives no {self.type!r}, only {known}.")


@dataclass(frozen=True)
class SegmentMetric(MeanMetric, Generic[Features]):
    """A metric that compares two analyses by features drawn once from each.

    Several references: the best counts. Documents and systems: the mean of their segments.
    """

    @abstractmethod
    def features(self, analysis: Analysis) -> Features:
        """What is compared, drawn from one text."""

    @abstractmethod
    def compare(self, hypothesis: Features, reference: Features) -> float:
        """The score of one pair."""

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(score, 1) a segment."""
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
        """The items of one text, of whatever type, repeats included."""

    def features(self, analysis: Analysis) -> Bag:
        """The items of the type asked for, or all, counted."""
        return Counter(item for item in self.items(analysis) if self.type in ("*", item[0]))

    def compare(self, hypothesis: Bag, reference: Bag) -> float:
        """Their overlap."""
        return overlap(hypothesis, reference)


@dataclass(frozen=True)
class DepthMetric(SegmentMetric[Sequence[Bag]]):
    """A metric that matches structures depth by depth, from 1 to 9."""

    def check_depth(self, name: str, depth: int) -> None:
        """Raise where a parameter of this name is no such depth."""
        if not 1 <= depth <= 9:
            raise MetricError(f"{self.name}: {name} is from 1 to 9, not {depth}.")

    def compare(self, hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
        """Mean precision over depths."""
        return depth_precision(hypothesis, reference)
