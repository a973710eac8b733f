"""How well `judge` agrees with people on sets of today's systems that it never saw.

    PYTHONPATH=src:research python research/experiments/judge.py [--student SET=DIR … --sample N --party]

The experts' sets are scored here: chrF on all of them, and, on every n-th document, the metrics
given and the students named, beside each other; WMT21's directions with its student
(`--student wmt21=DIR`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from _common import DA_MARGIN, Scores, arguments, commit, judged_set
from _judge import SETS, add_student, expert_set, students

from albeit.judged import JudgedSet
from albeit.metaeval import Measure, agreement
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

MEASURES = {
    "segment tau": Measure("segment", "tau-wmt14"),
    "system pearson": Measure("system", "pearson"),
    "system spa": Measure("system", "spa"),
}
ASSESSED = ("ru-en", "ja-en", "is-en")
"""WMT21's directions with direct assessment; a student of ``wmt21`` has seen none of them."""
MARGIN = 1.0
"""MQM points between two translations that count."""


def scored(
    judged: JudgedSet, metrics: Sequence[str], scores: Scores, title: str, margin: float = MARGIN
) -> Table:
    """Agreement of each metric with people: segments over all pairs judged, systems over the
    segments that all of them translated."""
    first = judged.select(references=[next(iter(judged.evalset.references))])
    seen = np.flatnonzero(first.judgments.judged(len(first.evalset)).any(axis=0))
    some, whole = first.take(seen.tolist()), first.judged_only()
    tasks = {
        "segment": some.task(scores.table(some.evalset, metrics), margin),
        "system": whole.task(scores.table(whole.evalset, metrics), margin),
    }
    rows = [
        Row(
            (
                Cell("judge (left out)" if name.startswith("judge(") else name),
                *(
                    Cell(agreement(tasks[m.level], tasks[m.level].table[name], m))
                    for m in MEASURES.values()
                ),
            )
        )
        for name in tasks["segment"].table.columns
    ]
    columns = (Heading("Metric", align="left"), *(Heading(name, decimals=4) for name in MEASURES))
    notes = (
        f"{len(some.evalset)} judged segments, {len(whole.evalset)} with all systems for the system"
        f" level; {len(some.evalset.systems)} systems",
    )
    return Table(columns, tuple(rows), title, notes)


def main() -> None:
    """Score, print."""
    parser = arguments(__doc__ or "")
    add_student(parser)
    parser.add_argument(
        "--sample", type=int, metavar="N", help="score every n-th document by the other metrics too"
    )
    parser.add_argument("--party", action="store_true", help="albeit-party too: all layers")
    args = parser.parse_args()
    scores, folders = Scores(args.fresh, args.workers), students(args, (*SETS, "wmt21"))
    others = ["chrf", "sim", *(["albeit-party"] if args.party else [])]
    tables = []
    for name in SETS:
        tables.append(scored(expert_set(args.data, name), ["chrf"], scores, f"{name}, all"))
        if args.sample:
            own = [f"judge(weights={folders[name]})"] if name in folders else []
            sample = expert_set(args.data, name, args.sample)
            title = f"{name}, one document in {args.sample}"
            tables.append(scored(sample, [*others, *own], scores, title))
    if "wmt21" in folders:
        metrics = [*others, f"judge(weights={folders['wmt21']})"]
        for pair in ASSESSED:
            judged = judged_set(args.data, "wmt21", pair)
            tables.append(scored(judged, metrics, scores, f"wmt21/{pair}, all", DA_MARGIN))
    tables[0] = replace(tables[0], notes=(*tables[0].notes, f"commit {commit()}"))
    sys.stdout.write(render(tables, args.format))


if __name__ == "__main__":
    main()
