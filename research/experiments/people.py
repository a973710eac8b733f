"""Human translations judged like systems: where experts put them, and where metrics do.

    PYTHONPATH=src python research/experiments/people.py --discourse DIR [-m chrf sim] [--student newstest21=DIR] [--sample N]

In `newstest21-mqm/zh-en` experts judged both references beside thirteen machines. Each is scored here with
the other one as the reference: its place among the systems by each metric, beside its place by the experts
(on the same segments), and the share of comparisons of human and machine, segment by segment, in which
metric and experts agree (experts' ties are left out, a metric's tie counts half).
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from _common import Scores, arguments, commit
from _judge import SETS, add_students, expert_set, students
from judge import RUNS

from albeit.corpus.evalset import EvalSet
from albeit.judged.task import oriented
from albeit.metrics.base import FloatArray
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

HUMANS = {"ref.A": "ref.txt", "ref.B": "ref-B.txt"}


def penalties(folder: Path, names: list[str], count: int) -> FloatArray:
    """Experts' penalties [names, segments], not a number where nobody judged."""
    found = np.full((len(names), count), np.nan)
    with (folder / "judgments.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["system"] in names:
                found[names.index(row["system"]), int(row["segment"]) - 1] = float(
                    row["mqm_penalty"]
                )
    return found


def place(values: FloatArray, human: int) -> str:
    """The place of one among all, by mean values (higher is better)."""
    means = np.nanmean(values, axis=1)
    return f"{1 + int((means > means[human]).sum())} of {len(means)}"


def agreed(scores: FloatArray, experts: FloatArray, human: int) -> float:
    """Share of (machine, segment) on whose side of the human translation both put it."""
    by_metric = np.sign(scores[human] - np.delete(scores, human, 0))
    by_experts = np.sign(experts[human] - np.delete(experts, human, 0))
    told = np.nan_to_num(by_experts) != 0
    return float((1 + by_metric[told] * by_experts[told]).mean() / 2)


def compared(
    texts: Mapping[str, tuple[str, ...]],
    human: str,
    other: str,
    penalty: FloatArray,
    metrics: list[str],
    scores: Scores,
) -> list[Row]:
    """The rows of one human translation."""
    names = [name for name in texts if name != other]
    experts = -penalty[[list(texts).index(name) for name in names]]
    whole = ~np.isnan(experts).any(axis=0)
    chosen = np.flatnonzero(whole).tolist()
    lines = {name: tuple(texts[name][k] for k in chosen) for name in (*names, other)}
    evalset = EvalSet(
        {other: lines[other]},
        {name: lines[name] for name in names},
        target_lang="en",
        source_lang="zh",
        name="newstest21",
    )
    at = names.index(human)
    found = [Row((Cell(human), Cell("experts"), Cell(place(experts[:, whole], at)), Cell(None)))]
    for name, column in scores.table(evalset, metrics).columns.items():
        made = oriented(column, "segment")
        label = "judge (left out)" if name.startswith("judge(") else name
        found.append(
            Row(
                (
                    Cell(human),
                    Cell(label),
                    Cell(place(made, at)),
                    Cell(agreed(made, experts[:, whole], at)),
                )
            )
        )
    return found


def main() -> None:
    """Score, rank, print."""
    parser = arguments(__doc__ or "")
    add_students(parser)
    parser.add_argument("-m", "--metrics", nargs="+", default=["chrf", "sim"])
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every n-th document")
    args = parser.parse_args()
    if not args.discourse:
        parser.error("give --discourse DIR, the unpacked discourse.tar.xz")
    judged = expert_set(args.discourse, "newstest21")
    folder = args.discourse / SETS["newstest21"]
    kept = [
        segment
        for number, document in enumerate(judged.evalset.documents)
        if number % args.sample == 0
        for segment in range(document.start, document.stop)
    ]
    people = {
        name: (folder / file).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        for name, file in HUMANS.items()
    }
    everyone = {**judged.evalset.systems, **people}
    texts = {name: tuple(lines[k] for k in kept) for name, lines in everyone.items()}
    penalty = penalties(folder, list(everyone), len(judged.evalset))[:, kept]
    metrics = list(args.metrics)
    if "newstest21" in (known := students(args)):
        metrics.append(f"judge(weights={known['newstest21']})")
    scores = Scores(args.fresh, args.workers)
    rows = compared(texts, "ref.A", "ref.B", penalty, metrics, scores)
    rows += compared(texts, "ref.B", "ref.A", penalty, metrics, scores)
    columns = (
        Heading("Human", align="left"),
        Heading("Judged by", align="left"),
        Heading("place"),
        Heading("human against machine, agreed", decimals=3),
    )
    runs = json.loads(RUNS.read_text(encoding="utf-8"))
    told = {name: runs[name]["tested"]["people"] for name in ("t-no21", "s-no21")}
    notes = [f"{len(kept)} segments; commit {commit()}"]
    notes += [
        f"{name}, recorded in training, all segments: {found}" for name, found in told.items()
    ]
    title = "newstest21 zh-en, the other reference given"
    sys.stdout.write(render([Table(columns, tuple(rows), title, tuple(notes))], args.format))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
