"""All figures of `judge`, from one score per pair, without PyTorch.

Scores are one number a pair of the store, `nan` where there is none. `tau12` is WMT12's Kendall τ
(a metric's tie is discordant), `tau14` WMT14's (a tie counts neither way, but counts).
"""

from __future__ import annotations

import numpy as np

from training.judge.store import SHARES, Bools, Floats, Ints, Store, fitted
from training.synthetic import MAJOR

HUMANS = ("ref.A", "ref.B", "ref-A", "ref-B", "refA", "refB", "HUMAN")
PAIRS = ("cs-en", "de-en", "es-en", "fr-en")


def tau(scores: Floats, better: Floats, worse: Floats, count: Floats, ties: bool) -> float:
    """Kendall's τ over preferences: WMT12's, or with `ties` WMT14's."""
    one, other = scores[better], scores[worse]
    if not len(one) or np.isnan(one).any() or np.isnan(other).any():
        return float("nan")
    won = float(count[one > other].sum())
    tied = float(count[one == other].sum())
    total = float(count.sum())
    lost = total - won - (tied if ties else 0.0)
    return (won - lost) / total


def preferences(store: Store, groups: Bools, humans: bool = False) -> Bools:
    """Which preferences are of these groups; those with a human translation are left out."""
    chosen: Bools = groups[store["pair_group"][store["better"]]]
    if not humans:
        human = np.isin(store["pair_name"], [k for k, n in enumerate(store.names) if n in HUMANS])
        chosen = chosen & ~human[store["better"]] & ~human[store["worse"]]
    return chosen


def _tau(store: Store, scores: Floats, chosen: Bools, ties: bool) -> float:
    better, worse, count = (store[name][chosen] for name in ("better", "worse", "count"))
    return tau(scores, better, worse, count, ties)


def ranked(store: Store, scores: Floats, data: str, only: Bools | None = None) -> dict[str, float]:
    """WMT12's τ by language pair, and the mean."""
    found: dict[str, float] = {}
    for name in (f"{data}/{pair}" for pair in PAIRS if f"{data}/{pair}" in store.subsets):
        groups = of_subset(store, name) & (True if only is None else only)
        found[name.split("/")[1]] = _tau(store, scores, preferences(store, groups), False)
    found["mean"] = float(np.mean(list(found.values())))
    return found


def of_subset(store: Store, name: str) -> Bools:
    """The judged groups of one language pair."""
    own: Bools = store["group_subset"] == store.subsets.index(name)
    return own & store.groups(kinds=("judged",))


def expert(
    store: Store, scores: Floats, data: str, margin: float = 1.0, only: Bools | None = None
) -> float:
    """WMT14's τ over pairs of systems at least `margin` apart, the first reference given; the mean
    over language pairs."""
    named = [name for name in store.subsets if name.startswith(f"{data}/")]
    if len(named) > 1 and only is None:
        each = [expert(store, scores, data, margin, of_subset(store, name)) for name in named]
        return float(np.mean(each))
    groups = store.groups(sets=(data,), kinds=("judged",)) & store["group_first"]
    groups &= True if only is None else only
    chosen = preferences(store, groups) & (store["gap"] >= margin)
    return _tau(store, scores, chosen, True)


def systems(store: Store, scores: Floats, data: str) -> float:
    """Pearson's r between systems: mean scores and experts' mean levels over the segments of which
    every system was judged, the first reference given; people's translations left out."""
    groups = store.groups(sets=(data,), kinds=("judged",)) & store["group_first"]
    pairs = np.flatnonzero(groups[store["pair_group"]] & ~np.isnan(store["pair_level"]))
    pairs = np.array([p for p in pairs if not store.names[store["pair_name"][p]].startswith("ref")])
    names, of = np.unique(store["pair_name"][pairs], return_inverse=True)
    found, place = np.unique(store["pair_group"][pairs], return_inverse=True)
    table = np.full((2, len(found), len(names)), np.nan)
    table[:, place, of] = scores[pairs], store["pair_level"][pairs]
    whole = ~np.isnan(table).any(axis=(0, 2))
    ours, theirs = table[:, whole].mean(axis=1)
    return float(np.corrcoef(ours, theirs)[0, 1])


