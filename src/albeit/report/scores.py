"""Scores and comparisons as tables: systems are rows, metrics columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from albeit._version import __version__
from albeit.metrics import Column, Confidence, EvalSet, FloatArray, Level, ScoreTable, Unit
from albeit.report.table import Cell, Direction, Heading, Table, Value
from albeit.stats import ALPHA

if TYPE_CHECKING:
    from albeit.metrics.significance import AllPairs, Comparison, PairedTests

_SYSTEM = Heading("System", key="system", align="left")
_DOCUMENT = Heading("Document", key="document", align="left")
_SEGMENT = Heading("Segment", key="segment")
_WEAK = "correlation with human judgments is too low (docs/results/discourse.md)"
_NO_REFERENCE = "without a reference, it is less accurate than chrf (docs/metrics/judge-many.md)"
_UNFIT = dict.fromkeys(("cohesion", "coref", "dr", "dr-lex"), ("", _WEAK))
_UNFIT["judge-many"] = "reads:source", _NO_REFERENCE
"""Metrics that systems shouldn't be ranked by: a part of the signature, if needed, and why."""


def score_table(
    table: ScoreTable, level: Level = "system", *, decimals: int | None = None
) -> Table:
    """Build a table of scores at one level; the best system of each metric is bold."""
    keys = {"system": [], "document": [_DOCUMENT], "segment": [_DOCUMENT, _SEGMENT]}[level]
    scores = [
        Heading(name, direction=_direction(column), decimals=decimals_of(column, decimals))
        for name, column in table.columns.items()
    ]
    rows = _rows(table, level)
    return Table.of([_SYSTEM, *keys, *scores], rows, "", _notes(table), _meta(table))


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
    base = table.system_index(comparison.baseline)
    sizes = {Unit.SEGMENT: len(table), Unit.DOCUMENT: len(table.documents)}
    kinds = ("score", "diff", "p") if needed is None else ("score", "diff", "p", "more")
    rows = []
    for row, system in enumerate(table.systems):
        cells = [Cell(system)]
        for name, column in table.columns.items():
            difference = _difference_cell(column, row, base, comparison.corrected[name][row])
            p = Cell(float(comparison.p_values[name][row]))
            cells += [_system_cell(table, name, row), Cell() if row == base else difference, p]
            if needed is not None:
                more = float(needed[name][row]) - sizes[comparison.units[name]]
                cells.append(Cell(max(0, int(more)) if math.isfinite(more) else None))
        rows.append(cells)
    notes = [f"p: {comparison.how(against=comparison.baseline)}. {_legend(comparison.tests)}"]
    if needed is not None:
        units = " or ".join(dict.fromkeys(f"{unit}s" for unit in comparison.units.values()))
        notes.append(
            f"more: {units} that it would take beyond those here to see such a difference, if it"
            " is real, four times in five"
        )
    corrected = {name: _by_system(table, p) for name, p in comparison.corrected.items()}
    meta = _meta(table) | {"baseline": comparison.baseline, **_test_meta(comparison, corrected)}
    columns = _columns([_SYSTEM], table, kinds, decimals)
    return Table.of(columns, rows, "", [*notes, *_notes(table)], meta)


def pairs_tables(comparison: AllPairs, *, decimals: int | None = None) -> list[Table]:
    """Build tables of scores with clusters, best first by the first metric, and of every pair."""
    table = comparison.table
    first = next(iter(table.columns.values()))
    order = np.argsort(-first.system if first.higher_is_better else first.system, kind="stable")
    clusters = {name: comparison.clusters(name) for name in table.columns}
    rows, pairs = [], []
    for i in order.tolist():
        cells = [Cell(table.systems[i])]
        for name in table.columns:
            cells += [_system_cell(table, name, i, best=False), Cell(clusters[name][i] or None)]
        rows.append(cells)
    for i, j in combinations(order.tolist(), 2):
        cells = [Cell(table.systems[i]), Cell(table.systems[j])]
        for name, column in table.columns.items():
            difference = _difference_cell(column, i, j, comparison.corrected[name][i, j])
            cells += [difference, Cell(comparison.p_value(name, i, j))]
        pairs.append(cells)
    note = (
        "cluster: systems that do not differ significantly share one; it ends where all of its"
        f" systems are better than the next (p < {ALPHA} / {len(order) - 1}). p: {comparison.how()}"
    )
    corrected = {
        name: {system: _by_system(table, row) for system, row in zip(table.systems, p, strict=True)}
        for name, p in comparison.corrected.items()
    }
    meta = _meta(table) | _test_meta(comparison, corrected)
    than = Heading("than", align="left")
    score_columns = _columns([_SYSTEM], table, ("score", "cluster"), decimals)
    pair_columns = _columns([_SYSTEM, than], table, ("diff", "p"), decimals)
    return [
        Table.of(score_columns, rows, "Clusters", [note, *_notes(table)], meta),
        Table.of(pair_columns, pairs, "All pairs", [_legend(comparison.tests)], meta),
    ]


