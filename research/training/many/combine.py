"""Do the scores of the judges of low rank add to what is there? Means of standardised scores, nothing tuned.

    PYTHONPATH=src:research python -m training.many.combine --facts facts.npz [-f markdown]

The scores are those of what each run had not seen (`kept/scores.npz`, as `training.many.report` wrote
them), beside chrF and `judge-facts` by weights that never saw the set: nor, for Russian, Chinese and
Spanish, any set in that language, as the run did not. Scores are standardised per set; in the last way
by spreads of other sets, since who scores one translation has no set. `store.npz.xz` and `facts.npz` are
what `training.many.prepare` and `training.languages.facts` write.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from training.judge.store import Array, Ints, Store
from training.languages.fit import JUDGE_FACTS, RIDGE, Floats, Set, family, learnt, target
from training.languages.fit import fitted as weights_of
from training.languages.fit import read as read_facts
from training.many.figures import figures
from training.many.report import NEEDED, standard
from training.many.store import FAMILIES, LANGUAGES, SAME, load, tested

KEPT = Path(__file__).with_name("kept") / "scores.npz"
THREE = ("low rank", "judge-facts", "chrf")
MEANS = (THREE[1:], (THREE[0], THREE[2]), THREE[:2], THREE)


def matched(store: Store, pairs: Ints, one: Set) -> Ints:
    """The row of the facts that each pair of a set is; segments stand in the same order in both."""
    rows: dict[str, dict[str, int]] = {}
    for row, (segment, system) in enumerate(zip(one.segment, one.system, strict=True)):
        rows.setdefault(str(segment), {})[str(system)] = row
    _, place = np.unique(store["pair_group"][pairs], return_inverse=True)
    segments = list(rows.values())
    names = [store.names[k] for k in store["pair_name"][pairs]]
    try:
        found = np.array([segments[at][name] for at, name in zip(place, names, strict=True)])
    except (IndexError, KeyError):
        found = np.empty(0, np.int64)
    level = store["pair_level"][pairs]
    if len(found) != len(one.level) or not np.array_equal(one.level[found].astype("f4"), level):
        sys.exit(f"{one.name}: the store and the facts were not made from the same translations")
    return found


def by_facts(one: Set, sets: Sequence[Set], languages: Sequence[str]) -> tuple[Floats, list[Set]]:
    """Weights of `judge-facts` that never saw the set's family, nor its language where that is one of
    these; and the sets that they were learnt from."""
    others = [
        other
        for other in sets
        if learnt(other.name)
        and family(other.name) != family(one.name)
        and not (target(one.name) in languages and target(other.name) == target(one.name))
    ]
    return weights_of(others, JUDGE_FACTS, RIDGE["judge-facts"]), others


def spreads(store: Store, run: Array, fold: str, weights: Floats, others: Sequence[Set]) -> Floats:
    """How far the scores of other sets spread: the run's on documents that no fold learns from, those
    of `judge-facts` and chrF on what its weights were learnt from."""
    seen = [p for name, p in tested(store, fold).items() if name.endswith("(development)")]
    own = [np.nanstd(run[pairs]) for pairs in seen]
    facts = [np.nanstd(other.facts[:, JUDGE_FACTS] @ weights) for other in others]
    chrf = [np.nanstd(other.facts[:, 0]) for other in others]
    return np.array([np.mean(own), np.mean(facts), np.mean(chrf)])


def ways(
    store: Store, scores: dict[str, Array], fold: str, pairs: Ints, one: Set, sets: Sequence[Set]
) -> dict[str, Array]:
    """Scores of a set's pairs, higher is better, by each way."""
    weights, others = by_facts(one, sets, LANGUAGES[fold])
    run = scores[f"{fold}-rank"]
    facts = (one.facts[:, JUDGE_FACTS] @ weights)[matched(store, pairs, one)]
    chrf = store["pair_facts"][pairs, 0] / SAME
    own = dict(zip(THREE, (run[pairs], facts, chrf), strict=True))
    found = {"all layers": scores[f"{fold}-whole"][pairs]} if f"{fold}-whole" in scores else {}
    found |= {"low rank": run[pairs], "judge-facts": facts}
    for names in MEANS:
        found[", ".join(names)] = np.mean([standard(own[name]) for name in names], axis=0)
    by_others = spreads(store, run, fold, weights, others)
    found[f"{', '.join(THREE)}; spreads of other sets"] = np.mean(
        [own[name] / spread for name, spread in zip(THREE, by_others, strict=True)], axis=0
    )
    return found


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
    """Read, match, count, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, default=KEPT)
    parser.add_argument("--store", type=Path, default=Path("research/data/many/store.npz.xz"))
    parser.add_argument("--facts", type=Path, nargs="+", required=True)
    parser.add_argument("-f", "--format", default="text", choices=("text", "json", "markdown"))
    args = parser.parse_args()
    store, sets = load(args.store), read_facts(args.facts)
    with np.load(args.scores) as file:
        scores = {name: np.full(len(store.sizes), np.nan) for name in file.files if name != "pairs"}
        for name, own in scores.items():
            own[file["pairs"]] = file[name]
    found: dict[str, dict[str, float]] = {}
    for fold in (fold for fold in FAMILIES if f"{fold}-rank" in scores):
        for name, pairs in tested(store, fold).items():
            one = next((one for one in sets if one.name == name), None)
            if one is not None:
                found[name] = figures(store, pairs, ways(store, scores, fold, pairs, one, sets))
    sys.stdout.write(render(tables(found), args.format))


if __name__ == "__main__":
    main()
