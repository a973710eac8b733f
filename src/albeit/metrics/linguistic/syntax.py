"""Overlap, subtrees, and chains over constituent and dependency trees (ASIYA's CP and DP families).

``cp-stm``  subtrees of depth 1 to 4, of labels without words (Liu and Gildea 2005)
``cp-oc``   words under each kind of phrase
``cp-op``   words of each part of speech
``dp-or``   words under each grammatical relation (``dp-or(type=nsubj)`` for one)
``dp-oc``   words of each part of speech
``dp-ol``   words at each depth of the tree
``dp-hwcm`` chains of up to four heads and dependents: of words, categories or relations
(Liu and Gildea 2005)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from albeit.errors import MetricError
from albeit.metrics.linguistic import base
from albeit.metrics.linguistic.base import Bag, BagMetric, DepthMetric, words
from albeit.parsing.layers import CONSTITUENTS, DEPENDENCIES, TOKENS, Analysis, Constituent
from albeit.parsing.needs import Need, compared

CONSTITUENCY = compared(TOKENS, CONSTITUENTS)
DEPENDENCY = compared(TOKENS, DEPENDENCIES)


def nodes(analysis: Analysis) -> Iterator[Constituent]:
    """Yield all constituents of all sentences, with leaves."""
    stack = list(analysis[CONSTITUENTS])
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children)


@dataclass(frozen=True)
class CpStm(DepthMetric):
    """Matching subtrees of labels, up to a depth."""

    name: ClassVar[str] = "cp-stm"
    summary: ClassVar[str] = "constituent subtrees up to a depth (ASIYA CP-STM)"
    needs: ClassVar[frozenset[Need]] = CONSTITUENCY

    depth: int = 4
    single: bool = False

    def features(self, analysis: Analysis) -> Sequence[Bag]:
        """Return subtrees by depth; only the deepest if ``single``."""
        bags = base.subtrees(analysis[CONSTITUENTS], self.depth)
        return bags[-1:] if self.single else bags


@dataclass(frozen=True)
class CpOc(BagMetric):
    """Words under each kind of phrase."""

    name: ClassVar[str] = "cp-oc"
    summary: ClassVar[str] = "words under each kind of phrase (ASIYA CP-Oc)"
    needs: ClassVar[frozenset[Need]] = CONSTITUENCY
    labels: ClassVar[str] = "bracket"
    """The model's phrases."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """Return (label, word) for every phrase above the word."""
        forms = words(analysis)
        for node in nodes(analysis):
            if node.children:
                yield from ((node.label, form) for form in forms[node.start : node.stop])


@dataclass(frozen=True)
class CpOp(BagMetric):
    """Words of each part of speech of the constituent tree."""

    name: ClassVar[str] = "cp-op"
    summary: ClassVar[str] = "words of each part of speech (ASIYA CP-Op)"
    needs: ClassVar[frozenset[Need]] = CONSTITUENCY
    labels: ClassVar[str] = "xpos"
    """Penn's parts of speech."""

    def items(self, analysis: Analysis) -> Iterator[tuple[str, str]]:
        """Return (part of speech, word)."""
        forms = words(analysis)
        return ((node.label, forms[node.start]) for node in nodes(analysis) if not node.children)


def ancestors(heads: Sequence[int], token: int) -> Iterator[int]:
    """Yield a token, its head, its head's head, up to the root."""
    while token >= 0:
        yield token
        token = heads[token]


def universal(relation: str) -> str:
    """Return the universal part of a relation: ``nsubj`` of ``nsubj:pass``."""
    return relation.partition(":")[0]


def relations(analysis: Analysis) -> Sequence[str]:
    """Return the universal relation of each token."""
    return [*map(universal, analysis[DEPENDENCIES].relations)]


