"""Confidence in a score, and whether two systems differ: resampling of a score table.

Both need the rows of statistics that a table keeps for the metrics that ran here. Rows
are resampled singly (segments) or by whole documents, whose segments are not independent
of each other. A document-level metric has no rows for segments.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from albeit.arrays import IntArray
from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import AlbeitWarning, InputError, MetricError
from albeit.metrics.base import FloatArray, Metric
from albeit.metrics.display import Displayed
from albeit.metrics.table import Column, Confidence, ScoreTable, arrow, frame
from albeit.stats.resample import (
    bootstrap_p_values,
    bootstrap_scores,
    percentile_interval,
    randomisation_p_values,
    smallest_p_values,
)
from albeit.stats.significance import ALPHA, DEFAULT_SEED, enough_trials, holm

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "FEW",
    "Comparison",
    "PairedTests",
    "Test",
    "UnitName",
    "check_level",
    "check_resampling",
    "compare",
    "confidence",
    "paired_tests",
    "resampled_rows",
    "testable",
]

UnitName = Unit | Literal["segment", "document"]
Test = Literal["randomisation", "bootstrap"]

FEW = 20
"""With fewer segments or documents than these, resampling says little."""

BOOTSTRAP_RESAMPLES = 1_000
_TESTS: Mapping[Test, str] = {
    "randomisation": "paired approximate randomisation, {} trials",
    "bootstrap": "paired bootstrap, {} resamples",
}


@dataclass(frozen=True, eq=False, repr=False)
class PairedTests:
    """Systems of a table tested against each other, and how.

    ``p_values`` holds what came out for each metric, ``units`` what was resampled for it.
    """

    table: ScoreTable
    test: Test
    resamples: int
    seed: int
    p_values: Mapping[str, FloatArray]
    units: Mapping[str, Unit]

    def how(self, metric: str | None = None) -> str:
        """How the p-values were made, of one metric or of all, in words for a note."""
        units = dict.fromkeys(self.units.values() if metric is None else [self.units[metric]])
        over = " and ".join(f"{unit}s" for unit in units)
        made = _TESTS[self.test].format(f"{self.resamples:,}")
        few = any(_sizes(self.table)[unit] < FEW for unit in units)
        doubt = (
            "; so few say little, and a difference that is not shown may be there" if few else ""
        )
        return f"{made} over {over}, seed {self.seed}{doubt}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(PairedTests, Displayed):
    """A table's systems tested against its baseline; ``print`` and notebooks show it as a table.

    :func:`albeit.compare` makes one; its example shows how. ``corrected`` holds the p-values,
    corrected for all the tests of the table (Holm).

    :param table: the scores
    :param test: how it was tested
    :param resamples: how many trials or resamples
    :param seed: where random choices started
    :param p_values: of each metric one value per system, undefined for the baseline
    :param units: what was resampled, of each metric
    :param baseline: the system that the others are tested against
    """

    baseline: str

    @cached_property
    def corrected(self) -> Mapping[str, FloatArray]:
        """The p-values corrected for how many there are: all systems and all metrics."""
        stacked = holm(np.stack(list(self.p_values.values())))
        return dict(zip(self.p_values, stacked, strict=True))

    @property
    def tests(self) -> int:
        """How many tests were made."""
        return sum(int((~np.isnan(p)).sum()) for p in self.p_values.values())

    def worse(self, metric: str | Metric) -> list[tuple[str, float]]:
        """The systems that are significantly worse than the baseline, and by how much."""
        column = self.table[metric]
        lost = column.system[self.table.system_index(self.baseline)] - column.system
        lost = lost if column.higher_is_better else -lost
        sure = (self.corrected[column.name] < ALPHA) & (lost > 0)
        return [(self.table.systems[row], float(lost[row])) for row in np.flatnonzero(sure)]

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
                    "corrected": float(self.corrected[name][row]),
                }


def confidence(
    table: ScoreTable,
    *,
    level: float = 0.95,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = DEFAULT_SEED,
    unit: UnitName | None = None,
) -> ScoreTable:
    """The table with a bootstrap confidence interval for every system's score.

    :param table: scores, as :func:`albeit.score` returns them
    :param level: the share of resamples that the interval holds
    :param resamples: how many resamples are drawn
    :param seed: where random choices start
    :param unit: what is resampled, ``"segment"`` or ``"document"``; by default what the metric scores

    >>> import albeit
    >>> table = albeit.confidence(albeit.score(albeit.read("examples/demo"), ["chrf"]))
    >>> low, high = table["chrf"].intervals[0]
    >>> bool(low < table["chrf"].system[0] < high)
    True
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
    """Test every system against a baseline, with every metric.

    :param table: scores, as :func:`albeit.score` returns them
    :param baseline: the system that the others are tested against; by default the first
    :param test: paired approximate randomisation, two-sided, or ``"bootstrap"``, paired
    :param resamples: by default 10,000 trials of randomisation, 1,000 of the bootstrap
    :param seed: where random choices start
    :param unit: what is resampled, ``"segment"`` or ``"document"``; by default what the metric scores

    >>> import albeit
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf"])
    >>> found = albeit.compare(table, baseline="careful", resamples=1000)
    >>> found.p_value("chrf", "blunt") < 0.05
    True
    """
    baseline = table.systems[0] if baseline is None else baseline
    base = table.system_index(baseline)
    others = [row for row in range(len(table.systems)) if row != base]
    pairs = np.array([sorted((base, row)) for row in others], dtype=np.int64).reshape(-1, 2)
    made = paired_tests(
        table, pairs, len(pairs) * len(table.columns), test, resamples, seed=seed, unit=unit
    )
    p_values = {name: np.full(len(table.systems), np.nan) for name in made.p_values}
    for name, found in made.p_values.items():
        p_values[name][others] = found
    return Comparison(table, made.test, made.resamples, seed, p_values, made.units, baseline)


