"""Confidence in a score, and whether two systems differ: resampling of a score table.

Both need the rows of statistics that a table keeps for the metrics that ran here. Rows
are resampled singly (segments) or by whole documents, whose segments are not independent
of each other. A document-level metric has no rows for segments.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Unit
from albeit.display import Displayed
from albeit.errors import AlbeitWarning, InputError, MetricError
from albeit.metrics.base import FloatArray, Metric
from albeit.metrics.frames import arrow, frame
from albeit.metrics.table import Column, Confidence, ScoreTable
from albeit.stats.resample import (
    DEFAULT_SEED,
    bootstrap_p_values,
    bootstrap_scores,
    percentile_interval,
    randomisation_p_values,
    smallest_p_values,
)

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "FEW",
    "Comparison",
    "Test",
    "UnitName",
    "check_level",
    "check_resampling",
    "compare",
    "confidence",
    "resampled_rows",
]

UnitName = Unit | Literal["segment", "document"]
Test = Literal["randomisation", "bootstrap"]

FEW = 20
"""With fewer segments or documents than these, resampling says little."""

DEFAULT_RESAMPLES: Mapping[Test, int] = {"randomisation": 10_000, "bootstrap": 1_000}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed):
    """A table's systems tested against its baseline; ``print`` and notebooks show it as a table.

    ``p_values`` maps a metric to one value a system (undefined for the baseline);
    ``units`` to what was resampled for it.
    """

    table: ScoreTable
    baseline: str
    test: Test
    resamples: int
    seed: int
    p_values: Mapping[str, FloatArray]
    units: Mapping[str, Unit]

    def p_value(self, metric: str | Metric, system: str) -> float:
        """The p-value of one system's difference from the baseline."""
        name = self.table[metric].name
        return float(self.p_values[name][self.table.system_index(system)])

    def __repr__(self) -> str:
        systems, metrics = len(self.table.systems), ", ".join(self.p_values)
        return f"<Comparison with {self.baseline!r}: {systems} systems, {self.test}, {metrics}>"

    def to_frame(self) -> pandas.DataFrame:
        """The records as a pandas frame."""
        return frame(self.to_records())

    def to_arrow(self) -> pyarrow.Table:
        """The records as an Arrow table."""
        return arrow(self.to_records())

    def to_records(self) -> Iterator[dict[str, object]]:
        """One plain record a system and metric: score, difference from the baseline, p."""
        base = self.table.system_index(self.baseline)
        for name, column in self.table.columns.items():
            for row, system in enumerate(self.table.systems):
                score = float(column.system[row])
                yield {
                    "system": system,
                    "metric": name,
                    "score": score,
                    "difference": score - float(column.system[base]),
                    "p": float(self.p_values[name][row]),
                }


def confidence(
    table: ScoreTable,
    *,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: int = DEFAULT_SEED,
    unit: UnitName | None = None,
) -> ScoreTable:
    """The table with a bootstrap confidence interval for every system's score.

    ``unit`` is what is resampled; by default whatever the metric scores.
    """
    check_level(level)
    _check_resamples(resamples)
    columns: dict[str, Column] = {}
    for name, column in table.columns.items():
        metric, rows, of = resampled_rows(table, column, unit)
        samples = bootstrap_scores(rows, metric.score, resamples=resamples, seed=seed)
        intervals = percentile_interval(samples, level)
        made = Confidence(level, resamples, seed, of)
        columns[name] = replace(column, intervals=intervals, confidence=made)
    _warn_of_few(table, {name: c.confidence.unit for name, c in columns.items() if c.confidence})
    return replace(table, columns=columns)


