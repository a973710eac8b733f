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
from _common import Scores, arguments, commit, judged_set, judged_table, publish

from albeit.combine import cross_validate, fit, group, groups, uniform
from albeit.combine.tune import Fitted, features
from albeit.metaeval import Measure, Task, agreement
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

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
FOLDS = 10


@dataclass(frozen=True)
class Line:
    """A row of the tables: which metrics it combines."""

    key: str
    title: str
    group: str
    metrics: tuple[str, ...]

    @property
    def asiya(self) -> bool:
        """Whether the original is itself a combination."""
        return self.key in ASIYA


def lines(known: Sequence[str]) -> tuple[list[Line], list[str]]:
    """The rows that can be made of these metrics, and notes on what they lack."""
    found: list[Line] = []
    notes: list[str] = []
    found += [
        Line(key, key.upper(), "I: discourse", (key,) if key in known else ()) for key in DISCOURSE
    ]
    for key, title in SINGLE.items():
        where = "II: WMT12" if key == "meteor" else "III: other metrics"
        name = METEOR if key == "meteor" and METEOR in known else key
        found.append(Line(key, title, where, (name,) if name in known else ()))
    for key in ASIYA:
        members = group(key)
        present = tuple(member for member in members.members if member in known)
        found.append(Line(key, members.title, "IV: Asiya", present))
        absent = [member for member in members.members if member not in known]
        if absent:
            notes.append(f"{members.title} is without {', '.join(absent)}")
    for key, title in MODERN.items():
        found.append(Line(key, title, "V: not in the paper", (key,) if key in known else ()))
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
    """The mean over language pairs; ``None`` where one is missing."""
    return None if not len(values) or np.isnan(values).any() else float(np.mean(values))


def combined(tasks: Sequence[Task], metrics: Sequence[str], measure: Measure) -> float | None:
    """Agreement of a uniform combination, or of the one metric alone."""
    if not metrics:
        return None
    values = []
    for task in tasks:
        column = task.table[metrics[0]] if len(metrics) == 1 else uniform(task.table, metrics)
        values.append(agreement(task, column, measure))
    return mean(values)


def scored(task: Task, segment: np.ndarray, measure: Measure) -> float:
    """Agreement of segment scores that belong to no column yet."""
    column = Column("tuned", Signature("tuned"), True, segment.mean(axis=1), None, segment)
    return agreement(task, column, measure)


def tuned_folds(tasks: Sequence[Task], metrics: Sequence[str]) -> float | None:
    """Agreement of a tuned combination in ten folds of whole documents."""
    found = cross_validate(tasks, metrics, folds=FOLDS, seed=0)
    return mean([scored(t, s, TAU) for t, s in zip(tasks, found, strict=True)])


def tuned_apart(
    train: Sequence[Task], test: Sequence[Task], metrics: Sequence[str]
) -> float | None:
    """Agreement on other sets than those tuned on."""
    model: Fitted = fit(train, metrics)
    return mean([scored(t, model(features(t.table, model.metrics)), TAU) for t in test])


Values = dict[str, list[float | None]]


def uniform_values(tasks: Sequence[Task], rows: Sequence[Line], measure: Measure) -> Values:
    """Original, +DR, +DR-LEX of every row."""
    known = set(tasks[0].table.metrics)
    found: Values = {}
    for row in rows:
        values = [combined(tasks, row.metrics, measure)]
        for extra in DISCOURSE:
            can = bool(row.metrics) and row.key not in DISCOURSE and extra in known
            values.append(combined(tasks, (*row.metrics, extra), measure) if can else None)
        found[row.key] = values
    return found


def tuned_values(
    tasks: Sequence[Task], rows: Sequence[Line], tuned: Callable[[Sequence[str]], float | None]
) -> Values:
    """Original, tuned original (combinations only), tuned +DR, tuned +DR-LEX."""
    known = set(tasks[0].table.metrics)
    found: Values = {}
    for row in rows:
        values = [combined(tasks, row.metrics, TAU)]
        values.append(tuned(row.metrics) if row.asiya and row.metrics else None)
        for extra in DISCOURSE:
            can = bool(row.metrics) and row.key not in DISCOURSE and extra in known
            values.append(tuned((*row.metrics, extra)) if can else None)
        found[row.key] = values
        print(f"  {row.title}: {values}", file=sys.stderr)
    return found


