"""Metrics against human judgments and published scores: WMT23, and translations from English.

    export PYTHONPATH=src:research
    python research/experiments/published.py judge -f markdown
    python research/experiments/published.py from-english -f markdown

Only judged translations are scored, with the first reference, and a system's score is the mean of
its segments' scores. Segment τ is WMT14's over pairs of translations at least one MQM point (ten
ESA points) apart. Scores of other metrics are those that the WMT23 metrics task published. The
shipped `judge` and `judge-many` are trained on these sets, so their rows are from models trained
without the set (`research/training/judge/kept`, `research/training/many/kept`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from _common import (
    ROOT,
    Floats,
    Scores,
    arguments,
    judged,
    judged_table,
    publish,
    shared_folder,
    uncertain,
)

from albeit.data.judgments import Ratings
from albeit.metaeval import JudgedSet, Measure, Task, agreement
from albeit.metaeval.significance import resampled_agreement
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats import interval
from training.judge.segments import EDITED
from training.judge.unseen import kept

KEPT = ROOT / "research/training"
MANY = {
    "judge-many, source and reference": "12 layers beside both, more chrF",
    "judge-many, reference": "12 layers beside reference, more chrF",
    "judge-many, source": "12 layers beside source",
}
"""Row, and the name of its figures."""
METRICS = ("chrf", "chrf++", "bleu", "ter", "rouge-l", "meteor")
LEARNED = ("XCOMET-Ensemble", "MetricX-23", "BLEURT-20", "COMET", "YiSi-1", "BERTscore", "chrF")
PUBLISHED = ("BERTscore", "BLEURT-20", "COMET", "MetricX-23", "XCOMET-XL", "CometKiwi")
PUBLISHED += ("MetricX-23-QE", "GEMBA-MQM")
SEGMENT, SYSTEM = Measure("segment", "tau-wmt14"), Measure("system", "pearson")
SAMPLES, SEED = 500, 1
SETS = {
    "wmt23/en-de": "discourse/wmt23-mqm/en-de",
    "newstest20/en-de": "judgments/newstest20-mqm/en-de",
    "newstest21/en-de": "discourse/newstest21-mqm/en-de",
    "ted/en-de": "ted-mqm/en-de",
    **{f"bio/en-{code}": f"judgments/bio-mqm/en-{code}" for code in ("de", "es", "fr", "ru", "zh")},
    "wmt24/en-zh": "discourse/wmt24-esa/en-zh",
}


def read(data: Path, folder: str) -> JudgedSet:
    """Read a set with its first reference, without uncertain texts and the edited system."""
    path = shared_folder(data, folder)
    found = judged(path)
    systems = [system for system in found.evalset.systems if system != EDITED]
    found = found.select(systems, references=["ref"])
    unsure, ratings = uncertain(path), found.judgments
    if not unsure:
        return found
    assert isinstance(ratings, Ratings)
    places = zip(ratings.system, ratings.segment, strict=True)
    certain = [(ratings.systems[s], k) not in unsure for s, k in places]
    return replace(found, judgments=ratings.take(np.array(certain)))


def column(found: JudgedSet, name: str, segment: Floats) -> Column:
    """Return scores of judged translations as a column; a system has the mean."""
    segment = np.where(found.judgments.judged(len(found.evalset)), segment, np.nan)
    return Column(name, Signature(name), True, np.nanmean(segment, axis=1), None, segment)


def published(found: JudgedSet, folder: Path, names: tuple[str, ...]) -> list[Column]:
    """Return published scores of these metrics."""
    columns = []
    for name in names:
        paths = (folder / f"{name}-{end}.seg.score" for end in ("refA", "src"))
        rows: dict[str, list[float]] = {}
        for line in next(p for p in paths if p.is_file()).read_text("utf-8").splitlines():
            system, value = line.split("\t")
            rows.setdefault(system, []).append(float(value) if value != "None" else np.nan)
        columns.append(column(found, name, np.array([rows[s] for s in found.evalset.systems])))
    return columns


def values(task: Task, name: str) -> tuple[float, float]:
    """Return segment τ and system-level r."""
    return agreement(task, task.table[name], SEGMENT), agreement(task, task.table[name], SYSTEM)


def above(task: Task, name: str) -> tuple[float, float]:
    """Return the interval of the difference of segment τ from chrF's, over documents."""
    one, other = (
        resampled_agreement(
            task, task.table[metric], SEGMENT, samples=SAMPLES, rng=np.random.default_rng(SEED)
        )
        for metric in (name, "chrf")
    )
    assert one is not None
    assert other is not None
    low, high = interval(one - other)
    return float(low), float(high)


