"""What do other metrics add to `judge`? Combinations tuned on one set, tested on another.

    PYTHONPATH=src python research/experiments/judge_on_top.py --discourse DIR --student wmt12=DIR --student wmt13=DIR
        --student wmt23=DIR --student newstest21=DIR [--share N]

Each set is scored by a student that never saw it, and by the other metrics. Each of them alone, and all
together, is put on top of the student by logistic regression on people's preferences of the partner set
(WMT13 for WMT12 and the other way round; newstest21 for WMT23 and the other way round), and tested as it
is. τ is WMT12's on WMT12 and WMT13, WMT14's on the experts' sets (pairs at least one MQM point apart).
Intervals of gains hold 95 % of 1,000 samples of whole documents. Only judged translations are scored, of
every n-th document with `--share`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from _common import PAIRS, Scores, arguments, commit, judged_table
from _judge import SETS, add_students, expert_set, students
from _sampled import sampled_set

from albeit.arrays import FloatArray
from albeit.combine.features import features
from albeit.combine.tune import fit
from albeit.judged import JudgedSet, Task
from albeit.metrics.table import ScoreTable
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from albeit.stats.bootstrap import document_weights, interval
from albeit.stats.concordance import categories, count_by, tau_wmt12, tau_wmt14

METRICS = ("chrf", "meteor", "sim", "dr", "dr-lex", "sr-or", "drs-or", "dp-or")
DISCOURSE = ("dr", "dr-lex", "sr-or", "drs-or")
PARTNER = {"wmt12": "wmt13", "wmt13": "wmt12", "wmt23": "newstest21", "newstest21": "wmt23"}
SAMPLES, SEED, MARGIN = 1000, 12345, 1.0


def sets(args: argparse.Namespace, name: str) -> list[JudgedSet]:
    """The language pairs of a set, judged segments of every n-th document, the first reference."""
    if name in SETS:
        found = expert_set(args.discourse, name)
        found = found.select(references=[next(iter(found.evalset.references))])
        chosen = [n for d in found.evalset.documents[:: args.share] for n in range(d.start, d.stop)]
        return [found.take(chosen)]
    return [sampled_set(args.data, name, pair, args.share) for pair in PAIRS]


def task(judged: JudgedSet, student: Path, scores: Scores) -> Task:
    """Scores by the student, called `judge`, and by the others, beside what people said."""
    name = f"judge(weights={student})"
    table = judged_table(judged, [name, *METRICS], scores)
    own = next(c for c in table.columns.values() if c.name.startswith("judge"))
    rest = [table[m] for m in METRICS if m in table.columns]
    columns = [replace(own, name="judge"), *rest]
    return judged.task(ScoreTable.build(judged.evalset, columns), MARGIN)


def counts(one: Task, scores: FloatArray) -> FloatArray:
    """Pairs by how metric and people agree, for each document."""
    pairs = one.decided
    difference = scores[pairs.left, pairs.segment] - scores[pairs.right, pairs.segment]
    known = ~np.isnan(difference)
    unit = one.document_of_segment[pairs.segment]
    category = categories(difference[known], pairs.preference[known])
    return count_by(category, unit[known], len(one.table.documents))


def compared(name: str, test: list[Task], tune: list[Task]) -> Table:
    """The rows of one set: τ, and the gain over the student alone with its interval."""
    tau = tau_wmt14 if name in SETS else tau_wmt12
    have = [m for m in METRICS if all(m in t.table.columns for t in (*test, *tune))]
    tried: dict[str, tuple[str, ...]] = {m: ("judge", m) for m in have}
    tried["all discourse"] = ("judge", *(m for m in have if m in DISCOURSE))
    tried["all of them"] = ("judge", *have)

    def totals(metrics: tuple[str, ...]) -> list[FloatArray]:
        if len(metrics) == 1:
            return [counts(t, features(t.table, metrics)[..., 0]) for t in test]
        model = fit(tune, metrics, balance=True)
        return [counts(t, model(features(t.table, metrics))) for t in test]

    base = totals(("judge",))
    alone = float(np.mean([tau(c.sum(axis=0)) for c in base]))
    rows = [Row((Cell("judge alone"), Cell(alone), Cell(alone), Cell(None)))]
    for label, metrics in tried.items():
        made = totals(metrics)
        value = float(np.mean([tau(c.sum(axis=0)) for c in made]))
        drawn = []
        for ours, theirs in zip(made, base, strict=True):
            weights = document_weights(len(ours), SAMPLES, np.random.default_rng(SEED))
            drawn.append(tau(weights @ ours) - tau(weights @ theirs))
        by_itself = Cell(None)
        if len(metrics) == 2:
            by_itself = Cell(float(np.mean([tau(c.sum(axis=0)) for c in totals(metrics[1:])])))
        gain = Cell(value - alone, interval=interval(np.mean(drawn, axis=0)))
        rows.append(Row((Cell(label), by_itself, Cell(value), gain)))
    headings = (
        Heading("On top of judge", align="left"),
        Heading("Alone", decimals=4),
        Heading("With judge", decimals=4),
        Heading("Gain", decimals=4),
    )
    notes = (
        f"tuned on {PARTNER[name]}; {sum(len(t.decided) for t in test)} preferences of"
        f" {sum(len(t.table.documents) for t in test)} documents",
    )
    return Table(headings, tuple(rows), name, notes)


def main() -> None:
    """Score, tune, test, print."""
    parser = arguments(__doc__ or "")
    add_students(parser)
    parser.add_argument("--share", type=int, default=1, metavar="N", help="every n-th document")
    args = parser.parse_args()
    folders = students(args, PARTNER)
    scores = Scores(args.fresh, args.workers)
    tasks = {
        name: [task(judged, folder, scores) for judged in sets(args, name)]
        for name, folder in folders.items()
    }
    tables = [
        compared(name, tasks[name], tasks[PARTNER[name]])
        for name in tasks
        if PARTNER[name] in tasks
    ]
    if not tables:
        sys.exit("--student: name the students of a set and of its partner")
    tables[0] = replace(tables[0], notes=(*tables[0].notes, f"commit {commit()}"))
    sys.stdout.write(render(tables, args.format))


if __name__ == "__main__":
    main()
