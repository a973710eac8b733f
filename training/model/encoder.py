"""A small BERT encoder in plain PyTorch, loaded from all-MiniLM-L6-v2.

Two things are added to BERT: an embedding of each word's casing, which enters above the middle
layer (the vocabulary is uncased, and the middle layer's token vectors stay free of casing), and a
learned mix of the upper layers' outputs, which is what the heads read.
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
        self.norm = nn.LayerNorm(config.width, eps=1e-12)
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
        return self.norm(x + fn.dropout(mixed, self.dropout, self.training))


class Block(nn.Module):
    """One transformer layer."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention = Attention(config)
        self.up = nn.Linear(config.width, config.inner)
        self.down = nn.Linear(config.inner, config.width)
        self.norm = nn.LayerNorm(config.width, eps=1e-12)
        self.dropout = config.dropout

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Apply the layer."""
        x = self.attention(x, bias)
        y = self.down(fn.gelu(self.up(x)))
        return self.norm(x + fn.dropout(y, self.dropout, self.training))


class Encoder(nn.Module):
    """Subword ids → (what the heads read, the middle layer's vectors)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.words = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.positions, config.width)
        self.norm = nn.LayerNorm(config.width, eps=1e-12)
        self.cases = nn.Embedding(CASES, config.width)
        nn.init.zeros_(self.cases.weight)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.mix = nn.Parameter(torch.zeros(config.mixed))

    def embed(self, ids: Tensor) -> Tensor:
        """Word plus position embedding, normed (the segment embedding is folded into positions)."""
        return self.norm(self.words(ids) + self.positions.weight[: ids.shape[1]])

    def bias(self, mask: Tensor) -> Tensor:
        """The additive attention mask."""
        return (1.0 - mask[:, None, None, :].to(self.norm.weight.dtype)) * -10000.0

    def forward(self, ids: Tensor, mask: Tensor, cases: Tensor) -> tuple[Tensor, Tensor]:
        """Encode."""
        bias = self.bias(mask)
        x = fn.dropout(self.embed(ids), self.config.dropout, self.training)
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


def from_bert(state: dict[str, Tensor], config: Config) -> Encoder:
    """An encoder with the weights of a BERT checkpoint (its lowest `layers` layers)."""
    encoder = Encoder(config)
    ours: dict[str, Tensor] = {
        "words.weight": state["embeddings.word_embeddings.weight"],
        "positions.weight": state["embeddings.position_embeddings.weight"]
        + state["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": state["embeddings.LayerNorm.weight"],
        "norm.bias": state["embeddings.LayerNorm.bias"],
    }
    names = {
        "attention.query": "attention.self.query",
        "attention.key": "attention.self.key",
        "attention.value": "attention.self.value",
        "attention.output": "attention.output.dense",
        "attention.norm": "attention.output.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm": "output.LayerNorm",
    }
    for layer in range(config.layers):
        for mine, theirs in names.items():
            for kind in ("weight", "bias"):
                ours[f"blocks.{layer}.{mine}.{kind}"] = state[
                    f"encoder.layer.{layer}.{theirs}.{kind}"
                ]
    missing, unexpected = encoder.load_state_dict(
        {k: v.float() for k, v in ours.items()}, strict=False
    )
    if unexpected or set(missing) != {"cases.weight", "mix"}:
        raise ValueError(f"checkpoint does not fit: missing {missing}, unexpected {unexpected}")
    return encoder
