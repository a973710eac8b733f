"""How well the chains of a translation agree with those of its references, and what each chain takes from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from albeit.parsing.layers import Chains

__all__ = [
    "NOTHING_KEPT",
    "NOTHING_TO_KEEP",
    "Average",
    "Pair",
    "agreement",
    "chain_losses",
    "consensus",
    "shared",
]

Average = Literal["precision", "recall", "f"]
Pair = tuple[Chains, Chains]
"""The chains of a translation and of one reference, in positions that can be compared."""

NOTHING_TO_KEEP = 1.0
"""The score where neither text has a chain (one sentence, say): they agree in that."""
NOTHING_KEPT = 0.0
"""The score where only one of the two texts has chains."""


def shared(ours: int, theirs: int, tolerance: int = 0) -> int:
    """How many positions two chains share; each position counts once.

    With a tolerance, positions that far apart may be paired, in order.
    """
    if not tolerance:
        return (ours & theirs).bit_count()
    left, right = _places(ours), _places(theirs)
    i = j = count = 0
    while i < len(left) and j < len(right):
        if abs(left[i] - right[j]) <= tolerance:
            count += 1
            i += 1
            j += 1
        elif left[i] < right[j]:
            i += 1
        else:
            j += 1
    return count


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


def agreement(pair: Pair, average: Average = "precision", tolerance: int = 0) -> float:
    """One document against one reference.

    ``precision`` is the paper's: each chain scores m'/m, the reference's positions that it
    has; the mean over the translation's chains, where false ones score 0. ``recall`` is the
    mean of the same scores over the reference's chains, where missed ones score 0. ``f`` is
    the F-measure over the positions of all chains.
    """
    ours, theirs = pair
    if not ours or not theirs:
        return NOTHING_KEPT if ours or theirs else NOTHING_TO_KEEP
    if average != "f":
        scores = (
            shared(bits, theirs[key], tolerance) / theirs[key].bit_count()
            for key, bits in ours.items()
            if key in theirs
        )
        return sum(scores) / len(ours if average == "precision" else theirs)
    hits = sum(shared(bits, theirs[key], tolerance) for key, bits in ours.items() if key in theirs)
    held = sum(bits.bit_count() for bits in ours.values())
    wanted = sum(bits.bit_count() for bits in theirs.values())
    return 2 * hits / (held + wanted)


class _Fit(NamedTuple):
    """A chain of either side, as it stands in the reference that fits it best.

    It counts in the translation as often as references hold it (``holders``), at least once, and
    not at all where only references have it (``weight``). Of ``size`` positions there it ``hit``
    some; ``held`` are those of the translation, ``wanted`` those of the reference.
    """

    key: str
    weight: int
    holders: int
    hit: int
    size: int
    held: int
    wanted: int


def _fits(pairs: Sequence[Pair], tolerance: int) -> list[_Fit]:
    """All chains, the translation's first; none unless both sides have chains."""
    ours = {key: bits for pair in reversed(pairs) for key, bits in pair[0].items()}
    sizes = {key: bits.bit_count() for pair in reversed(pairs) for key, bits in pair[1].items()}
    found = []
    for key in dict.fromkeys([*ours, *sizes]) if ours and sizes else ():
        holders = sum(key in pair[1] for pair in pairs)
        fits = [
            (shared(mine[key], reference[key], tolerance), reference[key].bit_count())
            for mine, reference in pairs
            if key in mine and key in reference
        ]
        hit, size = max(fits, key=lambda fit: fit[0] / fit[1], default=(0, 1))
        weight, held = (max(1, holders), ours[key].bit_count()) if key in ours else (0, 0)
        wanted = size if hit else sizes.get(key, 0)
        found.append(_Fit(key, weight, holders, hit, size, held, wanted))
    return found


def consensus(pairs: Sequence[Pair], average: Average = "precision", tolerance: int = 0) -> float:
    """One document against all references at once.

    A chain counts as often as references hold it (at least once), with the score of the
    reference that fits it best.
    """
    fits = _fits(pairs, tolerance)
    if not fits:
        return NOTHING_KEPT if any(map(any, pairs)) else NOTHING_TO_KEEP
    if average == "f":
        hits = sum(fit.weight * fit.hit for fit in fits)
        return 2 * hits / sum(fit.weight * fit.held + fit.holders * fit.wanted for fit in fits)
    score = 0.0
    for fit in fits:
        score += fit.weight * fit.hit / fit.size
    return score / sum(fit.weight if average == "precision" else fit.holders for fit in fits)


def chain_losses(
    pairs: Sequence[Pair], average: Average = "precision", tolerance: int = 0
) -> dict[str, float]:
    """By chain, what adds up to 1 less the score; empty unless both sides have chains.

    ``pairs`` is the one that counts, or all for a weighted consensus. The parts are those of
    :func:`consensus`, of which one reference is a special case.
    """
    lost: dict[str, float] = {}
    whole = 0.0
    for fit in _fits(pairs, tolerance):
        if average == "f":
            counts = fit.weight * fit.held + fit.holders * fit.wanted
            lost[fit.key] = counts - 2 * fit.weight * fit.hit
        else:
            counts = fit.weight if average == "precision" else fit.holders
            lost[fit.key] = counts * (1 - fit.hit / fit.size)
        whole += counts
    return {key: amount / whole for key, amount in lost.items()}
