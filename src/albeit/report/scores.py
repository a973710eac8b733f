"""Scores and comparisons as tables: systems are rows, metrics columns."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from albeit._version import __version__
from albeit.corpus.levels import Level
from albeit.metrics.significance import Comparison
from albeit.metrics.table import Column as Scores
from albeit.metrics.table import ScoreTable
from albeit.report.table import Cell, Direction, Heading, Row, Table, Value

__all__ = ["ALPHA", "comparison_table", "score_table"]

ALPHA = 0.05
"""Below this p-value a difference is marked."""

_TESTS = {
    "randomisation": "paired approximate randomisation, {} trials",
    "bootstrap": "paired bootstrap, {} resamples",
}


def score_table(
    table: ScoreTable, level: Level = "system", *, decimals: int | None = None
) -> Table:
    """A table of scores at one level; the best system of each metric is bold."""
    columns = [Heading("System", key="system", align="left")]
    if level != "system":
        columns.append(Heading("Document", key="document", align="left"))
    if level == "segment":
        columns.append(Heading("Segment", key="segment"))
    columns += [
        Heading(name, direction=_direction(c), decimals=_decimals(c, decimals))
        for name, c in table.columns.items()
    ]
    rows = _system_rows(table) if level == "system" else _part_rows(table, level)
    return Table(
        tuple(columns), tuple(rows), notes=(*_interval_notes(table), *_signatures(table).values()),
        meta=_meta(table),
    )  # fmt: skip


def comparison_table(found: Comparison, *, decimals: int | None = None) -> Table:
    """Scores and p-values against the baseline; significant differences carry a star."""
    table = found.table
    columns = [Heading("System", key="system", align="left")]
    for name, scores in table.columns.items():
        columns.append(
            Heading(
                "score",
                group=name,
                direction=_direction(scores),
                decimals=_decimals(scores, decimals),
            )
        )
        columns.append(Heading("p", group=name))
    best = {name: _best(scores) for name, scores in table.columns.items()}
    base = table.system_index(found.baseline)
    rows = []
    for row, system in enumerate(table.systems):
        cells = [Cell(system)]
        for name, scores in table.columns.items():
            p = float(found.p_values[name][row])
            difference = float(scores.system[row] - scores.system[base])
            cells.append(
                Cell(
                    float(scores.system[row]),
                    bold=bool(best[name][row]),
                    marks="*" if p < ALPHA else "",
                    interval=_interval(table, name, system),
                    details={"difference": difference},
                )
            )
            cells.append(Cell(None if math.isnan(p) else p))
        rows.append(Row(tuple(cells)))
    units = " and ".join(dict.fromkeys(f"{unit}s" for unit in found.units.values()))
    how = f"{_TESTS[found.test].format(f'{found.resamples:,}')} over {units}, seed {found.seed}"
    notes = (
        f"p: {how}, against {found.baseline}. * p < {ALPHA}",
        *_interval_notes(table),
        *_signatures(table).values(),
    )
    meta = _meta(table) | {
        "baseline": found.baseline,
        "test": found.test,
        "resamples": found.resamples,
        "seed": found.seed,
        "units": dict(found.units),
    }
    return Table(tuple(columns), tuple(rows), notes=notes, meta=meta)


def _system_rows(table: ScoreTable) -> Iterator[Row]:
    best = {name: _best(scores) for name, scores in table.columns.items()}
    for row, system in enumerate(table.systems):
        cells = [
            Cell(
                float(scores.system[row]),
                bold=bool(best[name][row]),
                interval=_interval(table, name, system),
            )
            for name, scores in table.columns.items()
        ]
        yield Row((Cell(system), *cells))


def _part_rows(table: ScoreTable, level: Level) -> Iterator[Row]:
    """One row a system and document, or a system and segment."""
    scores = [scores.at(level) for scores in table.columns.values()]
    for row, system in enumerate(table.systems):
        for d, document in enumerate(table.documents):
            places = [d] if level == "document" else range(document.start, document.stop)
            for place in places:
                where: list[Value] = [system, document.id]
                if level == "segment":
                    where.append(place + 1)
                cells = [Cell(float(values[row, place])) for values in scores]
                yield Row((*(Cell(value) for value in where), *cells))


def _best(scores: Scores) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which systems have the best score; none stands out where all are equal."""
    values = scores.system if scores.higher_is_better else -scores.system
    found = np.zeros(len(values), dtype=bool)
    if not np.isnan(values).all():
        found = values == np.nanmax(values)
    return found & ~found.all()


def _interval(table: ScoreTable, metric: str, system: str) -> tuple[float, float] | None:
    return table.score(metric, system).interval


def _direction(scores: Scores) -> Direction:
    return "up" if scores.higher_is_better else "down"


def _decimals(scores: Scores, decimals: int | None) -> int:
    """Two digits for scores up to 100, four for scores up to 1."""
    if decimals is not None:
        return decimals
    return 2 if scores.metric is not None and scores.metric.scale > 1 else 4


def _signatures(table: ScoreTable) -> dict[str, str]:
    return {name: str(scores.signature) for name, scores in table.columns.items()}


def _interval_notes(table: ScoreTable) -> Iterator[str]:
    made = dict.fromkeys(s.confidence for s in table.columns.values() if s.confidence)
    for how in made:
        names = [n for n, s in table.columns.items() if s.confidence == how]
        whose = "" if len(made) == 1 else f" ({', '.join(names)})"
        yield (
            f"[low, high]: {100 * how.level:g} % confidence{whose}, bootstrap,"
            f" {how.resamples:,} resamples over {how.unit}s, seed {how.seed}"
        )


def _meta(table: ScoreTable) -> dict[str, object]:
    source, target = table.language_pair
    found: dict[str, object] = {
        "albeit": __version__,
        "name": table.name,
        "source_lang": source,
        "target_lang": target,
        "segments": len(table),
        "documents": len(table.documents) if table.has_documents else None,
        "signatures": _signatures(table),
    }
    confidence = {
        name: {"level": c.level, "resamples": c.resamples, "seed": c.seed, "unit": c.unit}
        for name, s in table.columns.items()
        if (c := s.confidence)
    }
    return found | ({"confidence": confidence} if confidence else {})
