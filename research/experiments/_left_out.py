"""Marks of newstest20 by a judge that has not learnt what experts marked there.

The judge that ships has, so that its marks say nothing honest about that set. The runs that trained it
(`training/judge`) hold the marks of a model that left the set out.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.judge.store import Store, fitted, load

__all__ = ["Shares", "add_runs", "left_out"]

MODEL = "s-a"
"""The run whose model has learnt nothing of newstest20."""
SET = "newstest20"
Shares = Mapping[tuple[str, int], npt.NDArray[np.float64]]
"""By system and line (from 0): how likely each word is marked as a major, as a minor error."""


def add_runs(parser: ArgumentParser) -> None:
    """The options that say where such runs are."""
    parser.add_argument("--runs", type=Path, help="runs of research/training/judge/run.sh")
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))


def left_out(runs: Path | None, store: Path) -> Shares:
    """The marks of newstest20 beside its first reference; none where the runs are not at hand."""
    if runs is None:
        return {}
    with np.load(runs / MODEL / "marks.npz") as file:
        return _shares(load(store), file["pairs"], file["marks"])


def _shares(store: Store, pairs: npt.NDArray[np.int64], marks: np.ndarray) -> Shares:
    wanted = store.groups(sets=(SET,), kinds=("judged",)) & store["group_first"]
    found: dict[tuple[str, int], npt.NDArray[np.float64]] = {}
    at = 0
    for pair in pairs.tolist():
        text, group = store["pair_text"][pair], store["pair_group"][pair]
        start, size = store.text_start[text], int(store["text_size"][text])
        other = int(store["text_size"][store["group_reference"][group]])
        size = int(fitted(np.array([size]), np.array([other]))[0][0])
        mine, at = marks[at : at + size], at + size
        if wanted[group] and size:
            first = np.flatnonzero(store["begins"][start : start + size])
            system = store.names[store["pair_name"][pair]]
            line = int(store["group_line"][group])
            found[system, line] = np.maximum.reduceat(mine, first, axis=0) / 255.0
    return found
