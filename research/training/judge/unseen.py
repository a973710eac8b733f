"""The judge's scores of experts' sets by runs that had not seen them, as one small file.

    python -m training judge.unseen RUNS [--out research/training/judge/kept/unseen.npz.xz]

RUNS holds what `research/training/judge/run.sh` left. Each set is scored by a run that has learnt
none of its judgments and marks, on the scale of 0 to 100 that the run's own development documents
give (as `training.judge.calibrate` does for what ships), with the first reference. So comparing
other metrics with the judge needs neither the runs nor a GPU: `experiments/discourse.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.judge.figures import of_subset
from training.judge.store import MODELS, POSITIONS, SEEN, Store, compress, load, read_arrays

SETS = ("newstest20", "newstest21", "wmt23", "bio")
KEPT = Path(__file__).parent / "kept/unseen.npz.xz"
Scores = Mapping[str, npt.NDArray[np.float16]]
"""By system: a score for each line, `nan` where nobody judged it."""


def model_for(data: str) -> str:
    """The first model that has seen nothing of a set: what ships, where it has not."""
    return next(m for m, tested in MODELS.items() if data in tested and data not in SEEN[m])


def scaled(store: Store, raw: npt.NDArray[np.floating], model: str) -> npt.NDArray[np.float64]:
    """Raw scores of a run as scores of 0 to 100, by its own development documents."""
    # here alone: what was kept is read without PyTorch
    from training.judge.calibrate import fit, penalties

    exact = raw.astype(np.float64)
    dev = store[f"use_{model}"] & store["group_dev"]
    given = penalties(store, dev, POSITIONS)
    known = ~np.isnan(exact[given.pairs])
    raw = exact[given.pairs][known]
    found = fit(raw, given.lost[known], given.real[known], weight=given.weight[known])
    return 100 * found.share(exact)[0]


def by_system(store: Store, scores: npt.NDArray[np.float64], subset: str) -> Scores:
    """The scores of one language pair of a set."""
    groups = of_subset(store, subset) & store["group_first"]
    pairs = np.flatnonzero(groups[store["pair_group"]])
    lines = store["group_line"][store["pair_group"][pairs]]
    found: dict[str, npt.NDArray[np.float16]] = {}
    for name in np.unique(store["pair_name"][pairs]):
        own = store["pair_name"][pairs] == name
        row = np.full(lines.max() + 1, np.nan, np.float16)
        row[lines[own]] = scores[pairs[own]]
        found[store.names[name]] = row
    return found


def gather(store: Store, runs: Path) -> dict[str, Scores]:
    """All sets by their language pairs, `bio/de-en` for one."""
    found: dict[str, Scores] = {}
    for data in SETS:
        model = model_for(data)
        path = runs / f"s-{model}" / "scores.npy"
        raw = np.load(path)
        if len(raw) != len(store.sizes):
            raise SystemExit(
                f"{path} has {len(raw)} scores and the store {len(store.sizes)} pairs: name the"
                " store that this run was trained with (--store)"
            )
        scores = scaled(store, raw, model)
        for subset in (name for name in store.subsets if name.startswith(f"{data}/")):
            found[subset] = by_system(store, scores, subset)
    return found


def keep(found: Mapping[str, Scores], path: Path) -> None:
    """Write them, compressed."""
    compress({f"{s}:{name}": row for s, rows in found.items() for name, row in rows.items()}, path)


def kept(path: Path = KEPT) -> dict[str, Scores]:
    """Read what `keep` wrote."""
    found: dict[str, dict[str, npt.NDArray[np.float16]]] = {}
    for key, row in read_arrays(path).items():
        subset, name = key.split(":", 1)
        found.setdefault(subset, {})[name] = row
    return dict(found)


def main(runs: Path, *, store: Path = Path("research/data/judge.npz.xz"), out: Path = KEPT) -> None:
    """Read, scale, write."""
    found = gather(load(store), runs)
    keep(found, out)
    for subset, rows in found.items():
        count = sum(int((~np.isnan(row)).sum()) for row in rows.values())
        print(f"{subset}: {count} translations of {len(rows)} systems")
