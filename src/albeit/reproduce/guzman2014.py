"""Tables 2 to 5 of "Using Discourse Structure Improves Machine Translation Evaluation" (ACL 2014).

Bold: adding discourse is better than the metric alone (for tuned Asiya rows: than the tuned
original); italic: worse. ``ter`` is a table of our own: variants of TER, compared with the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.combine import cross_validate, fit, group, uniform
from albeit.combine.tune import features
from albeit.errors import AlbeitError
from albeit.metaeval import Measure, Task, agreement
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column
from albeit.report import Cell, Heading, Row, Table
from albeit.reproduce.sets import Work, decimals, published
from albeit.resources.paraphrase import find_paraphrases

PAIRS = ("cs-en", "de-en", "es-en", "fr-en")
TABLES = ("2", "3", "4", "5", "ter")
DISCOURSE = ("dr", "dr-lex")
GROUPS = {
    "I: discourse": DISCOURSE,
    "II: WMT12 (ours: METEOR 1.5)": ("meteor",),
    "III: other metrics": ("nist", "rouge-w", "ter", "bleu"),
    "IV: Asiya": tuple(f"asiya-{name}" for name in ("lex", "syn", "srl", "sem", "0809", "all")),
    "not in the paper": ("chrf", "sim"),
}
"""The rows by the paper's groups. Table 2 has TER and BLEU in group II."""
PLAIN = "without METEOR's paraphrase table"
TITLES = {"dr": "DR", "dr-lex": "DR-LEX", "chrf": "chrF", "sim": "token similarity"}
VARIANTS = ["ter", *(f"ter({name}=yes)" for name in ("normalized", "case_sensitive", "no_punct"))]
VARIANTS += ["terp-a(table=none)", "terp-a"]
TAU, NO_TIES = Measure("segment", "tau-wmt12"), Measure("segment", "tau-wmt13")
SPEARMAN = Measure("system", "spearman")
UNIFORM, TUNED = ("original", "+DR", "+DR-LEX"), ("original", "tuned", "+DR", "+DR-LEX")
FOLDS = 10
CHOSEN_ON = 6
"""Every sixth document of WMT13 served the choices in DR and DR-LEX, so Table 5 leaves it out."""
Values = Sequence[float | None]


class Line(NamedTuple):
    """A row of the tables: the metrics that it combines."""

    key: str
    title: str
    group: str
    metrics: tuple[str, ...]


def has_paraphrases() -> bool:
    """Return whether METEOR's paraphrase table is installed."""
    try:
        return bool(find_paraphrases())
    except AlbeitError:
        return False


def lines() -> list[Line]:
    """Return the rows; with the paraphrase table, those that it changes also without it."""
    found = [_line(key, where) for where, keys in GROUPS.items() for key in keys]
    paraphrased = {"meteor-pa", "terp-a"}
    if not has_paraphrases():
        return [line._replace(metrics=_plain(line.metrics)) for line in found]
    changed = [line for line in found if paraphrased & {*line.metrics}]
    return found + [each._replace(group=PLAIN, metrics=_plain(each.metrics)) for each in changed]


def _line(key: str, where: str) -> Line:
    if key.startswith("asiya"):
        return Line(key, group(key).title, where, group(key).members)
    return Line(
        key, TITLES.get(key, key.upper()), where, ("meteor-pa" if key == "meteor" else key,)
    )


def _plain(metrics: tuple[str, ...]) -> tuple[str, ...]:
    """Replace metrics that read the paraphrase table; a combination just lacks METEOR-pa."""
    if metrics == ("meteor-pa",):
        return ("meteor",)
    names = {"terp-a": "terp-a(table=none)"}
    return tuple(names.get(metric, metric) for metric in metrics if metric != "meteor-pa")


def _mean(values: Iterable[float]) -> float | None:
    """Return the mean over language pairs; ``None`` where one is missing."""
    found = list(values)
    return None if not found or np.isnan(found).any() else float(np.mean(found))


def _combined(tasks: Sequence[Task], metrics: Sequence[str], measure: Measure) -> float | None:
    """Return the agreement of a uniform combination, or of the one metric alone."""
    tables = [task.table for task in tasks]
    one = len(metrics) == 1
    columns = [table[metrics[0]] if one else uniform(table, metrics) for table in tables]
    return _mean(agreement(t, column, measure) for t, column in zip(tasks, columns, strict=True))


def _scored(task: Task, segment: FloatArray) -> float:
    """Return the agreement of segment scores that belong to no column yet."""
    column = Column("tuned", Signature("tuned"), True, segment.mean(axis=1), None, segment)
    return agreement(task, column, TAU)


