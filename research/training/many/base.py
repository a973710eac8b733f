"""The lower layers of Gemma 3 270M from its GGUF file, in bytes, in portions that travel.

    python -m training many.base gemma.gguf --out research/data/many

Of the vocabulary those pieces are kept that the store's texts have: embeddings stay as pretrained,
so what is learnt does not depend on which are there. Every matrix is stored in bytes with a scale
per row. Gemma's terms of use are not a free licence: nothing of it is in this repository. Needs
`gguf` and `sentencepiece`; reading the portions (`load`) needs neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from training.judge.store import Ints, read_arrays

State = dict[str, Tensor]
CHECKSUM = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""SHA-256 of the file, Q4_K_M."""
LAYERS = 18
TOGETHER, ROWS = 2, 50_000
"""Layers in one portion, and rows of words."""
JOINED = {"enter": ("attn_q", "attn_k", "attn_v"), "leave": ("attn_output",)}
JOINED |= {"wide": ("ffn_gate", "ffn_up"), "narrow": ("ffn_down",)}
"""Products with one input are one product."""
NORMS = {
    "before_attention": "attn_norm",
    "of_query": "attn_q_norm",
    "of_key": "attn_k_norm",
    "after_attention": "post_attention_norm",
    "before_inner": "ffn_norm",
    "after_inner": "post_ffw_norm",
}


def state(gguf: Path, layers: int, pieces: Ints) -> State:
    """Return the weights of the lower layers and of these pieces, by the names of
    `training.many.network`."""
    from albeit.metrics.judge.gemma import open_base

    file = open_base(str(gguf), CHECKSUM)

    def weight(name: str) -> Tensor:
        return torch.from_numpy(file.weight(name))

    made = {"words": torch.from_numpy(file.words(pieces.astype(np.int64)))}
    for n in range(layers):
        for mine, theirs in JOINED.items():
            parts = [weight(f"blk.{n}.{name}") for name in theirs]
            made[f"layers.{n}.{mine}.weight"] = torch.cat(parts)
        for mine, name in NORMS.items():
            made[f"layers.{n}.{mine}"] = weight(f"blk.{n}.{name}")
    return made


def in_bytes(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix in bytes, and the scale of each row."""
    scale = (weight.abs().amax(1) / 127).clamp(min=1e-12)
    return torch.round(weight / scale[:, None]).to(torch.int8), scale


def layer_of(name: str) -> int:
    """Return which layer a weight belongs to."""
    return int(name.split(".")[1])


def named(name: str, weight: Tensor) -> State:
    """Return a weight by its name, a matrix in bytes with its scales."""
    if weight.dim() != 2:
        return {name: weight}
    value, scale = in_bytes(weight)
    return {name: value, f"{name}.scale": scale}


def portions(weights: State) -> Iterator[State]:
    """Yield the weights in bytes: some words at a time, then some layers."""
    for number, words in enumerate(weights["words"].split(ROWS)):
        yield named(f"words.{number}", words)
    layers = sorted((layer_of(name), name) for name in weights if name != "words")
    for _, own in groupby(layers, key=lambda one: one[0] // TOGETHER):
        yield {k: v for _, name in own for k, v in named(name, weights[name]).items()}


def load(folder: Path, layers: int) -> State:
    """What the portions in a folder have of so many layers, in single precision."""
    found: State = {}
    words: list[Tensor] = []
    for path in sorted(folder.glob("base-*.safetensors")):
        read = load_file(path)
        for name, weight in read.items():
            scale = read.get(f"{name}.scale")
            whole = weight if scale is None else weight.float() * scale[:, None]
            if name.startswith("words.") and scale is not None:
                words.append(whole)
            elif not name.endswith(".scale") and layer_of(name) < layers:
                found[name] = whole
    return found | {"words": torch.cat(words)}


def main(
    gguf: Path,
    *,
    store: Path = Path("research/data/many/store.npz.xz"),
    out: Path = Path("research/data/many"),
    layers: int = LAYERS,
) -> None:
    """Read, cut, write."""
    weights = state(gguf, layers, read_arrays(store)["pieces"])
    for number, part in enumerate(portions(weights)):
        path = out / f"base-{number:02}.safetensors"
        save_file(part, path)
        print(f"{path} {path.stat().st_size / 2**20:.1f} MiB")