def compare(
    table: ScoreTable,
    *,
    baseline: str | None = None,
    test: Test = "randomisation",
    resamples: int | None = None,
    seed: int = DEFAULT_SEED,
    unit: UnitName | None = None,
) -> Comparison:
    """Test every system against the baseline (by default the first), with every metric.

    ``test`` is paired approximate randomisation (10,000 trials by default) or the paired
    bootstrap (1,000 resamples). ``unit`` is what is resampled; by default whatever the
    metric scores.
    """
    if len(table.systems) < 2:
        raise InputError("a comparison needs at least two systems.")
    if test not in DEFAULT_RESAMPLES:
        raise MetricError(f"unknown test {test!r}; there are {', '.join(DEFAULT_RESAMPLES)}.")
    count = DEFAULT_RESAMPLES[test] if resamples is None else resamples
    _check_resamples(count)
    baseline = table.systems[0] if baseline is None else baseline
    base = table.system_index(baseline)
    p_values: dict[str, FloatArray] = {}
    units: dict[str, Unit] = {}
    for name, column in table.columns.items():
        metric, rows, units[name] = resampled_rows(table, column, unit)
        if test == "randomisation":
            found = randomisation_p_values(
                rows, metric.score, baseline=base, trials=count, seed=seed
            )
        else:
            samples = bootstrap_scores(rows, metric.score, resamples=count, seed=seed)
            least = smallest_p_values(rows, base)
            found = np.maximum(bootstrap_p_values(samples, column.system, base), least)
        p_values[name] = found
    _warn_of_few(table, units)
    return Comparison(table, baseline, test, count, seed, p_values, units)


def check_level(level: float) -> None:
    """Raise unless this is a level of confidence."""
    if not 0 < level < 1:
        raise MetricError(f"the confidence level must lie between 0 and 1, not {level:g}.")


def check_resampling(
    evalset: EvalSet, metrics: Sequence[Metric], unit: UnitName | None = None
) -> None:
    """Raise, before anything is scored, where rows could not be resampled afterwards."""
    for metric in metrics:
        _check_unit(str(metric), metric.unit, unit)
        size = len(evalset.documents) if Unit.DOCUMENT in (metric.unit, unit) else len(evalset)
        _check_size(str(metric), Unit(unit or metric.unit), size, evalset.has_documents)


def _check_unit(name: str, own: Unit, unit: UnitName | None) -> None:
    if unit is not None and unit not in tuple(Unit):
        raise MetricError(f"segments or documents are resampled, not {unit!r}.")
    if Unit(unit or own) is Unit.SEGMENT and own is Unit.DOCUMENT:
        raise MetricError(
            f"{name} scores whole documents, so segments cannot be resampled for it."
            " Resample documents."
        )


def _check_size(name: str, unit: Unit, size: int, has_documents: bool) -> None:
    if size < 2:
        hint = "" if has_documents else " Say where documents begin (--docs)."
        raise MetricError(f"{name}: one {unit} alone cannot be resampled.{hint}")


def _warn_of_few(table: ScoreTable, units: Mapping[str, Unit]) -> None:
    """Say so where there is too little to resample, whatever comes of it."""
    sizes = {Unit.SEGMENT: len(table), Unit.DOCUMENT: len(table.documents)}
    for unit in dict.fromkeys(units.values()):
        if sizes[unit] < FEW:
            warnings.warn(
                AlbeitWarning(
                    f"{sizes[unit]} {unit}s are few to resample: intervals and p-values over fewer"
                    f" than {FEW} are rough, and a difference that they do not show may be there.",
                    count=sizes[unit],
                ),
                stacklevel=3,
            )


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise MetricError(f"the number of resamples must be at least 1, not {resamples}.")


def resampled_rows(
    table: ScoreTable, column: Column, unit: UnitName | None
) -> tuple[Metric, FloatArray, Unit]:
    """What to resample for one metric: (systems, rows, k), and what a row is."""
    if column.metric is None or column.statistics is None:
        raise MetricError(
            f"{column.name} cannot be resampled: its scores were read, not computed here."
        )
    own = column.metric.unit
    _check_unit(column.name, own, unit)
    resampled = Unit(unit or own)
    rows = column.statistics
    if resampled is Unit.DOCUMENT and own is Unit.SEGMENT:
        rows = np.add.reduceat(rows, [d.start for d in table.documents], axis=1)
    _check_size(column.name, resampled, rows.shape[1], table.has_documents)
    return column.metric, rows, resampled
