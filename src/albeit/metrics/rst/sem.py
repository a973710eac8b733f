"""DR-SEM: token similarity that knows which discourse unit a token belongs to.

Every subword finds its nearest counterpart by its vector in context, as in ``sim``, but
twice: anywhere in the other text, and inside the EDU that its own EDU is aligned with. The
second counts with weight ``inside``, so that a word that is there, but in another clause,
is worth less. EDUs below satellites weigh ``satellite`` times as much for each satellite on
the way to the root: a broken nucleus costs more than a broken satellite. The score is the
F1 of both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from albeit.annotate.layers import EDUS, RST, TOKENS, VECTORS, Analysis, RstNode
from albeit.annotate.needs import Need, compared
from albeit.corpus.evalset import EvalSet
from albeit.errors import MetricError
from albeit.metrics.base import Batch, Context, FloatArray, MeanMetric, mean_statistics
from albeit.metrics.lengths import check_lengths

__all__ = ["DrSem", "Units", "best_in_units", "direction_means", "joined", "satellites"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """The EDUs of a text: how many subwords each has, and how many satellites it is below."""

    sizes: Ints
    satellites: Ints

    @property
    def firsts(self) -> Ints:
        """Where each EDU begins."""
        return np.cumsum(self.sizes) - self.sizes


@dataclass(frozen=True)
class DrSem(MeanMetric):
    """Token similarity inside aligned EDUs, weighted by their place in the tree.

    ``inside`` (0 to 1): how much of a token's similarity must be found in the aligned EDU.
    ``satellite``: the weight of an EDU for each satellite above it. With 0 and 1 the score
    is that of ``sim(weights=equal)``.
    """

    inside: float = 0.2
    satellite: float = 0.85

    name: ClassVar[str] = "dr-sem"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "token similarity inside aligned discourse units (model's vectors)"
    needs: ClassVar[frozenset[Need]] = compared(TOKENS, EDUS, RST, VECTORS)

    def __post_init__(self) -> None:
        if not 0 <= self.inside <= 1:
            raise MetricError("dr-sem: inside is between 0 and 1.")
        if not 0 < self.satellite <= 10:
            raise MetricError("dr-sem: satellite is above 0 and at most 10.")

    def check(self, evalset: EvalSet) -> None:
        """Words are compared with each other."""
        super().check(evalset)
        check_lengths(self, evalset)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(similarity, 1) a segment; with several references the best."""
        scores = np.zeros((len(batch.references), len(batch)))
        for r, references in enumerate(batch.references):
            for i, (ours, theirs) in enumerate(zip(batch.hypotheses, references, strict=True)):
                hyp, ref = batch.analyses[ours], batch.analyses[theirs]
                scores[r, i] = self._similarity(
                    hyp, ref, hyp.draw(Units, _units), ref.draw(Units, _units)
                )
        return mean_statistics(scores.max(axis=0))

    def _similarity(
        self, hyp: Analysis, ref: Analysis, hyp_units: Units, ref_units: Units
    ) -> float:
        left, right = (a[VECTORS].rows for a in (hyp, ref))
        if not len(left) or not len(right):
            return float(len(left) == len(right))
        to_ref, to_hyp = best_in_units(left @ right.T, hyp_units, ref_units)
        parts = direction_means(to_ref, to_hyp, hyp_units, ref_units, self.satellite)
        return float(joined(np.array(parts), self.inside))


def best_in_units(alike: Floats, hyp: Units, ref: Units) -> tuple[Floats, Floats]:
    """Each subword's best similarity within each EDU of the other text, both ways."""
    to_ref = np.maximum.reduceat(alike, ref.firsts, axis=1)
    to_hyp = np.maximum.reduceat(alike, hyp.firsts, axis=0).T
    return to_ref, to_hyp


def direction_means(
    to_ref: Floats, to_hyp: Floats, hyp: Units, ref: Units, satellite: float
) -> tuple[float, float, float, float]:
    """From best similarities: precision anywhere and inside aligned EDUs, then recall."""
    forth = np.add.reduceat(to_ref, hyp.firsts, axis=0) / hyp.sizes[:, None]
    back = (np.add.reduceat(to_hyp, ref.firsts, axis=0) / ref.sizes[:, None]).T
    alike = forth * back / np.maximum(forth + back, 1e-9)
    return (
        *_means(to_ref, alike.argmax(axis=1), hyp, satellite),
        *_means(to_hyp, alike.argmax(axis=0), ref, satellite),
    )


def joined(parts: FloatArray, inside: float) -> FloatArray:
    """The score from the four means (last axis): F1 of both directions."""
    p, r = (
        np.maximum((1 - inside) * parts[..., n] + inside * parts[..., n + 1], 0.0) for n in (0, 2)
    )
    total = p + r
    return np.asarray(2 * p * r / np.where(total > 0, total, 1.0))


def _means(best: Floats, aligned: Ints, units: Units, satellite: float) -> tuple[float, float]:
    """One direction: weighted means over subwords, anywhere and inside."""
    within = best[np.arange(len(best)), np.repeat(aligned, units.sizes)]
    weights = np.repeat(satellite ** units.satellites.astype(np.float64), units.sizes)
    total = weights.sum()
    return float(best.max(axis=1) @ weights / total), float(within @ weights / total)


def satellites(tree: RstNode, edus: int) -> Ints:
    """How many satellites each EDU is below, itself included."""
    found = np.zeros(edus, dtype=np.int64)
    for node in tree.walk():
        for child, role in zip(node.children(), node.nuclearity, strict=False):
            if role == "S":
                found[child.first : child.last + 1] += 1
    return found


def _units(analysis: Analysis) -> Units:
    """EDUs counted in subwords."""
    edus = analysis[EDUS]
    tree = analysis[RST]
    if tree is None:
        return Units(np.zeros(0, np.int64), np.zeros(0, np.int64))
    words = analysis[VECTORS].words
    cuts = np.searchsorted(words, [stop for _, stop in edus])
    return Units(np.diff(cuts, prepend=0), satellites(tree, len(edus)))
