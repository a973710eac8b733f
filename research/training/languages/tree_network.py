"""A small network that cuts a text's EDUs into a binary tree, from the whole downwards."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.judge.store import Array
from training.languages.arrays import Numbers
from training.languages.network import Block, hidden, places
from training.languages.parseval import Nodes

NUCLEARITIES, RELATIONS = 3, 15
SIZES = 10
"""How many sizes of a span are told apart, on each side of a cut."""
Made = tuple[Tensor, Tensor]
"""What spans are made of: running sums of sides, and edges."""


class Trees(nn.Module):
    """EDUs → where to cut a span, and what holds its halves together."""

    def __init__(self, styles: int, given: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.width, self.dropout = width, dropout
        self.enter = nn.Linear(given, width)
        self.styles, self.ends = nn.Embedding(styles, width), nn.Embedding(2, width)
        self.blocks = nn.ModuleList(Block(width, 4, dropout, biased=False) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.sides = nn.Linear(width, 4 * width, bias=False)
        self.edges = nn.Linear(width, 8 * width)
        self.sizes = nn.Embedding(2 * SIZES, 2 * width)
        self.cut, self.label = nn.Linear(width, 1), nn.Linear(width, NUCLEARITIES + RELATIONS)

    def units(self, given: Tensor, present: Tensor, ends: Tensor, style: Tensor) -> Tensor:
        """Rows of EDUs [texts, EDUs, given] → [texts, EDUs, width]; `style` one number a text."""
        x = self.enter(fn.dropout(given, self.dropout / 2, self.training))
        x = x + self.ends(ends) + self.styles(style).unsqueeze(1)
        x = x + 0.5 * places(torch.arange(x.shape[1], device=x.device), self.width)
        x = fn.dropout(x, self.dropout, self.training)
        for block in self.blocks:
            x = block(x, hidden(present), None)
        found: Tensor = self.norm(x)
        return found

    def projected(self, units: Tensor) -> Made:
        """What spans are made of: running sums of sides, and edges. Linear, so done once an EDU."""
        sums = fn.pad(self.sides(units).cumsum(1), (0, 0, 1, 0))
        return sums, self.edges(units)

    def spans(self, made: Made, spans: Tensor, part: int) -> Tensor:
        """Texts, first, split, last [spans, 4] → [spans, width]; part 0 is for cuts, 1 for labels."""
        sums, edges = made
        text, first, split, last = spans.unbind(1)
        w = self.width
        left, right = (slice((2 * part + k) * w, (2 * part + k + 1) * w) for k in (0, 1))
        ours, theirs = sums[:, :, left], sums[:, :, right]
        x = (ours[text, split + 1] - ours[text, first]) / (split + 1 - first).unsqueeze(1)
        x = x + (theirs[text, last + 1] - theirs[text, split + 1]) / (last - split).unsqueeze(1)
        for k, place in enumerate((first, split, split + 1, last)):
            at = (4 * part + k) * w
            x = x + edges[:, :, at : at + w][text, place]
        for k, size in enumerate((split + 1 - first, last - split)):
            bucket = (2 * size.float().log2()).long().clamp(max=SIZES - 1) + k * SIZES
            x = x + self.sizes(bucket)[:, part * w : (part + 1) * w]
        return fn.dropout(fn.gelu(x), self.dropout, self.training)

    def cuts(self, made: Made, spans: Tensor) -> Tensor:
        """A logit a place of a cut."""
        found: Tensor = self.cut(self.spans(made, spans, 0)).squeeze(1)
        return found

    def labels(self, made: Made, spans: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of nuclearities and of relations."""
        found = self.label(self.spans(made, spans, 1))
        return found[:, :NUCLEARITIES], found[:, NUCLEARITIES:]


def lost(net: Trees, made: Made, nodes: Numbers, device: str) -> Tensor:
    """The mean loss over nodes (text, first, last, split, nuclearity, relation)."""
    length = nodes[:, 2] - nodes[:, 1]
    owner = np.repeat(np.arange(len(nodes)), length)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    own = nodes[owner]
    places_ = np.stack([own[:, 0], own[:, 1], own[:, 1] + offset, own[:, 2]], 1)
    scores = net.cuts(made, torch.from_numpy(places_).to(device))
    grid = torch.full((len(nodes), int(length.max())), -1e9, device=device)
    grid[torch.from_numpy(owner).to(device), torch.from_numpy(offset).to(device)] = scores
    gold = torch.from_numpy(nodes).to(device)
    cuts = fn.cross_entropy(grid, gold[:, 3] - gold[:, 1])
    nuclearity, relation = net.labels(made, gold[:, [0, 1, 3, 2]])
    return cuts + fn.cross_entropy(nuclearity, gold[:, 4]) + fn.cross_entropy(relation, gold[:, 5])


@torch.no_grad()
def parsed(net: Trees, made: Made, ends: Array, device: str) -> Nodes:
    """The tree of the first text, cut from above, all spans of one depth at a time; never within a
    sentence while there is a place between two."""
    found: Nodes = []
    level = [(0, len(ends) - 1)]
    while level := [(a, b) for a, b in level if a < b]:
        given = [(0, a, k, b) for a, b in level for k in range(a, b)]
        scores = net.cuts(made, torch.tensor(given, device=device)).cpu().numpy()
        at, best = 0, []
        for a, b in level:
            own = scores[at : at + b - a] + 1e4 * ends[a:b]
            best.append((0, a, a + int(own.argmax()), b))
            at += b - a
        nuclearity, relation = net.labels(made, torch.tensor(best, device=device))
        labels = zip(nuclearity.argmax(1).tolist(), relation.argmax(1).tolist(), strict=True)
        following = []
        for (_, a, m, b), (n, r) in zip(best, labels, strict=True):
            found.append((a, b, m, n, r))
            following += [(a, m), (m + 1, b)]
        level = following
    return found
