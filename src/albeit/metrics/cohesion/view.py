"""What each chain takes from a document's cohesion, and the view that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from albeit.metrics.cohesion.compare import Average, Pair, shared
from albeit.metrics.view import Chain, Chains, Compared, Loss, Place, View

__all__ = ["chain_losses", "chain_view"]


def chain_losses(
    pairs: Sequence[Pair], average: Average = "precision", tolerance: int = 0
) -> dict[str, float]:
    """By chain, what adds up to 1 less the score; empty unless both sides have chains.

    ``pairs`` is the one that counts, or all for a weighted consensus. The parts are those of
    :func:`albeit.metrics.cohesion.compare.consensus`, of which one reference is a special case.
    """
    ours = {key: bits for pair in reversed(pairs) for key, bits in pair[0].items()}
    sizes = {key: bits.bit_count() for pair in reversed(pairs) for key, bits in pair[1].items()}
    if not ours or not sizes:
        return {}
    lost: dict[str, float] = {}
    whole = 0.0
    for key in dict.fromkeys([*ours, *sizes]):
        holders = sum(key in pair[1] for pair in pairs)
        weight = max(1, holders) if key in ours else 0
        fits = [
            (shared(mine[key], reference[key], tolerance), reference[key].bit_count())
            for mine, reference in pairs
            if key in mine and key in reference
        ]
        hit, size = max(fits, key=lambda fit: fit[0] / fit[1], default=(0, 1))
        if average == "f":
            wanted = holders * (size if hit else sizes.get(key, 0))
            held = weight * ours[key].bit_count() if key in ours else 0
            lost[key] = held + wanted - 2 * weight * hit
            whole += held + wanted
        else:
            counts = weight if average == "precision" else holders
            lost[key] = counts * (1 - hit / size)
            whole += counts
    return {key: amount / whole for key, amount in lost.items()}


def chain_view(
    metric: str,
    score: float,
    texts: tuple[Compared, ...],
    chains: Chains,
    lost: Mapping[str, float],
) -> View:
    """The view of a document; ``lost`` is by the keys of chains."""
    rows = {chain.key: chain for chain in chains.rows}
    losses = [
        Loss(_label(rows[key]), amount, _places(rows[key])) if key in rows else Loss(key, amount)
        for key, amount in lost.items()
    ]
    if not lost and score < 1:
        losses.append(Loss("only one of the texts has chains", 1 - score))
    return View(metric, score, 1.0, texts, losses=tuple(losses), chains=chains)


def _label(chain: Chain) -> str:
    return f"{chain.word}: {chain.kind}"


def _places(chain: Chain) -> tuple[Place, ...]:
    return tuple(Place(text, tokens) for text, tokens in enumerate(chain.tokens) if tokens)
