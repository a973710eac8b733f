"""A BERT encoder in plain PyTorch: the small one that ships, or a large one that teaches it.

`training.base` brings pretrained weights into this form. A large encoder may have MPNet's bias by
relative position, one table for all layers. Two things are added to BERT: an embedding of each
word's casing, which enters above the middle layer (the vocabulary is uncased, and the middle
layer's token vectors stay free of casing) or, with `case_after=0`, at the input; and a learned mix
of the upper layers' outputs, which is what the heads read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

CASES = 6
"""Casing classes, see `training.batch.casing`; 0 is for special and padding tokens."""


@dataclass(frozen=True, slots=True)
class Config:
    """Sizes of the encoder."""

    vocabulary: int = 30522
    positions: int = 512
    width: int = 384
    inner: int = 1536
    attention_heads: int = 12
    layers: int = 6
    middle: int = 3
    case_after: int = 3
    mixed: int = 3
    dropout: float = 0.1
    epsilon: float = 1e-12
    cases: int = CASES
    buckets: int = 0
    """Classes of distance between two positions that have a bias of their own; 0 for none."""


class Attention(nn.Module):
    """Multi-head self-attention with BERT's output projection and residual norm."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.count = config.attention_heads
        self.size = config.width // config.attention_heads
        self.dropout = config.dropout
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.fused: nn.Linear | None = None

    def fuse(self) -> None:
        """For export: one product for query, key and value, with the scale in the query's part."""
        scale = 1 / math.sqrt(self.size)
        parts = (self.query, self.key, self.value)
        self.fused = nn.Linear(self.count * self.size, 3 * self.count * self.size)
        weights = [part.weight * (scale if part is self.query else 1) for part in parts]
        biases = [part.bias * (scale if part is self.query else 1) for part in parts]
        self.fused.weight = nn.Parameter(torch.cat(weights))
        self.fused.bias = nn.Parameter(torch.cat(biases))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Attend; `bias` [b, 1, 1, t] is 0 for tokens and very negative for padding."""
        b, t, w = x.shape
        if self.fused is not None:
            parts = self.fused(x).view(b, t, 3, self.count, self.size).permute(2, 0, 3, 1, 4)
            q, k, v = parts[0], parts[1], parts[2]
            mixed = torch.softmax(q @ k.transpose(2, 3) + bias, -1) @ v
        else:
            q, k, v = (
                project(x).view(b, t, self.count, self.size).transpose(1, 2)
                for project in (self.query, self.key, self.value)
            )
            drop = self.dropout if self.training else 0.0
            mixed = fn.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=drop)
        mixed = self.output(mixed.transpose(1, 2).reshape(b, t, w))
        out: Tensor = self.norm(x + fn.dropout(mixed, self.dropout, self.training))
        return out


class Block(nn.Module):
    """One transformer layer."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention = Attention(config)
        self.up = nn.Linear(config.width, config.inner)
        self.down = nn.Linear(config.inner, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.dropout = config.dropout

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Apply the layer."""
        x = self.attention(x, bias)
        y = self.down(fn.gelu(self.up(x)))
        out: Tensor = self.norm(x + fn.dropout(y, self.dropout, self.training))
        return out


def distance_buckets(apart: Tensor, buckets: int, farthest: int = 128) -> Tensor:
    """Distances as classes: half of them before, half after; near ones exact, far ones by
    logarithm."""
    half = buckets // 2
    size = apart.abs()
    exact = half // 2
    ratio = torch.log(size.clamp(min=1).float() / exact) / math.log(farthest / exact)
    far = (exact + (ratio * (half - exact)).long()).clamp(max=half - 1)
    return torch.where(size < exact, size, far) + (apart > 0).long() * half


class Encoder(nn.Module):
    """Subword ids → (what the heads read, the middle layer's vectors)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.words = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.positions, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.cases = nn.Embedding(config.cases, config.width)
        nn.init.zeros_(self.cases.weight)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.mix = nn.Parameter(torch.zeros(config.mixed))
        if config.buckets:
            self.relative = nn.Embedding(config.buckets, config.attention_heads)

    def embed(self, ids: Tensor, cases: Tensor | None = None) -> Tensor:
        """Word plus position embedding, normed (the segment embedding is folded into positions);
        `cases` where casing enters at the input."""
        x = self.words(ids) + self.positions.weight[: ids.shape[1]]
        out: Tensor = self.norm(x if cases is None else x + self.cases(cases))
        return out

    def bias(self, mask: Tensor) -> Tensor:
        """What is added to attention scores: the mask, and the bias by relative position if any."""
        absent = (1.0 - mask[:, None, None, :].to(self.norm.weight.dtype)) * -10000.0
        if not self.config.buckets:
            return absent
        at = torch.arange(mask.shape[1], device=mask.device)
        apart = distance_buckets(at[None] - at[:, None], self.config.buckets)
        out: Tensor = absent + self.relative(apart).permute(2, 0, 1)[None]
        return out

    def forward(self, ids: Tensor, mask: Tensor, cases: Tensor) -> tuple[Tensor, Tensor]:
        """Encode."""
        bias = self.bias(mask)
        early = cases if self.config.case_after == 0 else None
        x = fn.dropout(self.embed(ids, early), self.config.dropout, self.training)
        outputs = []
        middle = x
        for number, block in enumerate(self.blocks, 1):
            x = block(x, bias.to(x.dtype))
            if number == self.config.middle:
                middle = x
            if number == self.config.case_after:
                x = x + self.cases(cases)
            outputs.append(x)
        weights = torch.softmax(self.mix, 0).to(x.dtype)
        mixed = outputs[-1] * weights[-1]
        for back in range(2, self.config.mixed + 1):
            mixed = mixed + outputs[-back] * weights[-back]
        return mixed, middle
