"""Fit the judge of sixteen languages: one weight a fact, by people's preferences.

    python -m training.languages.fit facts-*.npz [--out src/albeit/metrics/judge/facts.json]

Each set is tested by weights that were fitted without it, and each target language by weights that
were fitted without any set in it. A preference is a logistic regression's case: the difference of two
translations' facts. Families of sets (WMT12, WMT13 …) count alike, and so do sets of a family,
whatever their size. Newer sets (`UNLEARNT`) are tested alone: learning from them was tried, and does not help
(docs/results/out-of-english.md).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar

from albeit.metrics.judge.facts import BESIDE_REFERENCE, BESIDE_SOURCE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
JUDGE_FACTS = slice(0, len(BESIDE_REFERENCE))
MODES = {
    "judge-facts": JUDGE_FACTS,
    "judge-src": slice(len(BESIDE_REFERENCE), len(BESIDE_REFERENCE) + len(BESIDE_SOURCE)),
}
"""Which columns of the facts each metric reads."""
LEAST = 1.0
"""MQM points (ten ESA points; of DA and of metrics' scores half a standard deviation) that make a
preference."""
UNLEARNT = ("newstest20", "bio", "mlqe", "wmt23-soft")
"""Families that what ships has not learnt from."""
MOST = 2000
"""Preferences of a set that are learnt from, drawn by chance where there are more."""
RIDGE = {"judge-facts": 0.1, "judge-src": 1.0}
"""What keeps weights small: chosen with the facts themselves, without `wmt23/en-de` and `wmt24/en-zh`,
on which the choice is tested: by the mean of all other sets, each left out in turn, and for `judge-facts`
also by how well what was learned in one target language does in the other."""


class Set(NamedTuple):
    """The judged translations of one set in one direction, and which is better than which."""

    name: str
    facts: Floats
    level: Floats
    segment: npt.NDArray[np.str_]
    system: npt.NDArray[np.str_]
    characters: Floats
    better: Ints
    worse: Ints
    times: Floats


def read(paths: Sequence[Path]) -> list[Set]:
    """The sets in some files."""
    found: list[Set] = []
    for path in paths:
        with np.load(path) as file:
            arrays: dict[str, Any] = {name: file[name] for name in file.files}
        found += [_set(str(name), arrays) for name in np.unique(arrays["subset"])]
    return sorted(found)


def _set(name: str, arrays: dict[str, Any]) -> Set:
    chosen = np.flatnonzero(arrays["subset"] == name)
    level = arrays["level"][chosen].astype(np.float64)
    pairs: list[tuple[int, int, float]] = []
    if name.startswith(("wmt12", "wmt13", "mlqe")):
        place = {int(k): n for n, k in enumerate(chosen)}
        pairs = [
            (place[int(a)], place[int(b)], c)
            for a, b, c in arrays["preferences"]
            if int(a) in place
        ]
    else:
        least = 0.5 if name.startswith(("wmt21", "wmt23-soft")) else LEAST
        one, other = within(level, arrays["segment"][chosen], least)
        pairs = [(a, b, 1.0) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    table = np.array(pairs).reshape(-1, 3)
    return Set(
        name,
        arrays["facts"][chosen].astype(np.float64),
        level,
        arrays["segment"][chosen],
        arrays["name"][chosen],
        arrays["characters"][chosen].astype(np.float64),
        table[:, 0].astype(np.int64),
        table[:, 1].astype(np.int64),
        table[:, 2],
    )


def within(level: Floats, segment: npt.NDArray[Any], least: float) -> tuple[Ints, Ints]:
    """Pairs of translations of one segment, the better one first, at least so far apart."""
    pairs: list[tuple[int, int]] = []
    order = np.argsort(segment, kind="stable")
    _, starts = np.unique(segment[order], return_index=True)
    for rows in np.split(order, starts[1:]):
        for a, b in combinations(rows.tolist(), 2):
            if abs(level[a] - level[b]) >= least:
                pairs.append((a, b) if level[a] > level[b] else (b, a))
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def fitted(sets: Sequence[Set], where: slice, ridge: float) -> Floats:
    """One weight for each of these columns."""
    rows, weights = [], []
    sizes = Counter(family(one.name) for one in sets)
    for one in sets:
        facts = one.facts[:, where]
        difference = facts[one.better] - facts[one.worse]
        known = np.flatnonzero(np.isfinite(difference).all(axis=1) & (difference != 0).any(axis=1))
        known = np.random.default_rng(1).permutation(known)[:MOST]
        if len(known):
            rows.append(difference[known])
            own = one.times[known] / one.times[known].sum()
            weights.append(own / sizes[family(one.name)])
    x, w = np.concatenate(rows), np.concatenate(weights)
    w = w / w.sum()
    spread = np.sqrt(w @ x**2) + 1e-9
    z = x / spread

    def loss(v: Floats) -> tuple[float, Floats]:
        margin = z @ v
        lost = np.logaddexp(0, -margin)
        slope = -1 / (1 + np.exp(margin))
        return float(w @ lost + ridge * v @ v), z.T @ (w * slope) + 2 * ridge * v

    found = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B").x
    margin = z @ found
    # the ridge makes all margins small; they are to be logits
    scale = minimize_scalar(lambda t: float(w @ np.logaddexp(0, -t * margin)), bounds=(0, 100))
    return np.asarray(found * scale.x / spread)


def tau(one: Set, scores: Floats) -> float:
    """WMT14's τ over the preferences; a translation that cannot be read is worst."""
    s = np.where(np.isfinite(scores), scores, -1e9)
    sign = np.sign(s[one.better] - s[one.worse])
    return float(sign @ one.times / one.times.sum())


def pearson(one: Set, scores: Floats) -> float:
    """Between systems' means; `nan` where people gave no levels."""
    if not np.isfinite(one.level).all():
        return float("nan")
    known = np.isfinite(scores)
    names = np.unique(one.system)
    table = [
        (scores[known & (one.system == n)].mean(), one.level[one.system == n].mean()) for n in names
    ]
    return float(np.corrcoef(np.array(table).T)[0, 1])


def length(one: Set) -> Floats:
    """The baseline without a reference: how near a translation's length is to its source's, as
    characters, after the mean ratio of the set is taken off."""
    ratio = np.log((one.characters[:, 0] + 1) / (one.characters[:, 1] + 1))
    return np.asarray(-np.abs(ratio - ratio.mean()))


def target(name: str) -> str:
    """The language that a set is translated into."""
    return name.split("-")[-1]


def family(name: str) -> str:
    """Sets whose directions may share texts, whether people judged them or metrics: `wmt23`."""
    return name.split("/")[0].split("-")[0]


def learnt(name: str) -> bool:
    """Whether what ships has learnt from the set."""
    return name.split("/")[0] not in UNLEARNT


def report(sets: Sequence[Set], mode: str) -> dict[str, dict[str, float]]:
    """Figures of each set out of English by weights that never saw it, or its language."""
    found: dict[str, dict[str, float]] = {}
    ways: dict[str, Callable[[Set, Set], bool]] = {
        "": lambda one, other: learnt(other.name),
        " (language left out)": lambda one, other: (
            learnt(other.name) and target(one.name) != target(other.name)
        ),
        " (with newer sets)": lambda one, other: family(other.name) != "mlqe",
        " (with newer sets and post-edits)": lambda one, other: True,
    }
    for one in sets:
        if target(one.name) == "en" or one.name.startswith("wmt23-soft"):
            continue
        scores: dict[str, Floats] = {"chrf": one.facts[:, 0], "length": length(one)}
        for way, fits in ways.items():
            others = [o for o in sets if family(one.name) != family(o.name) and fits(one, o)]
            if others:
                weights = fitted(others, MODES[mode], RIDGE[mode])
                scores[f"{mode}{way}"] = one.facts[:, MODES[mode]] @ weights
        found[one.name] = {"pairs": float(one.times.sum())}
        for name, values in scores.items():
            found[one.name][f"{name} tau"] = tau(one, values)
            found[one.name][f"{name} pearson"] = pearson(one, values)
    return found


def main() -> None:
    """Fit, test, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("facts", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, help="write the weights that ship")
    parser.add_argument("--figures", type=Path, help="write the figures")
    args = parser.parse_args()
    sets = read(args.facts)
    figures = {mode: report(sets, mode) for mode in MODES}
    for mode, table in figures.items():
        for name, values in table.items():
            print(mode, name, {k: round(v, 4) for k, v in values.items()})
    ships = [one for one in sets if learnt(one.name)]
    names = {"judge-facts": BESIDE_REFERENCE, "judge-src": BESIDE_SOURCE}
    weights = {}
    for mode, where in MODES.items():
        typical = np.mean(
            [
                np.nanmean(one.facts[:, where], axis=0)
                for one in ships
                if np.isfinite(one.facts[:, where]).any()
            ],
            axis=0,
        )
        weights[mode] = {
            part: dict(zip(names[mode], values.round(6).tolist(), strict=True))
            for part, values in (
                ("weights", fitted(ships, where, RIDGE[mode])),
                ("typical", typical),
            )
        }
    print(json.dumps(weights, indent=1))
    if args.figures:
        args.figures.write_text(json.dumps(figures, indent=1))
    if args.out:
        args.out.write_text(json.dumps(weights, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
