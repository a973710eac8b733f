"""Calibrate `judge` on development documents, and write the result into its `meta.json`.

    python -m training judge.calibrate [--weights FOLDER]

A score is 100 − 4 × the MQM points that experts would be expected to deduct (25 points, the most
for a segment, give 0). It is a logistic function of a piecewise linear, monotonic function of the
raw score, fitted by least squares to: experts' penalties for translations of development documents
of newstest20, newstest21 and WMT23; identical texts (0 points); non-translations (25 points); and
references of newstest20 with one synthetic error (`training.judge.groups.probe`), which cost what
the error costs. Sets count alike. No piece is flatter than `FLATTEST`, so that every difference of
raw scores shows.

Standard errors: `errors` in `meta.json` are the weights of `training.judge.coverage`. Prints
deciles, the coverage by set, and what one error costs in references of newstest21, which weren't
used for the fit.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import least_squares

from albeit.metrics.judge import WEIGHTS
from albeit.metrics.judge.network import Calibration, Inputs, Network
from training.judge import figures
from training.judge.batches import STEP, Feed
from training.judge.coverage import WITHIN, Floats, Labels, cross_coverage, fit_errors
from training.judge.segments import DEEPEST
from training.judge.store import MODELS, Bools, Ints, Store, load
from training.synthetic import NOTHING, POINTS

MEETING = (0.02, 0.5, 0.95)
"""Quantiles of the raw scores of experts' translations at which the slope may change."""
FLATTEST = 0.4
"""The least change of the logit when a raw score changes by one standard deviation."""
EXPERT = ("newstest20", "newstest21", "wmt23")
ENDS = 0.5
"""The weight of identical texts and non-translations together, next to one set of translations."""
PROBES = 0.5
"""The weight of references with one synthetic error."""


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


class Known(NamedTuple):
    """Pairs with a known penalty, the MQM points, whether experts gave them, weights, and sets."""

    pairs: Ints
    lost: Floats
    real: Bools
    weight: Floats
    sets: Labels


def penalties(store: Store, dev: Bools, longest: int) -> Known:
    """Return the pairs of the fit: of these groups, and the probes of newstest20."""
    end = store["pair_end"]
    level = np.where(end > 0, 0.0, np.where(end < 0, DEEPEST, -store["pair_level"]))
    cost = {**POINTS, NOTHING: DEEPEST}
    made = np.array([cost.get(name, np.nan) for name in store.names])[store["pair_name"]]
    probe = store.groups(sets=("newstest20",), kinds=("probe",))[store["pair_group"]]
    lost = np.where(probe, made, level)
    groups = dev & store.groups(sets=EXPERT, kinds=("judged", "synthetic", "identity"))
    known = (groups[store["pair_group"]] | probe) & ~np.isnan(lost) & (store.sizes <= longest)
    pairs = np.flatnonzero(known)
    kinds = np.where(end[pairs] != 0, "ends", np.where(probe[pairs], "probes", ""))
    own = np.array(store.sets)[store["group_set"][store["pair_group"][pairs]]]
    sets = np.where(kinds == "", own, kinds)
    names, counts = np.unique(sets, return_counts=True)
    whole = np.array([{"ends": ENDS, "probes": PROBES}.get(name, 1.0) for name in names])
    weight = (whole / counts)[np.searchsorted(names, sets)]
    clipped = np.clip(lost[pairs], 0, DEEPEST).astype(np.float64)
    return Known(pairs, clipped, kinds == "", weight * len(pairs) / weight.sum(), sets)


def fit(
    raw: Floats, lost: Floats, real: Bools, unit: float = 1.0, weight: Floats | None = None
) -> Calibration:
    """The curve.

    `real`: pairs that experts judged; `unit`: the standard deviation of raw scores."""
    wanted = 1 - lost / DEEPEST
    places = [round(float(q), 4) for q in np.quantile(raw[real], MEETING)]
    root = np.sqrt(np.ones_like(raw) if weight is None else weight)

    def curve(x: Floats) -> Calibration:
        slopes = x[1:].tolist()
        changes = [(p, b - a) for p, a, b in zip(places, slopes, slopes[1:], strict=False)]
        return Calibration(slopes[0], float(x[0]), None, changes)

    def missed(x: Floats) -> Floats:
        return np.asarray(root * (curve(x).share(raw)[0] - wanted))

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


def main(
    *,
    store: Path = Path("research/data/judge.npz.xz"),
    weights: Path = WEIGHTS / "wide",
    model: Literal["a", "all", "b"] = "all",
) -> None:
    """Score, fit, write, print."""
    meta = weights / "meta.json"
    about = json.loads(meta.read_text())
    data = load(store)
    dev = data[f"see_{model}"] & data["group_dev"]
    network = Network(weights)
    known = penalties(data, dev, network.longest)
    if not known.real.any():
        raise SystemExit(f"{store} has no development documents with experts' judgments.")
    wanted = data.groups(kinds=("probe",)) & (dev | data.groups(sets=("newstest20",)))
    found, errors = scores(network, data, np.union1d(known.pairs, data.pairs(wanted)))
    raw, real = found[known.pairs], known.real
    curve = fit(raw, known.lost, real, weight=known.weight)
    apart = sure(raw, errors[known.pairs], known.lost, curve)[real]
    curve = curve._replace(spread=round(float(np.quantile(apart, WITHIN)), 4))
    share, steep = curve.share(raw)
    made, experts = 100 * share[real], 100 - 100 / DEEPEST * known.lost[real]
    spread = 100 * (steep * errors[known.pairs])[real]
    sets = known.sets[real]
    errors_of = fit_errors(made, experts, sets, spread).round(4).tolist()
    about["calibration"] = curve._replace(errors=errors_of)._asdict()
    meta.write_text(json.dumps(about, indent=1) + "\n")
    points = 100 * curve.share(found)[0]
    points[np.isnan(found)] = np.nan
    report: dict[str, object] = {
        "calibration": about["calibration"],
        "deciles": {"all": deciles(made, experts)}
        | {str(name): deciles(made[sets == name], experts[sets == name]) for name in set(sets)},
        "coverage by a fit on the other sets": cross_coverage(made, experts, sets, spread),
        "probes": figures.probes(data, points, dev & data.groups(sets=("newstest21",))),
    }
    if "newstest21" not in MODELS[model]:
        report["several references"] = figures.several(data, found, dev)
    print(json.dumps(report, indent=1))


def deciles(made: Floats, experts: Floats) -> list[dict[str, float]]:
    """Ten parts of the translations by score: the mean score, and the mean of experts' scores."""
    order = np.array_split(np.argsort(made, kind="stable"), 10)
    return [
        {
            "score": round(float(made[part].mean()), 1),
            "experts": round(float(experts[part].mean()), 1),
            "pairs": len(part),
        }
        for part in order
    ]
