"""How far is `judge` from the metrics of others? Their published scores, on the same pairs.

    PYTHONPATH=src:research python research/experiments/published.py [--data DIR] [-f text]

WMT23 Chinese-English and English-German: experts' MQM of 15 and 12 systems; segment τ as WMT14 counts it
over pairs of translations of one segment that are at least one MQM point apart, and Pearson's r between
systems. Scores of others are those that the WMT23 metrics task published. `judge` itself has learned from
this set; its row is by the kept scores of the judge that left it out, that of `judge-small` is what such
a judge had when it was trained (`research/training/judge/kept`). `chrf` is counted from the published scores and
by albeit: the two must agree.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
from _cells import Floats
from _common import ROOT, arguments, shared_folder
from _page import add_option, publish

from albeit.data.judgments import Ratings
from albeit.errors import AlbeitWarning
from albeit.metaeval import JudgedSet, read_judged
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats import pearson
from training.judge.unseen import kept

PAIRS = ("zh-en", "en-de")
OTHERS = {
    "MetricX-23-refA": "MetricX-23",
    "XCOMET-Ensemble-refA": "XCOMET-Ensemble",
    "BLEURT-20-refA": "BLEURT-20",
    "COMET-refA": "COMET-22",
    "YiSi-1-refA": "YiSi-1",
    "BERTscore-refA": "BERTscore",
    "chrF-refA": "chrF",
}
MARGIN = 1.0
KEPT = ROOT / "research/training/judge/kept"


def judgments(data: Path, pair: str) -> JudgedSet:
    """The set, judged segments only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        folder = shared_folder(data, f"discourse/wmt23-mqm/{pair}")
        return read_judged(folder, column="mqm", references=("ref",))


def scores(path: Path, systems: list[str]) -> Floats:
    """A metric's published scores: (systems, segments)."""
    found: dict[str, list[float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, value = line.split("\t")
        found.setdefault(system, []).append(float(value) if value != "None" else np.nan)
    return np.array([found[system] for system in systems])


def tau(human: Floats, metric: Floats) -> tuple[float, int]:
    """τ of WMT14 over pairs of translations at least a point apart, and how many there are."""
    won = lost = total = 0
    for a in range(len(human)):
        said = human[a] - human[a + 1 :]
        told = metric[a] - metric[a + 1 :]
        apart = np.abs(np.nan_to_num(said)) >= MARGIN - 1e-9
        same = np.sign(told) * np.sign(np.nan_to_num(said))
        won += int((apart & (same > 0)).sum())
        lost += int((apart & (same < 0)).sum())
        total += int(apart.sum())
    return (won - lost) / total, total


def between(human: Floats, metric: Floats) -> float:
    """Pearson's r between systems, over judged segments."""
    judged = ~np.isnan(human)
    means = [
        [float(part[row].mean()) for part, row in zip(each, judged, strict=True)]
        for each in (human, metric)
    ]
    return float(pearson(np.array(means[0]), np.array(means[1])))


def ours(systems: list[str], segments: int) -> Floats:
    """Scores of the judge that had left WMT23 out: (systems, segments); `nan` for lines that nobody
    judged."""
    rows = kept()["wmt23/zh-en"]
    return np.array(
        [np.pad(rows[s], (0, segments - len(rows[s])), constant_values=np.nan) for s in systems],
        np.float64,
    )


def table(data: Path, pair: str) -> Table:
    """One direction."""
    judged = judgments(data, pair)
    assert isinstance(judged.judgments, Ratings)
    human = judged.judgments.matrix(len(judged.evalset))
    systems = list(judged.evalset.systems)
    folder = shared_folder(data, f"judgments/wmt23-metric-scores/{pair}")
    rows: list[tuple[str, float, float | None]] = []
    count = 0
    for file, name in OTHERS.items():
        metric = scores(folder / f"{file}.seg.score", systems)
        value, count = tau(human, metric)
        rows.append((name, value, between(human, metric)))
    if pair == "zh-en":
        metric = ours(systems, human.shape[1])
        rows.append(
            ("judge, trained without this set", tau(human, metric)[0], between(human, metric))
        )
        small = json.loads((KEPT / "small.json").read_text())["students"]["s-no23"]["wmt23"]
        rows.append(("judge-small, likewise", small, None))
    comet = next(value for name, value, _ in rows if name == "COMET-22")
    rows.sort(key=lambda row: -row[1])
    made = [
        Row((Cell(name), Cell(value), Cell(value - comet), Cell() if r is None else Cell(r)))
        for name, value, r in rows
    ]
    heads = (
        Heading("Metric", key="metric", align="left"),
        Heading("segment τ", key="tau", decimals=3),
        Heading("difference from COMET-22", key="beside", decimals=3),
        Heading("system r", key="r", decimals=3),
    )
    note = f"{len(systems)} systems, {count} pairs at least one MQM point apart"
    return Table(heads, tuple(made), f"WMT23 {pair}, experts", notes=(note,))


def main() -> None:
    """Count, print."""
    parser = arguments(__doc__ or "")
    add_option(parser)
    args = parser.parse_args()
    publish([table(args.data, pair) for pair in PAIRS], args.format, args.page)


if __name__ == "__main__":
    main()
