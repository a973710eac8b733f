"""Confidence intervals and significance tests: resampling of a score table.

They need the rows of statistics of computed metrics. Segments are resampled, or whole documents,
whose segments aren't independent of each other. A document-level metric has no rows for segments.

A comparison with one baseline tests whether a system is an improvement on it. With all pairs
tested, systems that don't differ significantly share a cluster, as in WMT's findings. Power
estimates how large the test set must be for a difference to be significant.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from albeit import stats
from albeit.errors import AlbeitWarning, InputError, MetricError
from albeit.metrics import Displayed, EvalSet, FloatArray, IntArray, Metric, Unit
from albeit.metrics.table import Column, Confidence, ScoreTable, arrow, frame

if TYPE_CHECKING:
    import pandas
    import pyarrow

UnitName = Unit | Literal["segment", "document"]
Test = Literal["randomisation", "bootstrap"]

FEW = 20
"""With fewer segments or documents, intervals and p-values are unreliable."""

BOOTSTRAP_RESAMPLES = 1_000
POWER_RESAMPLES = 500
_Z = 1.959964 + 0.841621
"""Of a two-sided test at 0.05 that finds a difference with a probability of 80%."""
_TESTS: Mapping[Test, str] = {
    "randomisation": "paired approximate randomization, {} trials",
    "bootstrap": "paired bootstrap, {} resamples",
}


@dataclass(frozen=True, eq=False, repr=False)
class PairedTests:
    """Paired tests of systems of a table, and their settings.

    ``p_values`` has the p-values of each metric, ``units`` what was resampled for it.
    """

    table: ScoreTable
    test: Test
    resamples: int
    seed: int
    p_values: Mapping[str, FloatArray]
    units: Mapping[str, Unit]

    def how(self, metric: str | None = None, against: str = "") -> str:
        """Describe how p-values were computed, for one metric or for all."""
        units = dict.fromkeys(self.units.values() if metric is None else [self.units[metric]])
        over = " and ".join(f"{unit}s" for unit in units)
        test = _TESTS[self.test].format(f"{self.resamples:,}")
        doubt = ""
        if any(_size(self.table, unit) < FEW for unit in units):
            doubt = "; the sample is small, so real differences may not be significant"
        baseline = against and f", against {against}"
        return f"{test} over {over}, seed {self.seed}{baseline}{doubt}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(PairedTests, Displayed):
    """Tests of a table's systems against a baseline; ``print`` and notebooks show a table.

    :func:`albeit.compare` returns one. ``corrected`` has the p-values, corrected for all tests of
    the table (Holm).

    :param table: the scores
    :param test: the test
    :param resamples: the number of trials or resamples
    :param seed: the seed of random choices
    :param p_values: one value per system for each metric, undefined for the baseline
    :param units: what was resampled for each metric
    :param baseline: the system that the others are tested against
    """

    baseline: str

    @cached_property
    def corrected(self) -> Mapping[str, FloatArray]:
        """The p-values, corrected for the number of tests of all systems and metrics."""
        stacked = stats.holm(np.stack(list(self.p_values.values())))
        return dict(zip(self.p_values, stacked, strict=True))

    @property
    def tests(self) -> int:
        """The number of tests."""
        return sum(int((~np.isnan(p)).sum()) for p in self.p_values.values())

    def worse(self, metric: str | Metric) -> list[tuple[str, float]]:
        """Return the systems that are significantly worse than the baseline, and by how much."""
        column = self.table[metric]
        lost = column.system[self.table.system_index(self.baseline)] - column.system
        lost = lost if column.higher_is_better else -lost
        sure = (self.corrected[column.name] < stats.ALPHA) & (lost > 0)
        return [(self.table.systems[row], float(lost[row])) for row in np.flatnonzero(sure)]

    def p_value(self, metric: str | Metric, system: str) -> float:
        """Return the p-value of one system's difference from the baseline."""
        name = self.table[metric].name
        return float(self.p_values[name][self.table.system_index(system)])

    def __repr__(self) -> str:
        systems, metrics = len(self.table.systems), ", ".join(self.p_values)
        return f"<Comparison with {self.baseline!r}: {systems} systems, {self.test}, {metrics}>"

    def to_frame(self) -> pandas.DataFrame:
        """Return the records as a pandas frame."""
        return frame(self.to_records())

    def to_arrow(self) -> pyarrow.Table:
        """Return the records as an Arrow table."""
        return arrow(self.to_records())

    def to_records(self) -> Iterator[dict[str, object]]:
        """Yield one plain record per system and metric: score, difference from the baseline, p."""
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


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs(PairedTests):
    """Tests of all pairs of systems: ``p_values`` are matrices, (systems, systems)."""

    def p_value(self, metric: str, one: int, other: int) -> float:
        """Return the p-value of the difference of two systems, by their rows in the table."""
        return float(self.p_values[metric][one, other])

    @cached_property
    def corrected(self) -> Mapping[str, FloatArray]:
        """The p-values, corrected for the number of pairs for each metric (Holm)."""
        size = len(self.table.systems)
        upper = np.triu_indices(size, k=1)
        return {name: _to_matrix(stats.holm(p[upper]), size) for name, p in self.p_values.items()}

    @property
    def tests(self) -> int:
        """The number of pairs."""
        return len(self.table.systems) * (len(self.table.systems) - 1) // 2

    def clusters(self, metric: str) -> list[int]:
        """Return the cluster of every system, 1 for the best.

        Neighbors in one cluster don't differ significantly.
        """
        column = self.table[metric]
        scores = column.system if column.higher_is_better else -column.system
        p_values = self.p_values[metric]
        return stats.significance_clusters(
            scores.tolist(), lambda better, worse: float(p_values[better, worse])
        )