def _tuned_in_folds(tasks: Sequence[Task], metrics: Sequence[str]) -> float | None:
    """Return the agreement of a tuned combination in ten folds of whole documents."""
    found = cross_validate(tasks, metrics, folds=FOLDS, seed=0)
    return _mean(map(_scored, tasks, found))


def _tuned_on(train: Sequence[Task], tasks: Sequence[Task], metrics: Sequence[str]) -> float | None:
    """Return the agreement of a combination that is tuned on other sets."""
    model = fit(train, metrics)
    return _mean(_scored(task, model(features(task.table, model.metrics))) for task in tasks)


def _values(
    tasks: Sequence[Task],
    rows: Sequence[Line],
    measure: Measure,
    tuned: Callable[[Sequence[str]], float | None] | None = None,
) -> dict[Line, Values]:
    """Return original, tuned original (with ``tuned``, of combinations only), +DR, and +DR-LEX."""
    extended = tuned or (lambda metrics: _combined(tasks, metrics, measure))
    found: dict[Line, Values] = {}
    for row in rows:
        own = [_combined(tasks, row.metrics, measure)]
        if tuned:
            own.append(tuned(row.metrics) if len(row.metrics) > 1 else None)
        alone = row.key in DISCOURSE
        own += [None if alone else extended((*row.metrics, each)) for each in DISCOURSE]
        found[row] = own
    return found


def _table(number: str, name: str, ours: dict[Line, Values], notes: Sequence[str] = ()) -> Table:
    """Return our values and the paper's, with averages over the rows that both have."""
    text = published("guzman2014")
    headings = UNIFORM if number in "23" else TUNED
    columns = [Heading("Metric", key="metric", align="left")]
    columns += [each for side in ("ours", "paper") for each in decimals(*headings, group=side)]
    rows, shared = [], []
    for line, own in ours.items():
        printed = (
            text["rows"].get(line.key, [[]] * 4)[int(number) - 2] if line.group != PLAIN else []
        )
        theirs: Values = [v if isinstance(v, float) else None for v in printed]
        theirs = [*theirs, *[None] * (len(own) - len(theirs))]
        where = line.group
        if number == "2" and line.key in ("ter", "bleu"):
            where = next(name for name in GROUPS if name.startswith("II:"))
        rows.append(Row.of((line.title, *_marked(own), *_marked(theirs)), where))
        if printed and line.key not in DISCOURSE:
            shared.append((line.key, own, theirs))
    rows.sort(key=lambda row: [*GROUPS, PLAIN].index(row.group))
    rows += _averages(shared, "average of the rows that both have")
    rows += _averages([row for row in shared if row[0] != "ter"], "average without TER")
    notes = [_improved(ours), *notes, *text["notes"].get(name, ())]
    return Table(tuple(columns), tuple(rows), text["captions"][name], tuple(notes))


def _improved(ours: dict[Line, Values]) -> str:
    """Return how many rows the two columns improve."""
    found = []
    for place, name in enumerate(UNIFORM[1:], -2):
        own = [values for line, values in ours.items() if line.group != PLAIN]
        gains = [gain for values in own if (gain := _gain(values[place], values)) is not None]
        found.append(f"{name} improves {sum(gain > 0 for gain in gains)} of {len(gains)} rows")
    return ", ".join(found) + "."


def _without_ties(tasks: Sequence[Task], rows: Sequence[Line]) -> str:
    """Return what Table 3 is if a metric's ties are dropped instead of counted as errors."""
    ours = _values(tasks, rows, NO_TIES)
    own = [f"{line.title} has {ours[line][0]:.3f}" for line in rows if line.key in DISCOURSE]
    return f"If a metric's ties are dropped, {', '.join(own)}. Then {_improved(ours)}"


def _gain(value: float | None, values: Values) -> float | None:
    """Return the difference, in three decimals, from the tuned original or the original."""
    base = values[1] if len(values) == len(TUNED) and values[1] is not None else values[0]
    return None if value is None or base is None else round(value, 3) - round(base, 3)


def _marked(values: Values) -> list[Cell]:
    """Return cells with gains in bold and losses in italics."""
    gains = [_gain(value, values) or 0.0 for value in values[-2:]]
    cells = [Cell(value) for value in values[:-2]]
    pairs = zip(values[-2:], gains, strict=True)
    return cells + [Cell(value, bold=gain > 0, italic=gain < 0) for value, gain in pairs]


