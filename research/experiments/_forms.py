"""Forms of discourse similarity that might add to token similarity, one value a pair of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from _edus import Pair

from albeit.annotate.layers import CONNECTIVES, RST, Analysis, RstNode
from albeit.metrics.rst.sem import Units, direction_means, joined, satellites

__all__ = ["FORMS", "Compared", "Form"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SOFT_DECAY = 0.4
UNALIKE = 0.45
"""About how similar two EDUs of one text are, for self-kernels of the soft kernel."""


@dataclass(frozen=True)
class Compared:
    """A pair of texts: what tokens find, both trees, and EDUs aligned by their similarity."""

    pair: Pair
    hyp: Analysis
    ref: Analysis
    hyp_units: Units
    ref_units: Units
    alike: Floats
    """Translation EDUs × reference EDUs: harmonic mean of both directions."""

    @classmethod
    def make(cls, pair: Pair, hyp: Analysis, ref: Analysis) -> Compared:
        """Align the EDUs."""
        units = [
            Units(sizes.astype(np.int64), satellites(a[RST], len(sizes)))
            for sizes, a in ((pair.hyp, hyp), (pair.ref, ref))
            if a[RST] is not None
        ]
        forth = np.add.reduceat(pair.to_ref, units[0].firsts, axis=0) / pair.hyp[:, None]
        back = (np.add.reduceat(pair.to_hyp, units[1].firsts, axis=0) / pair.ref[:, None]).T
        alike = 2 * forth * back / np.maximum(forth + back, 1e-9)
        return cls(pair, hyp, ref, *units, alike.astype(np.float64))

    def similarity(self, inside: float, satellite: float) -> float:
        """The similarity of ``dr-sem`` with these parameters."""
        return float(joined(np.array(self.parts(satellite)), inside))

    def parts(self, satellite: float) -> tuple[float, float, float, float]:
        """What ``dr-sem`` is made of: precision and recall, anywhere and inside."""
        return direction_means(
            self.pair.to_ref, self.pair.to_hyp, self.hyp_units, self.ref_units, satellite
        )

    @property
    def aligned(self) -> Ints:
        """The translation's EDU for each EDU of the reference."""
        return self.alike.argmax(axis=0)


Form = Callable[[Compared], float]


