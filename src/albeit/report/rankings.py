"""Rankings of metrics, and tuned models, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from albeit.report.table import Cell, Heading, Table
from albeit.stats import ALPHA

if TYPE_CHECKING:
    from albeit.combine import Model
    from albeit.metaeval import Measure, Ranking
    from albeit.metaeval.spans import SpanScore

_TESTS = {
    "input": "permutation of inputs",
    "system": "permutation of systems",
    "both": "permutation of inputs and systems",
    "pairs": "permutation of the outcomes of pairs",
    "williams": "Williams' test",
}


_SHORT = {"spa-mtme": "sys SPA", "accuracy-ties": "seg acc*_eq"}
"""Names of statistics in the tables of the WMT24 metrics task."""


def ranking_table(
    rankings: Ranking | Sequence[Ranking],
    signatures: Mapping[str, str] | None = None,
    *,
    decimals: int | None = None,
) -> Table:
    """Build a table of metrics, best first; an undefined value is a dash and a note.

    Several rankings of the same metrics (by segments, by systems) are columns, in the order of the
    first.
    """
    rankings = list(rankings) if isinstance(rankings, Sequence) else [rankings]
    first, alone = rankings[0], len(rankings) == 1
    digits = 3 if decimals is None else decimals
    by_task = alone and len(first.tasks) > 1
    columns = [Heading("Metric", key="metric", align="left")]
    columns += [Heading(task, decimals=digits) for task in first.tasks if by_task]
    for each in rankings:
        group, text = ("", str(each.measure)) if alone else (str(each.measure), "value")
        columns.append(Heading("mean" if by_task else text, "value", group, decimals=digits))
        columns += [Heading("cluster", group=group)] if each.test is not None else []
    rows = [
        [
            row.metric,
            *(row.values if by_task else ()),
            *(cell for each in rankings for cell in _cells(each, row.metric)),
        ]
        for row in first.metrics
    ]
    names = {row.metric for row in first.metrics}
    signatures = dict(signatures or {})
    notes = [note for each in rankings for note in _notes(each)]
    notes += [signature for name, signature in signatures.items() if name in names]
    meta = _meta(first) if alone else {"measures": [_meta(each) for each in rankings]}
    return Table.of(columns, rows, "", dict.fromkeys(notes), {**meta, "signatures": signatures})


def shared_task_table(
    ranked: Sequence[Ranking],
    signatures: Mapping[str, str],
    *,
    decimals: int | None = None,
) -> Table:
    """Build a table as the WMT metrics task prints it: mean, then each part, with ranks."""
    means, *parts = ranked
    digits = 3 if decimals is None else decimals
    groups = {"mean": means} | {_part_name(part, means.tasks): part for part in parts}
    columns = [Heading("Metric", key="metric", align="left")]
    for group in groups:
        columns += [Heading("rank", group=group), Heading("value", group=group, decimals=digits)]
    found = [{row.metric: row for row in each.metrics} for each in groups.values()]
    rows = [
        [row.metric, *(v for own in found for v in (own[row.metric].cluster, own[row.metric].mean))]
        for row in means.metrics
    ]
    how = "ranks: without tests; --resamples N tests differences"
    if means.samples:
        how = f"ranks: a new one begins where a metric of the last one is better (p < {ALPHA},"
        tests = "SPA by exchanges of scores, accuracy by exchanges of outcomes"
        how = f"{how} {means.samples:,} exchanges, seed {means.seed}; {tests})"
    notes = [how, *(note for part in parts for note in _sizes(part))]
    notes += [gap for part in parts for row in part.metrics for gap in row.gaps]
    notes += [*signatures.values()]
    meta = {"task": "wmt24", "parts": [_meta(part) for part in parts], "signatures": signatures}
    return Table.of(columns, rows, "", dict.fromkeys(notes), meta)


def _part_name(part: Ranking, tasks: Sequence[str]) -> str:
    """Name a part as the shared task does, by its language pair if that is enough."""
    task = part.tasks[0].split()[-1]
    unique = [name.split()[-1] for name in tasks].count(task) == 1
    return f"{task if unique else part.tasks[0]} {_SHORT[part.measure.statistic]}"


def _cells(ranking: Ranking, name: str) -> list[Cell]:
    """Build the cells of a metric in one ranking."""
    row = next(each for each in ranking.metrics if each.metric == name)
    best = max((m.mean for m in ranking.metrics if not math.isnan(m.mean)), default=math.nan)
    bold = row.mean == best and len(ranking.metrics) > 1
    cluster = [Cell(row.cluster)] if ranking.test is not None else []
    return [Cell(row.mean, bold=bold, interval=row.interval), *cluster]


def _notes(ranking: Ranking) -> Iterator[str]:
    """Describe what was counted on each set, the uncertainty, and undefined values."""
    yield from _sizes(ranking)
    if any(row.interval for row in ranking.metrics):
        yield (
            f"[low, high]: 95 % confidence, bootstrap, {ranking.samples:,} resamples over"
            f" documents, seed {ranking.seed}"
        )
    if ranking.test is not None:
        how = f", {ranking.samples:,} exchanges, seed {ranking.seed}"
        lines = sum(row.cluster is not None for row in ranking.metrics) - 1
        yield (
            "clusters: metrics that do not differ significantly share one; it ends where all of its"
            f" metrics are better than the next (p < {ALPHA} / {max(1, lines)},"
            f" {_TESTS[ranking.test]}{'' if ranking.test == 'williams' else how})"
        )
    yield from (gap for row in ranking.metrics for gap in row.gaps)


def _sizes(ranking: Ranking) -> Iterator[str]:
    measure = ranking.measure
    sizes = zip(ranking.tasks, ranking.counted, ranking.margins, strict=True)
    for task, size, margin in sizes:
        apart = f" with ratings at least {margin:g} apart" if margin else ""
        yield f"{task}: {measure} over {_describe_count(measure, size)}{apart}"


def _describe_count(measure: Measure, size: int) -> str:
    """Name what a statistic counts: judged pairs, translations, documents, or systems."""
    level = {"segment": "translation"}.get(measure.level, measure.level)
    what = "judged pair" if measure.pairwise else f"judged {level}"
    return f"{size:,} {what}" + ("" if size == 1 else "s")


def _meta(ranking: Ranking) -> dict[str, object]:
    names = ("tasks", "counted", "margins", "test", "samples", "seed")
    fields = {name: getattr(ranking, name) for name in names}
    return {"measure": str(ranking.measure), **fields}


def span_table(scores: Sequence[SpanScore], path: str) -> Table:
    """Build a table of marked errors against those of annotators."""
    columns = [Heading("Marked by", key="name", align="left")]
    columns += [Heading(name, decimals=3) for name in ("precision", "recall", "F1")]
    columns += [Heading("characters", decimals=0), Heading("compared", decimals=0)]
    rows = [[s.name, s.precision, s.recall, s.f1, int(s.marked), s.pairs] for s in scores]
    how = "characters; half credit for another severity; micro-average over translations and"
    notes = (f"{how} annotators ({path})", "annotators: each against the others")
    return Table.of(columns, rows, "", notes)


def model_table(model: Model, notes: Sequence[str] = ()) -> Table:
    """Build a table of a model's metrics and their weights for standardized scores."""
    content = model.to_json()
    features = content["features"]
    total = sum(abs(float(f["weight"])) for f in features) or 1.0
    columns = [
        Heading("Metric", key="metric", align="left"),
        Heading("weight", "weight"),
        *(Heading(name, decimals=3) for name in ("share", "mean", "deviation")),
    ]
    rows = []
    for feature in sorted(features, key=lambda f: -abs(float(f["weight"]))):
        weight, mean, deviation = (float(feature[k]) for k in ("weight", "mean", "deviation"))
        rows.append([str(feature["metric"]), weight, abs(weight) / total, mean, deviation])
    about = f"{model.learner}, L2 {content['l2']:g}, {model.training.get('pairs', 0):,} preferences"
    return Table.of(columns, rows, "", (about, f"model {model.digest()}", *notes), content)


def weight_table(weights: Mapping[str, tuple[str, float]], notes: Sequence[str] = ()) -> Table:
    """Build a table of hybrids: the tuned form and its weight of cohesion."""
    columns = [Heading("Hybrid", "hybrid", align="left"), Heading("tuned", align="left")]
    rows = [(name, *found) for name, found in weights.items()]
    return Table.of([*columns, Heading("alpha", decimals=4)], rows, "", notes)
