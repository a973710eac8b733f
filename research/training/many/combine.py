"""How much chrF beside the network: by sets that the network had not seen, tested on others.

    PYTHONPATH=research python -m training.many.combine [--layers 12 18] [-f markdown]

The networks read chrF themselves, but trust it too little: what they have learnt by heart explains more of
what they are trained on than of what is new. So the head's weight for chrF is raised by a number, the one
with the highest mean τ over the sets that the *other* fold left out; what ships, over those of both. No set
has a say in the weight that it is tested with. Scores are those of `training.many.report`
(`kept/scores.npz`); `store.npz.xz` is what `training.many.prepare` writes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from training.judge.store import Array, Ints, Store
from training.many.figures import figures, within
from training.many.report import NEEDED
from training.many.store import MODES, SAME, load, tested

KEPT = Path(__file__).with_name("kept") / "scores.npz"
OTHER = {"a": "b", "b": "a"}
WEIGHTS = tuple(range(21))
"""What chrF, from 0 to 1, may weigh: raw scores spread by about one, chrF by .15."""
Sets = dict[str, Ints]


def unseen(store: Store) -> dict[str, Sets]:
    """The pairs of each set that a fold left out."""
    return {
        fold: {
            name: pairs
            for name, pairs in tested(store, fold).items()
            if not name.endswith("(development)")
        }
        for fold in OTHER
    }


def tau(store: Store, pairs: Ints, scores: Array) -> float:
    """WMT14's τ of a set."""
    level = store["pair_level"][pairs].astype(np.float64)
    better, worse = within(level, store["pair_group"][pairs])
    return float(np.sign(scores[better] - scores[worse]).mean())


def raised(store: Store, run: Array, pairs: Ints, weight: float) -> Array:
    """Scores with more of chrF."""
    return np.asarray(run[pairs] + weight * (store["pair_facts"][pairs, 0] / SAME))


def chosen(store: Store, runs: dict[str, Array], folds: dict[str, Sets]) -> int:
    """The weight with the highest mean τ over these sets, each by the run that left it out, beside the
    reference and beside both."""
    means = [
        np.mean(
            [
                tau(store, pairs, raised(store, runs[f"{fold} {mode}"], pairs, weight))
                for fold, sets in folds.items()
                for pairs in sets.values()
                for mode in ("reference", "both")
            ]
        )
        for weight in WEIGHTS
    ]
    return WEIGHTS[int(np.argmax(means))]


def tables(found: dict[str, dict[str, float]]) -> list[Table]:
    """A row for each way, a column for each set: τ, its error beside chrF's, and r."""
    titles = {
        "tau": "Segment τ; bold: as far above chrF as it must be",
        "error": "Standard error of the difference from chrF's τ, over samples of segments",
        "r": "Systems: Pearson's r",
    }
    names = [key.removesuffix(" tau") for key in next(iter(found.values())) if key.endswith(" tau")]
    columns = (Heading("Way", align="left"), *(Heading(name, decimals=3) for name in found))
    made = []
    for what, title in titles.items():
        rows = []
        for way in names:
            cells = [Cell(way)]
            for name, own in found.items():
                gain = own[f"{way} tau"] - own["chrf tau"]
                bold = what == "tau" and way != "chrf" and gain > NEEDED[name]
                cells.append(Cell(own[f"{way} {what}"], bold=bold))
            if way != "chrf" or what != "error":
                rows.append(Row(tuple(cells)))
        made.append(Table(columns, tuple(rows), title))
    return made


def main() -> None:
    """Read, choose, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, default=KEPT)
    parser.add_argument("--store", type=Path, default=Path("research/data/many/store.npz.xz"))
    parser.add_argument("--layers", nargs="+", default=["12", "18"])
    parser.add_argument("-f", "--format", default="text", choices=("text", "json", "markdown"))
    parser.add_argument("--figures", type=Path, help="write them here, too")
    args = parser.parse_args()
    store = load(args.store)
    folds = unseen(store)
    with np.load(args.scores) as file:
        scores = {name: np.full(len(store.sizes), np.nan) for name in file.files if name != "pairs"}
        for name, own in scores.items():
            own[file["pairs"]] = file[name]
    ways: dict[str, dict[str, Array]] = {name: {} for sets in folds.values() for name in sets}
    for layers in args.layers:
        runs = {
            f"{fold} {mode}": scores[f"{fold}-{layers} {mode}"] for fold in OTHER for mode in MODES
        }
        for fold, sets in folds.items():
            weight = chosen(store, runs, {OTHER[fold]: folds[OTHER[fold]]})
            print(f"{layers} layers, fold {fold}: chrF weighs {weight} more", file=sys.stderr)
            for name, pairs in sets.items():
                for mode in MODES:
                    run = runs[f"{fold} {mode}"]
                    ways[name][f"{layers} layers beside {mode}"] = run[pairs]
                    if mode != "source":
                        more = raised(store, run, pairs, weight)
                        ways[name][f"{layers} layers beside {mode}, more chrF"] = more
        print(f"{layers} layers: {chosen(store, runs, folds)} ships", file=sys.stderr)
    found = {
        name: figures(store, pairs, ways[name])
        for sets in folds.values()
        for name, pairs in sets.items()
    }
    if args.figures:
        args.figures.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(render(tables(found), args.format))


if __name__ == "__main__":
    main()
