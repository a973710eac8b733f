"""What discourse adds to `sim` out of English, by segment and by document."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _common import shared_folder
from _networks import Networks

from albeit.annotate.given import texts_of
from albeit.corpus import EvalSet, documents_from_ids
from albeit.engine import open_store, score
from albeit.metrics import registry
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats.bootstrap import document_weights, interval
from training.judge.segments import Segment, newstest21, talks, wmt23
from training.judge.store import FIRST
from training.languages.segments import esa

__all__ = ["SETS", "on_top"]

Floats = npt.NDArray[np.float64]
TUNED = "newstest21/en-de (tuned on)"
SETS: dict[str, tuple[Callable[[Path], list[Segment]], str]] = {
    TUNED: (newstest21, "discourse/newstest21-mqm/en-de"),
    "wmt23/en-de": (wmt23, "discourse/wmt23-mqm/en-de"),
    "ted/en-de": (talks, "ted-mqm/en-de"),
    "wmt24/en-zh": (esa, "discourse/wmt24-esa/en-zh"),
}
TREES = ("dr", "dr-lex")
SEGMENTS = ("chrf", "sim")
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
LEAST = {"segment": 1.0, "document": 0.3}
"""How many MQM points (ESA: of 5 each) a segment two translations must be apart in the mean."""
SAMPLES, SEED = 1000, 20


@dataclass
class Judged:
    """One set at one level: scores by metric, and pairs of translations, the better one first."""

    name: str
    scores: dict[str, Floats]
    better: npt.NDArray[np.int64]
    worse: npt.NDArray[np.int64]
    document: npt.NDArray[np.int64]

    def signs(self, scores: Floats) -> Floats:
        """1 where a pair is told right, −1 where wrong."""
        return np.asarray(np.sign(scores[self.better] - scores[self.worse]))

    def tau(self, scores: Floats) -> float:
        """WMT14's."""
        return float(self.signs(scores).mean())

    def mixed(self, other: str, weight: float) -> Floats:
        """`sim` with some of another metric, each by its spread."""
        base, more = self.scores["sim"], self.scores[other]
        return np.asarray(base / np.nanstd(base) + weight * np.nan_to_num(more) / np.nanstd(more))

    def gain(self, scores: Floats) -> tuple[float, tuple[float, float]]:
        """Over `sim`, with 95 % of what samples of documents give."""
        units = np.unique(self.document, return_inverse=True)[1]
        difference = self.signs(scores) - self.signs(self.scores["sim"])
        sums, sizes = (np.bincount(units, x) for x in (difference, np.ones(len(units))))
        drawn = document_weights(len(sums), SAMPLES, np.random.default_rng(SEED))
        return float(difference.mean()), interval((drawn @ sums) / (drawn @ sizes))


def read_set(name: str, args: argparse.Namespace, trees: Networks) -> tuple[Judged, Judged]:
    """A set by segments and by documents; a line that a system does not have is empty."""
    reader, folder = SETS[name]
    segments = reader(shared_folder(args.data, folder))
    chosen = set(list(dict.fromkeys(s.document for s in segments))[:: args.every])
    segments = [s for s in segments if s.document in chosen]
    people = {n for s in segments for n in s.levels if n in s.outputs}
    systems = sorted(people)
    level = np.array([[s.levels.get(n, np.nan) for s in segments] for n in systems])
    judged = np.flatnonzero(np.isfinite(level).any(0))
    print(f"{name}: {len(systems)} systems, {len(judged)} judged segments", file=sys.stderr)
    store = None if args.fresh else open_store()
    some = _evalset(name, [segments[k] for k in judged], systems)
    table = score(some, [registry.metric(m) for m in SEGMENTS], store=store)
    found = {m: _spread(table[m].at("segment"), judged, level) for m in SEGMENTS}
    kept = args.work / "trees" / f"{trees.version}-{some.target_lang}.jsonl"
    given = trees.analyses(texts_of(some), some.target_lang, kept)
    table = score(some, [registry.metric(m) for m in TREES], annotations=given, store=store)
    found |= {m: _spread(table[m].at("segment"), judged, level) for m in TREES}
    place = np.unique([segment.document for segment in segments], return_inverse=True)[1]
    return _paired(name, found, level, place), _documents(name, found, level, place)


