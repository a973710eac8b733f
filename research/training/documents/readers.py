"""What makes word vectors of documents: the tower that ships, or a large encoder that teaches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from albeit.parsing.coreference import APART, in_blocks, in_sight
from training.batch import CLS, SEP
from training.documents.arrays import Arrays
from training.documents.heads import Words
from training.documents.tower import SubwordTower, Tower
from training.model.encoder import Encoder

T = TypeVar("T", bound=np.generic)
WINDOW = 500
"""Subwords that a large encoder reads together."""


class TowerReader(nn.Module):
    """A tower on what the shipped model's sentence heads read, or (``subwords``) on its middle layer."""

    def __init__(
        self, layers: int, width: int, inner: int, dropout: float, *, subwords: bool
    ) -> None:
        super().__init__()
        self.subwords = subwords
        kind = SubwordTower if subwords else Tower
        self.tower = kind(layers, width, inner, dropout)
        self.words = Words(width, dropout)

    def forward(self, documents: Sequence[Arrays]) -> list[Tensor]:
        """The word vectors of each document."""
        subwords = self.subwords
        size = self.tower.BLOCK
        dev = self.words.hidden.weight.device
        numbers = [d.sentences if subwords else d.sentences[d.first] for d in documents]
        apart = [n + 4 * APART * k for k, n in enumerate(numbers)]
        sentences = blocks(apart, size, -APART)
        rows = blocks([d.middle if subwords else d.hidden for d in documents], size)
        where = [torch.from_numpy(each).to(dev) for each in (sentences, in_sight(sentences))]
        x = torch.from_numpy(rows).to(dev).float()
        with torch.autocast(dev.type, torch.bfloat16, enabled=dev.type == "cuda"):
            if isinstance(self.tower, SubwordTower):
                cases = torch.from_numpy(blocks([d.cases for d in documents], size))
                x = self.tower.enter(x, cases.to(dev))
            out = self.tower(x, *where)
        out = out.float().flatten(0, 1)
        found = []
        at = 0
        for document, own in zip(documents, numbers, strict=True):
            tower = out[at : at + len(own)]
            if subwords:
                tower = tower[torch.from_numpy(document.first).to(dev)]
            found.append(self.words(tower, torch.from_numpy(document.hidden).to(dev).float()))
            at += (-(-len(own) // size) + 1) * size
        return found


def blocks(parts: Sequence[npt.NDArray[T]], size: int, filler: float = 0) -> npt.NDArray[T]:
    """The rows of documents one after another, each in whole blocks of so many and an empty one."""
    empty = np.full((size, *parts[0].shape[1:]), filler, parts[0].dtype)
    whole = (np.concatenate([in_blocks(part, filler, size), empty[None]]) for part in parts)
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
