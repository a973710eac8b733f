"""The multilingual encoder in PyTorch: the forward pass of `albeit.annotate.multilingual.states`.

Its weights travel as one file with the vectors of the subwords that occur in the training data alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

CHANNELS, ROWS, WIDTH, BRANCH = 17, 7530, 512, 256
WINDOWS = ((2, 0), (3, 1), (5, 2))
FEATURES = WIDTH + len(WINDOWS) * BRANCH


def vocabulary_of(*ids: npt.NDArray[np.int32], least: int = 1) -> npt.NDArray[np.int32]:
    """The subwords that occur, unknown ones and the marks of begin and end first."""
    known, count = np.unique(np.concatenate(ids), return_counts=True)
    return np.union1d(np.arange(3, dtype=np.int32), known[count >= least])


def shrink(weights: Path, vocabulary: npt.NDArray[np.int32], out: Path) -> None:
    """Write the weights with the vectors of these subwords."""
    with np.load(weights, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files if not name.startswith("q")}
        table = np.empty((CHANNELS * ROWS, WIDTH), np.uint8)
        for k in range(CHANNELS):
            table[k::CHANNELS] = file[f"q{k + 1}"]
    used = ("scale", "lo", "eps", "ln_g", "ln_b", "cnn_W", "cnn_b")
    kept = {
        name: value.astype(np.float32 if value.ndim == 1 else np.float16)
        for name, value in arrays.items()
        if name in used or name.startswith(("proj", "ln_g", "ln_b", "w1", "w2", "b1", "b2"))
    }
    np.savez_compressed(out, table=table[vocabulary], vocabulary=vocabulary, **kept)


class Encoder(nn.Module):
    """ids and sides [rows, width] → features [rows, width, 1280] and unit states [rows, width, 512].

    Each side of a row is a text of its own: no window reaches across. Nothing of it is trained,
    unless its convolutions are `tuned`; the vectors of subwords never are.
    """

    table: Tensor

    def __init__(self, path: Path, tuned: bool = False) -> None:
        super().__init__()
        with np.load(path, allow_pickle=False) as file:
            w = {name: file[name] for name in file.files}
        self.vocabulary = w["vocabulary"]
        channel = self.vocabulary % CHANNELS
        for name, value in w.items():
            if name in ("table", "vocabulary", "eps"):
                continue
            tensor = torch.from_numpy(value.astype(np.float32))
            if tuned and name.startswith(("proj", "w1", "w2", "b1", "b2", "ln_")):
                self.register_parameter(name, nn.Parameter(tensor))
            else:
                self.register_buffer(name, tensor)
        self.register_buffer("table", torch.from_numpy(w["table"]))
        self.register_buffer("scales", torch.from_numpy(w["scale"][channel].astype(np.float32)))
        self.register_buffer("lows", torch.from_numpy(w["lo"][channel].astype(np.float32)))
        self.epsilon = float(w["eps"])

    def _norm(self, rows: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        return fn.layer_norm(rows, tuple(gain.shape), gain, bias, self.epsilon)

    def forward(self, ids: Tensor, side: Tensor) -> tuple[Tensor, Tensor]:
        """Features and states; what lies beyond a row's end is not to be read."""
        scales, lows = self.get_buffer("scales"), self.get_buffer("lows")
        vectors = self.table[ids].float() * scales[ids].unsqueeze(-1) + lows[ids].unsqueeze(-1)
        features = self.features(vectors, side)
        states = features @ self.get_buffer("cnn_W") + self.get_buffer("cnn_b")
        return features, fn.normalize(states, dim=-1)

    def features(self, vectors: Tensor, side: Tensor) -> Tensor:
        """The same, from the vectors of subwords."""

        def get(name: str) -> Tensor:
            found: Tensor = getattr(self, name)
            return found

        orders = [n for n, _ in WINDOWS]
        entry = torch.cat([get(f"proj{n}") for n in orders], 1)
        bias = torch.cat([get(f"proj_b{n}") for n in orders])
        gain, low = (torch.cat([get(f"ln_{p}{n}") for n in orders]) for p in "gb")
        entered = self._norm(vectors @ entry + bias, gain, low)
        parts = [vectors]
        for k, (n, left) in enumerate(WINDOWS):
            rows = entered[..., k * BRANCH : (k + 1) * BRANCH]
            for layer in (1, 2):
                seen = torch.cat([_shifted(rows, side, d - left) for d in range(n)], -1)
                rows = fn.relu(seen @ get(f"w{layer}_{n}") + get(f"b{layer}_{n}")) + rows
            parts.append(rows)
        return self._norm(torch.cat(parts, -1), get("ln_g"), get("ln_b"))


def _shifted(rows: Tensor, side: Tensor, by: int) -> Tensor:
    """What stands `by` places further in the same text, zeros where it has ended."""
    if by == 0:
        return rows
    if by > 0:
        moved, there = fn.pad(rows[:, by:], (0, 0, 0, by)), fn.pad(side[:, by:], (0, by))
    else:
        moved, there = fn.pad(rows[:, :by], (0, 0, -by, 0)), fn.pad(side[:, :by], (-by, 0))
    return moved * (there == side).unsqueeze(-1)
