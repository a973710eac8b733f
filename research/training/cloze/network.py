"""What is added to the judge's encoder to guess hidden words: at most 4 MB in bytes.

The encoder stays as the judge has it. Either a tower of small layers reads its states, a learnt mix of
all of its layers (`tower`), or all its products get a part of low rank beside them (`rank`), or both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from training.cloze.words import CLASSES, FIRST_CONNECTIVE
from training.judge import low_rank
from training.judge.store import Array
from training.model.encoder import Block, Config, Encoder

WIDTH, INNER, HEADS = 384, 1536, 6


class Cloze(nn.Module):
    """Frozen encoder, what is added, and a class for each hidden word."""

    def __init__(self, encoder: Encoder, tower: int = 2, rank: int = 0) -> None:
        super().__init__()
        self.shape = {"tower": tower, "rank": rank}
        self.encoder = encoder.requires_grad_(False)
        if rank:
            low_rank.attach(encoder, rank)
        self.mix = nn.Parameter(torch.zeros(encoder.config.layers))
        self.down = nn.Linear(encoder.config.width, WIDTH)
        config = Config(width=WIDTH, inner=INNER, attention_heads=HEADS, epsilon=1e-5)
        self.tower = nn.ModuleList(Block(config) for _ in range(tower))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, len(CLASSES))

    def states(self, ids: Tensor, mask: Tensor, cases: Tensor) -> Tensor:
        """The mix of all layers of the encoder."""
        bias = self.encoder.bias(mask)
        x = self.encoder.embed(ids, cases)
        weights = torch.softmax(self.mix, 0)
        mixed = torch.zeros_like(x)
        for weight, block in zip(weights, self.encoder.blocks, strict=True):
            x = block(x, bias.to(x.dtype))
            mixed = mixed + weight.to(x.dtype) * x
        return mixed

    def forward(self, ids: Tensor, mask: Tensor, cases: Tensor, row: Tensor, at: Tensor) -> Tensor:
        """Log probabilities of the classes for masks at `at` of texts `row`, within each family."""
        x = fn.gelu(self.down(self.states(ids, mask, cases)))
        absent = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for block in self.tower:
            x = block(x, absent)
        logits = self.head(self.norm(x[row, at])).float()
        parts = (logits[:, :FIRST_CONNECTIVE], logits[:, FIRST_CONNECTIVE:])
        return torch.cat([torch.log_softmax(part, 1) for part in parts], 1)

    def train(self, mode: bool = True) -> Cloze:
        """The encoder itself is never trained: no dropout in it."""
        super().train(mode)
        self.encoder.eval()
        return self

    def learnt(self) -> dict[str, Tensor]:
        """What is not the judge's own."""
        return {n: p for n, p in self.named_parameters() if p.requires_grad}


def save(cloze: Cloze, path: Path) -> None:
    """What is learnt, matrices as bytes with a scale a row."""
    found: dict[str, Array] = {}
    for name, value in cloze.learnt().items():
        array = value.detach().float().cpu().numpy()
        if array.ndim == 2 and array.size > 1 << 12:
            scale = np.abs(array).max(1, keepdims=True) / 127 + 1e-12
            found[f"{name}:bytes"] = np.round(array / scale).astype(np.int8)
            found[f"{name}:scale"] = scale.astype(np.float32)
        else:
            found[name] = array.astype(np.float32)
    shape = np.array([cloze.shape["tower"], cloze.shape["rank"]], np.int32)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name("part.npz")
    np.savez(part, allow_pickle=False, shape=shape, **found)
    part.rename(path)


def load(encoder: Encoder, path: Path) -> Cloze:
    """The judge's encoder with what `save` wrote."""
    with np.load(path, allow_pickle=False) as file:
        arrays: dict[str, Any] = {name: file[name] for name in file.files}
    tower, rank = arrays.pop("shape").tolist()
    cloze = Cloze(encoder, tower, rank)
    own = cloze.learnt()
    for name, value in own.items():
        raw = arrays.get(name)
        if raw is None:
            raw = arrays[f"{name}:bytes"].astype(np.float32) * arrays[f"{name}:scale"]
        with torch.no_grad():
            value.copy_(torch.from_numpy(raw))
    return cloze.eval()