def judge_table(data: Path, pair: str) -> Table:
    """Return `judge` and the metrics of others on WMT23."""
    found = read(data, f"discourse/wmt23-mqm/{pair}")
    folder = shared_folder(data, f"judgments/wmt23-metric-scores/{pair}")
    columns = published(found, folder, LEARNED)
    if pair == "zh-en":
        rows, size = kept()["wmt23/zh-en"], len(found.evalset)
        ours = np.full((len(found.evalset.systems), size), np.nan)
        for line, system in zip(ours, found.evalset.systems, strict=True):
            line[: len(rows[system])] = rows[system]
        columns.append(column(found, "judge, trained without this set", ours))
    task = found.task(Scores().table(found.evalset, ()).with_columns(columns), 1.0)
    figures: dict[str, tuple[float, float | None]] = {c.name: values(task, c.name) for c in columns}
    if pair == "zh-en":
        small = json.loads((KEPT / "judge/kept/small.json").read_text())["students"]["s-no23"]
        figures["judge-small, likewise"] = (small["wmt23"], None)
    comet = figures["COMET"][0]
    made = [
        Row((Cell(name), Cell(tau), Cell(tau - comet), Cell(r)))
        for name, (tau, r) in sorted(figures.items(), key=lambda item: -item[1][0])
    ]
    names = ("segment τ", "difference from COMET", "system r")
    heads = (Heading("Metric", align="left"), *(Heading(name, decimals=3) for name in names))
    note = f"{len(found.evalset.systems)} systems, {len(task.decided)} pairs"
    return Table(heads, tuple(made), f"WMT23 {pair}, experts", notes=(note,))


def compared(tasks: Mapping[str, Task], measure: Measure, title: str) -> Table:
    """Return a row per metric, a column per set; bold: significantly above chrF."""
    rows = []
    for name in METRICS:
        cells = [Cell(name)]
        for task in tasks.values():
            known = name in task.table.columns
            value = agreement(task, task.table[name], measure) if known else None
            tested = known and measure is SEGMENT and name != "chrf"
            cells.append(Cell(value, bold=tested and above(task, name)[0] > 0))
        rows.append(Row(tuple(cells)))
    columns = (Heading("Metric", align="left"), *(Heading(name, decimals=3) for name in tasks))
    pairs = ", ".join(f"{name} {len(task.decided)}" for name, task in tasks.items())
    return Table(columns, tuple(rows), title, (f"Pairs: {pairs}.",) if measure is SEGMENT else ())


def with_learned(task: Task) -> Table:
    """Return our metrics and the published ones on WMT23 en-de, the best first."""
    names = [n for n in (*METRICS, *PUBLISHED) if n in task.table.columns]
    figures = {name: values(task, name) for name in names}
    gains = {name: above(task, name) for name in names if name != "chrf"}
    many = json.loads((KEPT / "many/kept/figures.json").read_text("utf-8"))["wmt23/en-de"]
    for name, way in MANY.items():
        figures[f"{name} (held out)"] = (many[f"{way} tau"], many[f"{way} r"])
    rows = [
        Row((Cell(name), Cell(tau), *map(Cell, gains.get(name, (None, None))), Cell(r)))
        for name, (tau, r) in sorted(figures.items(), key=lambda item: -item[1][0])
    ]
    heads = ("segment τ", "above chrF from", "to", "system r")
    columns = (Heading("Metric", align="left"), *(Heading(name, decimals=3) for name in heads))
    notes = (f"{len(task.decided)} pairs, {len(task.table.systems)} systems.",)
    return Table(columns, tuple(rows), "WMT23 en-de with learned metrics", notes)


def from_english(args: argparse.Namespace) -> list[Table]:
    """Score all sets from English."""
    tasks: dict[str, Task] = {}
    for name in args.sets:
        found = read(args.data, SETS[name])
        table = judged_table(found, METRICS, Scores(args.fresh, args.workers))
        if name.startswith("wmt23"):
            folder = shared_folder(args.data, "judgments/wmt23-metric-scores/en-de")
            table = table.with_columns(published(found, folder, PUBLISHED))
        tasks[name] = found.task(table, 10.0 if name.startswith("wmt24") else 1.0)
    tables = [with_learned(tasks["wmt23/en-de"])] if "wmt23/en-de" in tasks else []
    tables.append(compared(tasks, SEGMENT, "Segment τ; bold: significantly above chrF"))
    return [*tables, compared(tasks, SYSTEM, "Systems: Pearson's r")]


def main() -> None:
    """Score, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("what", choices=("judge", "from-english"))
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    args = parser.parse_args()
    if args.what == "judge":
        publish([judge_table(args.data, pair) for pair in ("zh-en", "en-de")], args)
    else:
        publish(from_english(args), args)


if __name__ == "__main__":
    main()
