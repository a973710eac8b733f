"""The whole network: encoder and heads together, its backend for evaluation, and its files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from training.model.encoder import Config, Encoder
from training.model.heads import Heads
from training.model.losses import Batch, word_vectors

Array = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float32]
FROZEN = ("encoder.words.weight",)
"""Left as they were in the base model, and therefore not stored with a trained one."""


class Network(nn.Module):
    """Encoder and heads."""

    def __init__(self, encoder: Encoder, labels: dict[str, list[str]], dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        self.heads = Heads(labels, encoder.config.width, dropout)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Word vectors for the heads, and the middle layer."""
        hidden, middle = self.encoder(batch["ids"], batch["mask"], batch["cases"])
        return word_vectors(hidden, batch), middle


def base_encoder(folder: Path, layers: int = 0, **changes: float) -> Encoder:
    """The pretrained encoder that `training.base` wrote, or its lowest layers; `changes` are to
    what is not pretrained."""
    config = replace(Config(**json.loads((folder / "config.json").read_text())), **changes)
    if layers:
        config = replace(config, layers=layers)
    state: dict[str, Tensor] = {}
    for path in sorted(folder.glob("model-*.safetensors")):
        state.update(load_file(path))
    for name in [name for name in state if name.endswith(".bytes")]:
        whole = name.removesuffix(".bytes")
        state[whole] = state.pop(name).float() * state.pop(f"{whole}.scale")
    above = tuple(f"blocks.{number}." for number in range(config.layers, 100))
    kept = {name: value.float() for name, value in state.items() if not name.startswith(above)}
    encoder = Encoder(config)
    missing, unexpected = encoder.load_state_dict(kept, strict=False)
    if unexpected or set(missing) != {"cases.weight", "mix"}:
        raise ValueError(f"{folder} does not fit: missing {missing}, unexpected {unexpected}")
    return encoder


def save(network: Network, path: Path, **notes: object) -> None:
    """Write the trained weights in half precision."""
    trained = {name: v for name, v in network.state_dict().items() if name not in FROZEN}
    state = {name: v.detach().half().cpu().contiguous() for name, v in trained.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(state, path, {"notes": json.dumps(notes)})


def load(path: Path, data: Path, labels: dict[str, list[str]]) -> Network:
    """A trained network on its pretrained encoder, in single precision and evaluation mode."""
    with safe_open(path, "pt") as file:
        notes = json.loads((file.metadata() or {}).get("notes", "{}"))
    encoder = base_encoder(data / notes.get("base", "base"), int(notes.get("layers", 0)))
    network = Network(encoder, labels, 0.0)
    missing, unexpected = network.load_state_dict(
        {name: value.float() for name, value in load_file(path).items()}, strict=False
    )
    if unexpected or set(missing) - set(FROZEN):
        raise ValueError(f"{path} does not fit: missing {missing}, unexpected {unexpected}")
    network.eval()
    return network


class TorchBackend:
    """Runs a network for `training.predict`."""

    def __init__(self, network: Network, device: str) -> None:
        self.network = network.eval()
        self.device = device

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @torch.no_grad()
    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Return the outputs of the encoder or a head."""
        network = self.network
        module = network.encoder if name == "encoder" else getattr(network.heads, name)
        out = module(*map(self._tensor, inputs))
        return [o.float().cpu().numpy() for o in (out if isinstance(out, tuple) else (out,))]
