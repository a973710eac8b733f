"""Step 4: write the trained network as ONNX files, one for the encoder and one a head.

    python -m training.export --model research/runs/one/model.safetensors --out research/runs/onnx

All files compute in float32 with dynamic sizes; `training.quantise` makes the shipped ones.
"""

from __future__ import annotations

import argparse
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
    write(
        network.encoder,
        (ids, torch.ones_like(ids), torch.ones_like(ids)),
        path,
        names,
        dict.fromkeys((*names[0], *names[1]), axes),
    )


def export_heads(network: Network, folder: Path) -> None:
    """One file a head, named as the head is."""
    heads, width = network.heads, network.encoder.config.width
    flat = (torch.randn(5, width),)
    rows = torch.randn(2, 6, width)
    n = {0: "n"}
    for name, outputs in (
        ("edus", ["edus"]),
        ("tags", ["upos", "xpos"]),
        ("predicates", ["predicates"]),
        ("connectives", ["tags", "senses"]),
        ("entities", ["tags"]),
    ):
        sizes = {"words": n, **dict.fromkeys(outputs, n)}
        write(getattr(heads, name), flat, folder / f"{name}.onnx", (["words"], outputs), sizes)
    grid = {0: "b", 1: "w"}
    write(
        heads.arcs,
        (rows,),
        folder / "arcs.onnx",
        (["words"], ["arcs"]),
        {"words": grid, "arcs": {0: "b", 1: "w", 2: "h"}},
    )
    write(
        heads.spans,
        (rows,),
        folder / "spans.onnx",
        (["words"], ["spans"]),
        {"words": grid, "spans": {0: "b", 1: "i", 2: "j"}},
    )
    write(
        heads.relations,
        (flat[0], flat[0] + 1),
        folder / "relations.onnx",
        (["dependents", "heads"], ["relations"]),
        {"dependents": n, "heads": n, "relations": n},
    )
    write(
        heads.span_labels,
        (torch.randn(5, 4 * width),),
        folder / "span_labels.onnx",
        (["ends"], ["labels"]),
        {"ends": n, "labels": n},
    )
    places = torch.tensor([0, 1, 1])
    write(
        heads.roles,
        (rows, places, torch.tensor([2, 0, 4])),
        folder / "roles.onnx",
        (["words", "rows", "at"], ["tags"]),
        {"words": grid, "rows": {0: "p"}, "at": {0: "p"}, "tags": {0: "p", 1: "w"}},
    )
    write(
        heads.rst,
        (
            torch.randn(4, 3 * width),
            torch.tensor([[0, 0, 1, 2], [0, 1, 2, 3]]),
            torch.randn(2, RST_FEATURES),
        ),
        folder / "rst.onnx",
        (["edus", "candidates", "features"], ["splits", "labels"]),
        {"edus": {0: "e"}, "candidates": n, "features": n, "splits": n, "labels": n},
    )


def main() -> None:
    """Export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("research/data"))
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    labels = json.loads((args.data / "labels.json").read_text())
    network = load(args.model, args.data, labels)
    export_encoder(network, args.out / "encoder.onnx")
    export_heads(network, args.out)


if __name__ == "__main__":
    main()
