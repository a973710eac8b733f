"""The tower: transformer layers over a whole document.

The one that ships reads words: the vectors that the sentence heads read, which know their own
sentence only. Rows stand in blocks; each block sees itself and its two neighbours, so cost grows
with length and no word is computed twice. How far apart two sentences are is told by a learned
bias; positions within a sentence are in the vectors already.

The bias is the same for all words of a sentence, so it is part of the product of queries and keys:
a key has a column for each sentence in sight, with a one for its own, and a query has the biases
of those sentences there. So no bias is ever made word by word.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from albeit.parsing.coreference import BLOCK

STEPS = (1, 2, 3, 5, 9)
"""Where a new class of distance between sentences begins."""


def distances(apart: Tensor) -> Tensor:
    """Classes of the distance between sentences: 0 the same, then before, then after."""
    size = apart.abs()
    found = torch.zeros_like(apart)
    for step in STEPS:
        found = found + (size >= step).to(apart.dtype)
    return found + (apart > 0).to(apart.dtype) * len(STEPS)


def neighbours(x: Tensor, edge: Tensor) -> Tensor:
    """[n, block, width], [1, block, width] → [n, 3 block, width]: each block between the one
    before and the one after, or the edge."""
    around = torch.arange(x.shape[0], device=x.device).unsqueeze(1) + torch.arange(
        3, device=x.device
    )
    return torch.cat([edge, x, edge])[around].flatten(1, 2)


class _Attention(torch.autograd.Function):
    """In an exported file, attention is one node, which never writes its weights to memory."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, count: int) -> Tensor:
        """[n, queries, count × any], [n, keys, count × any], [n, keys, width] → [n, queries, width]."""
        return attention(q, k, v, count, 0.0)

    @staticmethod
    def symbolic(g: Any, q: Any, k: Any, v: Any, count: int) -> Any:
        """The node."""
        name = "com.microsoft::MultiHeadAttention"
        return g.op(name, q, k, v, num_heads_i=count, scale_f=1.0)


def attention(q: Tensor, k: Tensor, v: Tensor, count: int, dropout: float) -> Tensor:
    """Attention of ``count`` heads, whose parts stand side by side; scores are taken as they are."""
    q, k, v = (x.unflatten(-1, (count, -1)).transpose(1, 2) for x in (q, k, v))
    mixed = fn.scaled_dot_product_attention(q, k, v, dropout_p=dropout, scale=1.0)
    return mixed.transpose(1, 2).flatten(2)


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

    def forward(self, x: Tensor, classes: Tensor, keys: Tensor, edge: Tensor) -> Tensor:
        """[n, block, width], [n, block, sentences], [n, block, 1 + sentences], the last of what is
        not there [1, block, 1 + sentences] → [n, block, width]."""
        q, k, v = self.fused(x).chunk(3, -1)
        biases = self.near(classes).transpose(2, 3)
        unseen = torch.full_like(biases[..., :1], -10000.0)
        q = torch.cat([self.split(q), unseen, biases], -1).flatten(2)
        empty = torch.zeros_like(x[:1])
        k = neighbours(self.placed(k, keys), self.placed(empty, edge))
        v = neighbours(v, empty)
        if torch.onnx.is_in_onnx_export():
            mixed = _Attention.apply(q, k, v, self.count)
        else:
            mixed = attention(q, k, v, self.count, self.dropout if self.training else 0.0)
        mixed = self.output(mixed)
        x = self.first(x + fn.dropout(mixed, self.dropout, self.training))
        y = self.down(fn.gelu(self.up(x)))
        out: Tensor = self.second(x + fn.dropout(y, self.dropout, self.training))
        return out

    def split(self, x: Tensor) -> Tensor:
        """The heads' parts of vectors."""
        return x.unflatten(-1, (self.count, -1))

    def placed(self, k: Tensor, keys: Tensor) -> Tensor:
        """Keys with the columns that tell their sentence, in every head."""
        columns = keys.unsqueeze(2).expand(-1, -1, self.count, -1)
        return torch.cat([self.split(k), columns], -1).flatten(2)


class Tower(nn.Module):
    """Vectors of a document's words → vectors that know the document."""

    BLOCK = BLOCK

    def __init__(self, layers: int, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            TowerBlock(width, inner, width // 32, dropout) for _ in range(layers)
        )

    def start(self, shipped: dict[str, Tensor]) -> None:
        """Copy the topmost layers of the shipped encoder; of wider ones, the first units."""
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
                    own = getattr(getattr(block, mine), kind).data
                    own.copy_(value[tuple(slice(size) for size in own.shape)])

    def forward(self, x: Tensor, sentences: Tensor, sight: Tensor) -> Tensor:
        """[n, block, width], [n, block], [n, sentences] → [n, block, width]. ``sight`` has the
        sentences that each block may see, each in the same column for all blocks; places without
        a word are of none of them."""
        classes = distances(sight.unsqueeze(1) - sentences.unsqueeze(2))
        own = (sentences.unsqueeze(2) == sight.unsqueeze(1)).to(x.dtype)
        keys = torch.cat([1 - own.sum(2, keepdim=True), own], 2)
        edge = torch.cat([torch.ones_like(keys[:1, :, :1]), torch.zeros_like(own[:1])], 2)
        for block in self.blocks:
            x = block(x, classes, keys, edge)
        return x


class SubwordTower(Tower):
    """A tower over the middle layer's vectors of subwords: half as quick, for teaching."""

    BLOCK = 128

    def __init__(self, layers: int, width: int, inner: int, dropout: float) -> None:
        super().__init__(layers, width, inner, dropout)
        self.mean = nn.Parameter(torch.zeros(width), requires_grad=False)
        self.factor = nn.Parameter(torch.ones(width), requires_grad=False)
        self.cases = nn.Embedding(6, width)

    def start(self, shipped: dict[str, Tensor]) -> None:
        """Copy the encoder's upper layers, and what stands between them and the middle one."""
        super().start(shipped)
        self.mean.data.copy_(shipped["middle.mean"])
        self.factor.data.copy_(shipped["middle.factor"])
        self.cases.weight.data.copy_(shipped["cases.weight"])

    def enter(self, middle: Tensor, cases: Tensor) -> Tensor:
        """[n, block, width], [n, block] → [n, block, width]."""
        out: Tensor = middle / self.factor + self.mean + self.cases(cases)
        return out
