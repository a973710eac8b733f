"""The encoder's forward pass in NumPy, up to one state a subword.

A subword's vector goes through three branches of two convolutions each (over 2, 3 and 5
subwords); its own vector and the three make up its *features*, and a projection of these is its
*state*. States of words that mean the same lie close together, whatever the language.

Products of matrices are made over blocks of a fixed number of rows, and everything else row by
row, so that a state does not depend on what else is computed beside it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from albeit.annotate.multilingual.pieces import BEGIN, END, Ints
from albeit.annotate.multilingual.weights import files

__all__ = ["FEATURES", "STATE", "Encoder", "load_encoder"]

Rows = npt.NDArray[np.float32]
CHANNELS, ROWS, WIDTH, BRANCH = 17, 7530, 512, 256
"""The table of vectors is stored in 17 parts, each with a scale of its own; the part of a subword
is its id modulo 17."""
WINDOWS = ((2, 0), (3, 1), (5, 2))
"""How many subwords each branch sees, and how many of them stand to the left."""
FEATURES, STATE = WIDTH + len(WINDOWS) * BRANCH, 512
BLOCK = 256
"""Rows of a product."""
LEFT, RIGHT = 2, 2


class Branch(NamedTuple):
    """The weights of two convolutions."""

    first: Rows
    first_bias: Rows
    second: Rows
    second_bias: Rows


class Encoder:
    """Features and states of texts given as ids of subwords."""

    def __init__(self) -> None:
        self.table = np.empty((CHANNELS * ROWS, WIDTH), np.uint8)
        with np.load(files()[1], allow_pickle=False) as file:
            for k in range(CHANNELS):
                self.table[k::CHANNELS] = file[f"q{k + 1}"]
            w = {name: file[name] for name in file.files if not name.startswith("q")}
        self.scale, self.low = w["scale"], w["lo"]
        orders = [width for width, _ in WINDOWS]
        self.entry = np.concatenate([w[f"proj{n}"] for n in orders], axis=1)
        self.entry_bias = np.concatenate([w[f"proj_b{n}"] for n in orders])
        self.entry_norm = tuple(
            np.concatenate([w[f"ln_{part}{n}"] for n in orders]) for part in "gb"
        )
        self.branches = [
            Branch(w[f"w1_{n}"], w[f"b1_{n}"], w[f"w2_{n}"], w[f"b2_{n}"]) for n in orders
        ]
        self.norm = w["ln_g"], w["ln_b"]
        self.exit, self.exit_bias = w["cnn_W"], w["cnn_b"]
        self.epsilon = float(w["eps"])

    def features(self, texts: Sequence[Ints]) -> list[Rows]:
        """A row of features a subword of each text; marks of begin and end are seen, not returned."""
        sizes = np.array([len(ids) + 2 for ids in texts], np.int64)
        flat = np.concatenate([np.r_[BEGIN, ids, END] for ids in texts]).astype(np.int64)
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        known, place = np.unique(flat, return_inverse=True)
        embedded = self._embedded(known)
        entered = product(embedded, self.entry) + self.entry_bias
        self._normalise(entered, *self.entry_norm)
        rows = np.empty((len(flat), FEATURES), np.float32)
        rows[:, :WIDTH] = embedded[place]
        window = _window(bounds)
        padded = np.zeros((len(flat) + 1, BRANCH), np.float32)
        for k, ((width, left), branch) in enumerate(zip(WINDOWS, self.branches, strict=True)):
            seen = window[:, LEFT - left : LEFT - left + width]
            start = entered[place, k * BRANCH : (k + 1) * BRANCH]
            middle = _convolved(padded, seen, start, branch.first, branch.first_bias)
            rows[:, WIDTH + k * BRANCH :][:, :BRANCH] = _convolved(
                padded, seen, middle, branch.second, branch.second_bias
            )
        self._normalise(rows, *self.norm)
        return [rows[a + 1 : b - 1] for a, b in pairwise(bounds.tolist())]

    def states(self, features: Rows) -> Rows:
        """Unit vectors of rows of features."""
        rows = product(features, self.exit) + self.exit_bias
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))

    def _embedded(self, ids: npt.NDArray[np.int64]) -> Rows:
        channel = ids % CHANNELS
        rows = self.table[ids] * self.scale[channel, None] + self.low[channel, None]
        return np.asarray(rows, np.float32)

    def _normalise(self, rows: Rows, gain: Rows, bias: Rows) -> None:
        rows -= rows.mean(axis=1, keepdims=True)
        spread = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
        rows *= (1 / np.sqrt(spread + np.float32(self.epsilon)))[:, None]
        rows *= gain
        rows += bias


def product(rows: Rows, weights: Rows) -> Rows:
    """rows @ weights, in blocks of one size: a row's result is the same in any company."""
    count = len(rows)
    out = np.empty((count, weights.shape[1]), np.float32)
    whole = count - count % BLOCK
    for at in range(0, whole, BLOCK):
        np.matmul(rows[at : at + BLOCK], weights, out=out[at : at + BLOCK])
    if whole < count:
        last = np.zeros((BLOCK, rows.shape[1]), np.float32)
        last[: count - whole] = rows[whole:]
        out[whole:] = (last @ weights)[: count - whole]
    return out


def _convolved(
    padded: Rows, seen: npt.NDArray[np.int64], rows: Rows, weights: Rows, bias: Rows
) -> Rows:
    """One convolution with its residual; ``padded`` is room for the rows and a zero row after them."""
    padded[:-1] = rows
    found = product(padded[seen].reshape(len(rows), -1), weights)
    found += bias
    np.maximum(found, 0, out=found)
    found += rows
    return found


def _window(bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Which rows the widest window sees around each; the last row of all (zeros) beyond a text."""
    total, sizes = int(bounds[-1]), np.diff(bounds)
    around = np.arange(total)[:, None] + np.arange(-LEFT, RIGHT + 1)
    first, stop = (np.repeat(edge, sizes)[:, None] for edge in (bounds[:-1], bounds[1:]))
    return np.where((around >= first) & (around < stop), around, total)


@cache
def load_encoder() -> Encoder:
    """The encoder, loaded once a process, when it is first used."""
    return Encoder()
