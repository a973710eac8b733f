"""Rankings of metrics, and tuned models, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from albeit.combine import Model
from albeit.metaeval import Measure, Ranking
from albeit.report.table import Cell, Heading, Row, Table
from albeit.stats import ALPHA

_TESTS = {
    "input": "permutation of inputs",
    "system": "permutation of systems",
    "both": "permutation of inputs and systems",
    "williams": "Williams' test",
}


def ranking_table(
    found: Ranking | Sequence[Ranking],
    signatures: Mapping[str, str] | None = None,
    *,
    decimals: int | None = None,
) -> Table:
    """Metrics as rows, best first; a value that does not exist is a dash and a note.

    Several rankings of the same metrics (by segments, by systems) stand side by side, in the
    order of the first.
    """
    rankings = [found] if isinstance(found, Ranking) else list(found)
    first, alone = rankings[0], len(rankings) == 1
    digits = 3 if decimals is None else decimals
    by_task = alone and len(first.tasks) > 1
    columns = [Heading("Metric", key="metric", align="left")]
    if by_task:
        columns += [Heading(task, decimals=digits) for task in first.tasks]
    for each in rankings:
        group, text = ("", str(each.measure)) if alone else (str(each.measure), "value")
        columns.append(Heading("mean" if by_task else text, "value", group, decimals=digits))
        if each.test is not None:
            columns.append(Heading("cluster", group=group))
    rows = []
    for metric in first.metrics:
        cells = [Cell(metric.metric)]
        if by_task:
            cells += [Cell(value) for value in metric.values]
        for each in rankings:
            cells += _cells(each, metric.metric)
        rows.append(Row(tuple(cells)))
    notes = [note for each in rankings for note in _notes(each)]
    notes += [
        s for name, s in (signatures or {}).items() if any(m.metric == name for m in first.metrics)
    ]
    meta = {
        **(_meta(first) if alone else {"measures": [_meta(each) for each in rankings]}),
        "signatures": dict(signatures or {}),
    }
    return Table(tuple(columns), tuple(rows), notes=tuple(dict.fromkeys(notes)), meta=meta)


def _cells(found: Ranking, name: str) -> Iterator[Cell]:
    """What one ranking says of a metric."""
    metric = next(m for m in found.metrics if m.metric == name)
    top = max((m.mean for m in found.metrics if not math.isnan(m.mean)), default=math.nan)
    bold = metric.mean == top and len(found.metrics) > 1
    yield Cell(metric.mean, bold=bold, interval=metric.interval)
    if found.test is not None:
        yield Cell(metric.cluster)


def _notes(found: Ranking) -> Iterator[str]:
    """What was counted on each set, how sure it is, and what does not exist."""
    for task, size, margin in zip(found.tasks, found.counted, found.margins, strict=True):
        apart = f" that people put {margin:g} or more apart" if margin else ""
        yield f"{task}: {found.measure} over {_counted(found.measure, size)}{apart}"
    if any(metric.interval for metric in found.metrics):
        yield (
            f"[low, high]: 95 % confidence, bootstrap, {found.samples:,} resamples over documents,"
            f" seed {found.seed}"
        )
    if found.test is not None:
        how = (
            "" if found.test == "williams" else f", {found.samples:,} exchanges, seed {found.seed}"
        )
        lines = sum(metric.cluster is not None for metric in found.metrics) - 1
        yield (
            "clusters: metrics that do not differ significantly share one; it ends where all of its"
            f" metrics are better than the next (p < {ALPHA} / {max(1, lines)},"
            f" {_TESTS[found.test]}{how})"
        )
    yield from (gap for metric in found.metrics for gap in metric.gaps)


def _counted(measure: Measure, size: int) -> str:
    """What a statistic is made of, in words: judged pairs, or scores of people."""
    if measure.pairwise:
        what = "judged pair"
    else:
        what = {"segment": "judged translation", "document": "judged document"}.get(
            measure.level, "judged system"
        )
    return f"{size:,} {what}" + ("" if size == 1 else "s")


def _meta(found: Ranking) -> dict[str, object]:
    return {
        "measure": str(found.measure),
        "tasks": list(found.tasks),
        "counted": list(found.counted),
        "margins": list(found.margins),
        "test": found.test,
        "samples": found.samples,
        "seed": found.seed,
    }


def model_table(model: Model, caption: str = "", notes: Sequence[str] = ()) -> Table:
    """A model's metrics and what each contributes: weights belong to standardised scores."""
    content = model.to_json()
    total = sum(abs(float(f["weight"])) for f in content["features"]) or 1.0
    rows = sorted(content["features"], key=lambda f: -abs(float(f["weight"])))
    network = "network" in content
    columns = (
        Heading("Metric", key="metric", align="left"),
        Heading("linear weight" if network else "weight", "weight"),
        Heading("share", decimals=3),
        Heading("mean", decimals=3),
        Heading("deviation", decimals=3),
    )
    made = tuple(
        Row(
            (
                Cell(str(f["metric"])),
                Cell(float(f["weight"])),
                Cell(abs(float(f["weight"])) / total),
                Cell(float(f["mean"])),
                Cell(float(f["deviation"])),
            )
        )
        for f in rows
    )
    about = f"{model.learner}, L2 {content['l2']:g}, {model.training.get('pairs', 0):,} preferences"
    return Table(columns, made, caption, (about, f"model {model.digest()}", *notes), content)
