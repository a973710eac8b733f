"""Tables 2–5 of "Using Discourse Structure Improves Machine Translation Evaluation".

    PYTHONPATH=src python research/experiments/guzman2014.py [--data DIR] [-f text|latex|html|json|…]

Our numbers stand beside the paper's. Bold: adding discourse is better than the metric
alone (for tuned Asiya rows: than the tuned original); italic: worse. Every metric that
exists is in the tables; one that does not is a gap, named below them. Metrics that the
paper does not have, such as token similarity, stand in a group of their own.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _common import PAIRS, Scores, arguments, commit, load_task

from albeit.combine import cross_validate, fit, group, groups, uniform
from albeit.combine.features import features
from albeit.combine.tune import Fitted
from albeit.errors import MetricError
from albeit.metaeval import Measure, Task, agreement
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column
from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading

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
        found.append(Line(key, members.title, "IV: Asiya", members.present(known)))
        absent = members.absent(known)
        if absent:
            notes.append(f"{members.title} is without {', '.join(absent)}")
    for key, title in MODERN.items():
        found.append(Line(key, title, "V: not in the paper", (key,) if key in known else ()))
    return found, notes


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
    gains = paper.get("gains", [])
    told = [f"the paper's average gains over its own rows: {', '.join(map(str, gains))}"] * bool(
        gains
    )
    shares = _shares(headings, rows, ours)
    return Table(tuple(columns), tuple(made), caption, (*told, *shares, *notes))


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
    options = arguments("Tables 2-5 of the ACL 2014 paper, ours beside the paper's.")
    options.add_argument("--tables", nargs="+", choices="2345", default=list("2345"))
    options.add_argument(
        "--judged-only",
        action="store_true",
        help="score only translations that were judged (a seventh): Tables 3 to 5, sooner;"
        " min-max is then over these",
    )
    args = options.parse_args()
    if args.judged_only:
        args.tables = [number for number in args.tables if number != "2"]
    paper = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    wanted = [*DISCOURSE, *SINGLE, *MODERN]
    wanted += [m for g in groups().values() for m in g.members]
    scores = Scores(args.fresh, args.workers)
    years = ("wmt12", "wmt13") if "5" in args.tables else ("wmt12",)
    tasks = {
        year: [
            load_task(
                args.data, year, pair, wanted, scores, judged=args.judged_only or year == "wmt13"
            )
            for pair in PAIRS
        ]
        for year in years
    }
    known = tasks["wmt12"][0].table.metrics
    rows, notes = lines(known)
    notes.append(f"commit {commit()}; averages over {', '.join(PAIRS)}")
    if args.judged_only:
        notes.append("only judged translations were scored, and min-max is over these")
    notes += [f"not in the tables: {name} ({why})" for name, why in sorted(scores.gaps.items())]
    wmt12 = tasks["wmt12"]
    three, four = ("original", "+DR", "+DR-LEX"), ("original", "tuned", "+DR", "+DR-LEX")
    made: list[Table] = []
    if "2" in args.tables:
        values = uniform_values(wmt12, rows, SPEARMAN)
        caption = "Table 2: WMT12, system level, Spearman"
        made.append(table(caption, three, rows, values, paper["table2"], notes))
    if "3" in args.tables:
        values = uniform_values(wmt12, rows, TAU)
        caption = "Table 3: WMT12, segment level, Kendall's tau, uniform combination"
        made.append(table(caption, three, rows, values, paper["table3"], () if made else notes))
        values = uniform_values(wmt12, rows, TAU_WITHOUT_TIES)
        caption = "Table 3 with the metrics' own ties left out instead of counted against them"
        made.append(table(caption, three, rows, values, paper["table3"], () if made else notes))
    if "4" in args.tables:
        values = tuned_values(wmt12, rows, lambda metrics: tuned_folds(wmt12, metrics))
        caption = "Table 4: WMT12, segment level, Kendall's tau, tuned in ten folds of documents"
        made.append(table(caption, four, rows, values, paper["table4"], () if made else notes))
    if "5" in args.tables:
        wmt13 = tasks["wmt13"]
        values = tuned_values(wmt13, rows, lambda metrics: tuned_apart(wmt12, wmt13, metrics))
        caption = "Table 5: tuned on WMT12, tested on WMT13 (the paper: on WMT11)"
        made.append(table(caption, four, rows, values, paper["table5"], () if made else notes))
    sys.stdout.write(render(made, args.format))


if __name__ == "__main__":
    try:
        main()
    except MetricError as error:
        sys.exit(f"guzman2014: {error}")
