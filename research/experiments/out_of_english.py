"""Out of English: every metric that works there, beside people, and on WMT23 beside learned metrics.

    PYTHONPATH=src:research python research/experiments/out_of_english.py [--page docs/results/from-english.md]

Only judged translations are scored, each beside the first reference, and a system's score is the
mean of its segments' for every metric alike. Segment τ is WMT14's over pairs of translations at least
one MQM point (ten ESA points) apart. The scores of other metrics on WMT23 are those that they were
published with. Figures of `judge-many` on held-out sets are those that `training.many.combine` recorded:
the shipped weights were trained on these sets.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _common import ROOT, Scores, arguments, judged_table, shared_folder
from _page import add_option, publish

from albeit.errors import AlbeitWarning
from albeit.metaeval import JudgedSet, Measure, Task, agreement, read_judged
from albeit.metaeval.significance import resampled_agreement
from albeit.metrics.table import Column
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats import interval
from training.many.segments import EDITED

MANY = ROOT / "research" / "training" / "many" / "kept" / "figures.json"
READS = {
    "judge-many, source and reference": "12 layers beside both, more chrF",
    "judge-many, reference": "12 layers beside reference, more chrF",
    "judge-many, source": "12 layers beside source",
}
"""What `judge-many` reads, and the name of that in its figures."""
METRICS = ("chrf", "chrf++", "bleu", "ter", "rouge-l", "meteor")
PUBLISHED = (
    "BERTscore",
    "BLEURT-20",
    "COMET",
    "MetricX-23",
    "XCOMET-XL",
    "CometKiwi",
    "MetricX-23-QE",
    "GEMBA-MQM",
)
SEGMENT, SYSTEM = Measure("segment", "tau-wmt14"), Measure("system", "pearson")
SAMPLES, SEED = 500, 1


class Source(NamedTuple):
    """A judged set of the shared data, and how far apart two translations must be to count."""

    folder: str
    margin: float = 1.0


SETS = {
    "wmt23/en-de": Source("discourse/wmt23-mqm/en-de"),
    "newstest20/en-de": Source("judgments/newstest20-mqm/en-de"),
    "newstest21/en-de": Source("discourse/newstest21-mqm/en-de"),
    "ted/en-de": Source("ted-mqm/en-de"),
    "bio/en-de": Source("judgments/bio-mqm/en-de"),
    "bio/en-es": Source("judgments/bio-mqm/en-es"),
    "bio/en-fr": Source("judgments/bio-mqm/en-fr"),
    "bio/en-ru": Source("judgments/bio-mqm/en-ru"),
    "bio/en-zh": Source("judgments/bio-mqm/en-zh"),
    "wmt24/en-zh": Source("discourse/wmt24-esa/en-zh", 10.0),
}


def read(data: Path, name: str) -> JudgedSet:
    """A set beside its first reference, without texts that could not be restored with certainty, and
    without the system whose translations the references of the abstracts were made from."""
    folder = shared_folder(data, SETS[name].folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        judged = read_judged(folder)
    systems = [system for system in judged.evalset.systems if system != EDITED]
    judged = judged.select(systems, references=["ref"])
    unsure = folder / "uncertain.tsv"
    if not unsure.is_file():
        return judged
    head, *rows = (line.split("\t") for line in unsure.read_text(encoding="utf-8").splitlines())
    system, segment = head.index("system"), head.index("segment")
    out = {(row[system], int(row[segment]) - 1) for row in rows}
    ratings = judged.judgments
    kept = [
        (ratings.systems[s], k) not in out
        for s, k in zip(ratings.system, ratings.segment, strict=True)  # type: ignore[union-attr]
    ]
    return replace(judged, judgments=ratings.take(np.array(kept)))


def published(judged: JudgedSet, folder: Path) -> list[Column]:
    """Scores that other metrics were published with, of judged translations alone."""
    seen = judged.judgments.judged(len(judged.evalset))
    ends = ("refA.seg.score", "src.seg.score")
    both = ([folder / f"{name}-{end}" for end in ends] for name in PUBLISHED)
    files = [next(path for path in paths if path.is_file()) for paths in both]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlbeitWarning)
        columns = judged.columns([f"{n}={f}" for n, f in zip(PUBLISHED, files, strict=True)])
    found = []
    for column in columns:
        segment = np.where(seen, column.at("segment"), np.nan)
        found.append(replace(column, system=np.nanmean(segment, axis=1), segment=segment))
    return found


def load(data: Path, name: str, scores: Scores) -> Task:
    """A set's scores beside its judgments."""
    judged = read(data, name)
    table = judged_table(judged, METRICS, scores)
    if name.startswith("wmt23"):
        folder = shared_folder(data, f"judgments/wmt23-metric-scores/{name.split('/')[1]}")
        table = table.with_columns(published(judged, folder))
    return judged.task(table, SETS[name].margin)


