"""The judge: the lower layers of Gemma 3 over reference and translation, and what it says of the pair.

Input is one sequence, <bos> reference \\n translation <eos>. Attention looks back alone, as it was pretrained:
the translation reads the reference. Each product of each layer gets a part of low rank that learns, the
rest stays as it is (changing all of it fails: docs/results/out-of-english.md). An embedding of the side is added at the
input. One dimension of this network's states is a hundred times larger than all others, so each
dimension is first given mean nought and spread one, by the states before training (`settle`); a norm over
dimensions alone would leave that one and nothing else. Beside the states the head reads facts: of
characters (chrF, its precision, its recall), because pieces hide spelling, and how well the pieces of
both texts meet by their last states (means of the best cosines).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.low_rank import LowRank
from training.many.base import JOINED, NORMS, State

WIDTH, HEADS, SIZE, INNER = 640, 4, 256, 2048
LOCAL, GLOBAL, EVERY = 1e4, 1e6, 6
"""Bases of the rotary positions; every sixth layer has the second."""
HIDDEN, CHARACTERS, MET = 384, 3, 2
NOTHING, REFERENCE, TRANSLATION = range(3)
"""Sides: marks and padding, and both texts."""


def normal(x: Tensor, weight: Tensor) -> Tensor:
    """Root mean square one, then scaled."""
    return fn.rms_norm(x.float(), (x.shape[-1],), weight, 1e-6)


def turned(x: Tensor, angles: Tensor) -> Tensor:
    """Rotary positions: `angles` are cosines and sines [2, length, size]."""
    one, other = x.chunk(2, -1)
    return x * angles[0] + torch.cat([-other, one], -1) * angles[1]


class Layer(nn.Module):
    """Attention of four heads over one key head, then a gated product, each between two norms."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(WIDTH, (HEADS + 2) * SIZE, bias=False)
        self.leave = nn.Linear(HEADS * SIZE, WIDTH, bias=False)
        self.wide = nn.Linear(WIDTH, 2 * INNER, bias=False)
        self.narrow = nn.Linear(INNER, WIDTH, bias=False)
        for name in NORMS:
            size = SIZE if name in ("of_query", "of_key") else WIDTH
            setattr(self, name, nn.Parameter(torch.ones(size)))

    def forward(self, h: Tensor, angles: Tensor) -> Tensor:
        """States [pairs, length, width]."""
        rows, length, _ = h.shape
        x = self.enter(normal(h, self.before_attention)).view(rows, length, HEADS + 2, SIZE)
        q, k, v = x.transpose(1, 2).split([HEADS, 1, 1], 1)
        q = turned(normal(q, self.of_query).to(v.dtype), angles.to(v.dtype))
        k = turned(normal(k, self.of_key).to(v.dtype), angles.to(v.dtype))
        k, v = (y.expand(-1, HEADS, -1, -1) for y in (k, v))
        seen = fn.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1 / math.sqrt(SIZE))
        seen = self.leave(seen.transpose(1, 2).reshape(rows, length, HEADS * SIZE))
        h = h + normal(seen, self.after_attention)
        gate, up = self.wide(normal(h, self.before_inner)).chunk(2, -1)
        inner = self.narrow(fn.gelu(gate, approximate="tanh") * up)
        return h + normal(inner, self.after_inner)


def mean(states: Tensor, chosen: Tensor) -> Tensor:
    """The mean of the chosen states of each pair."""
    weights = chosen.to(states.dtype).unsqueeze(2)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)


def met(states: Tensor, mine: Tensor, theirs: Tensor) -> Tensor:
    """How well each text's pieces find their like in the other: means of the best cosines
    [pairs, 2]."""
    unit = fn.normalize(states, dim=-1)
    close = unit @ unit.transpose(1, 2)
    close = close.masked_fill(~(mine.unsqueeze(2) & theirs.unsqueeze(1)), -1.0)
    best = [(close.amax(2), mine), (close.amax(1), theirs)]
    means = [(c * w).sum(1) / w.sum(1).clamp(min=1) for c, w in best]
    return torch.stack(means, 1)