def paired_tests(
    table: ScoreTable,
    pairs: IntArray,
    tests: int,
    test: Test = "randomisation",
    resamples: int | None = None,
    *,
    seed: int = DEFAULT_SEED,
    unit: UnitName | None = None,
) -> PairedTests:
    """Test these pairs of systems (n, 2; the lower row first) with every metric of the table.

    ``tests`` is how many will be looked at together: where there are very many, more trials are
    made than the usual 10,000, so that a correction leaves something to be found.
    """
    if len(table.systems) < 2:
        raise InputError("a comparison needs at least two systems.")
    if test not in _TESTS:
        raise MetricError(f"unknown test {test!r}; there are {', '.join(_TESTS)}.")
    usual = enough_trials(tests) if test == "randomisation" else BOOTSTRAP_RESAMPLES
    count = usual if resamples is None else resamples
    _check_resamples(count)
    p_values: dict[str, FloatArray] = {}
    units: dict[str, Unit] = {}
    for name, column in table.columns.items():
        metric, rows, units[name] = resampled_rows(table, column, unit)
        if test == "randomisation":
            found = randomisation_p_values(rows, metric.score, pairs, trials=count, seed=seed)
        else:
            samples = bootstrap_scores(rows, metric.score, resamples=count, seed=seed)
            least = smallest_p_values(rows, pairs)
            found = np.maximum(bootstrap_p_values(samples, column.system, pairs), least)
        p_values[name] = found
    _warn_of_few(table, units)
    return PairedTests(table, test, count, seed, p_values, units)


def testable(table: ScoreTable) -> ScoreTable:
    """The columns that can be resampled: they have rows, and more than one."""
    return table.select(
        name
        for name, column in table.columns.items()
        if column.statistics is not None and column.statistics.shape[1] > 1
    )


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


def _sizes(table: ScoreTable) -> dict[Unit, int]:
    return {Unit.SEGMENT: len(table), Unit.DOCUMENT: len(table.documents)}


def _warn_of_few(table: ScoreTable, units: Mapping[str, Unit]) -> None:
    """Say so, once a table, where there is too little to resample, whatever comes of it."""
    sizes = _sizes(table)
    warned = {column.confidence.unit for column in table.columns.values() if column.confidence}
    for unit in dict.fromkeys(unit for unit in units.values() if unit not in warned):
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
