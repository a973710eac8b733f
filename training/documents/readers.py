"""What makes word vectors of documents: the tower that ships, or a large encoder that teaches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from training.batch import CLS, SEP
from training.documents.arrays import Arrays
from training.documents.heads import Words
from training.documents.tower import APART, BLOCK, Tower
from training.model.encoder import Encoder

WINDOW = 500
"""Subwords that a large encoder reads together."""


class TowerReader(nn.Module):
    """The tower on the shipped encoder's middle layer, with what its sentence heads read."""

    def __init__(self, layers: int, width: int, dropout: float) -> None:
        super().__init__()
        self.tower = Tower(layers, width, dropout=dropout)
        self.words = Words(width, dropout)

    def forward(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """The word vectors of each document."""
        middle, cases, sentences, bases = blocks(documents)
        dev = self.tower.mean.device
        with torch.autocast(dev.type, torch.bfloat16, enabled=dev.type == "cuda"):
            out = self.tower(middle.to(dev).float(), cases.to(dev), sentences.to(dev))
        out = out.float().flatten(0, 1)
        found = []
        for document, base in zip(documents, bases, strict=True):
            tower = out[torch.from_numpy(document.first + base).to(dev)]
            found.append(self.words(tower, torch.from_numpy(document.hidden).to(dev).float()))
        return found


def blocks(documents: Sequence[Arrays]) -> tuple[Tensor, Tensor, Tensor, list[int]]:
    """Documents one after another in whole blocks: vectors, casing, sentences; their first rows."""
    sizes = [-(-len(d.middle) // BLOCK) * BLOCK for d in documents]
    width = documents[0].middle.shape[1]
    middle = np.zeros((sum(sizes), width), np.float16)
    cases = np.zeros(sum(sizes), np.int64)
    sentences = np.full(sum(sizes), -APART, np.int64)
    bases = []
    at = 0
    for number, (document, size) in enumerate(zip(documents, sizes, strict=True)):
        here = slice(at, at + len(document.middle))
        middle[here] = document.middle
        cases[here] = document.cases
        sentences[here] = document.sentences + number * 4 * APART
        bases.append(at)
        at += size
    return (
        torch.from_numpy(middle.reshape(-1, BLOCK, width)),
        torch.from_numpy(cases.reshape(-1, BLOCK)),
        torch.from_numpy(sentences.reshape(-1, BLOCK)),
        bases,
    )


class WindowReader(nn.Module):
    """A large encoder over windows of whole sentences, brought to the width of the heads."""

    def __init__(self, encoder: Encoder, width: int, seed: int = 0) -> None:
        super().__init__()
        self.encoder = encoder
        self.rng = np.random.default_rng(seed)
        self.narrow = nn.Linear(encoder.config.width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """The word vectors of each document."""
        dev = self.narrow.weight.device
        rng = self.rng if self.training else None
        cuts = [windows(document, rng) for document in documents]
        rows = [(d, a, b) for d, parts in enumerate(cuts) for a, b in parts]
        length = max(b - a for _, a, b in rows) + 2
        ids = np.zeros((len(rows), length), np.int64)
        cases, mask = np.zeros_like(ids), np.zeros_like(ids)
        for r, (d, a, b) in enumerate(rows):
            ids[r, : b - a + 2] = [CLS, *documents[d].ids[a:b].tolist(), SEP]
            cases[r, 1 : b - a + 1] = documents[d].cases[a:b]
            mask[r, : b - a + 2] = 1
        with torch.autocast(dev.type, torch.bfloat16, enabled=dev.type == "cuda"):
            hidden, _ = self.encoder(*(torch.from_numpy(x).to(dev) for x in (ids, mask, cases)))
            out = self.norm(self.narrow(hidden))
        found = []
        at = 0
        for document, parts in zip(documents, cuts, strict=True):
            whole = torch.cat([out[at + r, 1 : b - a + 1] for r, (a, b) in enumerate(parts)])
            found.append(whole[torch.from_numpy(document.first).to(dev)].float())
            at += len(parts)
        return found


def windows(document: Arrays, rng: np.random.Generator | None) -> list[tuple[int, int]]:
    """A document's subwords cut into windows at sentence starts; with ``rng`` the first is of
    random length, so that in training every word stands in many places."""
    starts = [*np.flatnonzero(np.diff(document.sentences, prepend=-1)).tolist(), len(document.ids)]
    limit = WINDOW if rng is None else int(rng.integers(WINDOW // 4, WINDOW))
    found = []
    begin = 0
    for start, end in pairwise(starts):
        if end - begin > limit and start > begin:
            found.append((begin, start))
            begin, limit = start, WINDOW
        while end - begin > WINDOW:
            found.append((begin, begin + WINDOW))
            begin += WINDOW
    found.append((begin, len(document.ids)))
    return found
