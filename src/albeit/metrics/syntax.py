"""Overlap, subtrees, and chains of syntactic structure (ASIYA's CP and DP families).

The *overlap* of two bags is Σ min(counts) / Σ max(counts). Items have a type; a metric over all
types pools hits and totals. For subtrees and head-word chains (Liu and Gildea 2005), matches are
clipped and divided by the hypothesis's count, depth by depth, and averaged over the depths. Two
texts without items score 0, as in ASIYA (Giménez and Màrquez 2010; other metrics of albeit give 1).
A depth that neither text reaches doesn't count; one that only the reference reaches counts 0.

``cp-stm``  subtrees of depth 1 to 4, of labels without words
``cp-oc``   words under each kind of phrase
``cp-op``   words of each part of speech
``dp-or``   words under each grammatical relation (``dp-or(type=nsubj)`` for one)
``dp-oc``   words of each part of speech
``dp-ol``   words at each depth of the tree
``dp-hwcm`` chains of up to four heads and dependents: of words, categories or relations
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from albeit.data.textio import warn
from albeit.metrics import Batch, Context, EvalSet, FloatArray, MetricError, base, compared
from albeit.parsing.layers import CONSTITUENTS, DEPENDENCIES, TOKENS, Analysis, Constituent

Bag = Mapping[Any, int]
Item = tuple[str, Hashable]
"""A type, and what is compared."""
Units = Callable[[Analysis], Sequence[str]]
"""Returns what is compared of each token."""


def overlap(hypothesis: Bag, reference: Bag) -> float:
    """Return Σ min(counts) / Σ max(counts); 0 for two empty bags."""
    if len(hypothesis) > len(reference):
        hypothesis, reference = reference, hypothesis
    hits = _hits(hypothesis, reference)
    total = sum(hypothesis.values()) + sum(reference.values()) - hits
    return hits / total if total else 0.0


def depth_precision(hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
    """Return the mean over depths of clipped matches over the hypothesis's items."""
    scores = [
        _hits(left, right) / sum(left.values()) if left else 0.0
        for left, right in zip(hypothesis, reference, strict=True)
        if left or right
    ]
    return sum(scores) / len(scores) if scores else 0.0


def _hits(left: Bag, right: Bag) -> int:
    """Return Σ min(counts). Each item is hashed once, because subtrees are deep."""
    count = right.get
    return sum([n if n < m else m for item, n in left.items() if (m := count(item, 0))])


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


def relations(analysis: Analysis) -> Sequence[str]:
    """Return the universal relation of each token: ``nsubj`` for ``nsubj:pass``."""
    return [relation.partition(":")[0] for relation in analysis[DEPENDENCIES].relations]


def _nodes(analysis: Analysis) -> Iterator[Constituent]:
    """Yield all constituents of all sentences, with leaves."""
    stack = list(analysis[CONSTITUENTS])
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


def _ancestors(heads: Sequence[int], token: int) -> Iterator[int]:
    """Yield a token, its head, its head's head, up to the root."""
    while token >= 0:
        yield token
        token = heads[token]


