"""Analyse items with any backend (PyTorch or the exported files) and decode all layers.

The same code therefore scores a model in training, its export and its quantised form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from albeit.parsing.decode import (
    best_trees,
    nested_spans,
    plan_trees,
    rst_trees,
    tagged_spans,
    viterbi,
)
from training.batch import Collator
from training.rows import Frame, Item, Node, Row

Array = npt.NDArray[np.generic]
Floats = npt.NDArray[np.float32]


class Backend(Protocol):
    """Something that runs the encoder and the heads by name."""

    def encode(self, ids: Array, mask: Array, cases: Array) -> tuple[Floats, Floats]:
        """What the heads read, and the middle layer."""

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """The outputs of one head."""


class OnnxBackend:
    """Runs exported files. Sessions are made on first use."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import onnxruntime

        self.folder = folder
        self.options = onnxruntime.SessionOptions()
        self.options.intra_op_num_threads = threads
        self.sessions: dict[str, Any] = {}

    def open(self, model: str | bytes) -> Any:
        """Return a session for a file or for its contents."""
        import onnxruntime

        providers = ["CPUExecutionProvider"]
        return onnxruntime.InferenceSession(model, self.options, providers=providers)

    def load(self, name: str) -> Any:
        """Return the session of the file of this name."""
        return self.open(str(self.folder / f"{name}.onnx"))

    def session(self, name: str) -> Any:
        """Return the session of this name, made on first use."""
        if name not in self.sessions:
            self.sessions[name] = self.load(name)
        return self.sessions[name]

    def run(self, name: str, *inputs: Array) -> list[Floats]:
        """Return all outputs of a file."""
        session = self.session(name)
        names = [node.name for node in session.get_inputs()]
        outputs: list[Floats] = session.run(None, dict(zip(names, inputs, strict=True)))
        return outputs

    def encode(self, ids: Array, mask: Array, cases: Array) -> tuple[Floats, Floats]:
        """Run the encoder."""
        hidden, middle = self.run("encoder", ids, mask, cases)
        return hidden, middle

    def head(self, name: str, *inputs: Array) -> list[Floats]:
        """Run one head."""
        return self.run(name, *inputs)


@dataclass(slots=True)
class Analysed:
    """The analysis of one item: its rows, the tree on gold EDUs, and the tree on its own EDUs."""

    rows: list[Row]
    gold_edu_tree: list[Node] | None
    tree: list[Node]


def edu_vectors(words: Floats, row: int, starts: Sequence[int], size: int) -> Floats:
    """[EDUs, 3 width] of one sentence: first word, last word, mean."""
    stops = [*starts[1:], size]
    vectors = [
        np.concatenate([words[row, a], words[row, b - 1], words[row, a:b].mean(0)])
        for a, b in zip(starts, stops, strict=True)
    ]
    return np.stack(vectors)