def _averages(shared: Sequence[tuple[str, Values, Values]], name: str) -> list[Row]:
    """Return each column's mean over rows where both sides have a value, and the gains."""
    means: list[float | None] = []
    gains: list[float | None] = []
    for side in (1, 2):
        for place in range(len(shared[0][1])):
            both = [row[side] for row in shared if None not in (row[1][place], row[2][place])]
            at, base = ([float(values[n] or 0.0) for values in both] for n in (place, 0))
            means.append(_mean(at))
            gains.append(float(np.mean(at) - np.mean(base)) if place and both else None)
    return [
        Row.of((name, *means), "average"),
        Row.of(("gain over the original", *gains), "average"),
    ]


def _variants(tasks: Sequence[Task]) -> Table:
    """Return Tables 2 and 3 for variants of TER, with ties as errors and as half an error."""
    text = published("guzman2014")
    printed = text["rows"]["ter"]
    groups = ("Table 3, τ", "τ, ties as half errors", "Table 2, ρ")
    heads = [h for title in groups for h in decimals(*UNIFORM, group=title)]
    rows = [("the paper's TER", *printed[1], *printed[1], *printed[0], None)]
    for name in VARIANTS:
        line = Line(name, name, "", (name,))
        own, system = (_values(tasks, [line], each)[line] for each in (TAU, SPEARMAN))
        half = [_half(tasks, (name, *more)) for more in ((), *((each,) for each in DISCOURSE))]
        rows.append((name, *own, *half, *system, half[0] - (own[0] or 0.0)))
    heads = [Heading("Variant", align="left"), *heads, *decimals("ties", group="original")]
    return Table.of(heads, rows, text["captions"]["ter"], text["notes"]["ter"])


def _half(tasks: Sequence[Task], metrics: Sequence[str]) -> float:
    """Return τ with a metric's ties as half right: (concordant - discordant) / all pairs."""
    found = []
    for task in tasks:
        low, high = (_combined([task], metrics, each) or 0.0 for each in (TAU, NO_TIES))
        found.append(low + (high - low) / (1 + high))
    return float(np.mean(found))


def make(work: Work, wanted: Sequence[str]) -> list[Table]:
    """Score, combine, and tune; return the wanted tables."""
    text, rows = published("guzman2014"), lines()
    late = [("wmt11", "de-en")] * ("de-en" in work.pairs) + [("wmt13", p) for p in work.pairs]
    sets = [("wmt12", pair) for pair in work.pairs]
    work.require([f"{y}/{p}" for y, p in sets + late * ("5" in wanted)])
    metrics = [*DISCOURSE, *(metric for row in rows for metric in row.metrics)]
    metrics += VARIANTS if "ter" in wanted else ()
    wmt12 = _load(work, sets, metrics)
    made = []
    if "2" in wanted:
        made.append(_table("2", "2", _values(wmt12, rows, SPEARMAN)))
    if "3" in wanted:
        made.append(_table("3", "3", _values(wmt12, rows, TAU), [_without_ties(wmt12, rows)]))
    if "4" in wanted:
        made.append(_table("4", "4", _values(wmt12, rows, TAU, partial(_tuned_in_folds, wmt12))))
    for year in ("wmt11", "wmt13") if "5" in wanted else ():
        if tests := [_held_out(work, y, pair, metrics) for y, pair in late if y == year]:
            values = _values(tests, rows, TAU, partial(_tuned_on, wmt12, tests))
            made.append(_table("5", year, values))
    if "ter" in wanted:
        made.append(_variants(wmt12))
    about = [f"Average over {', '.join(work.pairs)}.", *text["notes"]["all"]]
    about += [] if has_paraphrases() else [text["notes"]["plain"]]
    return [replace(made[0], notes=(*made[0].notes, *about)), *made[1:]]


def _load(work: Work, sets: Sequence[tuple[str, str]], metrics: Sequence[str]) -> list[Task]:
    """Score all translations of sets."""
    judged = [work.judged("/".join(place)) for place in sets]
    return [each.task(work.score(each.evalset, metrics), 0.0) for each in judged]


def _held_out(work: Work, year: str, pair: str, metrics: Sequence[str]) -> Task:
    """Score the judged translations of a later test set, without documents used for choices."""
    judged = work.judged(f"{year}/{pair}")
    if year == "wmt13":
        documents = enumerate(judged.evalset.documents)
        kept = [n for k, d in documents if k % CHOSEN_ON for n in range(d.start, d.stop)]
        judged = judged.take(kept)
    return judged.task(work.score_judged(judged, metrics), 0.0)