def confidence(
    table: ScoreTable,
    *,
    level: float = 0.95,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = stats.DEFAULT_SEED,
    unit: UnitName | None = None,
) -> ScoreTable:
    """Return the table with a bootstrap confidence interval for every system's score.

    :param table: scores, as :func:`albeit.score` returns them
    :param level: the share of resamples in the interval
    :param resamples: the number of resamples
    :param seed: the seed of random choices
    :param unit: what is resampled, ``"segment"`` or ``"document"``; by default the metric's unit
    :return: the table with intervals

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
        metric, rows, of = _rows(table, column, unit)
        samples = stats.bootstrap_scores(rows, metric.score, resamples=resamples, seed=seed)
        intervals = stats.percentile_interval(samples, level)
        settings = Confidence(level, resamples, seed, of)
        columns[name] = column._replace(intervals=intervals, confidence=settings)
    _warn_of_few(table, {name: c.confidence.unit for name, c in columns.items() if c.confidence})
    return replace(table, columns=columns)


def compare(
    table: ScoreTable,
    *,
    baseline: str | None = None,
    test: Test = "randomisation",
    resamples: int | None = None,
    seed: int = stats.DEFAULT_SEED,
    unit: UnitName | None = None,
) -> Comparison:
    """Test every system against a baseline, with every metric.

    :param table: scores, as :func:`albeit.score` returns them
    :param baseline: the system that the others are tested against; by default the first
    :param test: paired approximate randomization, two-sided, or ``"bootstrap"``, paired
    :param resamples: by default 10,000 trials of randomisation, 1,000 of the bootstrap
    :param seed: the seed of random choices
    :param unit: what is resampled, ``"segment"`` or ``"document"``; by default the metric's unit
    :return: differences and p-values, per metric and system

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
    count = len(pairs) * len(table.columns)
    tested = _paired_tests(table, pairs, count, test, resamples, seed=seed, unit=unit)
    p_values = {name: np.full(len(table.systems), np.nan) for name in tested.p_values}
    for name, own in tested.p_values.items():
        p_values[name][others] = own
    return Comparison(table, test, tested.resamples, seed, p_values, tested.units, baseline)


def compare_all(
    table: ScoreTable,
    *,
    test: Test = "randomisation",
    resamples: int | None = None,
    seed: int = stats.DEFAULT_SEED,
    unit: UnitName | None = None,
) -> AllPairs:
    """Test every system against every other, with every metric."""
    pairs = np.stack(np.triu_indices(len(table.systems), k=1), axis=1)
    tested = _paired_tests(table, pairs, len(pairs), test, resamples, seed=seed, unit=unit)
    matrices = {name: _to_matrix(p, len(table.systems)) for name, p in tested.p_values.items()}
    return AllPairs(table, test, tested.resamples, seed, matrices, tested.units)


def _to_matrix(pairs: FloatArray, systems: int) -> FloatArray:
    """Arrange values of all pairs as a symmetric matrix; its diagonal is undefined."""
    matrix = np.full((systems, systems), np.nan)
    one, other = np.triu_indices(systems, k=1)
    matrix[one, other] = matrix[other, one] = pairs
    return matrix


