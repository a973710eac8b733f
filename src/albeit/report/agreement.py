"""Rankings of metrics, and tuned models, as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from albeit.combine.saved import Model
from albeit.metaeval import Ranking
from albeit.report.table import Cell, Heading, Row, Table
from albeit.stats.significance import ALPHA

__all__ = ["model_table", "ranking_table"]

_TESTS = {
    "input": "permutation of inputs",
    "system": "permutation of systems",
    "both": "permutation of inputs and systems",
    "williams": "Williams' test",
}


def ranking_table(
    found: Ranking, signatures: Mapping[str, str] | None = None, *, decimals: int | None = None
) -> Table:
    """Metrics as rows, best first; a value that does not exist is a dash and a note."""
    digits = 3 if decimals is None else decimals
    several = len(found.tasks) > 1
    columns = [Heading("Metric", key="metric", align="left")]
    if several:
        columns += [Heading(task, decimals=digits) for task in found.tasks]
    columns.append(Heading("mean" if several else str(found.measure), "value", decimals=digits))
    if found.test is not None:
        columns.append(Heading("cluster"))
    top = max((m.mean for m in found.metrics if not math.isnan(m.mean)), default=math.nan)
    rows = []
    for metric in found.metrics:
        cells = [Cell(metric.metric)]
        if several:
            cells += [Cell(value) for value in metric.values]
        bold = metric.mean == top and len(found.metrics) > 1
        cells.append(Cell(metric.mean, bold=bold, interval=metric.interval))
        if found.test is not None:
            cells.append(Cell(metric.cluster))
        rows.append(Row(tuple(cells)))
    notes = [str(found.measure) if several else found.tasks[0]]
    if any(metric.interval for metric in found.metrics):
        notes.append(
            f"[low, high]: 95 % confidence, bootstrap, {found.samples:,} resamples over documents,"
            f" seed {found.seed}"
        )
    if found.test is not None:
        how = (
            "" if found.test == "williams" else f", {found.samples:,} exchanges, seed {found.seed}"
        )
        lines = sum(metric.cluster is not None for metric in found.metrics) - 1
        notes.append(
            f"clusters: metrics that cannot be told apart share one; it ends where all of its metrics"
            f" are better than the next (p < {ALPHA} / {max(1, lines)}, {_TESTS[found.test]}{how})"
        )
    notes += [gap for metric in found.metrics for gap in metric.gaps]
    notes += [
        s for name, s in (signatures or {}).items() if any(m.metric == name for m in found.metrics)
    ]
    meta = {
        "measure": str(found.measure),
        "tasks": list(found.tasks),
        "test": found.test,
        "samples": found.samples,
        "seed": found.seed,
        "signatures": dict(signatures or {}),
    }
    return Table(tuple(columns), tuple(rows), notes=tuple(notes), meta=meta)


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
