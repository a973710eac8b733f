"""Training few numbers of a large encoder: each product gets a sum of low rank, the rest stays."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.model.encoder import Encoder

SCALE = 2.0


class LowRank(nn.Module):
    """A frozen product, and a learnt one of low rank beside it, which starts at nothing."""

    def __init__(self, whole: nn.Linear, rank: int) -> None:
        super().__init__()
        self.whole = whole.requires_grad_(False)
        columns, rows = whole.in_features, whole.out_features
        self.down = nn.Parameter(torch.randn(rank, columns) / math.sqrt(columns))
        self.up = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, x: Tensor) -> Tensor:
        """Both products."""
        out: Tensor = self.whole(x)
        return out + fn.linear(fn.linear(x, self.down), self.up) * SCALE


def merge(encoder: Encoder) -> None:
    """Add all parts of low rank to their products, in place."""
    for block in encoder.blocks:
        for owner in (block, block.attention):
            for name, module in list(owner.named_children()):
                if isinstance(module, LowRank):
                    with torch.no_grad():
                        module.whole.weight += SCALE * module.up @ module.down
                    setattr(owner, name, module.whole)


def attach(encoder: Encoder, rank: int) -> None:
    """All products of all layers get a part of this rank; words stay as they are."""
    encoder.words.weight.requires_grad_(False)
    for block in encoder.blocks:
        for owner, names in (
            (block.attention, ("query", "key", "value", "output")),
            (block, ("up", "down")),
        ):
            for name in names:
                setattr(owner, name, LowRank(getattr(owner, name), rank))