def _evalset(name: str, segments: Sequence[Segment], systems: Sequence[str]) -> EvalSet:
    reference = tuple(next(s.references[r] for r in FIRST if r in s.references) for s in segments)
    return EvalSet(
        {"ref": reference},
        {n: tuple(s.outputs.get(n, "") for s in segments) for n in systems},
        documents=documents_from_ids([segment.document for segment in segments]),
        target_lang=name.split("/")[1][3:5],
        name=name,
    )


def _spread(scores: Floats, judged: npt.NDArray[np.int64], level: Floats) -> Floats:
    """Scores of judged segments among all segments."""
    found = np.full(level.shape, np.nan)
    found[:, judged] = scores
    return found


def _pairs(
    level: Floats, least: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Better and worse system, and unit, of all pairs at least so far apart; level is (systems, units)."""
    gap = level[:, None, :] - level[None, :, :]
    a, b, unit = np.nonzero(gap >= least)
    return a, b, unit


def _paired(
    name: str, scores: Mapping[str, Floats], level: Floats, unit: npt.NDArray[np.int64]
) -> Judged:
    a, b, segment = _pairs(level, LEAST["segment"])
    width = level.shape[1]
    flat = {m: np.asarray(v, np.float64).ravel() for m, v in scores.items()}
    return Judged(name, flat, a * width + segment, b * width + segment, unit[segment])


def _documents(
    name: str,
    scores: Mapping[str, Floats],
    level: Floats,
    place: npt.NDArray[np.int64],
) -> Judged:
    """Means over the segments of a document that somebody judged."""
    count = place.max() + 1
    judged = np.isfinite(level)

    def means(values: Floats) -> Floats:
        kept = np.where(judged & np.isfinite(values), values, 0.0)
        sums = np.array([np.bincount(place, row, count) for row in kept])
        sizes = np.array([np.bincount(place, row, count) for row in judged.astype(float)])
        return np.asarray(np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan))

    a, b, document = _pairs(means(level), LEAST["document"])
    flat = {m: means(np.asarray(v)).ravel() for m, v in scores.items()}
    return Judged(name, flat, a * count + document, b * count + document, document)


def on_top(args: argparse.Namespace) -> list[Table]:
    """τ of each metric alone, and what it adds to `sim` with the weight that is best on newstest21."""
    trees = Networks(args.networks)
    sets = {name: read_set(name, args, trees) for name in dict.fromkeys((TUNED, *args.sets))}
    tables = []
    for k, unit in enumerate(("segment", "document")):
        one = {name: both[k] for name, both in sets.items()}
        metrics = [m for m in one[TUNED].scores if m not in ("sim",)]
        weights = {
            m: max(WEIGHTS, key=lambda w, m=m: one[TUNED].tau(one[TUNED].mixed(m, w)))
            for m in metrics
        }
        rows = []
        for name, judged in one.items():
            rows.append(
                Row((Cell(name), Cell("sim"), Cell(judged.tau(judged.scores["sim"])), Cell("")))
            )
            for m in metrics:
                gain, around = judged.gain(judged.mixed(m, weights[m]))
                alone = judged.tau(np.nan_to_num(judged.scores[m]))
                added = f"{gain:+.4f} [{around[0]:+.4f}, {around[1]:+.4f}] (weight {weights[m]:g})"
                rows.append(Row((Cell(""), Cell(m), Cell(alone), Cell(added))))
        columns = (
            Heading("Set", align="left"),
            Heading("Metric", align="left"),
            Heading("τ", decimals=4),
            Heading("added to sim", align="left"),
        )
        title = f"By {unit}"
        notes = (
            f"Pairs at least {LEAST[unit]} MQM points a segment (ESA: {5 * LEAST[unit]:g}) apart: "
            + ", ".join(f"{n} {len(j.better)}" for n, j in one.items()),
        )
        tables.append(Table(columns, tuple(rows), title, notes))
    return tables
