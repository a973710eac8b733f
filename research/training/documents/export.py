"""Write the trained coreference networks as the shipped files: ONNX, 8-bit products, labels.

    python -m training.documents.export --model research/runs/documents/d1/model.safetensors

The files are first written in 32 bits and run by the package's own code over some training
documents, which gives the range of every product's input; then they are quantised as the
sentence model's are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from torch import Tensor, nn

from albeit.parsing.coreference import BLOCK, REACH, find_mentions, in_sight, read_document
from albeit.parsing.layers import Labels
from albeit.parsing.model import Model
from training.documents.heads import PAIR_FEATURES, Mentions, Pairs
from training.documents.kept import WEIGHTS, load
from training.documents.network import Network
from training.documents.readers import TowerReader
from training.documents.runtime import sentences
from training.documents.start import WIDTH, restore
from training.export import write
from training.quantise import quantise_linear, shrink
from training.record import Recorder

OUT = Path("src/albeit/parsing/weights/documents")


class MentionScores(nn.Module):
    """Without what is only learnt alongside."""

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
    """One file a network, in 32 bits."""
    reader = network.reader
    assert isinstance(reader, TowerReader)
    n, words = {0: "n"}, torch.randn(5, WIDTH)
    kinds = torch.randn(5, len(network.kinds))
    grid = {0: "blocks"}
    numbers = np.arange(2 * BLOCK).reshape(2, BLOCK) // 20
    seen = torch.from_numpy(numbers), torch.from_numpy(in_sight(numbers))

    def file(name: str, module: nn.Module, inputs: tuple[Tensor, ...], *names: str) -> None:
        given, outputs = names[: len(inputs)], names[len(inputs) :]
        sizes = dict.fromkeys(names, grid if name == "tower" else n)
        if name == "tower":
            sizes["sight"] = {0: "blocks", 1: "sentences"}
        if name in ("links", "edges"):
            sizes[names[0]] = {0: "words"}
        if name == "quick":
            sizes |= {"vectors": {0: "words"}, "scores": {0: "n", 1: "words"}}
        write(module, inputs, folder / f"{name}.onnx", (list(given), list(outputs)), sizes)

    blocks = torch.randn(2, BLOCK, WIDTH)
    file("tower", reader.tower, (blocks, *seen), "hidden", "sentences", "sight", "vectors")
    file("words", reader.words, (words, words), "tower", "hidden", "words")
    file("mentions", MentionScores(network.mentions), (words,), "words", "scores", "kinds")
    pairs = Antecedents(network.pairs)
    file("antecedents", pairs, (words, kinds), "words", "kinds", "vectors", "queries")
    places = torch.zeros(3, 2 * REACH + 1, dtype=torch.long)
    at = torch.tensor([0, 2, 4])
    file("edges", network.edges, (words, at, places), "words", "heads", "places", "scores")
    vectors, queries = (each.detach() for each in pairs(words, kinds))
    file("quick", Quick(), (queries[:3], vectors), "queries", "vectors", "scores")
    codes = torch.zeros(3, 3, dtype=torch.long)
    evidence = torch.randn(3, PAIR_FEATURES)
    file(
        "links",
        network.pairs,
        (vectors, at, at, codes, evidence),
        "mentions",
        "mine",
        "theirs",
        "codes",
        "evidence",
        "scores",
    )


class Recorded:
    """The files that are being made, run by the package's own code."""

    def __init__(self, folder: Path, labels: Labels) -> None:
        self.recorder = Recorder(folder)
        self.labels = labels
        self.version = ""

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[npt.NDArray[np.float32]]:
        """The outputs of one file; what its products read is kept."""
        return self.recorder.run(name, *inputs)


def main() -> None:
    """Write the shipped files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("research/data/documents"))
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the sentence model")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--documents", type=int, default=24, help="for calibration")
    args = parser.parse_args()
    network = restore(args.model, "cpu")
    kept = random.Random(5).sample(load(args.data / "train.pickle"), args.documents)
    labels = {"kind": network.labels["kind"]}
    args.out.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        export(network, Path(folder))
        recorded = Recorded(Path(folder), labels)
        model = Model(args.weights)
        for each in kept:
            document = read_document(sentences(each, model), recorded)
            find_mentions(document, recorded)
        found = recorded.recorder.ranges()
        for path in sorted(Path(folder).glob("*.onnx")):
            graph = onnx.load(str(path))
            quantise_linear(graph, found[path.stem])
            shrink(graph)
            onnx.checker.check_model(graph)
            data = graph.SerializeToString()
            (args.out / path.name).write_bytes(data)
            digest.update(data)
    meta = {"version": digest.hexdigest()[:16], "labels": labels}
    (args.out / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in args.out.iterdir())
    print(f"{size:,} bytes in {args.out}, version {meta['version']}")


if __name__ == "__main__":
    main()
