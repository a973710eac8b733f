"""The tower: transformer layers over the words of a whole document.

It starts as a copy of the shipped encoder's upper layers and reads the middle layer's vectors,
which know their own sentence only. Subwords stand in blocks of `BLOCK`; each block sees itself and
its two neighbours, so cost grows with length and no word is computed twice. How far apart two
sentences are is told by a learned bias; positions within a sentence are in the vectors already.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

BLOCK = 128
APART = 1000
"""Sentences whose numbers differ by this or more are of different documents: they do not see each
other. Padding has the number -APART."""
STEPS = (1, 2, 3, 5, 9)
"""Where a new class of distance between sentences begins."""


def distances(apart: Tensor) -> Tensor:
    """Classes of the distance between sentences: 0 the same, then before, then after."""
    size = apart.abs()
    found = torch.zeros_like(apart)
    for step in STEPS:
        found = found + (size >= step).to(apart.dtype)
    return found + (apart > 0).to(apart.dtype) * len(STEPS)


def neighbours(x: Tensor, empty: float = 0.0) -> Tensor:
    """[n, block, …] → [n, 3 block, …]: each block between the one before and the one after."""
    edge = torch.full_like(x[:1], empty)
    return torch.cat([torch.cat([edge, x[:-1]]), x, torch.cat([x[1:], edge])], 1)


class TowerBlock(nn.Module):
    """One BERT layer whose attention sees the neighbouring blocks."""

    def __init__(self, width: int, inner: int, count: int, dropout: float) -> None:
        super().__init__()
        self.count = count
        self.fused = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.first = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.second = nn.LayerNorm(width, eps=1e-12)
        self.near = nn.Embedding(2 * len(STEPS) + 1, count)
        nn.init.constant_(self.near.weight, -1.0)
        nn.init.zeros_(self.near.weight[0])
        self.dropout = dropout

    def forward(self, x: Tensor, classes: Tensor, absent: Tensor) -> Tensor:
        """[n, block, width], [n, block, 3 block] twice → [n, block, width]."""
        n, size, width = x.shape
        q, k, v = self.fused(x).chunk(3, -1)
        q = q.view(n, size, self.count, -1).transpose(1, 2)
        k = neighbours(k).view(n, 3 * size, self.count, -1).transpose(1, 2)
        v = neighbours(v).view(n, 3 * size, self.count, -1).transpose(1, 2)
        bias = self.near(classes).permute(0, 3, 1, 2) + absent.unsqueeze(1)
        weights = torch.softmax(q @ k.transpose(2, 3) + bias.to(q.dtype), -1)
        weights = fn.dropout(weights, self.dropout, self.training)
        mixed = self.output((weights @ v).transpose(1, 2).reshape(n, size, width))
        x = self.first(x + fn.dropout(mixed, self.dropout, self.training))
        y = self.down(fn.gelu(self.up(x)))
        out: Tensor = self.second(x + fn.dropout(y, self.dropout, self.training))
        return out


class Tower(nn.Module):
    """Middle-layer vectors of a document's subwords → vectors that know the document."""

    def __init__(
        self, layers: int, width: int = 384, inner: int = 1536, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(width), requires_grad=False)
        self.factor = nn.Parameter(torch.ones(width), requires_grad=False)
        self.cases = nn.Embedding(6, width)
        self.blocks = nn.ModuleList(
            TowerBlock(width, inner, width // 32, dropout) for _ in range(layers)
        )

    def start(self, shipped: dict[str, Tensor]) -> None:
        """Copy the topmost layers of the shipped encoder."""
        self.mean.data.copy_(shipped["middle.mean"])
        self.factor.data.copy_(shipped["middle.factor"])
        self.cases.weight.data.copy_(shipped["cases.weight"])
        names = {
            "fused": "attention.fused",
            "output": "attention.output",
            "first": "attention.norm",
            "up": "up",
            "down": "down",
            "second": "norm",
        }
        for number, block in enumerate(self.blocks):
            source = 6 - len(self.blocks) + number
            for mine, theirs in names.items():
                for kind in ("weight", "bias"):
                    value = shipped[f"blocks.{source}.{theirs}.{kind}"]
                    getattr(getattr(block, mine), kind).data.copy_(value)

    def forward(self, middle: Tensor, cases: Tensor, sentences: Tensor) -> Tensor:
        """[n, block, width], [n, block] twice → [n, block, width]."""
        apart = neighbours(sentences, -APART).unsqueeze(1) - sentences.unsqueeze(2)
        classes = distances(apart)
        absent = (apart.abs() >= APART).to(middle.dtype) * -10000.0
        x = middle / self.factor + self.mean + self.cases(cases)
        for block in self.blocks:
            x = block(x, classes, absent)
        return x
