"""Scores and comparisons as tables: systems are rows, metrics columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.data.levels import Level, Unit
from albeit.metrics.significance import AllPairs, Comparison, PairedTests
from albeit.metrics.table import Column as Scores
from albeit.metrics.table import ScoreTable
from albeit.report.table import Cell, Direction, Heading, Row, Table, Value
from albeit.stats.significance import ALPHA

__all__ = ["comparison_table", "decimals_of", "pairs_tables", "score_table"]


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
        Heading(name, direction=_direction(c), decimals=decimals_of(c, decimals))
        for name, c in table.columns.items()
    ]
    rows = _system_rows(table) if level == "system" else _part_rows(table, level)
    return Table(
        tuple(columns),
        tuple(rows),
        notes=(*_interval_notes(table), *_signatures(table).values()),
        meta=_meta(table),
    )


def comparison_table(
    found: Comparison,
    *,
    decimals: int | None = None,
    needed: Mapping[str, FloatArray] | None = None,
) -> Table:
    """Scores, differences from the baseline and p-values; marks say better or worse.

    ``needed`` (:func:`albeit.metrics.significance.units_needed`) adds how many more segments or
    documents each difference would take.
    """
    table = found.table
    columns = [Heading("System", key="system", align="left")]
    for name, scores in table.columns.items():
        digits = decimals_of(scores, decimals)
        columns += [
            Heading("score", group=name, direction=_direction(scores), decimals=digits),
            Heading("diff", key="difference", group=name, decimals=digits),
            Heading("p", group=name),
        ]
        if needed is not None:
            columns.append(Heading("more", group=name))
    best = {name: _best(scores) for name, scores in table.columns.items()}
    base = table.system_index(found.baseline)
    rows = []
    for row, system in enumerate(table.systems):
        cells = [Cell(system)]
        for name, scores in table.columns.items():
            p, sure = float(found.p_values[name][row]), float(found.corrected[name][row])
            difference = float(scores.system[row] - scores.system[base])
            cells += [
                _system_cell(table, name, row, bold=bool(best[name][row])),
                Cell(None if row == base else difference, marks=_marks(scores, difference, sure)),
                Cell(None if math.isnan(p) else p),
            ]
            if needed is not None:
                have = _sizes(table)[found.units[name]]
                cells.append(_more(float(needed[name][row]), have))
        rows.append(Row(tuple(cells)))
    corrected = {name: _named(table, p) for name, p in found.corrected.items()}
    notes = [f"p: {found.how()}, against {found.baseline}. {_legend(found.tests)}"]
    if needed is not None:
        units = " or ".join(dict.fromkeys(f"{unit}s" for unit in found.units.values()))
        notes.append(
            f"more: {units} that it would take beyond those here to see such a difference, if it"
            " is real, four times in five"
        )
    notes += [*_interval_notes(table), *_signatures(table).values()]
    return Table(
        tuple(columns),
        tuple(rows),
        notes=tuple(notes),
        meta=_meta(table) | {"baseline": found.baseline, **_tested(found), "corrected": corrected},
    )


def pairs_tables(found: AllPairs, *, decimals: int | None = None) -> list[Table]:
    """Scores with clusters, best first by the first metric; then every pair of systems."""
    table = found.table
    first = next(iter(table.columns.values()))
    best = -first.system if first.higher_is_better else first.system
    order = np.argsort(best, kind="stable").tolist()
    ranked = [Heading("System", key="system", align="left")]
    tested = [Heading("System", key="system", align="left"), Heading("than", align="left")]
    clusters = {name: found.clusters(name) for name in table.columns}
    for name, scores in table.columns.items():
        digits = decimals_of(scores, decimals)
        ranked += [
            Heading("score", group=name, direction=_direction(scores), decimals=digits),
            Heading("cluster", group=name),
        ]
        tested += [
            Heading("diff", key="difference", group=name, decimals=digits),
            Heading("p", group=name),
        ]
    rows = []
    for i in order:
        cells = [Cell(table.systems[i])]
        for name in table.columns:
            cells += [_system_cell(table, name, i), Cell(clusters[name][i] or None)]
        rows.append(Row(tuple(cells)))
    pairs = []
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            cells = [Cell(table.systems[i]), Cell(table.systems[j])]
            for name, scores in table.columns.items():
                p, sure = found.p_value(name, i, j), float(found.corrected[name][i, j])
                difference = float(scores.system[i] - scores.system[j])
                cells += [
                    Cell(difference, marks=_marks(scores, difference, sure)),
                    Cell(None if math.isnan(p) else p),
                ]
            pairs.append(Row(tuple(cells)))
    shared = (
        f"cluster: systems that do not differ significantly share one; it ends where all of its systems are"
        f" better than the next (p < {ALPHA} / {len(order) - 1}). p: {found.how()}"
    )
    notes = (shared, *_interval_notes(table), *_signatures(table).values())
    corrected = {
        name: {system: _named(table, row) for system, row in zip(table.systems, p, strict=True)}
        for name, p in found.corrected.items()
    }
    meta = _meta(table) | {**_tested(found), "corrected": corrected}
    return [
        Table(tuple(ranked), tuple(rows), "Clusters", notes, meta),
        Table(tuple(tested), tuple(pairs), "All pairs", (_legend(found.tests),), meta),
    ]


def _legend(tests: int) -> str:
    """What the marks mean, and what they were corrected for."""
    corrected = f", corrected for {tests} tests (Holm)" if tests > 1 else ""
    return f"* better, † worse: p < {ALPHA}{corrected}"


def _marks(scores: Scores, difference: float, corrected: float) -> str:
    """A star for what is surely better, a dagger for what is surely worse."""
    if not corrected < ALPHA:
        return ""
    return "*" if (difference > 0) == scores.higher_is_better else "†"


def _sizes(table: ScoreTable) -> dict[Unit, int]:
    return {Unit.SEGMENT: len(table), Unit.DOCUMENT: len(table.documents)}


def _more(needed: float, have: int) -> Cell:
    """How many are missing; none where there are enough, a dash where no number would do."""
    if not math.isfinite(needed):
        return Cell(None)
    return Cell(max(0, int(needed) - have))


def _named(table: ScoreTable, values: FloatArray) -> dict[str, float]:
    """One defined value a system, by its name."""
    named = zip(table.systems, values.tolist(), strict=True)
    return {system: value for system, value in named if not math.isnan(value)}


def _tested(found: PairedTests) -> dict[str, object]:
    return {
        "test": found.test,
        "resamples": found.resamples,
        "seed": found.seed,
        "correction": "Holm",
        "units": dict(found.units),
    }


def _system_rows(table: ScoreTable) -> Iterator[Row]:
    best = {name: _best(scores) for name, scores in table.columns.items()}
    for row, system in enumerate(table.systems):
        cells = [
            _system_cell(table, name, row, bold=bool(best[name][row])) for name in table.columns
        ]
        yield Row((Cell(system), *cells))


def _system_cell(table: ScoreTable, name: str, row: int, *, bold: bool = False) -> Cell:
    """A system's score by a metric."""
    return Cell(
        float(table[name].system[row]),
        bold=bold,
        interval=table.score(name, table.systems[row]).interval,
        details=_sure(table[name], "system", row),
    )


