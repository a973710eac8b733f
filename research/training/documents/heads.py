"""The heads of the document analysers; each `forward` is what an exported file computes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.model.heads import Mlp

SPLIT_FEATURES = 7
PAIR_FEATURES = 12
CLASSES = 12
"""Classes of words that may refer: eleven kinds of pronoun, and all others."""
GAPS = 10
"""Classes of distance between two mentions."""


class Words(nn.Module):
    """What the heads read of a word: the tower's vector and what the sentence heads read."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)

    def forward(self, tower: Tensor, hidden: Tensor) -> Tensor:
        """[n, width] twice → [n, width]."""
        out: Tensor = self.drop(self.norm(tower + self.hidden(hidden)))
        return out


class Mentions(nn.Module):
    """Is a word the head of a mention, of which type, and how known is it?"""

    def __init__(self, width: int, kinds: int, statuses: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(width, 256), nn.GELU(), nn.Dropout(dropout))
        self.score = nn.Linear(256, 1)
        self.kinds = nn.Linear(256, kinds)
        self.statuses = nn.Linear(256, statuses)
        nn.init.constant_(self.score.bias, -2.0)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[n, width] → [n], [n, kinds], [n, statuses]."""
        hidden = self.hidden(words)
        return self.score(hidden).squeeze(-1), self.kinds(hidden), self.statuses(hidden)


class Edges(nn.Module):
    """Where the mention with a given head begins and ends: a score for each word around it."""

    def __init__(self, width: int, reach: int, dropout: float, size: int = 96) -> None:
        super().__init__()
        self.reach = reach
        self.head = nn.Sequential(nn.Linear(width, 2 * size), nn.GELU(), nn.Dropout(dropout))
        self.word = nn.Sequential(nn.Linear(width, 2 * size), nn.GELU(), nn.Dropout(dropout))
        self.place = nn.Parameter(torch.zeros(2, 2 * reach + 1, size))
        self.prior = nn.Parameter(torch.zeros(2, 2 * reach + 1))
        self.scale = size**-0.5

    def forward(self, words: Tensor, at: Tensor, places: Tensor) -> Tensor:
        """[n, width], heads [m], words around each [m, 2 reach + 1] → [m, 2, 2 reach + 1]: scores
        of where the mention begins and of its last word."""
        head = self.head(words.index_select(0, at)).unflatten(-1, (2, -1)).transpose(0, 1)
        word = self.word(words).unflatten(-1, (2, -1)).permute(1, 2, 0)
        met = (head @ word).transpose(0, 1)
        near = torch.gather(met, 2, places.unsqueeze(1).expand(-1, 2, -1))
        placed = (head @ self.place.transpose(1, 2)).transpose(0, 1)
        out: Tensor = (near + placed) * self.scale + self.prior
        return out


class Pairs(nn.Module):
    """Vectors of mentions for finding antecedents, a quick score of all pairs, a slow one of few."""

    def __init__(self, width: int, kinds: int, dropout: float, size: int = 256) -> None:
        super().__init__()
        self.mention = Mlp(width + kinds, 384, size, dropout)
        self.drop = nn.Dropout(dropout)
        self.quick = nn.Linear(size, size, bias=False)
        self.scale = size**-0.5
        self.gap = nn.Embedding(2 * GAPS, size)
        self.classes = nn.Embedding(CLASSES * CLASSES, size)
        self.features = nn.Linear(PAIR_FEATURES, size)
        self.mine = nn.Linear(size, size)
        self.theirs = nn.Linear(size, size, bias=False)
        self.both = nn.Linear(size, size, bias=False)
        self.inner = nn.Linear(size, 96)
        self.score = nn.Linear(96, 1)

    def vectors(self, words: Tensor, kinds: Tensor) -> Tensor:
        """[m, width], [m, kinds] (logits) → [m, size]."""
        out: Tensor = self.drop(
            fn.gelu(self.mention(torch.cat([words, torch.softmax(kinds, -1)], -1)))
        )
        return out

    def quickly(self, mentions: Tensor, antecedents: Tensor) -> Tensor:
        """[m, size], [a, size] → [m, a]."""
        out: Tensor = self.quick(mentions) @ antecedents.transpose(-1, -2) * self.scale
        return out

    def forward(
        self, mentions: Tensor, mine: Tensor, theirs: Tensor, codes: Tensor, features: Tensor
    ) -> Tensor:
        """[m, size], rows [p] twice, classes (gap, sentence gap, classes) [p, 3], [p, features] → [p]."""
        one, other = mentions.index_select(0, mine), mentions.index_select(0, theirs)
        joint = (
            self.mine(mentions).index_select(0, mine)
            + self.theirs(mentions).index_select(0, theirs)
            + self.both(one * other)
            + self.gap(codes[:, 0])
            + self.gap(codes[:, 1] + GAPS)
            + self.classes(codes[:, 2])
            + self.features(features.to(one.dtype))
        )
        hidden = fn.gelu(self.inner(self.drop(fn.gelu(joint))))
        out: Tensor = self.score(hidden).squeeze(-1)
        return out


class UnitBlock(nn.Module):
    """One pre-norm transformer layer over the sentences of a document."""

    REACH = 16

    def __init__(self, size: int, count: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.count = count
        self.first = nn.LayerNorm(size)
        self.second = nn.LayerNorm(size)
        self.fused = nn.Linear(size, 3 * size)
        self.output = nn.Linear(size, size)
        self.up = nn.Linear(size, inner)
        self.down = nn.Linear(inner, size)
        self.near = nn.Embedding(2 * self.REACH + 1, count)
        nn.init.zeros_(self.near.weight)
        self.drop = nn.Dropout(dropout)
        self.scale = (size // count) ** -0.5

    def forward(self, x: Tensor, apart: Tensor, absent: Tensor) -> Tensor:
        """[d, u, size], [u, u], [d, 1, 1, u] → [d, u, size]."""
        d, u, size = x.shape
        q, k, v = (
            part.view(d, u, self.count, -1).transpose(1, 2)
            for part in self.fused(self.first(x)).chunk(3, -1)
        )
        scores = q @ k.transpose(2, 3) * self.scale + self.near(apart).permute(2, 0, 1) + absent
        mixed = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(d, u, size)
        x = x + self.drop(self.output(mixed))
        out: Tensor = x + self.drop(self.down(fn.gelu(self.up(self.second(x)))))
        return out


class Units(nn.Module):
    """Sentences in their document, and what each says in each place of a candidate.

    A candidate joins two neighbouring spans of sentences; it is described by the first and the
    last sentence of either span and by either span's mean. All six are projections of the
    sentences' vectors, made once.
    """

    def __init__(
        self, width: int, layers: int, dropout: float, size: int = 256, inner: int = 512
    ) -> None:
        super().__init__()
        self.size = size
        self.enter = nn.Linear(4 * width, size)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(UnitBlock(size, 4, inner, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(size)
        self.places = nn.Linear(size, 6 * size)

    def forward(self, units: Tensor, present: Tensor) -> Tensor:
        """[d, u, 4 width], [d, u] → [d, u, 6 size]."""
        x = self.drop(self.enter(units))
        at = torch.arange(units.shape[1], device=units.device)
        reach = UnitBlock.REACH
        apart = (at[None] - at[:, None]).clamp(-reach, reach) + reach
        absent = (1.0 - present[:, None, None, :].to(x.dtype)) * -10000.0
        for block in self.blocks:
            x = block(x, apart, absent)
        out: Tensor = self.places(self.drop(self.norm(x)))
        return out


class Joins(nn.Module):
    """Scores of joining two neighbouring spans of sentences: whether to, and how."""

    def __init__(self, labels: int, dropout: float, size: int = 256) -> None:
        super().__init__()
        self.features = nn.Linear(SPLIT_FEATURES, size)
        self.drop = nn.Dropout(dropout)
        self.hidden = nn.Linear(size, 128)
        self.split = nn.Linear(128, 1)
        self.labels = nn.Linear(128, labels)

    def forward(self, joint: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
        """[n, size], [n, features] → [n], [n, labels]."""
        hidden = self.drop(fn.gelu(joint + self.features(features.to(joint.dtype))))
        hidden = self.drop(fn.gelu(self.hidden(hidden)))
        return self.split(hidden).squeeze(-1), self.labels(hidden)
