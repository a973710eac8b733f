"""The judge: the lower layers of Gemma 3 over source, reference and translation, and what it says
of them.

Input is one sequence, <bos> source \\n reference \\n translation <eos>; source or reference may be
missing, with its line break. Attention looks back alone, as it was pretrained: the translation
reads what stands before it. Each product of each layer gets a part of low rank that learns, the
rest stays as it is (changing all of it fails: docs/results/from-english.md). An embedding of the
side is added at the input. One dimension of this network's states is a hundred times larger than
all others, so each dimension is first given mean nought and spread one, by the states before
training (`settle`); a norm over dimensions alone would leave that one and nothing else. Beside the
states the head reads facts: of characters (chrF, its precision, its recall), because pieces hide
spelling, and how well the pieces of both texts meet by their states (means of the best cosines),
halfway and at the end. Without a reference the source stands in its place, and characters say
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.low_rank import LowRank
from training.judge.network import LEAST_SPREAD, MOST_SPREAD, mean
from training.many.base import JOINED, NORMS, State

WIDTH, HEADS, SIZE, INNER = 640, 4, 256, 2048
LOCAL, GLOBAL, EVERY = 1e4, 1e6, 6
"""Bases of the rotary positions; every sixth layer has the second."""
HIDDEN, CHARACTERS, MET = 384, 3, 2
TOLD = CHARACTERS + 2 * MET + 1
"""Facts: of characters, how pieces meet halfway and at the end, and no reference."""
NOTHING, REFERENCE, TRANSLATION, SOURCE = range(4)
"""Sides: marks and padding, and the texts."""


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


def met(states: Tensor, mine: Tensor, theirs: Tensor) -> Tensor:
    """How well each text's pieces find their like in the other: means of the best cosines
    [pairs, 2]."""
    unit = fn.normalize(states, dim=-1)
    close = unit @ unit.transpose(1, 2)
    close = close.masked_fill(~(mine.unsqueeze(2) & theirs.unsqueeze(1)), -1.0)
    best = [(close.amax(2), mine), (close.amax(1), theirs)]
    means = [(c * w).sum(1) / w.sum(1).clamp(min=1) for c, w in best]
    return torch.stack(means, 1)


class Settled(nn.Module):
    """States with each dimension given mean nought and spread one, then a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(WIDTH))
        self.register_buffer("spread", torch.ones(WIDTH))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, states: Tensor) -> Tensor:
        """States of the same shape."""
        found: Tensor = self.norm((states - self.centre) / self.spread)
        return found

    def settle(self, states: Tensor) -> None:
        """Learn the mean and the spread of each dimension from some states [places, width]."""
        self.centre.copy_(states.mean(0))
        self.spread.copy_(states.std(0).clamp(min=1e-3))


