"""The judge's table: what runs have, on sets that they never saw, beside what published metrics have.

    python -m training.judge.report RUNS --judgments UNPACKED [--json FILE]

RUNS holds what `research/training/judge/run.sh` left: a folder a run, with its scores.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training.judge import figures, targets
from training.judge.calibrate import several
from training.judge.segments import metric_scores
from training.judge.store import MODELS, SEEN, Store, load

PUBLISHED = (
    "XCOMET-Ensemble",
    "MetricX-23-b",
    "MetricX-23",
    "BLEURT-20",
    "COMET",
    "BERTscore",
    "chrF",
)


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


def one(store: Store, run: Path, model: str) -> dict[str, object]:
    """All figures of a run on what its model has left out."""
    scores = np.load(run / "scores.npy").astype(np.float32)
    sets = tuple(data for data in MODELS[model] if data not in SEEN[model])
    found: dict[str, object] = {"tested": figures.tested(store, scores, sets)}
    experts = [data for data in ("newstest20", "newstest21", "wmt23") if data in sets]
    found["systems"] = {data: figures.systems(store, scores, data) for data in experts}
    if "newstest21" in sets:
        found["several references"] = several(store, scores, ~store["group_dev"])
    if (run / "spread.npy").exists():
        spread = np.load(run / "spread.npy")
        with np.load(run / "marks.npz") as file:
            which, marks = file["pairs"], file["marks"]
        found["marks"] = {data: figures.words(store, which, marks, data) for data in experts}
        found["coverage"] = {
            data: figures.coverage(
                targets.people(store, scores, store.groups(sets=(data,))), scores, spread
            )
            for data in (*experts, "bio")
        }
        found["identity"] = figures.identity(store, scores)
        found["nothing"] = figures.nothing(store, scores)
    return found


def main() -> None:
    """Read, count, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path)
    parser.add_argument("--judgments", type=Path, required=True, help="judgments.tar.xz, unpacked")
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    store = load(args.store)
    facts = store["pair_facts"][:, 0].astype(np.float32)
    found: dict[str, object] = {
        "chrF": {
            "tested": figures.tested(store, facts, tuple(store.sets)),
            "systems": {
                data: figures.systems(store, facts, data)
                for data in ("newstest20", "newstest21", "wmt23")
            },
        },
        "published on wmt23": published(store, args.judgments / "wmt23-metric-scores/zh-en"),
    }
    for model in MODELS:
        taught = [
            run for run in sorted(args.runs.glob(f"t-{model}-*")) if (run / "scores.npy").exists()
        ]
        for run in (*taught, args.runs / f"s-{model}", args.runs / f"n-{model}"):
            if (run / "scores.npy").exists():
                found[run.name] = one(store, run, model)
        if len(taught) > 1:
            mean, _ = targets.mean(store, [run / "scores.npy" for run in taught])
            sets = tuple(data for data in MODELS[model] if data not in SEEN[model])
            found[f"t-{model} together"] = {"tested": figures.tested(store, mean, sets)}
    text = json.dumps(found, indent=1)
    if args.json:
        args.json.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