def above(task: Task, name: str) -> tuple[float, float]:
    """Between which bounds the metric's segment τ is above chrF's, over samples of documents."""
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


def compared(tasks: dict[str, Task], measure: Measure, title: str) -> Table:
    """A row for each metric, a column for each set; bold where it is above chrF beyond chance."""
    rows = []
    for name in METRICS:
        cells = [
            Cell(_value(task, name, measure), bold=_bold(task, name, measure))
            for task in tasks.values()
        ]
        rows.append(Row((Cell(name), *cells)))
    columns = (Heading("Metric", align="left"), *(Heading(name, decimals=3) for name in tasks))
    pairs = ", ".join(f"{name} {len(task.decided)}" for name, task in tasks.items())
    notes = (f"Pairs: {pairs}.",) if measure.level == "segment" else ()
    return Table(columns, tuple(rows), title, notes)


def _value(task: Task, name: str, measure: Measure) -> float | None:
    return agreement(task, task.table[name], measure) if name in task.table.columns else None


def _bold(task: Task, name: str, measure: Measure) -> bool:
    known = name in task.table.columns and name != "chrf" and measure.level == "segment"
    return known and above(task, name)[0] > 0


def beside(task: Task) -> Table:
    """Ours and the published ones on one set, the best first."""
    names: Sequence[str] = [n for n in (*METRICS, *PUBLISHED) if n in task.table.columns]
    figures = {
        name: (
            agreement(task, task.table[name], SEGMENT),
            agreement(task, task.table[name], SYSTEM),
        )
        for name in names
    }
    gains = {name: above(task, name) for name in names if name != "chrf"}
    many = json.loads(MANY.read_text(encoding="utf-8"))["wmt23/en-de"]
    for name, way in READS.items():
        figures[f"{name} (held out)"] = (many[f"{way} tau"], many[f"{way} r"])
    rows = [
        Row((Cell(name), Cell(tau), *map(Cell, gains.get(name, (None, None))), Cell(r)))
        for name, (tau, r) in sorted(figures.items(), key=lambda item: -item[1][0])
    ]
    columns = (
        Heading("Metric", align="left"),
        Heading("segment τ", decimals=3),
        Heading("above chrF from", decimals=3),
        Heading("to", decimals=3),
        Heading("system r", decimals=3),
    )
    notes = (f"{len(task.decided)} pairs, {len(task.table.systems)} systems.",)
    return Table(columns, tuple(rows), "WMT23 en-de with learned metrics", notes)


def main() -> None:
    """Score, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    add_option(parser)
    args = parser.parse_args()
    scores = Scores(args.fresh, args.workers)
    tasks = {name: load(args.data, name, scores) for name in args.sets}
    tables = [beside(tasks["wmt23/en-de"])] if "wmt23/en-de" in tasks else []
    tables.append(compared(tasks, SEGMENT, "Segment τ; bold: above chrF beyond chance"))
    tables.append(compared(tasks, SYSTEM, "Systems: Pearson's r"))
    publish(tables, args.format, args.page)


if __name__ == "__main__":
    main()