def table(
    caption: str,
    headings: Sequence[str],
    rows: Sequence[Line],
    ours: Values,
    paper: dict[str, list[float | str]],
    notes: Sequence[str],
) -> Table:
    """Ours beside the paper's, with averages over the rows that both have."""
    columns = [Heading("Metric", key="metric", align="left")]
    columns += [Heading(h, group="ours", decimals=3) for h in headings]
    columns += [Heading(h, group="paper", decimals=3) for h in headings]
    made = []
    for row in rows:
        theirs = [v if isinstance(v, float) else None for v in paper.get(row.key, [])]
        theirs += [None] * (len(headings) - len(theirs))
        cells = [*_marked(ours[row.key]), *_marked(theirs)]
        made.append(Row((Cell(row.title), *cells), row.group))
    made += _averages(headings, rows, ours, paper)
    return Table(tuple(columns), tuple(made), caption, (*_shares(headings, rows, ours), *notes))


def _base(values: Sequence[float | None]) -> float | None:
    """What +DR and +DR-LEX are compared with: the tuned original where there is one."""
    return values[1] if len(values) == 4 and values[1] is not None else values[0]


def _marked(values: Sequence[float | None]) -> list[Cell]:
    base = _base(values)
    cells = []
    for place, value in enumerate(values):
        discourse = place >= len(values) - 2
        known = discourse and base is not None and value is not None
        better = known and round(value, 3) > round(base, 3)  # type: ignore[arg-type]
        worse = known and round(value, 3) < round(base, 3)  # type: ignore[arg-type]
        cells.append(Cell(value, bold=better, italic=worse))
    return cells


def _averages(
    headings: Sequence[str], rows: Sequence[Line], ours: Values, paper: dict[str, list[float | str]]
) -> list[Row]:
    """Over the paper's rows that we share: each column's mean where both sides have a value."""
    shared = [row.key for row in rows if row.key in (*SINGLE, *ASIYA) and row.key in paper]
    means: list[list[Cell]] = [[], []]
    gains: list[list[Cell]] = [[], []]
    for place in range(len(headings)):
        both = [
            (key, ours[key][place], theirs)
            for key in shared
            if ours[key][place] is not None and isinstance(theirs := paper[key][place], float)
        ]
        for side in range(2):
            values = [float(pair[1 + side] or 0.0) for pair in both]
            first = [ours[key][0] if side == 0 else paper[key][0] for key, _, _ in both]
            originals = [float(value or 0.0) for value in first]
            means[side].append(Cell(mean(values), details={"rows": len(both)}))
            gain = None if place == 0 or not both else float(np.mean(values) - np.mean(originals))
            gains[side].append(Cell(gain))
    name = "average of the rows that both have"
    return [
        Row((Cell(name), *means[0], *means[1]), "average"),
        Row((Cell("gain over the same rows' original"), *gains[0], *gains[1]), "average"),
    ]


def _shares(headings: Sequence[str], rows: Sequence[Line], ours: Values) -> list[str]:
    notes = []
    for place in (-2, -1):
        pairs = [
            (ours[row.key][place], _base(ours[row.key])) for row in rows if row.key not in DISCOURSE
        ]
        known = [(v, b) for v, b in pairs if v is not None and b is not None]
        if known:
            better = sum(round(v, 3) > round(b, 3) for v, b in known)
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
    notes.append(f"commit {commit()}; averages over {', '.join(PAIRS)}")
    notes += [f"not in the tables: {name} ({why})" for name, why in sorted(scores.gaps.items())]
    three, four = ("original", "+DR", "+DR-LEX"), ("original", "tuned", "+DR", "+DR-LEX")
    made: list[Table] = []

    def add(number: str, caption: str, headings: Sequence[str], values: Values) -> None:
        printed = paper[f"table{number}"]
        made.append(table(caption, headings, rows, values, printed, () if made else notes))

    if "2" in args.tables:
        add(
            "2",
            "Table 2: WMT12, system level, Spearman",
            three,
            uniform_values(wmt12, rows, SPEARMAN),
        )
    if "3" in args.tables:
        caption = "Table 3: WMT12, segment level, Kendall's tau, uniform combination"
        add("3", caption, three, uniform_values(wmt12, rows, TAU))
        caption = "Table 3 without the metrics' ties, instead of ties as errors"
        add("3", caption, three, uniform_values(wmt12, rows, TAU_WITHOUT_TIES))
    if "4" in args.tables:
        caption = "Table 4: WMT12, segment level, Kendall's tau, tuned in ten folds of documents"
        add("4", caption, four, tuned_values(wmt12, rows, lambda ms: tuned_folds(wmt12, ms)))
    if "5" in args.tables:
        wmt13 = [load_task(args.data, "wmt13", pair, wanted, scores, True) for pair in PAIRS]
        caption = "Table 5: tuned on WMT12, tested on WMT13 (the paper: on WMT11)"
        add("5", caption, four, tuned_values(wmt13, rows, lambda ms: tuned_apart(wmt12, wmt13, ms)))
    publish(made, args)


if __name__ == "__main__":
    main()
