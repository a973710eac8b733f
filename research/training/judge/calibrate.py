"""What a raw score of the judge means, by development documents: written into its `meta.json`.

    python -m training.judge.calibrate [--weights src/albeit/metrics/judge/weights/wide] [--figures FILE]

A score is 100 less four times the MQM points that experts would be expected to take off (25 points, the
most that a segment can lose, give 0): 100 / (1 + exp(-logit)), where the logit rises with the raw score in
three straight pieces, fitted by least squares to experts' penalties for translations of development
documents, to references themselves (nothing off) and to what is no translation (25 off). The pieces meet
at the lowest fiftieth and at the median of experts' translations; none is flatter than `FLATTEST`, so
that every difference of raw scores shows. `spread` is what the network's standard errors are multiplied by, so
that two experts' scores in three lie within one of the judge's. Prints how it fits, which way several
references should count, and the development figures of the shipped 8-bit file, synthetic errors included.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from albeit.metrics.judge.network import WEIGHTS, Calibration, Inputs, Network
from training.judge import figures
from training.judge.batches import STEP, Feed
from training.judge.store import MODELS, Bools, Ints, Store, load

DEEPEST = 25.0
MEETING = (0.02, 0.5)
FLATTEST = 0.4
"""The least change of the logit when a raw score changes by one standard deviation."""
EXPERT = ("newstest21", "wmt23")
WITHIN = 0.683
"""The share of a normal distribution that lies within one standard deviation."""
Floats = npt.NDArray[np.float64]


def scores(network: Network, store: Store, pairs: Ints) -> tuple[Floats, Floats]:
    """Raw scores of pairs of the store and their standard errors, `nan` for the others."""
    found, errors = np.full((2, len(store.sizes)), np.nan)
    feed = Feed(store, "cpu", np.zeros(len(store.starts) - 1, np.bool_))
    padded = -(-store.sizes // STEP) * STEP
    for width in np.unique(padded[pairs]):
        alike = pairs[padded[pairs] == width]
        for chosen in np.array_split(alike, -(-len(alike) * width // 1024)):
            batch = feed.read(chosen)
            inputs = Inputs(*(batch[name].numpy() for name in ("ids", "mask", "cases", "facts")))
            score, spread, _ = network.run(inputs)
            found[chosen] = score
            errors[chosen] = np.nan if spread is None else np.exp(spread)
    return found, errors


def penalties(store: Store, dev: Bools, longest: int) -> tuple[Ints, Floats]:
    """The development pairs that are read at once and whose penalty is known, and it: experts', or
    that of both ends of the scale."""
    groups = dev & store.groups(sets=EXPERT, kinds=("judged", "synthetic", "identity"))
    end = store["pair_end"]
    lost = np.where(end > 0, 0.0, np.where(end < 0, DEEPEST, -store["pair_level"]))
    known = groups[store["pair_group"]] & ~np.isnan(lost)
    pairs = np.flatnonzero(known & (store.sizes <= longest))
    return pairs, np.clip(lost[pairs], 0, DEEPEST).astype(np.float64)


def fit(raw: Floats, lost: Floats, real: Bools, unit: float = 1.0) -> Calibration:
    """The curve. `real`: pairs that experts judged; `unit`: by how much raw scores spread."""
    wanted = 1 - lost / DEEPEST
    places = [round(float(q), 4) for q in np.quantile(raw[real], MEETING)]

    def curve(x: Floats) -> Calibration:
        slopes = x[1:].tolist()
        changes = [(p, b - a) for p, a, b in zip(places, slopes, slopes[1:], strict=False)]
        return Calibration(slopes[0], float(x[0]), None, changes)

    def missed(x: Floats) -> Floats:
        return np.asarray(curve(x).share(raw)[0] - wanted)

    least = [-np.inf, *[FLATTEST / unit] * (len(places) + 1)]
    start = np.ones(len(least))
    found = least_squares(missed, start, bounds=(least, np.inf))
    exact = curve(found.x)
    bends = [(place, round(change, 4)) for place, change in exact.bends]
    return Calibration(round(exact.slope, 4), round(exact.offset, 4), None, bends)


def sure(raw: Floats, errors: Floats, lost: Floats, calibration: Calibration) -> Floats:
    """How far experts' scores are from the judge's, in its own standard errors."""
    share, steep = calibration.share(raw)
    return np.asarray(np.abs(1 - lost / DEEPEST - share) / (steep * errors))


def several(store: Store, found: npt.NDArray[np.floating[Any]], chosen: Bools) -> dict[str, float]:
    """newstest21, these groups: agreement with either reference, with the best and the mean of both."""
    groups = chosen & store.groups(sets=("newstest21",), kinds=("judged",))
    first, second = (groups & (store["group_first"] == side) for side in (True, False))
    other = _counterparts(store, first, second)
    one = np.full(len(found), np.nan)
    pairs = np.flatnonzero(first[store["pair_group"]])
    kept = pairs[other[pairs] >= 0]
    ways = {
        "first": found[kept],
        "second": found[other[kept]],
        "best": np.maximum(found[kept], found[other[kept]]),
        "mean": (found[kept] + found[other[kept]]) / 2,
    }
    result = {}
    for name, values in ways.items():
        one[kept] = values
        apart = figures.preferences(store, first) & (store["gap"] >= 1)
        apart &= (other[store["better"]] >= 0) & (other[store["worse"]] >= 0)
        better, worse, count = (store[n][apart] for n in ("better", "worse", "count"))
        result[name] = figures.tau(one, better, worse, count, True)
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


def main() -> None:
    """Score, fit, write, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=Path("research/data/judge.npz.xz"))
    parser.add_argument("--weights", type=Path, default=WEIGHTS / "wide")
    parser.add_argument("--model", choices=sorted(MODELS), default="all", help="what it left out")
    parser.add_argument(
        "--figures", type=Path, help="score all of development, and write its figures here"
    )
    args = parser.parse_args()
    meta = args.weights / "meta.json"
    about = json.loads(meta.read_text())
    store = load(args.store)
    use = store[f"use_{args.model}"]
    dev = use & store["group_dev"]
    network = Network(args.weights)
    pairs, lost = penalties(store, dev, network.longest)
    wanted = dev & store.groups(sets=EXPERT, kinds=("judged", "synthetic", "identity"))
    if args.figures:
        wanted = dev & store.groups(kinds=("judged", "synthetic", "identity"))
    found, errors = scores(network, store, np.flatnonzero(wanted[store["pair_group"]]))
    if not (store["pair_end"][pairs] == 0).any():
        raise SystemExit(f"{args.store} has no development documents that experts judged")
    judged = store["pair_end"][pairs] == 0
    constants = fit(found[pairs], lost, judged)
    apart = sure(found[pairs], errors[pairs], lost, constants)[judged]
    constants = constants._replace(spread=round(float(np.quantile(apart, WITHIN)), 4))
    about["calibration"] = constants._asdict()
    meta.write_text(json.dumps(about, indent=1) + "\n")
    report: dict[str, object] = {
        "calibration": about["calibration"],
        "fit": tenths(100 * constants.share(found[pairs])[0], lost),
        "within": {
            f"{k:g}": round(float((apart <= k * about["calibration"]["spread"]).mean()), 3)
            for k in (0.674, 1.0, 1.645, 1.96)
        },
    }
    if "newstest21" not in MODELS[args.model]:
        report["several references"] = several(store, found, dev)
    if args.figures:
        report["dev"] = figures.dev(store, found, use)
        report["synthetic"] = figures.synthetic(store, found, dev)
        report["identity"] = figures.identity(store, found)
        args.figures.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


def tenths(made: Floats, lost: Floats) -> list[dict[str, float]]:
    """Ten parts of the pairs by their scores: the mean score, and what experts' penalties give."""
    parts = np.array_split(np.argsort(made, kind="stable"), 10)
    return [
        {
            "score": round(float(made[part].mean()), 1),
            "experts": round(float((100 - 100 / DEEPEST * lost[part]).mean()), 1),
            "pairs": len(part),
        }
        for part in parts
    ]


if __name__ == "__main__":
    main()
