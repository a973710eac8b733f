"""Systems compared with each other: all pairs, clusters, and how much text a difference takes.

A comparison with one baseline answers whether something is an improvement on it. With all
pairs tested, systems that do not differ significantly share a cluster, as in WMT's findings. Power
answers the question after a difference that is not significant: how large would the test set
have to be?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from albeit.arrays import FloatArray
from albeit.metrics.significance import (
    Comparison,
    PairedTests,
    Test,
    UnitName,
    paired_tests,
    resampled_rows,
)
from albeit.metrics.table import ScoreTable
from albeit.stats.resample import bootstrap_scores
from albeit.stats.significance import DEFAULT_SEED, holm, significance_clusters

__all__ = ["AllPairs", "compare_all", "units_needed"]

POWER_RESAMPLES = 500
_Z = 1.959964 + 0.841621
"""Of a two-sided test at .05 that finds a difference four times in five."""


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs(PairedTests):
    """Every system tested against every other: ``p_values`` are matrices, (systems, systems)."""

    def p_value(self, metric: str, one: int, other: int) -> float:
        """The p-value of the difference of two systems, by their rows in the table."""
        return float(self.p_values[metric][one, other])

    @cached_property
    def corrected(self) -> Mapping[str, FloatArray]:
        """The p-values, each metric's corrected for its number of pairs (Holm)."""
        size = len(self.table.systems)
        upper = np.triu_indices(size, k=1)
        return {name: _square(holm(p[upper]), size) for name, p in self.p_values.items()}

    @property
    def tests(self) -> int:
        """How many pairs there are."""
        return len(self.table.systems) * (len(self.table.systems) - 1) // 2

    def clusters(self, metric: str) -> list[int]:
        """The cluster of every system, 1 the best; neighbours in one do not differ significantly."""
        column = self.table[metric]
        scores = column.system if column.higher_is_better else -column.system
        return significance_clusters(
            [float(score) for score in scores],
            lambda better, worse: self.p_value(metric, better, worse),
        )


def compare_all(
    table: ScoreTable,
    *,
    test: Test = "randomisation",
    resamples: int | None = None,
    seed: int = DEFAULT_SEED,
    unit: UnitName | None = None,
) -> AllPairs:
    """Test every system against every other, with every metric."""
    pairs = np.stack(np.triu_indices(len(table.systems), k=1), axis=1)
    made = paired_tests(table, pairs, len(pairs), test, resamples, seed=seed, unit=unit)
    matrices = {name: _square(p, len(table.systems)) for name, p in made.p_values.items()}
    return AllPairs(table, made.test, made.resamples, seed, matrices, made.units)


def _square(pairs: FloatArray, systems: int) -> FloatArray:
    """Values of all pairs as a symmetric matrix; its diagonal is undefined."""
    found = np.full((systems, systems), np.nan)
    one, other = np.triu_indices(systems, k=1)
    found[one, other] = found[other, one] = pairs
    return found


def units_needed(found: Comparison, *, unit: UnitName | None = None) -> Mapping[str, FloatArray]:
    """How many segments or documents each difference would take: (systems,) for each metric.

    So many that a two-sided test at .05 finds a difference of the observed size four times in
    five, if it is real; by the paired bootstrap's spread of the difference, which shrinks with
    the root of the number. Undefined for the baseline, infinite without a difference.
    """
    needed: dict[str, FloatArray] = {}
    base = found.table.system_index(found.baseline)
    for name, column in found.table.columns.items():
        metric, rows, _ = resampled_rows(found.table, column, unit)
        samples = bootstrap_scores(rows, metric.score, resamples=POWER_RESAMPLES, seed=found.seed)
        spread = np.nanstd(samples - samples[:, [base]], axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = (_Z * spread / np.abs(column.system - column.system[base])) ** 2
        enough = np.ceil(times * rows.shape[1])
        enough[np.isnan(enough)] = np.inf
        enough[base] = np.nan
        needed[name] = enough
    return needed
