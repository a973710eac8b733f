"""Training as if in 8 bits: the encoder's products see rounded inputs and weights.

The last part of a training may run this way, so that `training.quantise` costs little: the model
learns to keep its decisions where rounding does not turn them. Gradients pass through the rounding.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.calibrate import LEVELS, WEIGHT_LEVEL, Range, best_range
from training.model.encoder import Encoder
from training.model.losses import Batch

SAMPLE = 200_000


def rounded_input(x: Tensor, low: float, high: float) -> Tensor:
    """Activations on the grid of a static range."""
    scale = (high - low) / LEVELS
    zero = round(-low / scale)
    inside = x.float().clamp(low, high)
    grid = (torch.round(inside / scale + zero).clamp(0, LEVELS) - zero) * scale
    return inside + (grid - inside).detach()


def rounded_weight(weight: Tensor) -> Tensor:
    """Weights on the grid of their output channel."""
    scale = weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-8) / WEIGHT_LEVEL
    return weight + (torch.round(weight / scale) * scale - weight).detach()


def _product(layer: nn.Linear, low: float, high: float, x: Tensor) -> Tensor:
    return fn.linear(rounded_input(x, low, high), rounded_weight(layer.weight), layer.bias)


def _linear(encoder: Encoder) -> Iterable[tuple[str, nn.Linear]]:
    return ((n, m) for n, m in encoder.named_modules() if isinstance(m, nn.Linear))


@torch.no_grad()
def ranges(encoder: Encoder, batches: Iterable[Batch]) -> dict[str, Range]:
    """Each linear layer's input range over the tokens (not the padding) of some batches."""
    kept: dict[str, list[Tensor]] = {}
    present = torch.empty(0)

    def keep(_: nn.Module, inputs: tuple[Tensor], name: str) -> None:
        values = inputs[0].detach()[present].float().flatten()
        chosen = torch.randint(len(values), (SAMPLE,), device=values.device)
        kept.setdefault(name, []).append(values[chosen])

    hooks = [m.register_forward_pre_hook(partial(keep, name=n)) for n, m in _linear(encoder)]
    trained = encoder.training
    encoder.eval()
    for batch in batches:
        present = batch["mask"].bool()
        encoder(batch["ids"], batch["mask"], batch["cases"])
    encoder.train(trained)
    for hook in hooks:
        hook.remove()
    return {name: best_range(torch.cat(parts).cpu().numpy()) for name, parts in kept.items()}


def attach(encoder: Encoder, found: dict[str, Range]) -> None:
    """Round in every linear layer from now on."""
    for name, layer in _linear(encoder):
        layer.forward = partial(_product, layer, *found[name])  # type: ignore[method-assign]
