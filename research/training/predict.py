"""Parse items with any backend (PyTorch or the exported files) by the package's own code.

The same code therefore scores a model in training, its export and its quantised form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from albeit.parsing import layers
from albeit.parsing.encoder import EncodedBatch, Recent, Subwords, encode
from albeit.parsing.layers import Labels, Numbered
from albeit.parsing.model import Model
from albeit.parsing.pipeline import HEADS, build_trees, edu_vectors
from training.rows import Frame, Item, Node, Row, Span

Array = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float32]
LAYERS: list[Numbered[Any]] = [layers.EDUS, layers.RST, layers.DEPENDENCIES, layers.CONSTITUENTS]
LAYERS += [layers.ROLES, layers.CONNECTIVES, layers.ENTITIES]


class Backend(Protocol):
    """Something that runs the encoder and the heads by name."""

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Return the outputs of the encoder or a head."""


class OnnxBackend:
    """Runs exported files. Sessions are made on first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions: dict[str, Any] = {}

    def open(self, model: str | bytes) -> Any:
        """Return a session for a file or for its contents."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        providers = ["CPUExecutionProvider"]
        return onnxruntime.InferenceSession(model, options, providers=providers)

    def load(self, name: str) -> Any:
        """Return the session of the file of this name."""
        return self.open(str(self.folder / f"{name}.onnx"))

    def session(self, name: str) -> Any:
        """Return the session of this name, made on first use."""
        if name not in self.sessions:
            self.sessions[name] = self.load(name)
        return self.sessions[name]

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Return all outputs of a file."""
        session = self.session(name)
        names = [node.name for node in session.get_inputs()]
        outputs: list[Floats] = session.run(None, dict(zip(names, inputs, strict=True)))
        return outputs


@dataclass(slots=True)
class Analysed:
    """The analysis of one item: its rows, the tree on gold EDUs, and the tree on its own EDUs."""

    rows: list[Row]
    gold_edu_tree: list[Node] | None
    tree: list[Node]


class Analyser(Model):
    """Runs a backend over items, as the package's model."""

    def __init__(self, backend: Backend, tokenizer: Path, labels: Labels) -> None:
        self.backend = backend
        self.labels = labels
        self.threshold = self.label_weight = 0.0
        self.calls = 0
        self.recent = Recent()
        self._subwords = Subwords(tokenizer)

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Return the outputs of the encoder or a head."""
        return self.backend.head(name, *inputs)

    def __call__(self, items: Sequence[Item]) -> list[Analysed]:
        """Analyse all items."""
        rows = [row for item in items for row in item.rows]
        found: list[dict[Any, Any]] = [{} for _ in rows]
        gold: list[Floats] = [np.zeros(0, np.float32)] * len(rows)
        for batch in encode(self.subwords([row.words for row in rows]), self):
            numbers = batch.sentences.tolist()
            for layer in LAYERS:
                for k, made in zip(numbers, HEADS[layer](batch, self), strict=True):
                    found[k][layer] = made
            for k, vectors in zip(numbers, self._gold_edus(batch, rows), strict=True):
                gold[k] = vectors
        ends = np.cumsum([0, *(len(item.rows) for item in items)]).tolist()
        texts = [range(a, b) for a, b in pairwise(ends)]
        own = self._trees([each[layers.RST] for each in found], texts)
        given = self._trees(gold, texts)
        return [
            Analysed(
                [make_row(rows[k], found[k], self.labels) for k in text],
                tree if all(row.edus is not None for row in item.rows) else None,
                mine,
            )
            for item, text, tree, mine in zip(items, texts, given, own, strict=True)
        ]

    def _gold_edus(self, batch: EncodedBatch, rows: Sequence[Row]) -> list[Floats]:
        """Return the RST head's input for the EDUs of the annotation."""
        starts = [np.array(rows[k].edus or [0]) for k in batch.sentences]
        batch.outputs["edus"] = starts
        return edu_vectors(batch, self)

    def _trees(self, edus: Sequence[Floats], texts: Sequence[Sequence[int]]) -> list[list[Node]]:
        """Return the tree of each text."""
        trees = []
        for numbers in build_trees(edus, texts, self):
            tree: list[Node] = []
            for first, last, split, label in zip(*[iter(numbers)] * 4, strict=True):
                nuclearity, _, relation = self.labels["rst"][label].partition("-")
                tree.append((first, last, split, nuclearity, relation))
            trees.append(tree)
        return trees


def make_row(row: Row, found: Mapping[Any, list[int]], labels: Labels) -> Row:
    """Return a sentence with all layers, from their numbers."""
    size = len(row.words)
    upos, heads, rels = np.reshape(found[layers.DEPENDENCIES], (3, size)).tolist()
    brackets = found[layers.CONSTITUENTS]
    return Row(
        row.id,
        row.source,
        row.genre,
        row.words,
        edus=found[layers.EDUS],
        upos=[labels["upos"][k] for k in upos],
        xpos=[labels["xpos"][k] for k in brackets[:size]],
        heads=heads,
        rels=[labels["rel"][k] for k in rels],
        brackets=_spans(brackets[size:], labels["bracket"]),
        frames=_frames(found[layers.ROLES], labels["role"]),
        connectives=_spans(found[layers.CONNECTIVES], labels["sense"]),
        entities=_spans(found[layers.ENTITIES], labels["entity"]),
    )


def _spans(numbers: Sequence[int], names: Sequence[str]) -> list[Span]:
    return [(start, stop, names[label]) for start, stop, label in Numbered.triples(numbers)]


def _frames(numbers: Sequence[int], names: Sequence[str]) -> list[Frame]:
    frames = []
    at = 0
    while at < len(numbers):
        word, count = numbers[at : at + 2]
        at += 2
        triples = Numbered.triples(numbers[at : at + 3 * count])
        frames.append(Frame(word, [(start, stop, names[role]) for role, start, stop in triples]))
        at += 3 * count
    return frames
