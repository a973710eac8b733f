"""Figures of the runs of `run.sh` on sets that they haven't seen, with chrF's; and the files that
come back.

    python -m training.many.report RUNS --store research/data/many/store.npz.xz [--out OUT]

Each run scores with the reference, with source and reference, and with the source. `--out` writes
`report.json`, `report.txt`, `scores.npz`, `logs.txt`, and the adapter of fold `all`.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from training.judge.store import Array, Store
from training.many.store import FOLDS, MODES, load, measure, tested
from training.options import read_options


def count(store: Store, scores: dict[str, Array]) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield fold, set, and figures of each run and mode."""
    for fold in FOLDS:
        own = {name: s for name, s in scores.items() if name.split("-")[0] == fold}
        for name, pairs in tested(store, fold).items() if own else ():
            yield fold, name, measure(store, pairs, {way: s[pairs] for way, s in own.items()})


def main(
    runs: Path, *, store: Path = Path("research/data/many/store.npz.xz"), out: Path | None = None
) -> None:
    """Read, count, print, write."""
    data = load(store)
    scores: dict[str, Array] = {}
    for path in sorted(runs.glob("*/scores.npz")):
        with np.load(path) as file:
            for mode in MODES:
                scores[f"{path.parent.name} {mode}"] = data.fill(file["pairs"], file[mode][0])
    lines: list[str] = []
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for fold, name, own in count(data, scores):
        found[fold][name] = own
        lines.append(f"fold {fold} {name}: {own['pairs']:.0f} pairs")
        for way in ("chrf", *(way for way in scores if f"{way} tau" in own)):
            figure = [own.get(f"{way} {what}", np.nan) for what in ("tau", "error", "r")]
            lines.append("  {:16} tau {:.3f} (error {:.3f}) r {:.3f}".format(way, *figure))
    print("\n".join(lines))
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / "report.txt").write_text("\n".join(lines) + "\n")
        (out / "report.json").write_text(json.dumps({"figures": found}))
        known = np.flatnonzero(np.any([np.isfinite(s) for s in scores.values()], axis=0))
        kept = {run: own[known].astype(np.float16) for run, own in scores.items()}
        np.savez_compressed(out / "scores.npz", pairs=known, **kept)  # type: ignore[arg-type]
        logs = sorted(runs.glob("*.log"))
        text = "".join(f"== {path.name}\n{path.read_text()}" for path in logs)
        (out / "logs.txt").write_text(text)
        for path in sorted(runs.glob("all-*/adapter.safetensors")):
            shutil.copyfile(path, out / f"{path.parent.name}.safetensors")


if __name__ == "__main__":
    read_options(main)
