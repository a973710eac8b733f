"""Figures of the runs of `run.sh` on sets that they haven't seen, with chrF's; and the files that come back.

    python -m training.many.report RUNS --store research/data/many/store.npz.xz [--out OUT]

Each run scores with the reference, with source and reference, and with the source. `--out` writes
`report.json`, `report.txt`, `scores.npz`, `logs.txt`, and the adapter of fold `all`.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np

from training.judge.store import Array
from training.many.figures import figures
from training.many.store import FOLDS, MODES, load, tested

REQUIRED = {
    "wmt23/en-de": 0.385,
    "newstest20/en-de": 0.33,
    "bio/en-de": 0.672,
    "bio/en-es": 0.449,
    "bio/en-fr": 0.271,
}
"""Required τ with the reference or with both, where it is known."""


def main() -> None:
    """Read, count, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--store", type=Path, default=Path("research/data/many/store.npz.xz"))
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    store = load(args.store)
    folds: dict[str, dict[str, Array]] = defaultdict(dict)
    told: dict[str, object] = {}
    for path in sorted(args.runs.glob("*/scores.npz")):
        run = path.parent.name
        told[run] = json.loads((path.parent / "figures.json").read_text())
        with np.load(path) as file:
            for mode in MODES:
                scores = np.full(len(store.sizes), np.nan, np.float32)
                scores[file["pairs"]] = file[mode][0]
                folds[run.split("-")[0]][f"{run} {mode}"] = scores
    lines: list[str] = []
    found: dict[str, dict[str, dict[str, float]]] = {}
    for fold in (name for name in FOLDS if name in folds):
        found[fold] = {}
        for name, pairs in tested(store, fold).items():
            ways = {run: scores[pairs] for run, scores in folds[fold].items()}
            own = found[fold][name] = figures(store, pairs, ways)
            least = REQUIRED.get(name, np.nan)
            lines.append(f"fold {fold} {name}: {own['pairs']:.0f} pairs, required {least:.3f}")
            for way in ("chrf", *ways):
                figure = [own.get(f"{way} {what}", np.nan) for what in ("tau", "error", "r")]
                lines.append("  {:16} tau {:.3f} (error {:.3f}) r {:.3f}".format(way, *figure))
    print("\n".join(lines))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "report.txt").write_text("\n".join(lines) + "\n")
        (args.out / "report.json").write_text(json.dumps({"figures": found, "runs": told}))
        every = {run: scores for own in folds.values() for run, scores in own.items()}
        known = np.flatnonzero(np.any([np.isfinite(s) for s in every.values()], axis=0))
        kept = {run: scores[known].astype(np.float16) for run, scores in every.items()}
        np.savez_compressed(args.out / "scores.npz", pairs=known, **kept)  # type: ignore[arg-type]
        logs = sorted(args.runs.glob("*.log"))
        text = "".join(f"== {path.name}\n{path.read_text()}" for path in logs)
        (args.out / "logs.txt").write_text(text)
        for path in sorted(args.runs.glob("all-*/adapter.safetensors")):
            shutil.copyfile(path, args.out / f"{path.parent.name}.safetensors")


if __name__ == "__main__":
    main()
