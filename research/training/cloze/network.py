"""What is added to the judge's encoder to guess masked words: at most 4 MB in bytes.

The encoder stays as the judge has it. A tower of small layers reads its states, a learned mix of
all of its layers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from albeit.metrics.judge.cloze import CLASSES, FIRST_CONNECTIVE
from training.judge.store import Array
from training.model.encoder import Block, Config, Encoder

WIDTH, INNER, HEADS = 384, 1536, 6


class Cloze(nn.Module):
    """Frozen encoder, what is added, and a class for each hidden word."""

    def __init__(self, encoder: Encoder, tower: int = 2) -> None:
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
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
    shape = np.array([len(cloze.tower), 0], np.int32)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name("part.npz")
    np.savez(part, allow_pickle=False, shape=shape, **found)
    part.rename(path)


def unpack(arrays: dict[str, Array]) -> dict[str, npt.NDArray[np.float32]]:
    """Return the arrays that `save` wrote, matrices from bytes."""
    found: dict[str, npt.NDArray[np.float32]] = {}
    for name, value in arrays.items():
        plain = name.removesuffix(":bytes")
        scale = arrays.get(f"{plain}:scale", np.float32(1))
        if not name.endswith((":scale", "shape")):
            found[plain] = (value * scale).astype(np.float32)
    return found


def load(encoder: Encoder, path: Path) -> Cloze:
    """Return the judge's encoder with what `save` wrote."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    cloze = Cloze(encoder, int(arrays["shape"][0]))
    weights = unpack(arrays)
    with torch.no_grad():
        for name, value in cloze.learnt().items():
            value.copy_(torch.from_numpy(weights[name]))
    return cloze.eval()
