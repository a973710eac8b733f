"""A model of the right shape with made-up weights, for tests of everything around it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from albeit.parsing.encoder import Encoded, Recent
from albeit.parsing.layers import Analysis, AnyLayer, Labels
from albeit.parsing.model import Model

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

LABELS: Labels = {
    "upos": ["NOUN", "VERB", "PUNCT"],
    "xpos": ["NN", "VB", "."],
    "rel": ["nsubj", "obj", "root"],
    "bracket": ["S", "NP", "S+VP"],
    "role": ["ARG0", "ARG1"],
    "sense": ["Comparison.Contrast", "Contingency.Cause"],
    "entity": ["person", "place"],
    "rst": ["NN-joint", "NS-elaboration", "SN-attribution"],
}
SIZES = {
    "edus": [1],
    "tags": [3, 3],
    "relations": [3],
    "span_labels": [3],
    "predicates": [1],
    "connectives": [3, 2],
    "entities": [5],
}


def without(analysis: Analysis, *dropped: AnyLayer) -> Analysis:
    """The analysis without some layers."""
    kept = {layer: analysis[layer] for layer in analysis if layer not in dropped}
    return Analysis(analysis.text, kept)


class FakeModel(Model):
    """Deterministic, quick, and dependent on a token's near neighbours only."""

    version = "fake"
    labels: Labels = LABELS
    width = 16
    threshold = 0.6
    label_weight = 0.0

    def __init__(self) -> None:
        self.calls = 0
        self.recent = Recent()
        self.heads: set[str] = set()
        self.shapes: list[tuple[int, ...]] = []
        self._table = self._weights("table", 1000, self.width)

    def _weights(self, name: str, *shape: int) -> Floats:
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return rng.standard_normal(shape).astype(np.float32)

    def subwords(self, sentences: Sequence[Sequence[str]]) -> Encoded:
        ids: list[int] = []
        first: list[int] = []
        starts, word_starts = [0], [0]
        for sentence in sentences:
            begin = len(ids)
            for word in sentence:
                first.append(len(ids) - begin)
                ids += [
                    200 + zlib.crc32(word[k : k + 4].encode("utf-8", "surrogatepass")) % 800
                    for k in range(0, len(word), 4)
                ]
            starts.append(len(ids))
            word_starts.append(len(first))
        arrays = [np.array(x, np.int64) for x in (ids, [1] * len(ids), starts, word_starts, first)]
        return Encoded(*arrays)

    def encode(self, ids: Ints, mask: Ints, cases: Ints) -> tuple[Floats, Floats]:
        self.calls += 1
        self.shapes.append(ids.shape)
        x = self._table[ids] * mask[:, :, None].astype(np.float32)
        left = np.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        right = np.pad(x, ((0, 0), (0, 1), (0, 0)))[:, 1:]
        return x + 0.3 * left + 0.2 * right, x

    def head(self, name: str, *inputs: npt.NDArray[np.generic]) -> list[Floats]:
        self.heads.add(name)
        if name in SIZES:
            x = np.concatenate([np.asarray(i, np.float32) for i in inputs], axis=1)
            outputs = [
                x @ self._weights(f"{name}{k}", x.shape[1], n) for k, n in enumerate(SIZES[name])
            ]
            single = name in ("edus", "predicates")
            return [out[:, 0] for out in outputs] if single else outputs
        if name == "rst":
            edus, candidates, features = inputs
            joint = np.asarray(edus)[candidates].reshape(len(candidates), -1)
            joint = np.concatenate([joint, features], axis=1).astype(np.float32)
            return [
                joint @ self._weights("s", joint.shape[1]),
                joint @ self._weights("l", joint.shape[1], 3),
            ]
        words = np.asarray(inputs[0], np.float32)
        if name == "roles":
            at = words[inputs[1]] * words[inputs[1], inputs[2]][:, None]
            return [at @ self._weights("roles", self.width, 5)]
        pad = {"arcs": ((0, 0), (1, 0), (0, 0)), "spans": ((0, 0), (1, 0), (0, 0))}[name]
        heads: Floats = np.pad(words, pad)
        left = heads if name == "spans" else words
        return [
            np.asarray(
                left @ self._weights(name, self.width, self.width) @ heads.transpose(0, 2, 1),
                np.float32,
            )
        ]
