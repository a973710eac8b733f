"""Choose how much chrF counts next to the network, on sets that are neither training nor test data.

    PYTHONPATH=src:research python -m training.many.combine --scores OUT/scores.npz [--figures FILE]

The networks read chrF themselves, but trust it too little on new sets. So the weight of chrF in the head is
raised by a number: the one with the highest mean τ over `training.many.store.CHOICE` (WMT22 en-de and IndicMT,
scored by fold `b`, which saw neither). Test sets have no part in the choice. Prints τ of all sets that a fold
hasn't seen, without and with that weight.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training.judge.store import Array, Ints, Store
from training.many.figures import figures, within
from training.many.store import CHOICE, FOLDS, MODES, SAME, load, tested

WEIGHTS = tuple(range(21))
"""Weights of chrF, which is from 0 to 1: raw scores have a standard deviation of about 1, chrF 0.15."""
FOLD = "b"
"""The fold whose scores decide."""
Sets = dict[str, Ints]


def unseen(store: Store, fold: str) -> Sets:
    """The pairs of each set that a fold left out."""
    found = tested(store, fold)
    return {name: pairs for name, pairs in found.items() if not name.endswith("(development)")}


def tau(store: Store, pairs: Ints, scores: Array) -> float:
    """Kendall's τ as in WMT14."""
    level = store["pair_level"][pairs].astype(np.float64)
    better, worse = within(level, store["pair_group"][pairs])
    return float(np.sign(scores[better] - scores[worse]).mean())


def raised(store: Store, run: Array, pairs: Ints, weight: float) -> Array:
    """Scores with more of chrF."""
    return np.asarray(run[pairs] + weight * (store["pair_facts"][pairs, 0] / SAME))


def choose(store: Store, runs: dict[str, Array], sets: Sets) -> int:
    """The weight with the highest mean τ over these sets: language pairs of one family count as one
    set, with the reference and with both."""
    families = sorted({name.split("/")[0] for name in sets})
    means = []
    for weight in WEIGHTS:
        each = [
            np.mean(
                [
                    tau(store, pairs, raised(store, runs[mode], pairs, weight))
                    for name, pairs in sets.items()
                    if name.split("/")[0] == family
                    for mode in ("reference", "both")
                ]
            )
            for family in families
        ]
        means.append(np.mean(each))
    return WEIGHTS[int(np.argmax(means))]


def main() -> None:
    """Read, choose, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    kept = Path(__file__).with_name("kept") / "scores.npz"
    parser.add_argument("--scores", type=Path, default=kept)
    parser.add_argument("--store", type=Path, default=Path("research/data/many/store.npz.xz"))
    parser.add_argument("--layers", default="12")
    parser.add_argument("--figures", type=Path, help="write the figures here")
    args = parser.parse_args()
    store = load(args.store)
    with np.load(args.scores) as file:
        scores = {name: np.full(len(store.sizes), np.nan) for name in file.files if name != "pairs"}
        for name, own in scores.items():
            own[file["pairs"]] = file[name]
    runs = {f: {m: scores[f"{f}-{args.layers} {m}"] for m in MODES} for f in FOLDS}
    chosen = {n: p for n, p in unseen(store, FOLD).items() if n.split("/")[0] in CHOICE}
    weight = choose(store, runs[FOLD], chosen)
    found: dict[str, object] = {"weight": weight}
    print(f"weight of chrF: {weight}, by {sorted(chosen)}")
    for fold in FOLDS:
        for name, pairs in unseen(store, fold).items():
            ways = {mode: runs[fold][mode][pairs] for mode in MODES}
            for mode in ("reference", "both"):
                ways[f"{mode}, chrF"] = raised(store, runs[fold][mode], pairs, weight)
            made = figures(store, pairs, ways)
            found[f"{fold} {name}"] = made
            told = {key: round(v, 3) for key, v in made.items() if key.endswith(" tau")}
            print(f"fold {fold} {name}: {told}")
    if args.figures:
        args.figures.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