class Analyser:
    """Runs a backend over items."""

    def __init__(
        self,
        backend: Backend,
        collator: Collator,
    ) -> None:
        self.backend = backend
        self.collator = collator
        self.labels = collator.labels

    def __call__(self, items: Sequence[Item], tokens: int = 6000) -> list[Analysed]:
        """Analyse all items, in batches of similar length with about so many subwords."""
        sizes = [max(self.collator.length(row) for row in item.rows) for item in items]
        order = sorted(range(len(items)), key=sizes.__getitem__)
        found: dict[int, Analysed] = {}
        batch: list[int] = []
        rows = 0
        for position, k in enumerate(order):
            batch.append(k)
            rows += len(items[k].rows)
            if rows * sizes[k] > tokens or position == len(order) - 1:
                found.update(zip(batch, self._batch([items[b] for b in batch]), strict=True))
                batch, rows = [], 0
        return [found[k] for k in range(len(items))]

    def _batch(self, items: Sequence[Item]) -> list[Analysed]:
        rows = [row for item in items for row in item.rows]
        arrays = self.collator.encode(rows)
        hidden, _ = self.backend.encode(arrays["ids"], arrays["mask"], arrays["cases"])
        present = arrays["present"].astype(bool)
        words = np.take_along_axis(hidden, arrays["first"].astype(np.int64)[:, :, None], 1)
        words = np.ascontiguousarray(words * present[:, :, None], dtype=np.float32)
        lengths = present.sum(1).astype(np.int64)
        results = [Row(row.id, row.source, row.genre, row.words) for row in rows]
        self._flat(words, present, lengths, results)
        self._dependencies(words, lengths, results)
        self._constituents(words, lengths, results)
        self._roles(words, present, lengths, results)
        own = self._trees(words, items, [row.edus or [0] for row in results])
        gold: list[list[Node] | None] = [None] * len(items)
        if all(row.edus is not None for row in rows):
            gold = list(self._trees(words, items, [row.edus or [0] for row in rows]))
        analysed = []
        at = 0
        for k, item in enumerate(items):
            analysed.append(Analysed(results[at : at + len(item.rows)], gold[k], own[k]))
            at += len(item.rows)
        return analysed

    def _flat(self, words: Floats, present: Array, lengths: Array, rows: list[Row]) -> None:
        flat = words[present]
        (edus,) = self.backend.head("edus", flat)
        upos, xpos = self.backend.head("tags", flat)
        conn, senses = self.backend.head("connectives", flat)
        (entities,) = self.backend.head("entities", flat)
        ends = np.cumsum(lengths)
        for r, row in enumerate(rows):
            size = int(lengths[r])
            here = slice(int(ends[r]) - size, int(ends[r]))
            starts = edus[here] > 0
            starts[0] = True
            row.edus = [int(k) for k in np.flatnonzero(starts)]
            row.upos = [self.labels["upos"][k] for k in upos[here].argmax(1)]
            row.xpos = [self.labels["xpos"][k] for k in xpos[here].argmax(1)]
            length = np.array([size])
            tags = viterbi(np.ascontiguousarray(conn[here][None]), length)[0]
            best = senses[here].argmax(1)
            row.connectives = [
                (a, b, self.labels["sense"][best[a]]) for a, b, _ in tagged_spans(tags, size)
            ]
            tags = viterbi(np.ascontiguousarray(entities[here][None]), length)[0]
            row.entities = [
                (a, b, self.labels["entity"][k]) for a, b, k in tagged_spans(tags, size)
            ]

    def _dependencies(self, words: Floats, lengths: npt.NDArray[np.int64], rows: list[Row]) -> None:
        (scores,) = self.backend.head("arcs", words)
        heads = best_trees(np.ascontiguousarray(scores), lengths)
        place = [(r, w) for r in range(len(rows)) for w in range(lengths[r]) if heads[r, w] > 0]
        names = {}
        if place:
            r, w = np.array(place).T
            (relations,) = self.backend.head("relations", words[r, w], words[r, heads[r, w] - 1])
            names = dict(zip(place, relations.argmax(1), strict=True))
        for r, row in enumerate(rows):
            size = int(lengths[r])
            row.heads = [int(h) for h in heads[r, :size]]
            row.rels = [
                self.labels["rel"][names[r, w]] if (r, w) in names else "root" for w in range(size)
            ]

    def _constituents(self, words: Floats, lengths: npt.NDArray[np.int64], rows: list[Row]) -> None:
        (scores,) = self.backend.head("spans", words)
        spans = nested_spans(np.ascontiguousarray(scores), lengths)
        padded = np.pad(words, ((0, 0), (1, 1), (0, 0)))
        r, a, b = spans.T
        ends = np.concatenate([padded[r, a], padded[r, a + 1], padded[r, b], padded[r, b + 1]], 1)
        (labels,) = self.backend.head("span_labels", ends)
        best = labels.argmax(1)
        for row in rows:
            row.brackets = []
        for (index, start, stop), label in zip(spans, best, strict=True):
            brackets = rows[index].brackets
            if brackets is not None:
                brackets.append((int(start), int(stop), self.labels["bracket"][label]))

    def _roles(
        self, words: Floats, present: Array, lengths: npt.NDArray[np.int64], rows: list[Row]
    ) -> None:
        (logits,) = self.backend.head("predicates", words[present])
        dense = np.full(present.shape, -1.0, np.float32)
        dense[present] = logits
        for row in rows:
            row.frames = []
        r, at = np.nonzero(dense > 0)
        if not len(r):
            return
        (scores,) = self.backend.head("roles", words, r, at)
        tags = viterbi(np.ascontiguousarray(scores), lengths[r])
        for index, word, line in zip(r, at, tags, strict=True):
            roles = [
                (a, b, self.labels["role"][k])
                for a, b, k in tagged_spans(line, int(lengths[index]))
            ]
            frames = rows[index].frames
            if frames is not None:
                frames.append(Frame(int(word), roles))

    def _trees(
        self, words: Floats, items: Sequence[Item], edus: Sequence[Sequence[int]]
    ) -> list[list[Node]]:
        vectors: list[Floats] = []
        sentences: list[int] = []
        offsets = [0]
        r = 0
        for item in items:
            for row in item.rows:
                vectors.append(edu_vectors(words, r, edus[r], len(row.words)))
                sentences.extend([r] * len(edus[r]))
                r += 1
            offsets.append(len(sentences))
        planned = plan_trees(np.array(sentences), np.array(offsets))
        if not len(planned.candidates):
            return [[] for _ in items]
        splits, labels = self.backend.head(
            "rst", np.concatenate(vectors), planned.candidates.astype(np.int64), planned.features
        )
        nodes, bounds = rst_trees(planned, splits, labels, 0.0)
        found: list[list[Node]] = []
        for k in range(len(items)):
            here = nodes[bounds[k] : bounds[k + 1]] - [offsets[k], offsets[k], offsets[k], 0]
            tree: list[Node] = []
            for a, b, m, label in here.tolist():
                nuclearity, _, relation = self.labels["rst"][label].partition("-")
                tree.append((a, b, m, nuclearity, relation))
            found.append(tree)
        return found
