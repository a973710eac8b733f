"""The judge's table: what runs have, on sets that they never saw, beside what published metrics
have.

    python -m training.judge.report RUNS --judgments UNPACKED [--json FILE]

RUNS holds what `research/training/judge/run.sh` left: a folder a run, with its scores.
"""

from __future__ import annotations

from json import dumps
from pathlib import Path

import numpy as np

from training.judge import figures, targets
from training.judge.segments import metric_scores
from training.judge.store import MODELS, SEEN, Store, load
from training.options import read_options

PUBLISHED = ("XCOMET-Ensemble", "MetricX-23-b", "MetricX-23", "BLEURT-20", "COMET")
PUBLISHED += ("BERTscore", "chrF")


def published(store: Store, folder: Path) -> dict[str, float]:
    """WMT23 zh-en by the published scores of other metrics, on the same pairs."""
    found: dict[str, float] = {}
    pairs = np.flatnonzero(store.groups(sets=("wmt23",), kinds=("judged",))[store["pair_group"]])
    lines = store["group_line"][store["pair_group"][pairs]]
    systems = [store.names[k] for k in store["pair_name"][pairs]]
    for name in PUBLISHED:
        given = metric_scores(folder, name)
        scores = np.full(len(store.sizes), np.nan, np.float32)
        for pair, line, system in zip(pairs, lines, systems, strict=True):
            scores[pair] = given[system][line] if system in given else np.nan
        found[name] = figures.expert(store, scores, "wmt23")
    return found


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
    judgments: Path,
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
        "published on wmt23": published(data, judgments / "wmt23-metric-scores/zh-en"),
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


if __name__ == "__main__":
    read_options(main)
