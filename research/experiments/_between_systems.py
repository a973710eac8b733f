"""Between systems: is cohesion by recall really the best metric, or is it chance?

Pearson's r between systems, each system's score over all its documents beside its human score.
Documents, systems, or both are drawn anew; for each metric, how often it is below
`cohesion(average=recall)` on the same sample; and what a uniform mix with it gains.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from _beyond import SEED, Floats, JudgedDocuments, weights
from _ranking import interval

from albeit.report import Cell, Row, Table
from albeit.report.table import Heading

__all__ = ["CHOSEN", "between_systems"]

CHOSEN = "cohesion(average=recall)"
SAMPLES = 1000


def correlation(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Pearson's r over systems (the last axis), each counted so often."""
    total = counts.sum(axis=-1, keepdims=True)
    dx, dy = (v - (counts * v).sum(axis=-1, keepdims=True) / total for v in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((counts * dx * dx).sum(-1) * (counts * dy * dy).sum(-1))
        return np.asarray((counts * dx * dy).sum(-1) / spread)


def standard(x: Floats) -> Floats:
    """In deviations over systems."""
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.maximum(x.std(-1, keepdims=True), 1e-12))


def between_systems(sets: Sequence[JudgedDocuments], names: Sequence[str]) -> list[Table]:
    """A table a set."""
    return [_table(one, [name for name in names if name in one.scores]) for one in sets]


def _table(one: JudgedDocuments, names: Sequence[str]) -> Table:
    documents, systems = len(one.evalset.documents), len(one.evalset.systems)
    drawn = {
        "documents": (weights(documents, SAMPLES), np.ones((SAMPLES, systems))),
        "systems": (np.ones((SAMPLES, documents)), weights(systems, SAMPLES, SEED + 1)),
        "both": (weights(documents, SAMPLES), weights(systems, SAMPLES, SEED + 1)),
    }
    whole = np.ones(documents), np.ones(systems)
    columns = [Heading("Metric", key="metric", align="left"), Heading("r", decimals=3)]
    columns += [Heading(way, group="r, drawn anew", decimals=3) for way in drawn]
    columns += [Heading(way, group="below cohesion by recall", decimals=2) for way in drawn]
    columns += [Heading("gain", group="mixed with it", decimals=3)]
    rows = []
    for name in names:
        cells = [Cell(name), Cell(float(_r(one, [name], *whole)))]
        samples = {way: _r(one, [name], *counts) for way, counts in drawn.items()}
        best = {way: _r(one, [CHOSEN], *counts) for way, counts in drawn.items()}
        cells += [
            Cell(float(np.nanmedian(samples[way])), interval=interval(samples[way]))
            for way in drawn
        ]
        other = name != CHOSEN
        cells += [
            Cell(float(np.nanmean(best[way] > samples[way])) if other else None) for way in drawn
        ]
        mixed = [name, CHOSEN]
        gain = float(_r(one, mixed, *whole) - _r(one, [name], *whole))
        gains = _r(one, mixed, *drawn["both"]) - samples["both"]
        cells.append(Cell(gain, interval=interval(gains)) if other else Cell())
        rows.append(Row(tuple(cells)))
    title = f"{one.name}: {systems} systems, {documents} documents, Pearson's r between systems"
    return Table(tuple(columns), tuple(rows), title)


def _r(one: JudgedDocuments, names: Sequence[str], documents: Floats, systems: Floats) -> Floats:
    """r of the uniform mix of some metrics."""
    parts = [standard(one.scores[name].systems(documents)) for name in names]
    return correlation(np.sum(parts, axis=0), one.human_systems(documents), systems)
