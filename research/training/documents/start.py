"""How a network over documents begins: new, from a trained one, or from one that read other states.

A tower that was trained on one encoder's states can read those of a retrained one at once: where
its layers multiply their input by a matrix, the linear map from the new states to the old ones
goes into that matrix. What is added to the input as it is (the first layer's residual) has no
matrix; there the mean difference goes into a bias, and training must do the rest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

from training.documents.arrays import Arrays
from training.documents.network import Network
from training.documents.readers import TowerReader, WindowReader
from training.model.encoder import Config, Encoder
from training.model.network import base_encoder
from training.shipped import restored, stored

WIDTH = 384
STIFFNESS = 0.01
"""How much a map's distance from the identity counts, as a share of the states' own variance."""


def notes_of(path: Path) -> dict[str, str]:
    """What a trained network's file says of it: its labels and its shape."""
    with safe_open(path, "pt") as file:
        return file.metadata() or {}


def asked(args: argparse.Namespace, labels: dict[str, list[str]]) -> dict[str, str]:
    """The same of the network that is to be trained."""
    if args.init:
        return notes_of(args.init)
    if args.heads_of:
        labels = json.loads(notes_of(args.heads_of)["labels"])
    return {
        "labels": json.dumps(labels),
        "tower": str(args.tower),
        "reads": args.reads,
        "inner": str(args.inner),
        "large": str(args.large or ""),
    }


def made(notes: dict[str, str], dropout: float, head_dropout: float, seed: int = 0) -> Network:
    """A network of this shape, not yet trained."""
    reader: TowerReader | WindowReader
    if notes["large"]:
        config = Config(**json.loads((Path(notes["large"]) / "config.json").read_text()))
        reader = WindowReader(Encoder(config), WIDTH, seed)
    else:
        reader = TowerReader(
            int(notes["tower"]),
            WIDTH,
            int(notes.get("inner", 1536)),
            dropout,
            subwords=notes.get("reads", "subwords") == "subwords",
        )
    return Network(reader, json.loads(notes["labels"]), WIDTH, head_dropout)


def trained(path: Path) -> dict[str, Tensor]:
    """The weights of a trained network."""
    return {name: value.float() for name, value in load_file(path).items()}


def restore(path: Path, device: str) -> Network:
    """A trained network, for running only."""
    network = made(notes_of(path), 0.0, 0.0)
    network.load_state_dict(trained(path))
    return network.to(device).eval()


def build(args: argparse.Namespace, notes: dict[str, str]) -> Network:
    """A network that starts from a trained one, or else from the shipped encoder's upper layers
    or a large encoder, with its own heads or a trained network's."""
    network = made(notes, args.dropout, args.head_dropout, args.seed)
    if args.init:
        network.load_state_dict(trained(args.init))
        return network
    if isinstance(network.reader, WindowReader):
        network.reader.encoder.load_state_dict(base_encoder(args.large).state_dict())
    else:
        network.reader.tower.start(restored(stored(args.weights)))
    if args.heads_of:
        own = {k: v for k, v in trained(args.heads_of).items() if "reader." not in k}
        _, unknown = network.load_state_dict(own, strict=False)
        if unknown:
            raise ValueError(f"{args.heads_of}: other heads than ours: {unknown}")
    return network


def fitted(states: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """The matrix [width, width] and the bias that bring states [n, width] nearest to the wanted
    ones by squared error, the matrix being drawn towards the identity."""
    states, wanted = states.double(), wanted.double()
    mean, goal = states.mean(0), wanted.mean(0)
    x = states - mean
    products = x.T @ x
    stiff = STIFFNESS * products.diagonal().mean() * torch.eye(len(mean), dtype=x.dtype)
    matrix = torch.linalg.solve(products + stiff, x.T @ (wanted - goal) + stiff).T
    return matrix.float(), (goal - matrix @ mean).float()


@torch.no_grad()
def fold(reader: TowerReader, matrix: Tensor, bias: Tensor, mean: Tensor) -> None:
    """Let a reader of words read states that the map brings to those it was trained on; ``mean``
    is theirs."""
    first = reader.tower.blocks[0]
    layers: list[nn.Linear] = [first.fused, reader.words.hidden]
    for layer in layers:
        layer.bias += layer.weight @ bias
        layer.weight.copy_(layer.weight @ matrix)
    first.output.bias += matrix @ mean + bias - mean


def adapt(network: Network, new: Sequence[Arrays], old: Sequence[Arrays]) -> float:
    """Fold in the map from the new states of documents to their old ones; returns the share of
    the old states' variance that it leaves."""
    if not isinstance(network.reader, TowerReader) or network.reader.subwords:
        raise ValueError("only a tower over words can be adapted to other states")
    states, wanted = (
        torch.from_numpy(np.concatenate([d.hidden for d in part])).float() for part in (new, old)
    )
    matrix, bias = fitted(states, wanted)
    fold(network.reader, matrix, bias, states.mean(0))
    left = wanted - (states @ matrix.T + bias)
    return float(left.var(0).sum() / wanted.var(0).sum())
