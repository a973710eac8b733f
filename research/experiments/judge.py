"""How well `judge` agrees with people, by models that never saw what they are tested on.

    PYTHONPATH=src:research python research/experiments/judge.py [--discourse DIR --student SET=DIR … --sample N --party]

The first tables reprint what training recorded (`research/training/judge/kept/runs.json`): each teacher and student
was tested on a GPU, right after its training, on the sets it had left out. With `--discourse` the
experts' sets of today's systems are scored here: chrF on all of them, and, on every n-th document, the
metrics given and the students named, beside each other; WMT21's directions with its student
(`--student wmt21=DIR`).
"""

from __future__ import annotations

import json
import sys
from ast import literal_eval
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from _common import DA_MARGIN, ROOT, Scores, arguments, commit, judged_set
from _judge import SETS, add_students, expert_set, students

from albeit.judged import JudgedSet
from albeit.metaeval import Measure, agreement
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

RUNS = ROOT / "research" / "training" / "judge" / "kept" / "runs.json"
TEACHERS = {
    "wmt12": "t-no12",
    "wmt13": "t-no13",
    "wmt23": "t-no23",
    "newstest21": "t-no21",
    "wmt21": "t-no12",
    "ted": "t-no13",
    "demetr": "t-all-1",
}
STUDENTS = {
    "wmt12": "s-no12",
    "wmt13": "s-no13",
    "wmt23": "s-no23",
    "newstest21": "s-no21",
    "wmt21": "s-no12",
    "ted": "s-no13",
    "demetr": "s2-all",
}
"""Where there are two runs, the one with the better development figures (s-no12, s2-all)."""
LEFT_OUT = {
    "wmt12": "no12",
    "wmt13": "no13",
    "wmt23": "no23",
    "newstest21": "no21",
    "wmt21": "no12",
    "ted": "no13",
    "demetr": "all",
}
MEASURES = {
    "segment tau": Measure("segment", "tau-wmt14"),
    "system pearson": Measure("system", "pearson"),
    "system spa": Measure("system", "spa"),
}
ASSESSED = ("ru-en", "ja-en", "is-en")
"""WMT21's directions with direct assessment; a student of ``wmt21`` has seen none of them."""
MARGIN = 1.0
"""MQM points between two translations that count."""


def figure(run: dict[str, Any], name: str) -> float:
    """What a run recorded on a set that it had left out."""
    found = run["tested"][name]
    return float(found if isinstance(found, float) else found.get("mean", found.get("all")))


def recorded(runs: dict[str, Any]) -> list[Table]:
    """Left-out sets, and kinds of damage."""
    columns = [
        Heading("Left out", key="set", align="left"),
        Heading("Teacher", decimals=4),
        Heading("Student", decimals=4),
    ]
    names = ("Longer", "Preferences alone", "Matching, masks")
    others = [Heading(name, decimals=4) for name in names]
    rows = [
        Row(
            (
                Cell(name),
                *(
                    Cell(figure(runs[run], name))
                    for run in (
                        TEACHERS[name],
                        STUDENTS[name],
                        f"s3-{left}",
                        f"p-{left}",
                        f"m-{left}",
                    )
                ),
            )
        )
        for name, left in LEFT_OUT.items()
    ]
    used = {*TEACHERS.values(), *STUDENTS.values()}
    notes = [
        f"{n}: {r['steps']} of {r['planned']} planned steps" for n, r in runs.items() if n in used
    ]
    first = Table((*columns, *others), tuple(rows), "Sets left out of training", tuple(notes))
    tests = {name: runs[name]["tested"]["demetr"] for name in ("t-all-1", "s2-all")}
    kinds = [
        Row((Cell(kind), *(Cell(test[kind]) for test in tests.values())))
        for kind in tests["s2-all"]
    ]
    second = Table(
        (Heading("DEMETR", align="left"), *columns[1:]), tuple(kinds), "Contrasts, right on"
    )
    seen = {name: runs[name]["damage"] for name in ("t-all-1", "s2-all")}
    damage = [
        Row((Cell(kind), *(Cell(test[kind]) for test in seen.values()))) for kind in seen["s2-all"]
    ]
    title = "Made-up damage of development documents, share seen"
    third = Table((Heading("Kind", align="left"), *columns[1:]), tuple(damage), title)
    return [first, second, third, tries(runs)]


USUAL = {
    "across": "0.3",
    "marks": "0.2",
    "inside": "0.1",
    "hidden": "0.0",
    "eight_bit_from": "2.0",
    "gold": "0.3",
    "within": "3.0",
}
"""Settings of the tries that are told only where they differ."""


def told(settings: dict[str, str]) -> str:
    """How a try differs from the others."""
    parts = ["teachers" if settings["targets"] != "[]" else "preferences alone"]
    parts += [f"rate {settings['lr']}", f"{settings['budget']} subwords a step"]
    parts += [name for name in ("match", "words", "plain") if settings.get(name) == "True"]
    changed = {name: settings.get(name, usual) for name, usual in USUAL.items()}
    parts += [f"{name} {value}" for name, value in changed.items() if value != USUAL[name]]
    data = [*literal_eval(settings.get("sets", "[]")), *literal_eval(settings.get("kinds", "[]"))]
    return ", ".join([*parts, *data])


def tries(runs: dict[str, Any]) -> Table:
    """Other ways of learning, each for a minute or two: WMT13 left out, and looked at."""
    rows = [
        Row(
            (
                Cell(name),
                Cell(told(run["arguments"])),
                Cell(run["steps"]),
                Cell(figure(run, "wmt13")),
                Cell(figure(run, "demetr")),
                Cell(run["dev"]["mean"]),
            )
        )
        for name, run in runs.items()
        if name[:2] in ("w-", "x-", "y-", "z-") and "tested" in run
    ]
    columns = (
        Heading("Run", align="left"),
        Heading("How", align="left"),
        Heading("Steps", decimals=0),
        *(Heading(name, decimals=4) for name in ("WMT13", "DEMETR", "Development")),
    )
    return Table(columns, tuple(rows), "Ways of learning, WMT13 left out")


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
    """Reprint, score, print."""
    parser = arguments(__doc__ or "")
    add_students(parser)
    parser.add_argument(
        "--sample", type=int, metavar="N", help="score every n-th document by the other metrics too"
    )
    parser.add_argument("--party", action="store_true", help="albeit-party too: all layers")
    args = parser.parse_args()
    tables = recorded(json.loads(RUNS.read_text(encoding="utf-8")))
    if args.discourse:
        scores = Scores(args.fresh, args.workers)
        folders = students(args, (*SETS, "wmt21"))
        for name in SETS:
            tables.append(
                scored(expert_set(args.discourse, name), ["chrf"], scores, f"{name}, all")
            )
            if not args.sample:
                continue
            metrics = ["chrf", "sim", *(["albeit-party"] if args.party else [])]
            metrics += [f"judge(weights={folders[name]})"] if name in folders else []
            sample = expert_set(args.discourse, name, args.sample)
            title = f"{name}, one document in {args.sample}"
            tables.append(scored(sample, metrics, scores, title))
        if "wmt21" in folders:
            metrics = ["chrf", "sim", *(["albeit-party"] if args.party else [])]
            metrics.append(f"judge(weights={folders['wmt21']})")
            for pair in ASSESSED:
                judged = judged_set(args.data, "wmt21", pair)
                tables.append(scored(judged, metrics, scores, f"wmt21/{pair}, all", DA_MARGIN))
    tables[0] = replace(tables[0], notes=(*tables[0].notes, f"commit {commit()}"))
    sys.stdout.write(render(tables, args.format))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
