"""How each linear layer of the encoder is brought to 8 bits: ranges, channel scales, bias.

A few input channels of a layer are far larger than the others and would leave these few steps. So
channels may first be divided by scales that the weights absorb (as SmoothQuant does), with a
strength chosen layer by layer; the range then clips rare outliers where that lowers the squared
rounding error; and the mean error that remains is taken out of the bias. Everything is fitted to
the layer's own output on a sample of training sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from training.batch import Collator
from training.model.network import Network
from training.rows import Row

SHRINK = tuple(1 - 0.05 * k for k in range(16))
LEVELS = 255
WEIGHT_LEVEL = 63
STRENGTHS = (0, 0.6, 0.75)
ROWS = 600
VALUES = 40_000
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Plan:
    """A layer's input range, the scales of its input channels (if any), and what its bias gains."""

    low: float
    high: float
    scales: Tensor | None
    shift: Tensor


def weight_scales(weight: Floats, level: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Per output channel (column): the bytes, and the scale with the least squared error."""
    top = np.abs(weight).max(0, keepdims=True) + 1e-12
    best = np.full(weight.shape[1], np.inf)
    scale = (top / level)[0]
    for shrink in (0.75, 0.8, 0.85, 0.9, 0.95, 1.0):
        tried = top * shrink / level
        rounded = np.clip(np.round(weight / tried), -level, level)
        error = np.square(rounded * tried - weight).sum(0)
        scale = np.where(error < best, tried[0], scale)
        best = np.minimum(best, error)
    bytes_ = np.clip(np.round(weight / scale), -level, level).astype(np.int8)
    return bytes_, scale.astype(np.float32)


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


def _rounded(values: Tensor, low: float, high: float) -> Tensor:
    scale = (high - low) / LEVELS
    zero = round(-low / scale)
    return ((values / scale + zero).round().clamp(0, LEVELS) - zero) * scale


def _channel_scales(inputs: Tensor, weight: Tensor, strength: float) -> Tensor:
    if strength == 0:
        return torch.ones(weight.shape[1])
    largest = inputs.abs().amax(0).clamp(min=1e-4)
    scales = largest**strength / weight.abs().amax(0).clamp(min=1e-4) ** (1 - strength)
    return scales / scales.mean()


def fit(inputs: Tensor, layer: nn.Linear) -> Plan:
    """The plan with the least squared error of the layer's output."""
    generator = torch.Generator().manual_seed(0)
    chosen = inputs[torch.randint(len(inputs), (ROWS,), generator=generator)]
    extremes = torch.cat([inputs[inputs.amax(1).argmax()], inputs[inputs.amin(1).argmin()]])
    weight = layer.weight.detach()
    exact = chosen @ weight.T
    best: tuple[float, Plan] | None = None
    for strength in STRENGTHS:
        scales = _channel_scales(inputs, weight, strength)
        smooth = chosen / scales
        picked = torch.randint(smooth.numel(), (VALUES,), generator=generator)
        ends = (extremes.view(2, -1) / scales).flatten()
        low, high = best_range(torch.cat([smooth.flatten()[picked], ends]))
        bytes_, steps = weight_scales((weight * scales).T.numpy(), WEIGHT_LEVEL)
        rebuilt = torch.from_numpy(bytes_.astype("float32") * steps)
        missing = exact - _rounded(smooth, low, high) @ rebuilt
        shift = missing.mean(0)
        error = float((missing - shift).square().mean())
        # a scale costs one more operation at run time: it has to be worth it
        if best is None or error < best[0] * 0.95:
            best = (error, Plan(low, high, scales if strength else None, shift))
    if best is None:
        raise ValueError("no strength to try")
    return best[1]


@torch.no_grad()
def plans(network: Network, collator: Collator, rows: list[Row]) -> dict[str, Plan]:
    """Layer name (`blocks.0.up`) → how to quantise it; the attention must be fused already."""
    encoder = network.encoder.eval()
    kept: dict[str, list[Tensor]] = {}
    hooks = []
    layers = {n: m for n, m in encoder.named_modules() if isinstance(m, nn.Linear)}
    for name, module in layers.items():

        def keep(_: nn.Module, inputs: tuple[Tensor], name: str = name) -> None:
            kept.setdefault(name, []).append(inputs[0].detach().flatten(0, 1))

        hooks.append(module.register_forward_pre_hook(keep))
    for row in rows:
        # one sentence at a time: padding must not be calibrated for
        arrays = collator.encode([row])
        encoder(*(torch.from_numpy(arrays[k]) for k in ("ids", "mask", "cases")))
    for hook in hooks:
        hook.remove()
    return {name: fit(torch.cat(parts), layers[name]) for name, parts in kept.items()}


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
