"""The tower: transformer layers over a whole document; and a large encoder that teaches it.

It reads words: the vectors that the sentence heads read, which know their own sentence only. Rows
are in blocks; each block sees itself and its two neighbors, so cost grows with length and no word
is computed twice. A learned bias depends on how far apart two sentences are; positions within a
sentence are in the vectors already.

The bias is the same for all words of a sentence, so it is part of the product of queries and keys:
a key has a column for each sentence in sight, with a one for its own, and a query has the biases
of those sentences there. So no bias is ever made word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from albeit.parsing.coreference import APART, BLOCK, in_blocks, in_sight
from training.batch import CLS, SEP
from training.documents.data import Arrays
from training.model.encoder import Encoder

STEPS = (1, 2, 3, 5, 9)
"""Where a new class of distance between sentences begins."""
NAMES = ("fused", "output", "first", "up", "down", "second")
WINDOW = 500
"""Subwords that a large encoder reads together."""
T = TypeVar("T", bound=np.generic)


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
        """[n, queries, count × any], [n, keys, count × any], values → [n, queries, width]."""
        return attention(q, k, v, count, 0.0)

    @staticmethod
    def symbolic(g: Any, q: Any, k: Any, v: Any, count: int) -> Any:
        """The node."""
        name = "com.microsoft::MultiHeadAttention"
        return g.op(name, q, k, v, num_heads_i=count, scale_f=1.0)


def attention(q: Tensor, k: Tensor, v: Tensor, count: int, dropout: float) -> Tensor:
    """Attention of ``count`` heads, whose parts are next to each other; scores aren't scaled."""
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

    def __init__(self, layers: int, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            TowerBlock(width, inner, width // 32, dropout) for _ in range(layers)
        )

    def start(self, shipped: dict[str, Tensor]) -> None:
        """Copy the topmost layers of the shipped encoder; of wider ones, the first units."""
        theirs = ("attention.fused", "attention.output", "attention.norm", "up", "down", "norm")
        for number, block in enumerate(self.blocks, 6 - len(self.blocks)):
            for name, source in zip(NAMES, theirs, strict=True):
                for kind in ("weight", "bias"):
                    value = shipped[f"blocks.{number}.{source}.{kind}"]
                    own = getattr(getattr(block, name), kind).data
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


class TowerReader(nn.Module):
    """A tower on what the sentence heads of the parsing model read."""

    def __init__(self, layers: int, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.tower = Tower(layers, width, inner, dropout)
        self.words = Words(width, dropout)

    def forward(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """Return the word vectors of each document."""
        dev = self.words.hidden.weight.device
        apart = [d.sentences[d.first] + 4 * APART * k for k, d in enumerate(documents)]
        sentences = blocks(apart, -APART)
        where = [torch.from_numpy(each).to(dev) for each in (sentences, in_sight(sentences))]
        x = torch.from_numpy(blocks([d.hidden for d in documents])).to(dev).float()
        with torch.autocast(dev.type, torch.bfloat16, enabled=dev.type == "cuda"):
            out = self.tower(x, *where)
        out = out.float().flatten(0, 1)
        vectors, at = [], 0
        for document in documents:
            size = len(document.hidden)
            hidden = torch.from_numpy(document.hidden).to(dev).float()
            vectors.append(self.words(out[at : at + size], hidden))
            at += (-(-size // BLOCK) + 1) * BLOCK
        return vectors


def blocks(parts: Sequence[npt.NDArray[T]], filler: float = 0) -> npt.NDArray[T]:
    """Return the rows of documents one after another, each in whole blocks and an empty one."""
    empty = np.full((BLOCK, *parts[0].shape[1:]), filler, parts[0].dtype)
    whole = (np.concatenate([in_blocks(part, filler), empty[None]]) for part in parts)
    return np.concatenate(list(whole))


class WindowReader(nn.Module):
    """A large encoder over windows of whole sentences, brought to the width of the heads."""

    def __init__(self, encoder: Encoder, width: int, seed: int = 0) -> None:
        super().__init__()
        self.encoder = encoder
        self.rng = np.random.default_rng(seed)
        self.narrow = nn.Linear(encoder.config.width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """Return the word vectors of each document."""
        dev = self.narrow.weight.device
        rng = self.rng if self.training else None
        cuts = [windows(document, rng) for document in documents]
        rows = [(d, a, b) for d, parts in enumerate(cuts) for a, b in parts]
        length = max(b - a for _, a, b in rows) + 2
        ids, cases, mask = np.zeros((3, len(rows), length), np.int64)
        for r, (d, a, b) in enumerate(rows):
            ids[r, : b - a + 2] = [CLS, *documents[d].ids[a:b].tolist(), SEP]
            cases[r, 1 : b - a + 1] = documents[d].cases[a:b]
            mask[r, : b - a + 2] = 1
        with torch.autocast(dev.type, torch.bfloat16, enabled=dev.type == "cuda"):
            hidden, _ = self.encoder(*(torch.from_numpy(x).to(dev) for x in (ids, mask, cases)))
            out = self.norm(self.narrow(hidden))
        vectors, at = [], 0
        for document, parts in zip(documents, cuts, strict=True):
            whole = torch.cat([out[at + r, 1 : b - a + 1] for r, (a, b) in enumerate(parts)])
            vectors.append(whole[torch.from_numpy(document.first).to(dev)].float())
            at += len(parts)
        return vectors


def windows(document: Arrays, rng: np.random.Generator | None) -> list[tuple[int, int]]:
    """Cut a document's subwords into windows at sentence starts.

    With ``rng`` the first is of random length, so that in training every word is in many positions.
    """
    starts = [*np.flatnonzero(np.diff(document.sentences, prepend=-1)).tolist(), len(document.ids)]
    limit = WINDOW if rng is None else int(rng.integers(WINDOW // 4, WINDOW))
    cuts, begin = [], 0
    for start, end in pairwise(starts):
        if end - begin > limit and start > begin:
            cuts.append((begin, start))
            begin, limit = start, WINDOW
        while end - begin > WINDOW:
            cuts.append((begin, begin + WINDOW))
            begin += WINDOW
    return [*cuts, (begin, len(document.ids))]
