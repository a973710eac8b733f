"""Tables 2–5 of "Using Discourse Structure Improves Machine Translation Evaluation".

    PYTHONPATH=src python research/experiments/guzman2014.py [--data DIR] [-f text|latex|json|…]

Bold: adding discourse is better than the metric alone (for tuned Asiya rows: than the tuned
original); italic: worse. Metrics that are missing are listed below the tables.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _common import Scores, arguments, judged_set, judged_table, publish

from albeit.combine import cross_validate, fit, group, groups, uniform
from albeit.combine.tune import features
from albeit.metaeval import Measure, Task, agreement
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column
from albeit.report import Cell, Heading, Row, Table

PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
DISCOURSE = ("dr", "dr-lex")
SINGLE = {"meteor": "METEOR", "nist": "NIST", "rouge-w": "ROUGE-W", "ter": "TER", "bleu": "BLEU"}
ASIYA = ("asiya-lex", "asiya-syn", "asiya-srl", "asiya-sem", "asiya-0809", "asiya-all")
METEOR = "meteor-pa"
"""With paraphrases, as the WMT12 submission; without the table, our default form."""
MODERN = {"chrf": "chrF", "sim": "token similarity"}
TAU = Measure("segment", "tau-wmt12")
TAU_WITHOUT_TIES = Measure("segment", "tau-wmt13")
SPEARMAN = Measure("system", "spearman")
UNIFORM, TUNED = ("original", "+DR", "+DR-LEX"), ("original", "tuned", "+DR", "+DR-LEX")
FOLDS = 10
Printed = dict[str, list[float | str]]
Values = dict[str, list[float | None]]
"""The values of each row by its key."""


@dataclass(frozen=True)
class Line:
    """A row of the tables: which metrics it combines."""

    key: str
    title: str
    group: str
    metrics: tuple[str, ...]


def lines(known: Sequence[str]) -> tuple[list[Line], list[str]]:
    """Return the rows that can be made of these metrics, and notes on what they lack."""
    found: list[Line] = []
    notes: list[str] = []

    def add(key: str, title: str, where: str, names: Sequence[str] = ()) -> None:
        names = names or (key,)
        found.append(Line(key, title, where, tuple(name for name in names if name in known)))

    for key in DISCOURSE:
        add(key, key.upper(), "I: discourse")
    for key, title in SINGLE.items():
        where = "II: WMT12" if key == "meteor" else "III: other metrics"
        add(key, title, where, (METEOR,) if key == "meteor" and METEOR in known else ())
    for key in ASIYA:
        members = group(key)
        add(key, members.title, "IV: Asiya", members.members)
        absent = [member for member in members.members if member not in known]
        if absent:
            notes.append(f"{members.title} is without {', '.join(absent)}")
    for key, title in MODERN.items():
        add(key, title, "V: not in the paper")
    return found, notes


def load_task(
    data: Path, year: str, pair: str, metrics: Sequence[str], scores: Scores, judged: bool = False
) -> Task:
    """Return a set's scores and judgments; with ``judged``, only of judged translations."""
    found = judged_set(data, year, pair)
    if judged:
        return found.task(judged_table(found, metrics, scores), 0.0)
    return found.task(scores.table(found.evalset, metrics), 0.0)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean over language pairs; ``None`` where one is missing."""
    return None if not len(values) or np.isnan(values).any() else float(np.mean(values))


def combined(tasks: Sequence[Task], metrics: Sequence[str], measure: Measure) -> float | None:
    """Return the agreement of a uniform combination, or of the one metric alone."""
    if not metrics:
        return None
    columns = [
        t.table[metrics[0]] if len(metrics) == 1 else uniform(t.table, metrics) for t in tasks
    ]
    return mean([agreement(t, column, measure) for t, column in zip(tasks, columns, strict=True)])


def scored(task: Task, segment: np.ndarray) -> float:
    """Return the agreement of segment scores that belong to no column yet."""
    column = Column("tuned", Signature("tuned"), True, segment.mean(axis=1), None, segment)
    return agreement(task, column, TAU)


def tuned_folds(tasks: Sequence[Task], metrics: Sequence[str]) -> float | None:
    """Return the agreement of a tuned combination in ten folds of whole documents."""
    found = cross_validate(tasks, metrics, folds=FOLDS, seed=0)
    return mean([scored(t, s) for t, s in zip(tasks, found, strict=True)])


def tuned_apart(
    train: Sequence[Task], test: Sequence[Task], metrics: Sequence[str]
) -> float | None:
    """Return the agreement on other sets than those tuned on."""
    model = fit(train, metrics)
    return mean([scored(t, model(features(t.table, model.metrics))) for t in test])


def values(
    tasks: Sequence[Task],
    rows: Sequence[Line],
    measure: Measure,
    tuned: Callable[[Sequence[str]], float | None] | None = None,
) -> Values:
    """Return original, tuned original (with ``tuned``, of combinations only), +DR, and +DR-LEX."""
    known = tasks[0].table.metrics
    extended = tuned or (lambda metrics: combined(tasks, metrics, measure))
    found: Values = {}
    for row in rows:
        found[row.key] = own = [combined(tasks, row.metrics, measure)]
        if tuned:
            own.append(tuned(row.metrics) if row.key in ASIYA and row.metrics else None)
        for extra in DISCOURSE:
            can = bool(row.metrics) and row.key not in DISCOURSE and extra in known
            own.append(extended((*row.metrics, extra)) if can else None)
        print(f"  {row.title}: {own}", file=sys.stderr)
    return found


def table(
    caption: str, rows: Sequence[Line], ours: Values, paper: Printed, notes: Sequence[str]
) -> Table:
    """Return our values and the paper's, with averages over the rows that both have."""
    headings = UNIFORM if len(next(iter(ours.values()))) == len(UNIFORM) else TUNED
    columns = [Heading("Metric", key="metric", align="left")]
    columns += [Heading(h, group=side, decimals=3) for side in ("ours", "paper") for h in headings]
    made = []
    for row in rows:
        theirs = [v if isinstance(v, float) else None for v in paper.get(row.key, [])]
        theirs += [None] * (len(headings) - len(theirs))
        made.append(Row.of((row.title, *_marked(ours[row.key]), *_marked(theirs)), row.group))
    made += _averages(len(headings), ours, paper)
    return Table(tuple(columns), tuple(made), caption, (*_shares(headings, ours), *notes))