def _f1(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def _overlap(a: Iterable[str], b: Iterable[str]) -> float:
    """F1 of two bags; 1 where both are empty."""
    x, y = Counter(a), Counter(b)
    total = x.total() + y.total()
    return 2 * (x & y).total() / total if total else 1.0


def edu_by_edu(c: Compared) -> float:
    """Each EDU's best partner, every EDU alike."""
    return _f1(float(c.alike.max(axis=1).mean()), float(c.alike.max(axis=0).mean()))


def worst_edu(c: Compared) -> float:
    """The EDU that found the poorest partner."""
    return _f1(float(c.alike.max(axis=1).min()), float(c.alike.max(axis=0).min()))


def depth(c: Compared) -> float:
    """Token similarity, EDUs weighted by .7 to their depth in the tree."""
    means = []
    for best, units, tree in (
        (c.pair.to_ref, c.hyp_units, c.hyp[RST]),
        (c.pair.to_hyp, c.ref_units, c.ref[RST]),
    ):
        levels = np.zeros(len(units.sizes))
        for node in tree.walk() if tree else ():
            for child in node.children():
                levels[child.first : child.last + 1] += 1
        means.append(
            float(np.average(best.max(axis=1), weights=np.repeat(0.7**levels, units.sizes)))
        )
    return _f1(*means)


def mean_vectors(c: Compared) -> float:
    """EDUs as mean vectors, aligned, every EDU alike."""
    best = c.pair.means
    return _f1(float(best.max(axis=1).mean()), float(best.max(axis=0).mean()))


def soft_kernel(c: Compared) -> float:
    """The all-subtree kernel with EDUs that match by similarity, and labels in part."""
    if c.hyp[RST] is None or c.ref[RST] is None:
        return 0.0
    own = [np.where(np.eye(len(u.sizes)) > 0, 1.0, UNALIKE) for u in (c.hyp_units, c.ref_units)]
    size = _soft(c.hyp[RST], c.hyp[RST], own[0]) * _soft(c.ref[RST], c.ref[RST], own[1])
    return _soft(c.hyp[RST], c.ref[RST], c.alike) / float(np.sqrt(size))


def _soft(a: RstNode, b: RstNode, alike: Floats) -> float:
    known: dict[tuple[int, int], float] = {}

    def delta(x: RstNode, y: RstNode) -> float:
        key = (id(x), id(y))
        if key not in known:
            known[key] = _delta(x, y)
        return known[key]

    def _delta(x: RstNode, y: RstNode) -> float:
        if x.is_leaf and y.is_leaf:
            return SOFT_DECAY * float(alike[x.first, y.first])
        if x.is_leaf or y.is_leaf:
            return 0.0
        value = SOFT_DECAY * (1.0 if x.relation == y.relation else 0.7)
        value *= 1.0 if x.nuclearity == y.nuclearity else 0.7
        for left, right in zip(x.children(), y.children(), strict=True):
            value *= 1.0 + delta(left, right)
        return value

    return sum(delta(x, y) for x in a.walk() for y in b.walk())


def partial_kernel(c: Compared) -> float:
    """Relations and nuclearity wherever they stand: a partial kernel of single nodes."""

    def labels(tree: RstNode | None) -> list[str]:
        return [f"{n.nuclearity}-{n.relation}" for n in tree.walk() if n.relation] if tree else []

    return _overlap(labels(c.hyp[RST]), labels(c.ref[RST]))


def kept_relations(c: Compared) -> float:
    """Share of the reference's adjacent EDUs whose partners are joined by the same relation."""
    theirs, ours, at = _joints(c.ref[RST]), _joints(c.hyp[RST]), c.aligned
    if not theirs:
        return 1.0
    kept = [at[j + 1] == at[j] + 1 and ours.get(int(at[j])) == x for j, x in theirs.items()]
    return float(np.mean(kept))


def _joints(tree: RstNode | None) -> dict[int, tuple[str, str]]:
    """What joins EDU i and i + 1, by i."""
    if tree is None:
        return {}
    inner = (n for n in tree.walk() if n.left is not None)
    return {n.left.last: (n.nuclearity, n.relation) for n in inner if n.left is not None}


def kept_roles(c: Compared) -> float:
    """Share of the reference's words in EDUs as deep below satellites as their partners."""
    same = c.ref_units.satellites == c.hyp_units.satellites[c.aligned]
    return float(np.average(same, weights=c.ref_units.sizes))


def connectives(c: Compared) -> float:
    """F1 of the senses of explicit connectives."""
    ours, theirs = ([x.sense for x in a[CONNECTIVES]] for a in (c.hyp, c.ref))
    return _overlap(ours, theirs)


def edu_count(c: Compared) -> float:
    """How far the numbers of EDUs differ, as a ratio."""
    return -abs(float(np.log(len(c.hyp_units.sizes) / len(c.ref_units.sizes))))


def clause_order(c: Compared) -> float:
    """Share of neighbouring words across EDU borders whose counterparts are in order."""
    found = []
    cut = len(c.pair.to_ref)
    for nearest, units in (
        (c.pair.nearest[:cut], c.hyp_units),
        (c.pair.nearest[cut:], c.ref_units),
    ):
        places = units.firsts[1:]
        if len(places):
            found.append(float(np.mean(nearest[places] >= nearest[places - 1])))
    return float(np.mean(found)) if found else 1.0


def more_recall(c: Compared) -> float:
    """No discourse at all: recall counts .7 in the harmonic mean."""
    p, _, r, _ = c.parts(1.0)
    return p * r / (0.7 * p + 0.3 * r) if p > 0 and r > 0 else 0.0


FORMS: dict[str, Form] = {
    "recall counts .7 (no discourse)": more_recall,
    "inside aligned EDUs only": lambda c: c.similarity(1.0, 1.0),
    "inside aligned EDUs, satellites × .5": lambda c: c.similarity(1.0, 0.5),
    "anywhere, satellites × .5": lambda c: c.similarity(0.0, 0.5),
    "anywhere, satellites × 2": lambda c: c.similarity(0.0, 2.0),
    "anywhere, .7 to the depth": depth,
    "EDU by EDU": edu_by_edu,
    "EDU by EDU, the worst": worst_edu,
    "EDUs as mean vectors": mean_vectors,
    "soft kernel": soft_kernel,
    "partial kernel of labels": partial_kernel,
    "relations kept": kept_relations,
    "roles kept": kept_roles,
    "connective senses": connectives,
    "number of EDUs": edu_count,
    "order across EDUs": clause_order,
}
"""What was tried beside ``sim``."""