def contrasts(store: Store, scores: Floats) -> dict[str, float]:
    """DEMETR: how often the good translation scores higher, by kind and overall."""
    chosen = preferences(store, store.groups(kinds=("contrast",)))
    better, worse = store["better"][chosen], store["worse"][chosen]
    apart = scores[better] - scores[worse]
    right = np.where(np.isnan(apart), np.nan, apart > 0)
    kinds = store["pair_name"][worse]
    found = {store.names[k]: float(right[kinds == k].mean()) for k in np.unique(kinds)}
    return {**found, "all": float(right.mean())}


def synthetic(store: Store, scores: Floats, only: Bools) -> dict[str, tuple[float, float]]:
    """Synthetic errors in system outputs, by type: how often the error scores lower, and the median
    difference."""
    chosen = preferences(store, store.groups(kinds=("synthetic",)) & only, humans=True)
    better, worse = store["better"][chosen], store["worse"][chosen]
    known = ~np.isnan(scores[better]) & ~np.isnan(scores[worse])
    better, worse = better[known], worse[known]
    apart, kinds = scores[better] - scores[worse], store["pair_name"][worse]
    parts = {store.names[k]: apart[kinds == k] for k in np.unique(kinds)}
    return {name: (float((p > 0).mean()), float(np.median(p))) for name, p in parts.items()}


def probes(store: Store, scores: Floats, only: Bools) -> dict[str, float]:
    """What one major error in a reference costs, by type, what another human translation costs, and
    the ratio of both; medians. And how far a non-translation is below the reference."""
    groups = store.groups(kinds=("probe",)) & only
    pairs = np.flatnonzero(groups[store["pair_group"]] & ~np.isnan(scores))
    names = np.array([store.names[k] for k in store["pair_name"][pairs]])
    whole = np.full(len(groups), np.nan)
    whole[store["pair_group"][pairs[names == "identity"]]] = scores[pairs[names == "identity"]]
    lost = whole[store["pair_group"][pairs]] - scores[pairs]
    kinds = {"another translation" if n in HUMANS else n for n in names} - {"identity"}
    own = np.where(np.isin(names, HUMANS), "another translation", names)
    found = {str(kind): float(np.nanmedian(lost[own == kind])) for kind in sorted(kinds)}
    major = lost[np.isin(own, MAJOR)]
    if len(major) and "another translation" in found:
        found["ratio"] = float(np.nanmedian(major)) / found["another translation"]
    return found


def with_chrf(store: Store, scores: Floats, only: Bools) -> float:
    """Pearson's r with chrF over judged pairs: near 1 if a model only reproduces chrF."""
    pairs = store.pairs(store.groups(kinds=("judged",)) & only)
    pairs = pairs[~np.isnan(scores[pairs])]
    if len(pairs) < 3 or not scores[pairs].std():
        return float("nan")
    return float(np.corrcoef(scores[pairs], store["pair_facts"][pairs, 0].astype(float))[0, 1])


def correlated(store: Store, scores: Floats, data: str) -> float:
    """Pearson's r with people's scores over segments, the mean over language pairs."""
    named = [name for name in store.subsets if name.startswith(f"{data}/")]
    sets = [store.pairs(of_subset(store, name)) for name in named]
    found = [np.corrcoef(scores[pairs], store["pair_level"][pairs])[0, 1] for pairs in sets]
    return float(np.mean(found))


def dev(store: Store, scores: Floats, use: Bools) -> dict[str, float]:
    """Figures on the development documents of what a model may learn from."""
    only = use & store["group_dev"]
    found: dict[str, float] = {}
    for data in ("wmt12", "wmt13"):
        if (store.groups(sets=(data,)) & only).any():
            found[data] = ranked(store, scores, data, only)["mean"]
    for data in ("newstest21", "wmt23", "ted", "wmt21"):
        if (store.groups(sets=(data,), kinds=("judged",)) & only).any():
            found[data] = expert(store, scores, data, 1.0, only)
    known = [value for value in found.values() if value == value]
    found["mean"] = float(np.mean(known)) if known else float("nan")
    seen = synthetic(store, scores, only)
    found["synthetic"] = float(np.mean([v for v, _ in seen.values()])) if seen else float("nan")
    return found