class Head(nn.Module):
    """States and facts → a score a pair, higher is better, and the logarithm of its standard
    error. It
    starts as chrF alone, `chrf` for the whole of its scale."""

    def __init__(self, chrf: float, dropout: float) -> None:
        super().__init__()
        self.middle, self.last = Settled(), Settled()
        self.up = nn.Linear(5 * WIDTH, HIDDEN)
        self.facts = nn.Linear(TOLD, HIDDEN, bias=False)
        self.score = nn.Linear(HIDDEN, 1)
        self.plain = nn.Linear(TOLD, 1, bias=False)
        self.error = nn.Linear(HIDDEN, 1)
        self.people = nn.Parameter(torch.tensor([1.0, 0.0]))
        """What people say, by the score: a line."""
        self.dropout = dropout
        nn.init.normal_(self.score.weight, std=0.01)
        for layer in (self.plain.weight, self.error.weight, self.error.bias):
            nn.init.zeros_(layer)
        with torch.no_grad():
            self.plain.weight[0, 0] = chrf / 2

    def forward(
        self, middle: Tensor, states: Tensor, sides: Tensor, last: Tensor, facts: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Scores and logarithms of standard errors [pairs]; `last` is the place of each pair's
        end."""
        middle, states = self.middle(middle), self.last(states)
        mine, theirs = sides == TRANSLATION, sides == REFERENCE
        without = ~theirs.any(1, keepdim=True)
        theirs = theirs | (without & (sides == SOURCE))
        one, other = (self.last.norm(mean(states, chosen)) for chosen in (mine, theirs))
        end = states[torch.arange(len(states), device=states.device), last]
        joined = torch.cat([end, one, other, (one - other).abs(), one * other], 1)
        characters = (2.0 * facts - 1.0) * ~without
        matched = torch.cat([met(middle, mine, theirs), met(states, mine, theirs)], 1)
        told = torch.cat([characters, 2.0 * matched - 1.0, without.to(facts.dtype)], 1)
        hidden = torch.tanh(self.up(joined) + self.facts(told))
        hidden = fn.dropout(hidden, self.dropout, self.training)
        score = self.score(hidden) + self.plain(told)
        error = self.error(hidden).clamp(LEAST_SPREAD, MOST_SPREAD)
        return score.squeeze(1), error.squeeze(1)


class Judge(nn.Module):
    """Words, layers and head."""

    def __init__(
        self, base: State, layers: int, rank: int, chrf: float = 0.0, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.register_buffer("words", base["words"], persistent=False)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.sides = nn.Embedding(4, WIDTH)
        nn.init.zeros_(self.sides.weight)
        self.head = Head(chrf, dropout)
        known = {name: w for name, w in base.items() if name.startswith("layers.")}
        assert len(known) == layers * (len(JOINED) + len(NORMS)), "some layers are not there"
        self.load_state_dict(known, strict=False)
        self.layers.requires_grad_(False)
        for layer in self.layers:
            for name in JOINED:
                setattr(layer, name, LowRank(getattr(layer, name), rank))

    def states(self, ids: Tensor, sides: Tensor) -> tuple[Tensor, Tensor]:
        """States after half of the layers and after all [pairs, length, width]. What is padded
        stands
        behind all text, which never looks there."""
        h = fn.embedding(ids, self.words) * math.sqrt(WIDTH) + self.sides(sides)
        middle = h
        at = torch.arange(ids.shape[1], device=ids.device, dtype=torch.float32)
        power = torch.arange(0, SIZE, 2, device=ids.device, dtype=torch.float32) / SIZE
        angles = {}
        for theta in (LOCAL, GLOBAL):
            angle = torch.outer(at, theta**-power).repeat(1, 2)
            angles[theta] = torch.stack([angle.cos(), angle.sin()])
        for n, layer in enumerate(self.layers, 1):
            h = layer(h, angles[LOCAL if n % EVERY else GLOBAL])
            middle = h if n == len(self.layers) // 2 else middle
        return middle, h

    def forward(
        self, ids: Tensor, sides: Tensor, mask: Tensor, facts: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return scores and logarithms of standard errors [pairs], in single precision."""
        middle, states = self.states(ids, sides)
        with torch.autocast(states.device.type, enabled=False):
            score, error = self.head(middle.float(), states.float(), sides, mask.sum(1) - 1, facts)
        return score, error

    @torch.no_grad()
    def settle(self, batches: Iterable[dict[str, Tensor]]) -> None:
        """Learn the mean and the spread of each dimension from the states of some texts."""
        found = []
        for batch in batches:
            text = batch["sides"] != NOTHING
            found.append([s.float()[text] for s in self.states(batch["ids"], batch["sides"])])
        for place, settled in enumerate((self.head.middle, self.head.last)):
            settled.settle(torch.cat([own[place] for own in found]))

    def learnt(self) -> State:
        """What training changed, in half precision, and what the head was settled by."""
        found = {n: p.detach().half() for n, p in self.named_parameters() if p.requires_grad}
        found |= dict(self.head.named_buffers(prefix="head"))
        return {name: value.cpu().contiguous() for name, value in found.items()}