class Head(nn.Module):
    """States and facts → a score a pair, higher is better. It starts as chrF alone, `chrf` logits
    for the whole of its scale."""

    def __init__(self, chrf: float, dropout: float) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(WIDTH))
        self.register_buffer("spread", torch.ones(WIDTH))
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(5 * WIDTH, HIDDEN)
        self.facts = nn.Linear(CHARACTERS + MET, HIDDEN, bias=False)
        self.score = nn.Linear(HIDDEN, 1)
        self.plain = nn.Linear(CHARACTERS + MET, 1, bias=False)
        self.dropout = dropout
        nn.init.normal_(self.score.weight, std=0.01)
        nn.init.zeros_(self.plain.weight)
        with torch.no_grad():
            self.plain.weight[0, 0] = chrf / 2

    def forward(self, states: Tensor, sides: Tensor, last: Tensor, facts: Tensor) -> Tensor:
        """Scores [pairs]; `last` is the place of each pair's end."""
        states = self.norm((states - self.centre) / self.spread)
        mine, theirs = sides == TRANSLATION, sides == REFERENCE
        one, other = (self.norm(mean(states, chosen)) for chosen in (mine, theirs))
        end = states[torch.arange(len(states), device=states.device), last]
        joined = torch.cat([end, one, other, (one - other).abs(), one * other], 1)
        told = 2.0 * torch.cat([facts, met(states, mine, theirs)], 1) - 1.0
        hidden = torch.tanh(self.up(joined) + self.facts(told))
        hidden = fn.dropout(hidden, self.dropout, self.training)
        score: Tensor = self.score(hidden) + self.plain(told)
        return score.squeeze(1)


class Judge(nn.Module):
    """Words, layers and head."""

    def __init__(
        self, base: State, layers: int, rank: int, chrf: float = 0.0, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.register_buffer("words", base["words"], persistent=False)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.sides = nn.Embedding(3, WIDTH)
        nn.init.zeros_(self.sides.weight)
        self.head = Head(chrf, dropout)
        known = {name: w for name, w in base.items() if name.startswith("layers.")}
        assert len(known) == layers * (len(JOINED) + len(NORMS)), "some layers are not there"
        self.load_state_dict(known, strict=False)
        self.layers.requires_grad_(False)
        for layer in self.layers:
            for name in JOINED:
                setattr(layer, name, LowRank(getattr(layer, name), rank))

    def states(self, ids: Tensor, sides: Tensor) -> Tensor:
        """The last layer's states [pairs, length, width]. What is padded stands behind all text, which
        never looks there."""
        h = fn.embedding(ids, self.words) * math.sqrt(WIDTH) + self.sides(sides)
        at = torch.arange(ids.shape[1], device=ids.device, dtype=torch.float32)
        power = torch.arange(0, SIZE, 2, device=ids.device, dtype=torch.float32) / SIZE
        angles = {}
        for theta in (LOCAL, GLOBAL):
            angle = torch.outer(at, theta**-power).repeat(1, 2)
            angles[theta] = torch.stack([angle.cos(), angle.sin()])
        for n, layer in enumerate(self.layers):
            h = layer(h, angles[LOCAL if (n + 1) % EVERY else GLOBAL])
        return h

    def forward(self, ids: Tensor, sides: Tensor, mask: Tensor, facts: Tensor) -> Tensor:
        """Scores [pairs]; the head computes in single precision."""
        states = self.states(ids, sides)
        with torch.autocast(states.device.type, enabled=False):
            scores: Tensor = self.head(states.float(), sides, mask.sum(1) - 1, facts)
        return scores

    @torch.no_grad()
    def settle(self, batches: Iterable[dict[str, Tensor]]) -> None:
        """Learn the mean and the spread of each dimension from the states of some texts."""
        found = [
            self.states(batch["ids"], batch["sides"]).float()[batch["sides"] != NOTHING]
            for batch in batches
        ]
        self.head.centre.copy_(torch.cat(found).mean(0))
        self.head.spread.copy_(torch.cat(found).std(0).clamp(min=1e-3))

    def learnt(self) -> State:
        """What training changed, in half precision, and what the head was settled by."""
        found = {n: p.detach().half() for n, p in self.named_parameters() if p.requires_grad}
        found |= {"head.centre": self.head.centre, "head.spread": self.head.spread}
        return {name: value.cpu().contiguous() for name, value in found.items()}
