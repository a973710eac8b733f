"""Small transformers over the encoder's features: what the judge, EDUs and trees share, and the judge."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.languages.encoder import FEATURES, Encoder
from training.languages.store import HYPOTHESIS, REFERENCE, SIDES, SOURCE

BEGIN, END = 1, 2
HIDDEN = 128


class Block(nn.Module):
    """Attention and a feed-forward layer, each normalised before and added."""

    def __init__(self, width: int, heads: int, dropout: float, biased: bool) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 3 * width), nn.Linear(3 * width, width)
        self.bias = nn.Parameter(torch.zeros(heads)) if biased else None

    def forward(self, x: Tensor, mask: Tensor, alike: Tensor | None) -> Tensor:
        """`mask` [rows, 1, 1, width] is 0 where something stands and very low elsewhere; `alike`
        [rows, 1, width, width] are similarities that attention may lean on."""
        rows, size, width = x.shape
        q, k, v = (
            self.inner(self.first(x)).view(rows, size, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + mask
        if alike is not None and self.bias is not None:
            scores = scores + alike * self.bias[:, None, None]
        seen = fn.dropout(scores.softmax(-1), self.dropout, self.training) @ v
        x = x + self._drop(self.outer(seen.transpose(1, 2).reshape(rows, size, width)))
        return x + self._drop(self.down(fn.gelu(self.up(self.second(x)))))

    def _drop(self, x: Tensor) -> Tensor:
        return fn.dropout(x, self.dropout, self.training)


def places(position: Tensor, width: int) -> Tensor:
    """Sine and cosine of positions."""
    rates = torch.exp(
        torch.arange(0, width, 2, device=position.device) * (-math.log(10000.0) / width)
    )
    angles = position.unsqueeze(-1).float() * rates
    return torch.cat([angles.sin(), angles.cos()], -1)


def positions(side: Tensor) -> Tensor:
    """The place of each subword in its own text."""
    index = torch.arange(side.shape[1], device=side.device).expand_as(side)
    starts = [
        torch.where(side == s, index, side.shape[1]).amin(1, keepdim=True)
        for s in range(1, SIDES + 1)
    ]
    first = sum(torch.where(side == s + 1, start, 0) for s, start in enumerate(starts))
    return torch.where(side > 0, index - first, 0)


def hidden(present: Tensor) -> Tensor:
    """What is added to attention's scores."""
    return (~present)[:, None, None, :].float() * -1e4


class Tower(nn.Module):
    """Features → states of one's own."""

    def __init__(
        self, extra: int, kinds: int, width: int, layers: int, dropout: float, biased: bool
    ) -> None:
        super().__init__()
        self.width, self.dropout = width, dropout
        self.enter = nn.Linear(FEATURES + extra, width)
        self.kinds = nn.Embedding(kinds, width)
        self.blocks = nn.ModuleList(Block(width, 4, dropout, biased) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(
        self,
        features: Tensor,
        kind: Tensor,
        position: Tensor,
        mask: Tensor,
        alike: Tensor | None = None,
    ) -> Tensor:
        """`kind` [rows, width]: the side, or the style of annotation."""
        x = self.enter(features) + self.kinds(kind) + 0.5 * places(position, self.width)
        x = fn.dropout(x, self.dropout, self.training)
        for block in self.blocks:
            x = block(x, mask, alike)
        return self.norm(x)


def met(states: Tensor, ids: Tensor, side: Tensor) -> tuple[Tensor, Tensor]:
    """What each subword finds on each side: the highest similarity, and whether the very same subword
    [rows, width, 2 × sides]; and the similarities [rows, 1, width, width], 0 within a text."""
    real = (side > 0) & (ids != BEGIN) & (ids != END)
    alike = states @ states.transpose(1, 2)
    same = (ids[:, :, None] == ids[:, None, :]).float()
    found = []
    for table, lowest in ((alike, -1.0), (same, 0.0)):
        for s in range(1, SIDES + 1):
            there = (real & (side == s))[:, None, :]
            best = torch.where(there, table, lowest).amax(2)
            useful = there.any(2) & real & (side != s)
            found.append(torch.where(useful, best, 0.0))
    apart = (side[:, :, None] != side[:, None, :]) & real[:, :, None] & real[:, None, :]
    return torch.stack(found, -1), (alike * apart).unsqueeze(1)


def mean(rows: Tensor, chosen: Tensor) -> Tensor:
    """The mean of the rows chosen, 0 where there are none."""
    weights = chosen.to(rows.dtype).unsqueeze(2)
    return (rows * weights).sum(1) / weights.sum(1).clamp(min=1.0)


class Judge(nn.Module):
    """Translation beside reference, source or both → a score, and a logit a subword (wrong or not)."""

    def __init__(self, width: int = 256, layers: int = 4, dropout: float = 0.1) -> None:
        super().__init__()
        self.tower = Tower(2 * SIDES, SIDES + 1, width, layers, dropout, biased=True)
        facts = SIDES * 2 * SIDES + 4
        self.up = nn.Linear(3 * width + facts, HIDDEN)
        self.down = nn.Linear(HIDDEN, 1)
        self.facts = nn.Linear(facts, 1)
        self.marks = nn.Linear(width, 1)
        self.dropout = dropout

    def forward(
        self, features: Tensor, states: Tensor, ids: Tensor, side: Tensor, chrf: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Scores [rows] and marks [rows, width]."""
        found, alike = met(states, ids, side)
        x = self.tower(
            torch.cat([features, found], -1), side, positions(side), hidden(side > 0), alike
        )
        real = (side > 0) & (ids != BEGIN) & (ids != END)
        sides = [real & (side == s) for s in (HYPOTHESIS, REFERENCE, SOURCE)]
        sizes = torch.stack([s.sum(1) for s in sides], 1).float()
        ratios = torch.where(
            sizes[:, 1:] > 0,
            ((sizes[:, :1] + 1) / (sizes[:, 1:] + 1)).log().clamp(-2, 2),
            0.0,
        )
        facts = torch.cat([*(mean(found, s) for s in sides), ratios, chrf], 1)
        joined = torch.cat([*(mean(x, s) for s in sides), facts], 1)
        deep = fn.dropout(fn.gelu(self.up(joined)), self.dropout, self.training)
        score = (self.down(deep) + self.facts(facts)).squeeze(1)
        return score, self.marks(x).squeeze(2)


class Whole(nn.Module):
    """The frozen encoder with a judge on it."""

    def __init__(self, encoder: Encoder, judge: Judge) -> None:
        super().__init__()
        self.encoder, self.judge = encoder, judge

    def forward(self, ids: Tensor, side: Tensor, chrf: Tensor) -> tuple[Tensor, Tensor]:
        """As the judge."""
        with torch.autocast(ids.device.type, enabled=False):
            features, states = self.encoder(ids, side)
        score, marks = self.judge(features, states, ids, side, chrf)
        return score.float(), marks.float()
