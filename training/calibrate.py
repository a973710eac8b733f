"""Activation ranges of every linear layer of the encoder, for static quantisation.

A range is chosen to minimise the squared rounding error of 8-bit activations over a sample of
training sentences: a few outliers may be clipped so that all other values keep their precision.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.batch import Collator
from training.model.network import Network
from training.rows import Row

SHRINK = tuple(1 - 0.03 * k for k in range(28))
LEVELS = 255


def _error(values: Tensor, low: float, high: float) -> float:
    scale = (high - low) / LEVELS
    zero = round(-low / scale)
    rounded = (values / scale + zero).round().clamp(0, LEVELS)
    return float(((rounded - zero) * scale - values).square().mean())


def best_range(values: Tensor) -> tuple[float, float]:
    """The range (always with 0 in it) that loses least."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    best = (low, high)
    least = _error(values, *best)
    for side in ("both", "low", "high"):
        start = best
        for shrink in SHRINK[1:]:
            tried = (
                start[0] * (shrink if side in ("both", "low") else 1),
                start[1] * (shrink if side in ("both", "high") else 1),
            )
            if tried[1] - tried[0] <= 0:
                continue
            error = _error(values, *tried)
            if error < least:
                least, best = error, tried
    return best


@torch.no_grad()
def ranges(
    network: Network, collator: Collator, rows: list[Row], sample: int = 400_000
) -> dict[str, tuple[float, float]]:
    """Layer name (`blocks.0.up`) → range of its input."""
    encoder = network.encoder.eval()
    kept: dict[str, list[Tensor]] = {}
    hooks = []
    for name, module in encoder.named_modules():
        if isinstance(module, nn.Linear):

            def keep(_: nn.Module, inputs: tuple[Tensor], name: str = name) -> None:
                kept.setdefault(name, []).append(inputs[0].detach().flatten())

            hooks.append(module.register_forward_pre_hook(keep))
    rows = sorted(rows, key=lambda row: len(row.words))
    for start in range(0, len(rows), 16):
        arrays = collator.encode(rows[start : start + 16])
        # one sentence at a time: padding must not be calibrated for
        for index in range(len(arrays["ids"])):
            size = int(arrays["mask"][index].sum())
            encoder(
                *(
                    torch.from_numpy(arrays[k][index : index + 1, :size])
                    for k in ("ids", "mask", "cases")
                )
            )
    for hook in hooks:
        hook.remove()
    found = {}
    generator = torch.Generator().manual_seed(0)
    for name, parts in kept.items():
        values = torch.cat(parts)
        extremes = torch.stack([values.min(), values.max()])
        if len(values) > sample:
            values = values[torch.randint(len(values), (sample,), generator=generator)]
        found[name] = best_range(torch.cat([values, extremes]))
    return found


@torch.no_grad()
def middle_statistics(
    network: Network, collator: Collator, rows: list[Row]
) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of each dimension of the middle layer, special tokens left out."""
    parts = []
    for row in rows:
        arrays = collator.encode([row])
        inputs = (torch.from_numpy(arrays[k]) for k in ("ids", "mask", "cases"))
        parts.append(network.encoder.eval()(*inputs)[1][0, 1:-1])
    values = torch.cat(parts)
    return values.mean(0), values.std(0)