@dataclass(frozen=True)
class StructureMetric(base.MeanMetric):
    """A metric that compares two texts by bags of items, which are counted once in each text.

    Several references: the best counts. Documents and systems: the mean of their segments.
    """

    @abstractmethod
    def bags(self, analysis: Analysis) -> Sequence[Bag]:
        """Count what is compared of one text."""

    def compare(self, hypothesis: Sequence[Bag], reference: Sequence[Bag]) -> float:
        """Return the score of one pair: the overlap of their first bags."""
        return overlap(hypothesis[0], reference[0])

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (score, 1) per segment."""
        hypotheses = [self.bags(batch.analyses[text]) for text in batch.hypotheses]
        best = np.zeros(len(batch))
        for lines in batch.references:
            references = [batch.analyses[text].memoize(self, self.bags) for text in lines]
            best = np.maximum(best, list(map(self.compare, hypotheses, references)))
        return base.mean_statistics(best)


@dataclass(frozen=True)
class DepthMetric(StructureMetric):
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


@dataclass(frozen=True)
class OverlapMetric(StructureMetric):
    """The overlap of two bags of items of one type, or of all (``*``)."""

    labels: ClassVar[str]
    """The layer of the model whose labels are its types."""
    all_types: ClassVar[tuple[str, ...]] = ("*",)
    harmless_text = frozenset({"type"})

    type: str = "*"

    @abstractmethod
    def items(self, analysis: Analysis) -> Iterable[Item]:
        """Return the items of one text, of all types, with repetitions."""

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

    def bags(self, analysis: Analysis) -> Sequence[Bag]:
        """Count the items of the chosen type, or all."""
        every = self.type in self.all_types
        return [Counter(item for item in self.items(analysis) if every or item[0] == self.type)]


@dataclass(frozen=True)
class CpStm(DepthMetric):
    """Matching subtrees of labels, up to a depth."""

    name = "cp-stm"
    summary = "constituent subtrees up to a depth (ASIYA CP-STM)"
    needs = compared(TOKENS, CONSTITUENTS)

    depth: int = 4
    single: bool = False

    def bags(self, analysis: Analysis) -> Sequence[Bag]:
        """Return subtrees by depth; only the deepest if ``single``."""
        bags = subtrees(analysis[CONSTITUENTS], self.depth)
        return bags[-1:] if self.single else bags


class CpOc(OverlapMetric):
    """Words under each kind of phrase."""

    name = "cp-oc"
    summary = "words under each kind of phrase (ASIYA CP-Oc)"
    needs = compared(TOKENS, CONSTITUENTS)
    labels = "bracket"

    def items(self, analysis: Analysis) -> Iterator[Item]:
        """Return (label, word) for every phrase above the word."""
        forms = words(analysis)
        phrases = (node for node in _nodes(analysis) if node.children)
        return ((node.label, form) for node in phrases for form in forms[node.start : node.stop])


class CpOp(OverlapMetric):
    """Words of each part of speech of the constituent tree."""

    name = "cp-op"
    summary = "words of each part of speech (ASIYA CP-Op)"
    needs = compared(TOKENS, CONSTITUENTS)
    labels = "xpos"

    def items(self, analysis: Analysis) -> Iterator[Item]:
        """Return (part of speech, word)."""
        forms = words(analysis)
        return ((node.label, forms[node.start]) for node in _nodes(analysis) if not node.children)


class DpOr(OverlapMetric):
    """Words under each grammatical relation."""

    name = "dp-or"
    summary = "words below each grammatical relation (ASIYA DP-Or)"
    needs = compared(TOKENS, DEPENDENCIES)
    labels = "rel"

    def types(self) -> Collection[str]:
        """Return universal relations."""
        return {*(label.partition(":")[0] for label in super().types()), "root"}

    def items(self, analysis: Analysis) -> Iterator[Item]:
        """Return (relation, word) for every word below a relation."""
        heads, names = analysis[DEPENDENCIES].heads, relations(analysis)
        for token, form in enumerate(words(analysis)):
            yield from ((names[node], form) for node in _ancestors(heads, token))


class DpOc(OverlapMetric):
    """Words of each part of speech."""

    name = "dp-oc"
    summary = "words of each part of speech (ASIYA DP-Oc)"
    needs = compared(TOKENS, DEPENDENCIES)
    labels = "upos"

    def items(self, analysis: Analysis) -> Iterable[Item]:
        """Return (part of speech, word)."""
        return zip(parts_of_speech(analysis), words(analysis), strict=True)


@dataclass(frozen=True)
class DpOl(OverlapMetric):
    """Words at each depth of the tree."""

    name = "dp-ol"
    summary = "words at each depth of the dependency tree (ASIYA DP-Ol)"
    needs = compared(TOKENS, DEPENDENCIES)

    def __post_init__(self) -> None:
        if self.type != "*" and not self.type.isdigit():
            raise MetricError(f"{self.name}: type is a depth (1 is the root's), not {self.type!r}.")

    def types(self) -> Collection[str]:
        """Return any depth."""
        return (self.type,)

    def items(self, analysis: Analysis) -> Iterator[Item]:
        """Return (depth, word), the root at depth 1."""
        heads = analysis[DEPENDENCIES].heads
        for token, form in enumerate(words(analysis)):
            yield str(len([*_ancestors(heads, token)])), form


@dataclass(frozen=True)
class DpHwcm(DepthMetric):
    """Head-word chains up to a length, of words, parts of speech, or relations."""

    needs = compared(TOKENS, DEPENDENCIES)
    depth_name = "length"
    units: ClassVar[Units]

    length: int = 4
    single: bool = False

    def bags(self, analysis: Analysis) -> Sequence[Bag]:
        """Return chains by length; only the longest if ``single``."""
        heads, units = analysis[DEPENDENCIES].heads, type(self).units(analysis)
        chains: dict[int, tuple[str, ...]] = {token: (unit,) for token, unit in enumerate(units)}
        bags = [Counter(chains.values())]
        for _ in range(1, self.length):
            longer = ((token, heads[token]) for token in chains if heads[token] in chains)
            chains = {token: (*chains[head], units[token]) for token, head in longer}
            bags.append(Counter(chains.values()))
        return bags[-1:] if self.single else bags


class DpHwcmW(DpHwcm):
    """Chains of words."""

    name = "dp-hwcm-w"
    summary = "head-word chains of words (ASIYA DP-HWCM_w)"
    units = words


class DpHwcmC(DpHwcm):
    """Chains of parts of speech."""

    name = "dp-hwcm-c"
    summary = "head-word chains of categories (ASIYA DP-HWCM_c)"
    units = parts_of_speech


class DpHwcmR(DpHwcm):
    """Chains of grammatical relations."""

    name = "dp-hwcm-r"
    summary = "head-word chains of grammatical relations (ASIYA DP-HWCM_r)"
    units = relations
