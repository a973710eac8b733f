"""The judge's table: what runs have on sets that they never saw, with chrF's figures.

    python -m training judge.report RUNS [--json FILE]

RUNS holds what `research/training/judge/run.sh` left: a folder a run, with its scores.
"""

from __future__ import annotations

from json import dumps
from pathlib import Path

import numpy as np

from training.judge import figures, targets
from training.judge.store import MODELS, SEEN, Store, load


def measure(store: Store, run: Path, model: str) -> dict[str, object]:
    """All figures of a run on what its model has left out."""
    scores = np.load(run / "scores.npy").astype(np.float32)
    sets = tuple(data for data in MODELS[model] if data not in SEEN[model])
    found: dict[str, object] = {"tested": figures.tested(store, scores, sets)}
    experts = [data for data in ("newstest20", "newstest21", "wmt23") if data in sets]
    found["systems"] = {data: figures.systems(store, scores, data) for data in experts}
    if "newstest21" in sets:
        found["several references"] = figures.several(store, scores, ~store["group_dev"])
    if (run / "marks.npz").exists():
        with np.load(run / "marks.npz") as file:
            which, marks = file["pairs"], file["marks"]
        found["marks"] = {data: figures.words(store, which, marks, data) for data in experts}
        found["nothing"] = figures.nothing(store, scores)
    return found


def main(
    runs: Path,
    *,
    store: Path = Path("research/data/judge.npz.xz"),
    json: Path | None = None,
) -> None:
    """Read, count, print; write the figures into a file if it is given."""
    data = load(store)
    facts = data["pair_facts"][:, 0].astype(np.float32)
    experts = ("newstest20", "newstest21", "wmt23")
    found: dict[str, object] = {
        "chrF": {
            "tested": figures.tested(data, facts, tuple(data.sets)),
            "systems": {name: figures.systems(data, facts, name) for name in experts},
        },
    }
    for model in MODELS:
        taught = [p.parent for p in sorted(runs.glob(f"t-{model}-*/scores.npy"))]
        for run in (*taught, runs / f"s-{model}"):
            if (run / "scores.npy").exists():
                found[run.name] = measure(data, run, model)
        if len(taught) > 1:
            mean, _ = targets.mean(data, [run / "scores.npy" for run in taught])
            sets = tuple(name for name in MODELS[model] if name not in SEEN[model])
            found[f"t-{model} together"] = {"tested": figures.tested(data, mean, sets)}
    text = dumps(found, indent=1)
    if json:
        json.write_text(text + "\n")
    print(text)
