"""What the shipped model says of each sentence of GUM's documents, kept for training.

    python -m training.documents.states --data ../shared/data --out research/data/documents

A kept document has its annotation, the sentence analyses of the shipped model (EDUs, trees,
dependencies) and the states that the document heads read. The encoder stays as it is: its states
are computed once.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tarfile
import tempfile
from pathlib import Path

import numpy as np

from training import compat

compat.ensure()

from training.batch import Collator, Subwords  # noqa: E402
from training.corpora.documents import read  # noqa: E402
from training.documents.kept import WEIGHTS, Kept, Sentence  # noqa: E402
from training.onnx_backend import OnnxBackend  # noqa: E402
from training.predict import Analysed, Analyser  # noqa: E402
from training.rows import Item, Node, Row  # noqa: E402

BATCH_SUBWORDS = 4000
MOST = 64
"""Sentences of a batch."""


def model(weights: Path = WEIGHTS) -> tuple[OnnxBackend, Collator]:
    """The shipped files, and what makes their inputs."""
    labels = json.loads((weights / "meta.json").read_text(encoding="utf-8"))["labels"]
    return OnnxBackend(weights), Collator(Subwords(weights / "tokenizer.json"), labels)


class _Needed(Analyser):
    """Leaves out the layers that document analysers do not read."""

    def _constituents(self, *_: object) -> None: ...

    def _roles(self, *_: object) -> None: ...


def states(
    rows: list[Row], backend: OnnxBackend, collator: Collator, brief: bool = False
) -> list[Sentence]:
    """The states of sentences, in batches of similar length; ``brief`` leaves out the vectors,
    which `training.documents.fill.fill` makes again."""
    analysed = _Needed(backend, collator)([Item([row]) for row in rows])
    order = sorted(range(len(rows)), key=lambda k: collator.length(rows[k]))
    found: dict[int, Sentence] = {}
    while order:
        longest = collator.length(rows[order[:MOST][-1]])
        size = min(MOST, max(1, BATCH_SUBWORDS // longest))
        batch, order = order[:size], order[size:]
        arrays = collator.encode([rows[k] for k in batch])
        hidden = middle = np.zeros((len(batch), 1, 0))
        if not brief:
            hidden, middle = backend.encode(arrays["ids"], arrays["mask"], arrays["cases"])
        for r, k in enumerate(batch):
            first = arrays["first"][r, : len(rows[k].words)].astype(np.int64)
            stop = int(arrays["mask"][r].sum()) - 1
            found[k] = Sentence(
                hidden[r, [] if brief else first].astype(np.float16),
                middle[r, 1:stop].astype(np.float16),
                (first - 1).astype(np.int32),
                arrays["ids"][r, 1:stop].astype(np.int32),
                arrays["cases"][r, 1:stop].astype(np.int8),
                *_told(analysed[k]),
            )
    return [found[k] for k in range(len(rows))]


def _told(analysed: Analysed) -> tuple[list[int], list[Node], list[str], list[int]]:
    (row,) = analysed.rows
    return (row.edus or [0], analysed.tree, row.upos or [], row.heads or [])


def main() -> None:
    """Keep the states of every part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("research/data/documents"))
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="the sentence model")
    parser.add_argument("--splits", nargs="+", default=["train", "dev", "test"])
    args = parser.parse_args()
    backend, collator = model(args.weights)
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(args.data / "gum.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        for split in args.splits:
            kept = [
                Kept(document, states(document.rows, backend, collator))
                for document in read(Path(folder) / "gum", split)
            ]
            with (args.out / f"{split}.pickle").open("wb") as file:
                pickle.dump(kept, file, protocol=5)
            print(f"{split}: {len(kept)} documents")


if __name__ == "__main__":
    main()