def losses_tables(
    comparison: Comparison, evalset: EvalSet, count: int, *, decimals: int | None = None
) -> list[Table]:
    """Build tables of the segments and documents where a system loses most to the baseline.

    Each has at most ``count`` rows, worst first, for one system, metric, and level.
    """
    table = comparison.table
    levels: tuple[Level, ...] = ("segment", "document") if table.has_documents else ("segment",)
    return [
        _losses_table(comparison, evalset, column, system, level, count, decimals)
        for system in table.systems
        if system != comparison.baseline
        for column in table.columns.values()
        for level in levels
        if getattr(column, level) is not None
    ]


def _losses_table(
    comparison: Comparison,
    evalset: EvalSet,
    column: Column,
    system: str,
    level: Level,
    count: int,
    decimals: int | None,
) -> Table:
    table, baseline = comparison.table, comparison.baseline
    one, two = (column.at(level)[table.system_index(name)] for name in (baseline, system))
    gain = two - one if column.higher_is_better else one - two
    order = np.argsort(np.where(np.isnan(gain), np.inf, gain), kind="stable")[:count]
    worst = [int(i) for i in order if gain[i] < 0]
    texts: dict[str, tuple[str, ...]] = {}
    keys: dict[int, list[Value]]
    if level == "segment":
        texts = dict(list(evalset.references.items())[:1])
        texts |= {f"text of {name}": evalset.systems[name] for name in (baseline, system)}
        ids = evalset.document_ids()
        columns = [_SEGMENT, _DOCUMENT]
        keys = {i: [i + 1, ids[i]] for i in worst}
    else:
        columns = [_DOCUMENT, Heading("segments")]
        keys = {i: [table.documents[i].id, len(table.documents[i])] for i in worst}
    digits = decimals_of(column, decimals)
    for text, key in ((baseline, "baseline"), (system, "system"), ("diff", "difference")):
        columns.append(Heading(text, key, decimals=digits))
    columns += [Heading(name, align="left") for name in texts]
    rows = [
        [*key, *map(float, (one[i], two[i], two[i] - one[i])), *(t[i] for t in texts.values())]
        for i, key in keys.items()
    ]
    caption = f"Where {system} loses to {baseline}: {level}s by {column.name}"
    meta = {"metric": column.name, "level": level, "baseline": baseline, "system": system}
    return Table.of(columns, rows, caption, () if rows else ("nowhere",), meta)


def _columns(
    keys: list[Heading], table: ScoreTable, kinds: tuple[str, ...], decimals: int | None
) -> list[Heading]:
    """Build headings: some keys, then for each metric a group of columns."""
    headings = list(keys)
    for name, column in table.columns.items():
        digits = decimals_of(column, decimals)
        known = {
            "score": Heading("score", group=name, direction=_direction(column), decimals=digits),
            "diff": Heading("diff", key="difference", group=name, decimals=digits),
        }
        headings += [known.get(kind) or Heading(kind, group=name) for kind in kinds]
    return headings


def _difference_cell(column: Column, one: int, other: int, corrected: float) -> Cell:
    """Mark a significant gain with a star, a significant loss with a dagger."""
    difference = float(column.system[one] - column.system[other])
    better = (difference > 0) == column.higher_is_better
    return Cell(difference, marks=("*" if better else "†") if corrected < ALPHA else "")


def _legend(tests: int) -> str:
    """Explain the marks and their correction."""
    corrected = f", corrected for {tests} tests (Holm)" if tests > 1 else ""
    return f"* better, † worse: p < {ALPHA}{corrected}"


def _by_system(table: ScoreTable, values: FloatArray) -> dict[str, float]:
    """Map systems to their values, without undefined ones."""
    named = zip(table.systems, values.tolist(), strict=True)
    return {system: value for system, value in named if not math.isnan(value)}


def _test_meta(tests: PairedTests, corrected: Mapping[str, object]) -> dict[str, object]:
    settings = {name: getattr(tests, name) for name in ("test", "resamples", "seed")}
    units = dict(tests.units)
    return {**settings, "correction": "Holm", "units": units, "corrected": corrected}


