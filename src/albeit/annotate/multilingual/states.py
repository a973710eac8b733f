"""The encoder's forward pass, up to one state a subword.

A subword's vector goes through three branches of two convolutions each (over 2, 3 and 5
subwords); its own vector and the three make up its *features*, and a projection of these is its
*state*, a unit vector. States of words that mean the same lie close together, whatever the
language. The graph ships (``encoder.onnx``, 5 kB, made by ``training/languages/skeleton.py``);
the weights are handed to it from the package that brings them.

onnxruntime's products treat each row alike, and all else is done row by row, so a state does not
depend on what is computed beside it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from albeit.annotate.model import load_network
from albeit.annotate.multilingual.pieces import BEGIN, END, Ints
from albeit.annotate.multilingual.weights import files

__all__ = ["Encoder", "Rows", "load_encoder"]

Rows = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]
GRAPH = Path(__file__).parent / "encoder.onnx"
CHANNELS, PER_CHANNEL, WIDTH = 17, 7530, 512
"""The table of vectors is stored in 17 parts, each with a scale of its own; the part of a subword
is its id modulo 17."""
LEFT, RIGHT = 2, 2
"""How far the widest window reaches."""
ORDERS = (2, 3, 5)
BATCH = 1024
"""About how many subwords are read at once."""


class Encoder:
    """States of texts given as ids of subwords."""

    def __init__(self) -> None:
        self._table = np.empty((CHANNELS * PER_CHANNEL, WIDTH), np.uint8)
        with np.load(files()[1], allow_pickle=False) as file:
            for k in range(CHANNELS):
                self._table[k::CHANNELS] = file[f"q{k + 1}"]
            w = {name: file[name] for name in file.files if not name.startswith("q")}
        self._scale, self._low = w["scale"], w["lo"]

        def joined(name: str) -> Rows:
            return np.concatenate([w[f"{name}{n}"] for n in ORDERS], axis=-1)

        weights = {
            "entry": joined("proj"),
            "entry_bias": joined("proj_b"),
            "entry_gain": joined("ln_g"),
            "entry_low": joined("ln_b"),
            "gain": w["ln_g"],
            "low": w["ln_b"],
            "exit": w["cnn_W"],
            "exit_bias": w["cnn_b"],
            **{
                f"{part}_{n}": w[f"{part}_{n}"] for part in ("w1", "b1", "w2", "b2") for n in ORDERS
            },
        }
        self._session = load_network(GRAPH, weights)

    def read(self, texts: Sequence[Ints]) -> Iterator[Rows]:
        """A row a subword of each text, in order."""
        batch: list[Ints] = []
        size = 0
        for ids in texts:
            if batch and size + len(ids) > BATCH:
                yield from self._read(batch)
                batch, size = [], 0
            batch.append(ids)
            size += len(ids)
        if batch:
            yield from self._read(batch)

    def _read(self, texts: Sequence[Ints]) -> Iterator[Rows]:
        """The same at once; marks of begin and end are seen, not returned."""
        flat = np.concatenate([np.r_[BEGIN, ids, END] for ids in texts]).astype(np.int64)
        bounds = np.concatenate(([0], np.cumsum([len(ids) + 2 for ids in texts])))
        known, place = np.unique(flat, return_inverse=True)
        inputs = {"words": self._vectors(known), "place": place, "window": _window(bounds)}
        (states,) = self._session.run(["states"], inputs)
        for a, b in pairwise(bounds.tolist()):
            yield states[a + 1 : b - 1]

    def _vectors(self, ids: Places) -> Rows:
        channel = ids % CHANNELS
        rows = self._table[ids] * self._scale[channel, None] + self._low[channel, None]
        return np.asarray(rows, np.float32)


def _window(bounds: Places) -> Places:
    """Which rows the widest window sees around each; the row after the last (zeros) beyond a text."""
    total, sizes = int(bounds[-1]), np.diff(bounds)
    around = np.arange(total)[:, None] + np.arange(-LEFT, RIGHT + 1)
    first, stop = (np.repeat(edge, sizes)[:, None] for edge in (bounds[:-1], bounds[1:]))
    return np.where((around >= first) & (around < stop), around, total)


@cache
def load_encoder() -> Encoder:
    """The encoder, loaded once a process, when it is first used."""
    return Encoder()
