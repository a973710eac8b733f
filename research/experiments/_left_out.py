"""Marks of sets that the shipped judge has learnt experts' marks of, by models that have not.

The judge that ships has learnt what experts marked in newstest20, newstest21 and WMT23, so that its
marks say nothing honest about what they marked there. The runs that trained it (`training/judge`)
hold marks by models that left a set out; where they are not at hand, such marks count as missing.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from albeit.corpus import EvalSet
from albeit.flags.evidence import Pieces
from albeit.flags.mending import marks_in
from albeit.flags.suspect import Suspect
from training.judge.store import Store, fitted, load

__all__ = ["MODELS", "Shares", "add_runs", "left_out", "with_marks"]

MODELS = {"newstest20": "s-a", "wmt23": "s-b"}
"""The run whose model has learnt nothing of a set."""
Shares = Mapping[tuple[str, int], npt.NDArray[np.float64]]
"""By system and line (from 0): how likely each word is marked as a major, as a minor error."""


def add_runs(parser: ArgumentParser) -> None:
    """The options that say where such runs are."""
    parser.add_argument("--runs", type=Path, help="runs of research/training/judge/run.sh")
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))


def left_out(name: str, runs: Path | None, store: Path) -> Shares | None:
    """The marks of a set beside its first reference; ``None`` where the judge may speak itself."""
    if name not in MODELS:
        return None
    if runs is None:
        return {}
    with np.load(runs / MODELS[name] / "marks.npz") as file:
        return _shares(load(store), file["pairs"], file["marks"], name)


def _shares(store: Store, pairs: npt.NDArray[np.int64], marks: np.ndarray, name: str) -> Shares:
    wanted = store.groups(sets=(name,), kinds=("judged",)) & store["group_first"]
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


def with_marks(
    suspects: Sequence[Suspect], evidence: Sequence[Pieces], evalset: EvalSet, shares: Shares
) -> list[Pieces]:
    """Evidence whose marks are these; where there are none, they are missing."""
    found: list[Pieces] = []
    for one, pieces in zip(suspects, evidence, strict=True):
        words = shares.get((one.system, one.line))
        text = evalset.systems[one.system][one.line]
        told: dict[str, float | None] = {"mark": None, "major": None}
        if words is not None and len(words) == len(text.split()):
            told = marks_in(text, words, one.start, one.end)
        found.append({**pieces, **told})
    return found