@dataclass(frozen=True)
class DpOr(BagMetric):
    """Words under each grammatical relation."""

    name: ClassVar[str] = "dp-or"
    summary: ClassVar[str] = "words hanging from each grammatical relation (ASIYA DP-Or)"
    needs: ClassVar[frozenset[Need]] = DEPENDENCY
    labels: ClassVar[str] = "rel"

    def types(self) -> Collection[str]:
        """Return universal relations."""
        return {*map(universal, super().types()), "root"}

    def items(self, analysis: Analysis) -> Iterable[tuple[str, str]]:
        """Return (relation, word) for every word below a relation."""
        heads, names = analysis[DEPENDENCIES].heads, relations(analysis)
        return (
            (names[node], form)
            for token, form in enumerate(words(analysis))
            for node in ancestors(heads, token)
        )


@dataclass(frozen=True)
class DpOc(BagMetric):
    """Words of each part of speech."""

    name: ClassVar[str] = "dp-oc"
    summary: ClassVar[str] = "words of each part of speech (ASIYA DP-Oc)"
    needs: ClassVar[frozenset[Need]] = DEPENDENCY
    labels: ClassVar[str] = "upos"
    """Universal parts of speech."""

    def items(self, analysis: Analysis) -> Iterable[tuple[str, str]]:
        """Return (part of speech, word)."""
        return zip(base.parts_of_speech(analysis), words(analysis), strict=True)


@dataclass(frozen=True)
class DpOl(BagMetric):
    """Words at each depth of the tree."""

    name: ClassVar[str] = "dp-ol"
    summary: ClassVar[str] = "words at each depth of the dependency tree (ASIYA DP-Ol)"
    needs: ClassVar[frozenset[Need]] = DEPENDENCY

    def __post_init__(self) -> None:
        if self.type != "*" and not self.type.isdigit():
            raise MetricError(f"{self.name}: type is a depth (1 is the root's), not {self.type!r}.")

    def types(self) -> Collection[str]:
        """Return any depth."""
        return (self.type,)

    def items(self, analysis: Analysis) -> Iterable[tuple[str, str]]:
        """Return (depth, word), the root at depth 1."""
        heads = analysis[DEPENDENCIES].heads
        return (
            (str(sum(1 for _ in ancestors(heads, token))), form)
            for token, form in enumerate(words(analysis))
        )


@dataclass(frozen=True)
class DpHwcm(DepthMetric):
    """Head-word chains up to a length, of words, parts of speech, or relations."""

    needs: ClassVar[frozenset[Need]] = DEPENDENCY
    depth_name: ClassVar[str] = "length"

    length: int = 4
    single: bool = False

    units: ClassVar[Callable[[Analysis], Sequence[str]]]
    """Returns what is compared of each token."""

    def features(self, analysis: Analysis) -> Sequence[Bag]:
        """Return chains by length; only the longest if ``single``."""
        heads, units = analysis[DEPENDENCIES].heads, type(self).units(analysis)
        chains: dict[int, tuple[str, ...]] = {token: (unit,) for token, unit in enumerate(units)}
        bags = [Counter(chains.values())]
        for _ in range(1, self.length):
            chains = {
                token: (*chains[head], units[token])
                for token in chains
                if (head := heads[token]) in chains
            }
            bags.append(Counter(chains.values()))
        return bags[-1:] if self.single else bags


@dataclass(frozen=True)
class DpHwcmW(DpHwcm):
    """Chains of words."""

    name: ClassVar[str] = "dp-hwcm-w"
    summary: ClassVar[str] = "head-word chains of words (ASIYA DP-HWCM_w)"
    units: ClassVar[Callable[[Analysis], Sequence[str]]] = words


@dataclass(frozen=True)
class DpHwcmC(DpHwcm):
    """Chains of parts of speech."""

    name: ClassVar[str] = "dp-hwcm-c"
    summary: ClassVar[str] = "head-word chains of categories (ASIYA DP-HWCM_c)"
    units: ClassVar[Callable[[Analysis], Sequence[str]]] = base.parts_of_speech


@dataclass(frozen=True)
class DpHwcmR(DpHwcm):
    """Chains of grammatical relations."""

    name: ClassVar[str] = "dp-hwcm-r"
    summary: ClassVar[str] = "head-word chains of grammatical relations (ASIYA DP-HWCM_r)"
    units: ClassVar[Callable[[Analysis], Sequence[str]]] = relations
