"""Step 4: write the trained network as ONNX files, one for the encoder and one a head.

    python -m training export --model research/runs/one/model.safetensors --out research/runs/onnx

All files compute in float32 with dynamic sizes; `training.quantise` makes the shipped ones.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch
from torch import nn

from training.model.encoder import Block
from training.model.heads import RST_FEATURES
from training.model.network import Network, load

OPSET = 17
Sizes = dict[str, dict[int, str]]


def write(
    module: nn.Module,
    inputs: tuple[torch.Tensor, ...],
    path: Path,
    names: tuple[list[str], list[str]],
    sizes: Sizes,
) -> None:
    """One file: its inputs, the names of inputs and outputs, and their free sizes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            inputs,
            str(path),
            input_names=names[0],
            output_names=names[1],
            dynamic_axes=sizes,
            opset_version=OPSET,
            dynamo=False,
        )


def export_encoder(network: Network, path: Path) -> None:
    """input_ids, attention_mask, case_ids [b, t] → hidden, middle [b, t, width]."""
    for block in network.encoder.blocks:
        if isinstance(block, Block):
            block.attention.fuse()
    ids = torch.randint(1000, 2000, (2, 8))
    axes = {0: "b", 1: "t"}
    names = ["input_ids", "attention_mask", "case_ids"], ["hidden", "middle"]
    inputs, ones = (*names[0], *names[1]), torch.ones_like(ids)
    write(network.encoder, (ids, ones, ones), path, names, dict.fromkeys(inputs, axes))


def export_heads(network: Network, folder: Path) -> None:
    """Write one file per head, named as the head is."""
    heads, width = network.heads, network.encoder.config.width
    words, rows = torch.randn(5, width), torch.randn(2, 6, width)
    n, grid = {0: "n"}, {0: "b", 1: "w"}
    at, edus = torch.tensor([0, 1, 1]), torch.randn(4, 3 * width)
    files: dict[str, tuple[tuple[torch.Tensor, ...], str, Sizes]] = {
        "edus": ((words,), "words edus", {}),
        "tags": ((words,), "words upos xpos", {}),
        "predicates": ((words,), "words predicates", {}),
        "connectives": ((words,), "words tags senses", {}),
        "entities": ((words,), "words tags", {}),
        "arcs": ((rows,), "words arcs", {"words": grid, "arcs": {0: "b", 1: "w", 2: "h"}}),
        "spans": ((rows,), "words spans", {"words": grid, "spans": {0: "b", 1: "i", 2: "j"}}),
        "relations": ((words, words + 1), "dependents heads relations", {}),
        "span_labels": ((torch.randn(5, 4 * width),), "ends labels", {}),
        "roles": (
            (rows, at, torch.tensor([2, 0, 4])),
            "words rows at tags",
            {"words": grid, "rows": {0: "p"}, "at": {0: "p"}, "tags": {0: "p", 1: "w"}},
        ),
        "rst": (
            (edus, torch.tensor([[0, 0, 1, 2], [0, 1, 2, 3]]), torch.randn(2, RST_FEATURES)),
            "edus candidates features splits labels",
            {"edus": {0: "e"}},
        ),
    }
    for name, (inputs, text, sizes) in files.items():
        names = text.split()
        ends = names[: len(inputs)], names[len(inputs) :]
        sizes = dict.fromkeys(names, n) | sizes
        write(getattr(heads, name), inputs, folder / f"{name}.onnx", ends, sizes)


def main(*, model: Path, out: Path, data: Path = Path("research/data")) -> None:
    """Export."""
    labels = json.loads((data / "labels.json").read_text())
    network = load(model, data, labels)
    export_encoder(network, out / "encoder.onnx")
    export_heads(network, out)