def _part_rows(table: ScoreTable, level: Level) -> Iterator[Row]:
    """One row per system and document, or a system and segment."""
    scores = [(scores, scores.at(level)) for scores in table.columns.values()]
    for row, system in enumerate(table.systems):
        for d, document in enumerate(table.documents):
            places = [d] if level == "document" else range(document.start, document.stop)
            for place in places:
                where: list[Value] = [system, document.id]
                if level == "segment":
                    where.append(place + 1)
                cells = [
                    Cell(float(values[row, place]), details=_sure(column, level, row, place))
                    for column, values in scores
                ]
                yield Row((*(Cell(value) for value in where), *cells))


def _sure(scores: Scores, level: Level, *place: int) -> dict[str, Value]:
    """How far off a score may be, where the metric says so: for those who read JSON."""
    errors = scores.standard_errors.get(level)
    return {} if errors is None else {"standard_error": float(errors[place])}


def _best(scores: Scores) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which systems have the best score; none stands out where all are equal."""
    values = scores.system if scores.higher_is_better else -scores.system
    found = np.zeros(len(values), dtype=bool)
    if not np.isnan(values).all():
        found = values == np.nanmax(values)
    return found & ~found.all()


def _direction(scores: Scores) -> Direction:
    return "up" if scores.higher_is_better else "down"


def decimals_of(scores: Scores, decimals: int | None) -> int:
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


def _details(table: ScoreTable, column: Scores) -> dict[str, object]:
    """What each system's score is made of, where the metric says."""
    if column.metric is None or column.sums is None:
        return {}
    of = column.metric.details
    made = {name: of(own) for name, own in zip(table.systems, column.sums, strict=True)}
    return {name: details for name, details in made.items() if details}


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
        "lower_is_better": [name for name, c in table.columns.items() if not c.higher_is_better],
    }
    details = {name: _details(table, column) for name, column in table.columns.items()}
    if any(details.values()):
        found["details"] = {name: made for name, made in details.items() if made}
    confidence = {
        name: {"level": c.level, "resamples": c.resamples, "seed": c.seed, "unit": c.unit}
        for name, s in table.columns.items()
        if (c := s.confidence)
    }
    return found | ({"confidence": confidence} if confidence else {})