def units_needed(tested: Comparison, *, unit: UnitName | None = None) -> Mapping[str, FloatArray]:
    """Estimate how many segments or documents each difference needs: (systems,) per metric.

    With that number, a two-sided test at 0.05 finds a difference of the observed size with a
    probability of 80%. The paired bootstrap estimates the spread of the difference, which shrinks
    with the root of the number. Undefined for the baseline, infinite without a difference.
    """
    needed: dict[str, FloatArray] = {}
    base = tested.table.system_index(tested.baseline)
    for name, column in tested.table.columns.items():
        metric, rows, _ = _rows(tested.table, column, unit)
        samples = stats.bootstrap_scores(
            rows, metric.score, resamples=POWER_RESAMPLES, seed=tested.seed
        )
        spread = np.nanstd(samples - samples[:, [base]], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = (_Z * spread / np.abs(column.system - column.system[base])) ** 2
        enough = np.ceil(times * rows.shape[1])
        enough[np.isnan(enough)] = np.inf
        enough[base] = np.nan
        needed[name] = enough
    return needed


def _paired_tests(
    table: ScoreTable,
    pairs: IntArray,
    tests: int,
    test: Test = "randomisation",
    resamples: int | None = None,
    *,
    seed: int = stats.DEFAULT_SEED,
    unit: UnitName | None = None,
) -> PairedTests:
    """Test pairs of systems (n, 2; the lower row first) with every metric of the table.

    ``tests`` is the number of tests to correct for. With very many, there are more trials than the
    usual 10,000, so that a corrected p-value can be significant.
    """
    if len(table.systems) < 2:
        raise InputError("a comparison needs at least two systems.")
    if test not in _TESTS:
        raise MetricError(f"unknown test {test!r}; there are {', '.join(_TESTS)}.")
    usual = stats.enough_trials(tests) if test == "randomisation" else BOOTSTRAP_RESAMPLES
    count = usual if resamples is None else resamples
    _check_resamples(count)
    p_values: dict[str, FloatArray] = {}
    units: dict[str, Unit] = {}
    for name, column in table.columns.items():
        metric, rows, units[name] = _rows(table, column, unit)
        if test == "randomisation":
            p_values[name] = stats.randomisation_p_values(
                rows, metric.score, pairs, trials=count, seed=seed
            )
            continue
        samples = stats.bootstrap_scores(rows, metric.score, resamples=count, seed=seed)
        p = stats.bootstrap_p_values(samples, column.system, pairs)
        p_values[name] = np.maximum(p, stats.smallest_p_values(rows, pairs))
    _warn_of_few(table, units)
    return PairedTests(table, test, count, seed, p_values, units)


def select_testable(table: ScoreTable) -> ScoreTable:
    """Return the table with the columns that can be resampled: they have more than one row."""
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
    """Raise, before metrics are computed, if their rows can't be resampled."""
    for metric in metrics:
        _choose_unit(str(metric), metric.unit, unit, evalset)


def _choose_unit(name: str, own: Unit, unit: UnitName | None, of: EvalSet | ScoreTable) -> Unit:
    """Return the unit to resample for a metric; raise if there isn't any."""
    if unit is not None and unit not in tuple(Unit):
        raise MetricError(f"segments or documents are resampled, not {unit!r}.")
    chosen = Unit(unit or own)
    if chosen is Unit.SEGMENT and own is Unit.DOCUMENT:
        raise MetricError(
            f"{name} scores whole documents, so segments cannot be resampled for it."
            " Resample documents."
        )
    if _size(of, chosen) < 2:
        hint = "" if of.has_documents else " Mark documents with --docs."
        raise MetricError(f"{name}: one {chosen} alone cannot be resampled.{hint}")
    return chosen


def _size(of: EvalSet | ScoreTable, unit: Unit) -> int:
    return len(of) if unit is Unit.SEGMENT else len(of.documents)


def _warn_of_few(table: ScoreTable, units: Mapping[str, Unit]) -> None:
    """Warn once per table if there are too few segments or documents to resample."""
    warned = {column.confidence.unit for column in table.columns.values() if column.confidence}
    for unit in dict.fromkeys(unit for unit in units.values() if unit not in warned):
        size = _size(table, unit)
        if size < FEW:
            what = (
                f"only {size} {unit}s: intervals and p-values are unreliable below {FEW}, and real"
                " differences may not be significant."
            )
            warnings.warn(AlbeitWarning(what, count=size), stacklevel=3)


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise MetricError(f"the number of resamples must be at least 1, not {resamples}.")


def _rows(
    table: ScoreTable, column: Column, unit: UnitName | None
) -> tuple[Metric, FloatArray, Unit]:
    """Return the rows to resample for one metric, (systems, rows, k), and their unit."""
    if column.metric is None or column.statistics is None:
        raise MetricError(
            f"{column.name} cannot be resampled: its scores were read, not computed here."
        )
    unit = _choose_unit(column.name, column.metric.unit, unit, table)
    rows = column.statistics
    if unit is Unit.DOCUMENT and column.metric.unit is Unit.SEGMENT:
        rows = np.add.reduceat(rows, [d.start for d in table.documents], axis=1)
    return column.metric, rows, unit
