"""Scores and comparisons as tables: systems are rows, metrics columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from albeit._version import __version__
from albeit.arrays import FloatArray
from albeit.data.evalset import EvalSet
from albeit.data.levels import Level, Unit
from albeit.metrics.significance import AllPairs, Comparison, PairedTests
from albeit.metrics.table import Column as Scores
from albeit.metrics.table import ScoreTable
from albeit.report.table import Cell, Direction, Heading, Row, Table, Value
from albeit.stats import ALPHA

_SYSTEM = Heading("System", key="system", align="left")
_DOCUMENT = Heading("Document", key="document", align="left")


def score_table(
    table: ScoreTable, level: Level = "system", *, decimals: int | None = None
) -> Table:
    """Build a table of scores at one level; the best system of each metric is bold."""
    columns = [_SYSTEM]
    if level != "system":
        columns.append(_DOCUMENT)
    if level == "segment":
        columns.append(Heading("Segment", key="segment"))
    columns += [
        Heading(name, direction=_direction(c), decimals=decimals_of(c, decimals))
        for name, c in table.columns.items()
    ]
    rows = _system_rows(table) if level == "system" else _part_rows(table, level)
    notes = (*_interval_notes(table), *_signatures(table).values())
    return Table(tuple(columns), tuple(rows), notes=notes, meta=_meta(table))


def comparison_table(
    comparison: Comparison,
    *,
    decimals: int | None = None,
    needed: Mapping[str, FloatArray] | None = None,
) -> Table:
    """Build a table of scores, differences from the baseline, and p-values.

    ``needed`` (:func:`albeit.metrics.significance.units_needed`) adds how many more segments or
    documents each difference would take.
    """
    table = comparison.table
    columns = [_SYSTEM]
    for name, scores in table.columns.items():
        digits = decimals_of(scores, decimals)
        columns += [
            Heading("score", group=name, direction=_direction(scores), decimals=digits),
            Heading("diff", key="difference", group=name, decimals=digits),
            Heading("p", group=name),
            *([] if needed is None else [Heading("more", group=name)]),
        ]
    best = {name: _best(scores) for name, scores in table.columns.items()}
    base = table.system_index(comparison.baseline)
    sizes = {Unit.SEGMENT: len(table), Unit.DOCUMENT: len(table.documents)}
    rows = []
    for row, system in enumerate(table.systems):
        cells = [Cell(system)]
        for name, scores in table.columns.items():
            difference = float(scores.system[row] - scores.system[base])
            marks = _marks(scores, difference, float(comparison.corrected[name][row]))
            cells += [
                _system_cell(table, name, row, bold=bool(best[name][row])),
                Cell(None if row == base else difference, marks=marks),
                _p_cell(float(comparison.p_values[name][row])),
            ]
            if needed is not None:
                cells.append(_more(float(needed[name][row]), sizes[comparison.units[name]]))
        rows.append(Row(tuple(cells)))
    notes = [f"p: {comparison.how()}, against {comparison.baseline}. {_legend(comparison.tests)}"]
    if needed is not None:
        units = " or ".join(dict.fromkeys(f"{unit}s" for unit in comparison.units.values()))
        notes.append(
            f"more: {units} that it would take beyond those here to see such a difference, if it"
            " is real, four times in five"
        )
    notes += [*_interval_notes(table), *_signatures(table).values()]
    corrected = {name: _by_system(table, p) for name, p in comparison.corrected.items()}
    meta = {"baseline": comparison.baseline, **_test_meta(comparison), "corrected": corrected}
    return Table(tuple(columns), tuple(rows), notes=tuple(notes), meta=_meta(table) | meta)


def pairs_tables(comparison: AllPairs, *, decimals: int | None = None) -> list[Table]:
    """Build tables of scores with clusters, best first by the first metric, and of every pair."""
    table = comparison.table
    first = next(iter(table.columns.values()))
    order = np.argsort(-first.system if first.higher_is_better else first.system, kind="stable")
    score_columns, pair_columns = [_SYSTEM], [_SYSTEM, Heading("than", align="left")]
    for name, scores in table.columns.items():
        digits = decimals_of(scores, decimals)
        score_columns += [
            Heading("score", group=name, direction=_direction(scores), decimals=digits),
            Heading("cluster", group=name),
        ]
        pair_columns += [
            Heading("diff", key="difference", group=name, decimals=digits),
            Heading("p", group=name),
        ]
    clusters = {name: comparison.clusters(name) for name in table.columns}
    rows = []
    for i in order.tolist():
        cells = [Cell(table.systems[i])]
        for name in table.columns:
            cells += [_system_cell(table, name, i), Cell(clusters[name][i] or None)]
        rows.append(Row(tuple(cells)))
    pairs = []
    for i, j in combinations(order.tolist(), 2):
        cells = [Cell(table.systems[i]), Cell(table.systems[j])]
        for name, scores in table.columns.items():
            difference = float(scores.system[i] - scores.system[j])
            marks = _marks(scores, difference, float(comparison.corrected[name][i, j]))
            cells += [Cell(difference, marks=marks), _p_cell(comparison.p_value(name, i, j))]
        pairs.append(Row(tuple(cells)))
    note = (
        "cluster: systems that do not differ significantly share one; it ends where all of its"
        f" systems are better than the next (p < {ALPHA} / {len(order) - 1}). p: {comparison.how()}"
    )
    notes = (note, *_interval_notes(table), *_signatures(table).values())
    corrected = {
        name: {system: _by_system(table, row) for system, row in zip(table.systems, p, strict=True)}
        for name, p in comparison.corrected.items()
    }
    meta = _meta(table) | {**_test_meta(comparison), "corrected": corrected}
    legend = (_legend(comparison.tests),)
    return [
        Table(tuple(score_columns), tuple(rows), "Clusters", notes, meta),
        Table(tuple(pair_columns), tuple(pairs), "All pairs", legend, meta),
    ]


def losses_tables(
    comparison: Comparison, evalset: EvalSet, count: int, *, decimals: int | None = None
) -> list[Table]:
    """Build tables of the segments and documents where a system loses most to the baseline.

    Each has at most ``count`` rows, worst first, for one system, metric, and level.
    """
    table = comparison.table
    base = table.system_index(comparison.baseline)
    levels: tuple[Level, ...] = ("segment", "document") if table.has_documents else ("segment",)
    return [
        _losses_table(comparison, evalset, column, system, level, count, decimals)
        for system in range(len(table.systems))
        if system != base
        for column in table.columns.values()
        for level in levels
        if getattr(column, level) is not None
    ]


def _losses_table(
    comparison: Comparison,
    evalset: EvalSet,
    column: Scores,
    system: int,
    level: Level,
    count: int,
    decimals: int | None,
) -> Table:
    table = comparison.table
    baseline, other = comparison.baseline, table.systems[system]
    digits = decimals_of(column, decimals)
    columns = [
        Heading(baseline, "baseline", decimals=digits),
        Heading(other, "system", decimals=digits),
        Heading("diff", "difference", decimals=digits),
    ]
    one, two = (column.at(level)[row] for row in (table.system_index(baseline), system))
    worst = _worst(two - one if column.higher_is_better else one - two, count)
    values: list[list[Value]] = [
        [float(one[i]), float(two[i]), float(two[i] - one[i])] for i in worst
    ]
    if level == "segment":
        texts = {
            **dict(list(evalset.references.items())[:1]),
            f"text of {baseline}": evalset.systems[baseline],
            f"text of {other}": evalset.systems[other],
        }
        ids = evalset.document_ids()
        columns = [Heading("Segment", "segment"), _DOCUMENT, *columns]
        columns += [Heading(name, align="left") for name in texts]
        values = [
            [i + 1, ids[i], *numbers, *(lines[i] for lines in texts.values())]
            for i, numbers in zip(worst, values, strict=True)
        ]
    else:
        documents = table.documents
        columns = [_DOCUMENT, Heading("segments"), *columns]
        values = [
            [documents[i].id, len(documents[i]), *numbers]
            for i, numbers in zip(worst, values, strict=True)
        ]
    rows = tuple(Row(tuple(map(Cell, row))) for row in values)
    caption = f"Where {other} loses to {baseline}: {level}s by {column.name}"
    meta = {"metric": column.name, "level": level, "baseline": baseline, "system": other}
    return Table(tuple(columns), rows, caption, () if rows else ("nowhere",), meta)


def _worst(gain: FloatArray, count: int) -> list[int]:
    """List the indexes of the largest losses, without gains."""
    order = np.argsort(np.where(np.isnan(gain), np.inf, gain), kind="stable")[:count]
    return [int(i) for i in order if gain[i] < 0]


def _p_cell(p: float) -> Cell:
    return Cell(None if math.isnan(p) else p)


def _legend(tests: int) -> str:
    """Explain the marks and their correction."""
    corrected = f", corrected for {tests} tests (Holm)" if tests > 1 else ""
    return f"* better, † worse: p < {ALPHA}{corrected}"


def _marks(scores: Scores, difference: float, corrected: float) -> str:
    """Mark a significant gain with a star, a significant loss with a dagger."""
    if not corrected < ALPHA:
        return ""
    return "*" if (difference > 0) == scores.higher_is_better else "†"


def _more(needed: float, have: int) -> Cell:
    """Count the missing units; an infinite number becomes a dash."""
    if not math.isfinite(needed):
        return Cell(None)
    return Cell(max(0, int(needed) - have))


def _by_system(table: ScoreTable, values: FloatArray) -> dict[str, float]:
    """Map systems to their values, without undefined ones."""
    named = zip(table.systems, values.tolist(), strict=True)
    return {system: value for system, value in named if not math.isnan(value)}


def _test_meta(found: PairedTests) -> dict[str, object]:
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
    """Build the cell of a system's score."""
    return Cell(
        float(table[name].system[row]),
        bold=bold,
        interval=table.score(name, table.systems[row]).interval,
        details=_standard_error(table[name], "system", row),
    )


