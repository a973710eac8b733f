"""The heads: each module's `forward` is exactly what its exported file computes.

Word vectors are the encoder's output at each word's first subword. Flat heads read [n, width];
pairwise heads read [sentences, words, width] with zero vectors as padding.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

RST_FEATURES = 6
NEAR = 12
"""Distances from the predicate beyond this many words are not told apart."""


class Mlp(nn.Sequential):
    """Linear, GELU, dropout, linear."""

    def __init__(self, inputs: int, inner: int, outputs: int, dropout: float) -> None:
        super().__init__(*project(inputs, inner, dropout), nn.Linear(inner, outputs))


def project(inputs: int, outputs: int, dropout: float) -> nn.Sequential:
    """Return linear, GELU, dropout."""
    return nn.Sequential(nn.Linear(inputs, outputs), nn.GELU(), nn.Dropout(dropout))


class Flat(nn.Module):
    """Scores of single words or spans."""

    def __init__(self, width: int, outputs: int, dropout: float, inner: int = 256) -> None:
        super().__init__()
        self.mlp = Mlp(width, inner, outputs, dropout)
        self.single = outputs == 1

    def forward(self, words: Tensor) -> Tensor:
        """[n, width] → [n, outputs], or [n] with one output."""
        out: Tensor = self.mlp(words)
        return out.squeeze(-1) if self.single else out


class Tags(nn.Module):
    """Universal and Penn parts of speech, from one hidden layer."""

    def __init__(self, width: int, upos: int, xpos: int, dropout: float) -> None:
        super().__init__()
        self.hidden = project(width, 256, dropout)
        self.upos = nn.Linear(256, upos)
        self.xpos = nn.Linear(256, xpos)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """[n, width] → [n, upos], [n, xpos]."""
        hidden = self.hidden(words)
        return self.upos(hidden), self.xpos(hidden)


class Arcs(nn.Module):
    """Biaffine scores of every word on every head, the root first."""

    def __init__(self, width: int, dropout: float, size: int = 256) -> None:
        super().__init__()
        self.dependent = project(width, size, dropout)
        self.head = project(width, size, dropout)
        self.root = nn.Parameter(torch.randn(size) * 0.1)
        self.weight = nn.Linear(size, size, bias=False)
        self.prior = nn.Linear(size, 1)
        nn.init.orthogonal_(self.weight.weight)
        self.scale = size**-0.5

    def forward(self, words: Tensor) -> Tensor:
        """[b, w, width] → [b, w, 1 + w]."""
        dependent = self.dependent(words)
        head = self.head(words)
        root = self.root.to(head.dtype).expand(head.shape[0], 1, -1)
        head = torch.cat([root, head], 1)
        scores = self.weight(dependent) @ head.transpose(1, 2) * self.scale
        out: Tensor = scores + self.prior(head).transpose(1, 2)
        return out


class Relations(nn.Module):
    """The relation of a dependent to its head (never the root)."""

    def __init__(self, width: int, labels: int, dropout: float, size: int = 96) -> None:
        super().__init__()
        self.dependent = project(width, size, dropout)
        self.head = project(width, size, dropout)
        self.pair = nn.Bilinear(size, size, labels)
        self.single = nn.Linear(2 * size, labels)

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """[n, width] twice → [n, labels]."""
        d, h = self.dependent(dependents), self.head(heads)
        # the bilinear form as two products, so that it exports to plain matrix nodes
        weight = self.pair.weight
        left = d @ weight.permute(1, 0, 2).reshape(weight.shape[1], -1).to(d.dtype)
        left = left.view(d.shape[0], weight.shape[0], weight.shape[2])
        paired = (left @ h.unsqueeze(-1)).squeeze(-1)
        out: Tensor = paired + self.pair.bias + self.single(torch.cat([d, h], -1))
        return out


def boundaries(words: Tensor) -> Tensor:
    """[b, w, width] → [b, w + 1, 2 width]: the words before and after each boundary."""
    before = fn.pad(words, (0, 0, 1, 0))
    after = fn.pad(words, (0, 0, 0, 1))
    return torch.cat([before, after], -1)


class Spans(nn.Module):
    """Is a span a constituent? One logit for every pair of word boundaries."""

    def __init__(self, width: int, dropout: float, size: int = 256) -> None:
        super().__init__()
        self.left = project(2 * width, size, dropout)
        self.right = project(2 * width, size, dropout)
        self.weight = nn.Linear(size, size, bias=False)
        self.prior_left = nn.Linear(size, 1)
        self.prior_right = nn.Linear(size, 1)
        nn.init.orthogonal_(self.weight.weight)
        self.scale = size**-0.5

    def forward(self, words: Tensor) -> Tensor:
        """[b, w, width] → [b, w + 1, w + 1]; only entries above the diagonal mean anything."""
        edges = boundaries(words)
        left, right = self.left(edges), self.right(edges)
        scores = self.weight(left) @ right.transpose(1, 2) * self.scale
        out: Tensor = scores + self.prior_left(left) + self.prior_right(right).transpose(1, 2)
        return out


class SmallBlock(nn.Module):
    """One pre-norm transformer layer over the words of a sentence, seen from one predicate.

    It runs once a pair of predicate and word, so its queries, keys and feed-forward layer are
    narrow. Queries, keys and values are projected apart, which saves copies where it is run.
    """

    def __init__(self, size: int, count: int, match: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.count = count
        self.scale = (match // count) ** -0.5
        self.first = nn.LayerNorm(size)
        self.second = nn.LayerNorm(size)
        self.query = nn.Linear(size, match)
        self.key = nn.Linear(size, match)
        self.value = nn.Linear(size, size)
        self.output = nn.Linear(size, size)
        self.up = nn.Linear(size, inner)
        self.down = nn.Linear(inner, size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, absent: Tensor) -> Tensor:
        """[p, w, size], [p, w] → [p, w, size]."""
        p, w, size = x.shape
        normed = self.first(x)
        q, k, v = (
            project(normed).view(p, w, self.count, -1).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        )
        scores = q @ k.transpose(2, 3) * self.scale
        scores = scores + absent[:, None, None, :].to(scores.dtype) * -10000.0
        mixed = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(p, w, size)
        x = x + self.drop(self.output(mixed))
        out: Tensor = x + self.drop(self.down(fn.gelu(self.up(self.second(x)))))
        return out


class Roles(nn.Module):
    """B-I-O role tags of every word of a predicate's sentence.

    What depends on the word or on the predicate alone is computed once for each; a predicate
    then scales and shifts the words of its sentence, which is all that is done a pair before
    the block.
    """

    def __init__(self, width: int, tags: int, dropout: float, size: int = 256) -> None:
        super().__init__()
        self.word = Mlp(width, 256, size, dropout)
        self.predicate = Mlp(width, 256, 2 * size, dropout)
        self.distance = nn.Embedding(2 * NEAR + 1, size)
        self.drop = nn.Dropout(dropout)
        self.block = SmallBlock(size, 4, 128, 256, dropout)
        self.tags = nn.Linear(size, tags)

    def forward(self, words: Tensor, rows: Tensor, at: Tensor) -> Tensor:
        """[b, w, width], row and word of each predicate [p] → [p, w, tags].

        Zero vectors are padding: no word attends to them.
        """
        word = self.word(words).index_select(0, rows)
        places = rows * words.shape[1] + at
        predicate = self.predicate(words.flatten(0, 1).index_select(0, places)).unsqueeze(1)
        gate, shift = predicate.chunk(2, -1)
        apart = torch.arange(words.shape[1], device=words.device).unsqueeze(0) - at.unsqueeze(1)
        near = self.distance(apart.clamp(-NEAR, NEAR) + NEAR)
        joint = self.drop(fn.gelu(word * (1 + gate) + (shift + near)))
        absent = (words.abs().sum(-1) == 0).index_select(0, rows)
        out: Tensor = self.tags(self.drop(self.block(joint, absent)))
        return out


class Connectives(nn.Module):
    """B-I-O tags of explicit connectives, and the sense of one that begins here."""

    def __init__(self, width: int, senses: int, dropout: float) -> None:
        super().__init__()
        self.hidden = project(width, 256, dropout)
        self.tags = nn.Linear(256, 3)
        self.senses = nn.Linear(256, senses)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """[n, width] → [n, 3], [n, senses]."""
        hidden = self.hidden(words)
        return self.tags(hidden), self.senses(hidden)


class Rst(nn.Module):
    """Scores of joining two neighbouring spans of EDUs: whether to, and how.

    A candidate is described by the four EDUs at its ends and its split, each by its first word,
    last word and mean. The four projections are made once an EDU.
    """

    def __init__(self, width: int, labels: int, dropout: float, size: int = 384) -> None:
        super().__init__()
        self.places = nn.ModuleList(nn.Linear(3 * width, size, bias=False) for _ in range(4))
        self.features = nn.Linear(RST_FEATURES, size)
        self.drop = nn.Dropout(dropout)
        self.hidden = nn.Linear(size, 256)
        self.split = nn.Linear(256, 1)
        self.labels = nn.Linear(256, labels)

    def forward(self, edus: Tensor, candidates: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
        """[e, 3 width], [n, 4], [n, features] → [n], [n, labels]."""
        joint = self.features(features.to(self.features.weight.dtype))
        for place, project in enumerate(self.places):
            joint = joint + project(edus).index_select(0, candidates[:, place])
        hidden = self.drop(fn.gelu(joint))
        hidden = self.drop(fn.gelu(self.hidden(hidden)))
        return self.split(hidden).squeeze(-1), self.labels(hidden)


class Heads(nn.Module):
    """All heads, sized by the label inventory."""

    def __init__(
        self, labels: dict[str, list[str]], width: int = 384, dropout: float = 0.25
    ) -> None:
        super().__init__()
        size = {name: len(values) for name, values in labels.items()}
        self.edus = Flat(width, 1, dropout)
        self.tags = Tags(width, size["upos"], size["xpos"], dropout)
        self.arcs = Arcs(width, dropout)
        self.relations = Relations(width, size["rel"], dropout)
        self.spans = Spans(width, dropout)
        self.span_labels = Flat(4 * width, size["bracket"], dropout)
        self.predicates = Flat(width, 1, dropout, 128)
        self.roles = Roles(width, 1 + 2 * size["role"], dropout)
        self.connectives = Connectives(width, size["sense"], dropout)
        self.entities = Flat(width, 1 + 2 * size["entity"], dropout)
        self.rst = Rst(width, size["rst"], dropout)
