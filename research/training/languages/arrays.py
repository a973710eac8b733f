"""The packed discourse corpora on a device: sentences as batches, without a loop over them."""

from __future__ import annotations

import io
import json
import lzma
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.judge.store import Array, Ints

UNKNOWN, BEGIN, END = 0, 1, 2
Numbers = npt.NDArray[np.int64]


def read(path: Path, vocabulary: Ints) -> tuple[dict[str, Array], list[str]]:
    """The arrays, with ids as places in the vocabulary at hand, and the names of the corpora."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as file:
        arrays: dict[str, Array] = {name: file[name] for name in file.files}
    for name in ("ids", "tree_ids"):
        place = np.minimum(np.searchsorted(vocabulary, arrays[name]), len(vocabulary) - 1)
        arrays[name] = np.where(vocabulary[place] == arrays[name], place, UNKNOWN)
    return arrays, json.loads(arrays.pop("labels").tobytes())


def starts_of(sizes: Array) -> Numbers:
    """Where each of some neighbours begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(sizes.astype(np.int64))))


class Texts:
    """Texts of subwords, with what is known of each subword; a batch has marks of begin and end."""

    def __init__(
        self, ids: Array, sizes: Array, known: dict[str, Array], device: str | torch.device
    ) -> None:
        self.sizes = sizes.astype(np.int64)
        self.starts = starts_of(sizes)[:-1]
        self.device = device
        self._ids = torch.from_numpy(ids.astype(np.int64)).to(device)
        self._known = {name: torch.from_numpy(rows).to(device) for name, rows in known.items()}

    def batch(self, chosen: Numbers) -> dict[str, Tensor]:
        """`ids`, `mask` (1 where something stands) and what is known (−1 on marks and beyond)."""
        sizes = torch.from_numpy(self.sizes[chosen]).to(self.device).unsqueeze(1)
        starts = torch.from_numpy(self.starts[chosen]).to(self.device).unsqueeze(1)
        width = -(-(int(self.sizes[chosen].max()) + 2) // 8) * 8
        column = torch.arange(-1, width - 1, device=self.device).unsqueeze(0)
        inside = (column >= 0) & (column < sizes)
        at = torch.where(inside, starts + column, 0)
        ids = torch.where(inside, self._ids[at], 0)
        ids = torch.where(column == -1, BEGIN, torch.where(column == sizes, END, ids))
        found = {"ids": ids, "mask": (column <= sizes).long()}
        for name, rows in self._known.items():
            found[name] = torch.where(inside, rows[at].long(), -1)
        return found


def in_batches(
    sizes: Numbers, chosen: Numbers, budget: int, rng: np.random.Generator
) -> list[Numbers]:
    """Texts of similar length together, about `budget` subwords each, in random order."""
    order = chosen[np.argsort(sizes[chosen] * rng.uniform(0.9, 1.1, len(chosen)), kind="stable")]
    found, first = [], 0
    for at, k in enumerate(order.tolist()):
        if at > first and (at + 1 - first) * (int(sizes[k]) + 10) > budget:
            found.append(order[first:at])
            first = at
    found.append(order[first:])
    return [found[k] for k in rng.permutation(len(found))]
