"""Write trained networks of EDUs and trees as ONNX files, which experiments run without PyTorch.

    python -m training.languages.write --run RUNS/ship-1 --encoder encoder.npz --out FOLDER

`reader.onnx` reads one sentence: vectors of subwords → a logit a subword, states, features.
`units.onnx` reads the EDUs of a text, `spans.onnx` says where to cut it and what the cut is.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from torch import Tensor, nn

from training.export import write
from training.languages.corpora import CORPORA, NUCLEARITIES, RELATIONS
from training.languages.edus import Edus, load_edus
from training.languages.encoder import FEATURES, WIDTH, Encoder
from training.languages.tree_network import Trees


class Read(nn.Module):
    """A sentence, its marks of begin and end included."""

    def __init__(self, encoder: Encoder, net: Edus, style: int) -> None:
        super().__init__()
        self.encoder, self.net = encoder, net
        self.register_buffer("style", torch.tensor([style]))

    def forward(self, vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """[subwords, 512] → [subwords], [subwords, width], [subwords, 1280]."""
        mask = torch.ones_like(vectors[None, :, 0]).long()
        features = self.encoder.features(vectors[None], mask)
        states = self.net.reader.whole(features, self.get_buffer("style"))
        return self.net.out(states)[0, :, 0], states[0], features[0]


class Units(nn.Module):
    """The EDUs of a text."""

    def __init__(self, net: Trees, style: int) -> None:
        super().__init__()
        self.net = net
        self.register_buffer("style", torch.tensor([style]))

    def forward(self, rows: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
        """[EDUs, given], [EDUs] → what spans are made of."""
        present = torch.ones_like(ends[None]) > 0
        sums, edges = self.net.projected(
            self.net.units(rows[None], present, ends[None], self.get_buffer("style"))
        )
        return sums[0], edges[0]


class Spans(nn.Module):
    """Places of cuts."""

    def __init__(self, net: Trees) -> None:
        super().__init__()
        self.net = net

    def forward(self, sums: Tensor, edges: Tensor, spans: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """First, split, last [spans, 3] → logits of cuts, nuclearities, relations."""
        given = torch.cat([torch.zeros_like(spans[:, :1]), spans], 1)
        made = (sums[None], edges[None])
        return (self.net.cuts(made, given), *self.net.labels(made, given))


def main() -> None:
    """Load, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--run", type=Path, required=True, help="with edus.pt, trees.pt and their figures"
    )
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--style", choices=("none", *CORPORA), default="none")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    style = 0 if args.style == "none" else CORPORA.index(args.style) + 1
    encoder = Encoder(args.encoder)
    net = load_edus(args.run, encoder, len(CORPORA) + 1)
    weights = {
        n: v.float() for n, v in torch.load(args.run / "trees.pt", map_location="cpu").items()
    }
    width, given = weights["enter.weight"].shape
    layers = len({n.split(".")[1] for n in weights if n.startswith("blocks.")})
    trees = Trees(len(CORPORA) + 1, given, width, layers, 0.0)
    trees.load_state_dict(weights)
    n = {0: "n"}
    write(
        Read(encoder, net, style),
        (torch.randn(9, WIDTH),),
        args.out / "reader.onnx",
        (["vectors"], ["starts", "states", "features"]),
        {"vectors": n, "starts": n, "states": n, "features": n},
    )
    rows, ends = torch.randn(5, given), torch.tensor([0, 1, 0, 0, 1])
    write(
        Units(trees, style),
        (rows, ends),
        args.out / "units.onnx",
        (["rows", "ends"], ["sums", "edges"]),
        {"rows": n, "ends": n, "sums": {0: "n1"}, "edges": n},
    )
    sums, edges = Units(trees, style)(rows, ends)
    write(
        Spans(trees),
        (sums, edges, torch.tensor([[0, 1, 3], [0, 0, 1]])),
        args.out / "spans.onnx",
        (["sums", "edges", "spans"], ["cuts", "nuclearities", "relations"]),
        {
            "sums": {0: "n1"},
            "edges": n,
            "spans": {0: "m"},
            "cuts": {0: "m"},
            "nuclearities": {0: "m"},
            "relations": {0: "m"},
        },
    )
    labels = {"nuclearities": NUCLEARITIES, "relations": RELATIONS, "features": FEATURES}
    (args.out / "labels.json").write_text(json.dumps(labels))


if __name__ == "__main__":
    main()
