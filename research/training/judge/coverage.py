"""Standard errors of scores with the right coverage: 68% of experts' scores within one standard
error.

    PYTHONPATH=src:research python -m training judge.coverage --discourse D --judgments J

A standard error, in points of 0 to 100, is the exponential of a linear function of the score, its
square, and, where the network gives one, the logarithm of its own standard error; at most the
distance to the farther end of the scale. It is fitted by quantile regression of the distances
between experts' scores and ours, so it needs no assumption about their distribution; sets count
alike. Raters of different sets differ in strictness, so the coverage that matters is that on a set
that wasn't used for the fit: the command prints it, for the scores of runs that haven't seen the
sets (`kept/unseen.npz.xz`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from training.judge.segments import DEEPEST, Segment, abstracts, newstest20, newstest21, wmt23
from training.judge.unseen import kept

WITHIN = 0.683
"""The share of a normal distribution within one standard deviation."""
LEAST = 0.5
"""The smallest standard error, in points."""
Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.str_]


def features(scores: Floats, spread: Floats | None = None) -> Floats:
    """What a standard error depends on, one row per score."""
    share = scores / 100
    columns = [np.ones_like(share), share, share**2]
    if spread is not None:
        columns.append(np.log(np.maximum(spread, 1e-3)))
    return np.stack(columns, 1)


def standard_errors(weights: Floats, scores: Floats, spread: Floats | None = None) -> Floats:
    """Standard errors in points, within the scale."""
    found = np.exp(np.clip(features(scores, spread) @ weights, -2, 5))
    return np.clip(found, LEAST, np.maximum(scores, 100 - scores))


def fit_errors(
    scores: Floats, experts: Floats, sets: Labels, spread: Floats | None = None
) -> Floats:
    """Weights with which `WITHIN` of the experts' scores are within one standard error."""
    apart = np.abs(experts - scores)
    x = features(scores, spread)
    names, counts = np.unique(sets, return_counts=True)
    weight = 1 / counts[np.searchsorted(names, sets)]

    def pinball(w: Floats) -> float:
        over = apart - np.exp(np.clip(x @ w, -2, 5))
        lost = np.where(over > 0, WITHIN * over, (WITHIN - 1) * over)
        return float((weight * lost).sum()) + 1e-4 * float((w[1:] ** 2).sum())

    start = np.zeros(x.shape[1])
    start[0] = np.log(np.quantile(apart, WITHIN) + LEAST)
    for _ in range(3):  # the loss isn't smooth: start again where it stopped
        start = minimize(pinball, start, method="Nelder-Mead", options={"maxiter": 4000}).x
    return np.asarray(start)


def coverage(errors: Floats, scores: Floats, experts: Floats) -> dict[str, float]:
    """The share of experts' scores within so many standard errors."""
    apart = np.abs(experts - scores) / errors
    return {f"{k:g}": round(float((apart <= k).mean()), 3) for k in (1.0, 1.96)}


def cross_coverage(
    scores: Floats, experts: Floats, sets: Labels, spread: Floats | None = None
) -> dict[str, dict[str, float]]:
    """The coverage on each set by weights fitted on the others."""
    found = {}
    names = np.unique(sets)
    for name in names if len(names) > 1 else ():
        rest, own = sets != name, sets == name
        given, tested = (None, None) if spread is None else (spread[rest], spread[own])
        weights = fit_errors(scores[rest], experts[rest], sets[rest], given)
        errors = standard_errors(weights, scores[own], tested)
        found[str(name)] = coverage(errors, scores[own], experts[own])
    return found


def read_experts(discourse: Path, judgments: Path) -> dict[str, list[Segment]]:
    """The sets that experts judged, by the names of `training.judge.unseen`."""
    found = {
        "newstest20/zh-en": newstest20(judgments / "newstest20-mqm/zh-en"),
        "newstest21/zh-en": newstest21(discourse / "newstest21-mqm/zh-en"),
        "wmt23/zh-en": wmt23(discourse / "wmt23-mqm/zh-en"),
    }
    for pair in ("de-en", "es-en", "fr-en"):
        found[f"bio/{pair}"] = abstracts(judgments / "bio-mqm" / pair)
    return found


def main(*, discourse: Path, judgments: Path) -> None:
    """Read, fit, print."""
    ours = kept()
    rows: list[tuple[float, float, str]] = []
    for name, segments in read_experts(discourse, judgments).items():
        for number, segment in enumerate(segments):
            for system, level in segment.levels.items():
                if system in ours[name] and number < len(ours[name][system]):
                    score = float(ours[name][system][number])
                    rows.append((score, 100 + 100 / DEEPEST * level, name.split("/")[0]))
    known = [row for row in rows if row[0] == row[0]]
    scores, experts = np.array([row[:2] for row in known]).T
    sets = np.array([row[2] for row in known])
    print(f"{len(known)} translations; coverage on each set by a fit on the others:")
    for name, found in cross_coverage(scores, experts, sets).items():
        print(f"  {name}: {found}")
    weights = fit_errors(scores, experts, sets)
    print(f"fitted on all: {weights.round(3).tolist()}")
    for name in np.unique(sets):
        own = sets == name
        errors = standard_errors(weights, scores[own])
        print(f"  {name}: {coverage(errors, scores[own], experts[own])}")
