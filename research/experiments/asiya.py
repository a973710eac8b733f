"""The six ASIYA combinations alone, with intervals: WMT12, mean of four language pairs.

    PYTHONPATH=src python research/experiments/asiya.py [--data DIR] [-f text|markdown|json] [--page FILE]

Segment-level τ as WMT12 counts it, system-level Spearman, beside the paper's values.
Intervals hold 95 % of samples of whole documents, human judgments resampled too; metrics
are scored on each sample, normalised and combined anew.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import PAIRS, Scores, arguments, load_task
from _page import add_option, publish

from albeit.combine import group, groups, uniform
from albeit.judged import Task
from albeit.metaeval import Measure, agreement
from albeit.metaeval.confidence import (
    resampled_agreement,
    sampled_human_scores,
    sampled_system_scores,
)
from albeit.metrics.table import Column
from albeit.report import Cell, Row, Table
from albeit.report.table import Heading
from albeit.stats.bootstrap import document_weights, interval
from albeit.stats.correlation import spearman

TAU = Measure("segment", "tau-wmt12")
RHO = Measure("system", "spearman")
SAMPLES, SEED = 1000, 12345


def sampled_rho(task: Task, members: Sequence[str]) -> np.ndarray:
    """Spearman of the uniform combination in samples of documents."""
    rng = np.random.default_rng(SEED)
    weights = document_weights(len(task.table.documents), SAMPLES, rng)
    parts = []
    for name in members:
        scores = sampled_system_scores(task, task.table[name], weights)
        if scores is None:
            raise SystemExit(f"{name} cannot be scored on samples")
        low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
        parts.append((scores - low) / (high - low))
    human = sampled_human_scores(task, weights)
    combined = np.mean(parts, axis=0)
    return np.asarray(spearman(combined, human))


def row(tasks: Sequence[Task], key: str, paper: tuple[float, float]) -> Row:
    """One combination: τ and ρ with intervals, the paper's beside them."""
    members = group(key).present(tasks[0].table.metrics)
    columns: list[Column] = [uniform(task.table, members) for task in tasks]
    taus = [
        resampled_agreement(t, c, TAU, samples=SAMPLES, rng=np.random.default_rng(SEED))
        for t, c in zip(tasks, columns, strict=True)
    ]
    rhos = [sampled_rho(task, members) for task in tasks]
    values = [
        float(np.mean([agreement(t, c, m) for t, c in zip(tasks, columns, strict=True)]))
        for m in (TAU, RHO)
    ]
    cells = [Cell(group(key).title)]
    for value, drawn, theirs in zip(values, (taus, rhos), paper, strict=True):
        low, high = interval(np.mean(drawn, axis=0))
        reached = value >= theirs or low <= theirs <= high
        cells += [Cell(value), Cell(f"{low:.3f} to {high:.3f}"), Cell(theirs)]
        cells.append(Cell("above" if value >= theirs else "inside" if reached else "below"))
    return Row(tuple(cells))


def main() -> None:
    """Score, combine, resample, print."""
    options = arguments("The six ASIYA combinations with intervals.")
    add_option(options)
    args = options.parse_args()
    text = Path(__file__).with_name("guzman2014.toml").read_text(encoding="utf-8")
    paper = tomllib.loads(text)
    wanted = [m for g in groups().values() for m in g.members]
    scores = Scores(args.fresh, args.workers)
    tasks = [load_task(args.data, "wmt12", pair, wanted, scores) for pair in PAIRS]
    keys = [key for key in groups() if key.startswith("asiya")]
    rows = [row(tasks, k, (paper["table3"][k][0], paper["table2"][k][0])) for k in keys]
    heads = [Heading("Combination", align="left")]
    for name in ("τ", "ρ"):
        heads += [Heading(name, decimals=3), Heading(f"{name}, interval")]
        heads += [Heading(f"{name}, paper", decimals=3), Heading(f"{name}, against the paper")]
    made = Table(tuple(heads), tuple(rows), "WMT12, mean of four pairs")
    publish([made], args.format, args.page)


if __name__ == "__main__":
    main()