def _part_rows(table: ScoreTable, level: Level) -> Iterator[Row]:
    """Build one row per system and document, or system and segment."""
    scores = [(scores, scores.at(level)) for scores in table.columns.values()]
    for row, system in enumerate(table.systems):
        for d, document in enumerate(table.documents):
            places = [d] if level == "document" else range(document.start, document.stop)
            for place in places:
                where: list[Value] = [system, document.id]
                if level == "segment":
                    where.append(place + 1)
                cells = [
                    Cell(
                        float(values[row, place]),
                        details=_standard_error(column, level, row, place),
                    )
                    for column, values in scores
                ]
                yield Row((*(Cell(value) for value in where), *cells))


def _standard_error(scores: Scores, level: Level, *place: int) -> dict[str, Value]:
    """Look up the standard error of a score, for JSON."""
    errors = scores.standard_errors.get(level)
    return {} if errors is None else {"standard_error": float(errors[place])}


def _best(scores: Scores) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Find the systems with the best score; none if all are equal."""
    values = scores.system if scores.higher_is_better else -scores.system
    found = np.zeros(len(values), dtype=bool)
    if not np.isnan(values).all():
        found = values == np.nanmax(values)
    return found & ~found.all()


def _direction(scores: Scores) -> Direction:
    return "up" if scores.higher_is_better else "down"


def decimals_of(scores: Scores, decimals: int | None) -> int:
    """Choose two decimals for scores up to 100, four for scores up to 1."""
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
    """List the components of each system's score, if the metric has them."""
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