def _rows(table: ScoreTable, level: Level) -> Iterator[Sequence[Value | Cell]]:
    """Build one row per system, or per system and document or segment."""
    if level == "system":
        for row, system in enumerate(table.systems):
            yield [system, *(_system_cell(table, name, row) for name in table.columns)]
        return
    places: list[tuple[Value, ...]] = [(document.id,) for document in table.documents]
    if level == "segment":
        ids = (document.id for document in table.documents for _ in range(len(document)))
        places = [(name, number) for number, name in enumerate(ids, 1)]
    scores = [(column, column.at(level)) for column in table.columns.values()]
    for row, system in enumerate(table.systems):
        for n, place in enumerate(places):
            cells = (
                Cell(float(values[row, n]), details=_standard_error(column, level, row, n))
                for column, values in scores
            )
            yield [system, *place, *cells]


def _system_cell(table: ScoreTable, name: str, row: int, *, best: bool = True) -> Cell:
    """Build the cell of a system's score; ``best``: the best score is bold."""
    return Cell(
        float(table[name].system[row]),
        bold=best and bool(_best(table[name])[row]),
        interval=table.score(name, table.systems[row]).interval,
        details=_standard_error(table[name], "system", row),
    )


def _standard_error(column: Column, level: Level, *index: int) -> dict[str, Value]:
    """Look up the standard error of a score, for JSON."""
    errors = column.standard_errors.get(level)
    return {} if errors is None else {"standard_error": float(errors[index])}


def _best(column: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Find the systems with the best score; none if all are equal."""
    values = column.system if column.higher_is_better else -column.system
    best = values == np.fmax.reduce(values)
    return np.asarray(best & ~best.all())


def _direction(column: Column) -> Direction:
    return "up" if column.higher_is_better else "down"


def decimals_of(column: Column, decimals: int | None = None) -> int:
    """Choose two decimals for scores up to 100, four for scores up to 1."""
    if decimals is not None:
        return decimals
    return 2 if column.metric is not None and column.metric.scale > 1 else 4


def _signatures(table: ScoreTable) -> dict[str, str]:
    return {name: str(column.signature) for name, column in table.columns.items()}


def caveats(table: ScoreTable) -> list[str]:
    """Name the metrics of a table that several systems shouldn't be ranked by."""
    by_reason: dict[str, list[str]] = {}
    for name, column in table.columns.items():
        fields = str(column.signature).split("|")
        part, reason = _UNFIT.get(fields[0], ("", ""))
        if reason and (not part or part in fields):
            by_reason.setdefault(reason, []).append(name)
    if len(table.systems) < 2:
        return []
    named = ((", ".join(names), reason) for reason, names in by_reason.items())
    return [f"Don't rank systems by {names}: {reason}." for names, reason in named]


def _notes(table: ScoreTable) -> list[str]:
    """List caveats, describe intervals, and list signatures."""
    ways = intervals(table)
    notes = caveats(table)
    for level, how, names in ways:
        whose = "" if len(ways) == 1 else f" ({', '.join(names)})"
        notes.append(f"[low, high]: {level}{whose}, {how}")
    return [*notes, *_signatures(table).values()]


def intervals(table: ScoreTable) -> list[tuple[str, str, list[str]]]:
    """List the levels of confidence, how the intervals were computed, and for which metrics."""
    ways: dict[Confidence, list[str]] = {}
    for name, column in table.columns.items():
        if column.confidence is not None:
            ways.setdefault(column.confidence, []).append(name)
    how = "bootstrap, {0.resamples:,} resamples over {0.unit}s, seed {0.seed}".format
    return [(f"{100 * c.level:g} % confidence", how(c), names) for c, names in ways.items()]


def _details(table: ScoreTable) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the components of each system's score, for the metrics that have them."""
    for name, column in table.columns.items():
        if column.metric is not None and column.sums is not None:
            details = zip(table.systems, map(column.metric.details, column.sums), strict=True)
            if own := {system: values for system, values in details if values}:
                yield name, own


def _meta(table: ScoreTable) -> dict[str, object]:
    source, target = table.language_pair
    meta: dict[str, object] = {
        "albeit": __version__,
        "name": table.name,
        "source_lang": source,
        "target_lang": target,
        "segments": len(table),
        "documents": len(table.documents) if table.has_documents else None,
        "signatures": _signatures(table),
        "lower_is_better": [name for name, c in table.columns.items() if not c.higher_is_better],
    }
    columns = table.columns.items()
    confidence = {name: asdict(c.confidence) for name, c in columns if c.confidence}
    optional = {"details": dict(_details(table)), "confidence": confidence}
    return meta | {key: value for key, value in optional.items() if value}
