"""Choose how much chrF counts next to the network, on sets that are neither training nor test data.

    PYTHONPATH=src:research python -m training many.combine --scores OUT/scores.npz [--figures FILE]

The networks read chrF themselves, but trust it too little on new sets. So the weight of chrF in
the head is raised by a number: the one with the highest mean τ over `training.many.store.CHOICE`
(WMT22 en-de and IndicMT, scored by fold `b`, which saw neither). Test sets have no part in the
choice. Prints τ of all sets that a fold hasn't seen, without and with that weight.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np

from training.judge.store import Array, Ints, Store
from training.many.store import CHOICE, FOLDS, MODES, SAME, load, measure, tested, within

WEIGHTS = tuple(range(21))
"""Weights of chrF, which is from 0 to 1: raw scores have a standard deviation of about 1, chrF
0.15."""
KEPT = Path(__file__).with_name("kept") / "scores.npz"
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
    means = []
    for weight in WEIGHTS:
        by_family: dict[str, list[float]] = {}
        for (name, pairs), mode in product(sets.items(), ("reference", "both")):
            found = tau(store, pairs, raised(store, runs[mode], pairs, weight))
            by_family.setdefault(name.split("/")[0], []).append(found)
        means.append(np.mean([np.mean(own) for _, own in sorted(by_family.items())]))
    return WEIGHTS[int(np.argmax(means))]


def main(
    *,
    scores: Path = KEPT,
    store: Path = Path("research/data/many/store.npz.xz"),
    layers: str = "12",
    figures: Path | None = None,
) -> None:
    """Read, choose, print; write the figures into a file if it is given."""
    data = load(store)
    with np.load(scores) as file:
        runs: dict[str, dict[str, Array]] = {fold: {} for fold in FOLDS}
        for fold, mode in product(FOLDS, MODES):
            runs[fold][mode] = data.fill(file["pairs"], file[f"{fold}-{layers} {mode}"])
    chosen = {n: p for n, p in unseen(data, FOLD).items() if n.split("/")[0] in CHOICE}
    weight = choose(data, runs[FOLD], chosen)
    found: dict[str, object] = {"weight": weight}
    print(f"weight of chrF: {weight}, by {sorted(chosen)}")
    for fold in FOLDS:
        for name, pairs in unseen(data, fold).items():
            ways = {mode: runs[fold][mode][pairs] for mode in MODES}
            for mode in ("reference", "both"):
                ways[f"{mode}, chrF"] = raised(data, runs[fold][mode], pairs, weight)
            found[f"{fold} {name}"] = own = measure(data, pairs, ways)
            shown = {key: round(v, 3) for key, v in own.items() if key.endswith(" tau")}
            print(f"fold {fold} {name}: {shown}")
    if figures:
        figures.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