def _base(values: Sequence[float | None]) -> float | None:
    """Return what +DR and +DR-LEX are compared with: the tuned original where there is one."""
    return values[1] if len(values) == len(TUNED) and values[1] is not None else values[0]


def _gain(value: float | None, values: Sequence[float | None]) -> float | None:
    """Return the difference from the base, in three decimals."""
    base = _base(values)
    return None if value is None or base is None else round(value, 3) - round(base, 3)


def _marked(values: Sequence[float | None]) -> list[Cell]:
    cells = [Cell(value) for value in values[:-2]]
    for value in values[-2:]:
        gain = _gain(value, values) or 0.0
        cells.append(Cell(value, bold=gain > 0, italic=gain < 0))
    return cells


def _averages(size: int, ours: Values, paper: Printed) -> list[Row]:
    """Return each column's mean over the paper's rows where both sides have a value, and gains."""
    shared = [key for key in ours if key in (*SINGLE, *ASIYA) and key in paper]
    means, gains = [], []
    for side in (ours, paper):
        for place in range(size):
            both = [
                (float(side[key][place] or 0.0), float(side[key][0] or 0.0))
                for key in shared
                if ours[key][place] is not None and isinstance(paper[key][place], float)
            ]
            average = mean([value for value, _ in both])
            means.append(Cell(average, details={"rows": len(both)}))
            known = place > 0 and len(both) > 0
            gain = np.mean([v for v, _ in both]) - np.mean([o for _, o in both]) if known else None
            gains.append(gain)
    name = "average of the rows that both have"
    return [
        Row.of((name, *means), "average"),
        Row.of(("gain over the same rows' original", *gains), "average"),
    ]


def _shares(headings: Sequence[str], ours: Values) -> list[str]:
    notes = []
    for place in (-2, -1):
        gains = [_gain(own[place], own) for key, own in ours.items() if key not in DISCOURSE]
        known = [gain for gain in gains if gain is not None]
        better = sum(gain > 0 for gain in known)
        notes.append(f"{headings[place]} improves {better} of {len(known)} metrics")
    return notes


def main() -> None:
    """Score, combine, tune, print."""
    parser = arguments("Tables 2 to 5 of the ACL 2014 paper, with the paper's figures.")
    parser.add_argument("--tables", nargs="+", choices="2345", default=list("2345"))
    args = parser.parse_args()
    paper = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    wanted = [*DISCOURSE, *SINGLE, *MODERN]
    wanted += [m for g in groups().values() for m in g.members]
    scores = Scores(args.fresh, args.workers)
    wmt12 = [load_task(args.data, "wmt12", pair, wanted, scores) for pair in PAIRS]
    rows, notes = lines(wmt12[0].table.metrics)
    notes.append(f"averages over {', '.join(PAIRS)}")
    notes += [f"not in the tables: {name} ({why})" for name, why in sorted(scores.gaps.items())]
    made: list[Table] = []

    def add(number: str, caption: str, found: Values) -> None:
        made.append(table(caption, rows, found, paper[f"table{number}"], () if made else notes))

    if "2" in args.tables:
        add("2", "Table 2: WMT12, system level, Spearman", values(wmt12, rows, SPEARMAN))
    if "3" in args.tables:
        caption = "Table 3: WMT12, segment level, Kendall's tau, uniform combination"
        add("3", caption, values(wmt12, rows, TAU))
        caption = "Table 3 without the metrics' ties, instead of ties as errors"
        add("3", caption, values(wmt12, rows, TAU_WITHOUT_TIES))
    if "4" in args.tables:
        caption = "Table 4: WMT12, segment level, Kendall's tau, tuned in ten folds of documents"
        add("4", caption, values(wmt12, rows, TAU, lambda ms: tuned_folds(wmt12, ms)))
    if "5" in args.tables:
        wmt13 = [load_task(args.data, "wmt13", pair, wanted, scores, True) for pair in PAIRS]
        caption = "Table 5: tuned on WMT12, tested on WMT13 (the paper: on WMT11)"
        add("5", caption, values(wmt13, rows, TAU, lambda ms: tuned_apart(wmt12, wmt13, ms)))
    publish(made, args)


if __name__ == "__main__":
    main()