def tested(store: Store, scores: Floats, sets: tuple[str, ...]) -> dict[str, object]:
    """Figures on the sets that a model has not seen."""
    found: dict[str, object] = {}
    for data in (data for data in sets if data in store.sets):
        if data in ("wmt12", "wmt13"):
            found[data] = ranked(store, scores, data)
        elif data == "demetr":
            found[data] = contrasts(store, scores)
        elif data == "wmt16":
            found[data] = correlated(store, scores, data)
        else:
            found[data] = expert(store, scores, data)
    found["probes"] = probes(store, scores, np.ones(len(store["group_kind"]), np.bool_))
    return found


def nothing(store: Store, scores: Floats) -> dict[str, tuple[float, float, int]]:
    """What is no translation, by kind: mean and greatest score, and how many."""
    chosen = np.flatnonzero((store["pair_end"] < 0) & ~np.isnan(scores))
    kinds = store["pair_name"][chosen]
    parts = {store.names[k]: scores[chosen[kinds == k]] for k in np.unique(kinds)}
    return {name: (float(p.mean()), float(p.max()), len(p)) for name, p in parts.items()}


def words(store: Store, pairs: Floats, marks: Floats, data: str) -> dict[str, float]:
    """How well words marked by the judge (the likeliest, as many as experts marked) are those that
    experts marked: F1 for any error and for major ones, and of words marked at random."""
    told: list[Floats] = []
    gold: list[Floats] = []
    human = [k for k, n in enumerate(store.names) if n in HUMANS]
    allowed = store.groups(sets=(data,), kinds=("judged",)) & store["group_first"]
    at = 0
    for pair in pairs.tolist():
        text = store["pair_text"][pair]
        start, size = store.text_start[text], int(store["text_size"][text])
        other = int(store["text_size"][store["group_reference"][store["pair_group"][pair]]])
        size = int(fitted(np.array([size]), np.array([other]))[0][0])
        mine = marks[at : at + size]
        at += size
        if not allowed[store["pair_group"][pair]] or store["pair_name"][pair] in human or not size:
            continue
        first = np.flatnonzero(store["begins"][start : start + size])
        told.append(np.maximum.reduceat(mine, first, axis=0))
        shares = np.stack([store[n][start : start + size][first] for n in ("major", "minor")], 1)
        gold.append(shares / SHARES)
    if not told:
        return {}
    said, true = np.concatenate(told) / 255.0, np.concatenate(gold)
    found: dict[str, float] = {}
    both = 1 - (1 - said[:, 0]) * (1 - said[:, 1])
    for name, score, marked in (("any", both, true.max(1)), ("major", said[:, 0], true[:, 0])):
        right = marked >= 0.5
        count = int(right.sum())
        order = np.argsort(-score, kind="stable")[:count]
        found[name] = float(right[order].mean()) if count else float("nan")
        found[f"{name} at random"] = float(right.mean())
    return found


def several(store: Store, found: Floats, chosen: Bools) -> dict[str, float]:
    """newstest21, these groups: agreement with either reference, with the best and the mean of
    both."""
    groups = chosen & store.groups(sets=("newstest21",), kinds=("judged",))
    first, second = (groups & (store["group_first"] == side) for side in (True, False))
    other = _counterparts(store, first, second)
    one = np.full(len(found), np.nan)
    pairs = store.pairs(first)
    kept = pairs[other[pairs] >= 0]
    mine, theirs = found[kept], found[other[kept]]
    ways = {"first": mine, "second": theirs, "best": np.maximum(mine, theirs)}
    apart = preferences(store, first) & (store["gap"] >= 1)
    apart &= (other[store["better"]] >= 0) & (other[store["worse"]] >= 0)
    result = {}
    for name, values in (ways | {"mean": (mine + theirs) / 2}).items():
        one[kept] = values
        result[name] = _tau(store, one, apart, True)
    return result


def _counterparts(store: Store, first: Bools, second: Bools) -> Ints:
    """For each pair of the first groups the same translation beside the second reference, or -1.

    A segment has a group for each reference, and all segments stand in the same order."""
    found = np.full(len(store.sizes), -1, np.int64)
    for one, other in zip(np.flatnonzero(first), np.flatnonzero(second), strict=True):
        there = {int(store["pair_name"][p]): p for p in range(*store.starts[other : other + 2])}
        for p in range(*store.starts[one : one + 2]):
            found[p] = there.get(int(store["pair_name"][p]), -1)
    return found
