"""Write a trained coreference network as the shipped files: ONNX, 8-bit products, labels.

    python -m training documents.export research/runs/documents/w1/model.safetensors

The files are first written in 32 bits and run by the package's own code over some training
documents, which gives the range of every product's input. Then they are quantized as those of the
parsing model are.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from albeit.parsing.coreference import BLOCK, find_mentions, in_sight, read_document
from albeit.parsing.layers import Labels
from albeit.parsing.model import Model
from training.documents.data import load
from training.documents.network import PAIR_FEATURES, REACH, Mentions, Network, Pairs
from training.documents.report import read_kept
from training.documents.tower import TowerReader
from training.documents.train import WIDTH, restore
from training.export import write
from training.options import WEIGHTS
from training.quantise import Recorder, write_quantized


class MentionScores(nn.Module):
    """Mentions without what is only a training target."""

    def __init__(self, mentions: Mentions) -> None:
        super().__init__()
        self.mentions = mentions

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """[n, width] → [n], [n, kinds]."""
        score, kinds, _ = self.mentions(words)
        return score, kinds


class Antecedents(nn.Module):
    """Vectors of mentions, and what the quick score multiplies them with."""

    def __init__(self, pairs: Pairs) -> None:
        super().__init__()
        self.pairs = pairs

    def forward(self, words: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor]:
        """[m, width], [m, kinds] → [m, size] twice."""
        vectors = self.pairs.vectors(words, kinds)
        return vectors, self.pairs.quick(vectors) * self.pairs.scale


class Quick(nn.Module):
    """The quick scores of all pairs, in the network's own threads and not in NumPy's."""

    def forward(self, queries: Tensor, vectors: Tensor) -> Tensor:
        """[m, size], [a, size] → [m, a]."""
        return queries @ vectors.T


def export(network: Network, folder: Path) -> None:
    """Write one file per network, in 32 bits."""
    reader = network.reader
    assert isinstance(reader, TowerReader)
    words, kinds = torch.randn(5, WIDTH), torch.randn(5, len(network.kinds))
    numbers = np.arange(2 * BLOCK).reshape(2, BLOCK) // 20
    seen = torch.from_numpy(numbers), torch.from_numpy(in_sight(numbers))
    places, at = torch.zeros(3, 2 * REACH + 1, dtype=torch.long), torch.tensor([0, 2, 4])
    pairs = Antecedents(network.pairs)
    vectors, queries = (each.detach() for each in pairs(words, kinds))
    codes, evidence = torch.zeros(3, 3, dtype=torch.long), torch.randn(3, PAIR_FEATURES)
    grid, n, many = {0: "blocks"}, {0: "n"}, {0: "words"}
    tower = dict.fromkeys(("hidden", "sentences", "vectors"), grid)
    tower |= {"sight": {0: "blocks", 1: "sentences"}}
    files: dict[str, tuple[nn.Module, tuple[Tensor, ...], str, dict[str, dict[int, str]]]] = {
        "tower": (
            reader.tower,
            (torch.randn(2, BLOCK, WIDTH), *seen),
            "hidden sentences sight vectors",
            tower,
        ),
        "words": (reader.words, (words, words), "tower hidden words", {}),
        "mentions": (MentionScores(network.mentions), (words,), "words scores kinds", {}),
        "antecedents": (pairs, (words, kinds), "words kinds vectors queries", {}),
        "edges": (network.edges, (words, at, places), "words heads places scores", {"words": many}),
        "quick": (
            Quick(),
            (queries[:3], vectors),
            "queries vectors scores",
            {"vectors": many, "scores": {0: "n", 1: "words"}},
        ),
        "links": (
            network.pairs,
            (vectors, at, at, codes, evidence),
            "mentions mine theirs codes evidence scores",
            {"mentions": many},
        ),
    }
    for name, (module, inputs, text, sizes) in files.items():
        names = text.split()
        given, outputs = names[: len(inputs)], names[len(inputs) :]
        sizes = dict.fromkeys(names, n) | sizes
        write(module, inputs, folder / f"{name}.onnx", (given, outputs), sizes)


class Recorded(Recorder):
    """The files that are being made, run by the package's own code."""

    def __init__(self, folder: Path, labels: Labels) -> None:
        super().__init__(folder)
        self.labels = labels


def main(
    model: Path,
    *,
    data: Path = Path("research/data/documents"),
    weights: Path = WEIGHTS,
    out: Path = WEIGHTS / "documents",
    documents: int = 24,
) -> None:
    """Write the shipped files."""
    network = restore(model, "cpu")
    kept = random.Random(5).sample(load(data / "train.pickle"), documents)
    labels = {"kind": list(network.kinds)}
    parser = Model(weights)
    with tempfile.TemporaryDirectory() as folder:
        export(network, Path(folder))
        recorded = Recorded(Path(folder), labels)
        for each in kept:
            find_mentions(read_document(read_kept(each, parser), recorded), recorded)
        version = write_quantized(Path(folder), recorded.ranges(), out)
    meta = {"version": version, "labels": labels}
    (out / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    print(f"{sum(p.stat().st_size for p in out.iterdir()):,} bytes in {out}, version {version}")
