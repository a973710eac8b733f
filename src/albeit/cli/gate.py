"""Conditions under which a command ends with status 3, for scripts and continuous integration.

The table is printed all the same; one line on stderr for each condition that does not hold says
which system, which metric, and by how much.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from albeit.cli.parser import Group, UsageError

if TYPE_CHECKING:
    from albeit.metrics.significance import Comparison
    from albeit.metrics.table import ScoreTable

FAILED = 3
"""The exit status where a condition does not hold."""


def add_fail_under(group: Group) -> None:
    """``albeit score --fail-under judge=80``."""
    group.several(
        "--fail-under",
        type=_limit,
        metavar="METRIC=X",
        help="end with status 3 if a system's score is worse than this (below it, or above it"
        " where lower is better)",
    )


def add_fail_if_worse(group: Group) -> None:
    """``albeit compare --fail-if-worse chrf --margin 0.5``."""
    group.add_argument(
        "--fail-if-worse",
        nargs="*",
        metavar="METRIC",
        help="end with status 3 if a system is significantly worse than the baseline by one of"
        " these metrics (default: any)",
    )
    group.option(
        "--margin", type=float, metavar="X", help="for --fail-if-worse: and by more than X points"
    )


def check_names(option: str, wanted: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a condition on a metric that is not asked for."""
    for name in wanted:
        if name not in known:
            raise UsageError(f"{option}: {name!r} is not among the metrics: {', '.join(known)}.")


def status_under(table: ScoreTable, limits: Sequence[tuple[str, float]]) -> int:
    """The exit status by ``--fail-under``; an undefined score does not reach anything."""
    check_names("--fail-under", dict(limits), list(table.columns))
    missed = []
    for name, limit in limits:
        column = table[name]
        beyond = "below" if column.higher_is_better else "above"
        for system, score in zip(table.systems, column.system.tolist(), strict=True):
            reached = score >= limit if column.higher_is_better else score <= limit
            if not reached:
                shown = "undefined" if math.isnan(score) else f"{score:g}, {beyond} {limit:g}"
                missed.append(f"{system}: {name} is {shown}.")
    return _status(missed)


def status_if_worse(found: Comparison, metrics: Sequence[str], margin: float | None) -> int:
    """The exit status by ``--fail-if-worse``: what the table marks as worse, beyond the margin."""
    check_names("--fail-if-worse", metrics, list(found.table.columns))
    worse: Mapping[str, list[tuple[str, float]]] = {
        name: found.worse(name) for name in metrics or found.table.columns
    }
    return _status(
        f"{system}: {name} is worse than {found.baseline}'s by {loss:g} (p < .05, corrected)."
        for name, losses in worse.items()
        for system, loss in losses
        if loss > (margin or 0.0)
    )


def _status(missed: Iterable[str]) -> int:
    lines = list(missed)
    for line in lines:
        print(f"albeit: failed: {line}", file=sys.stderr)
    return FAILED if lines else 0


def _limit(text: str) -> tuple[str, float]:
    """``judge=80``; a metric's own parameters may hold equals signs."""
    name, equals, number = text.rpartition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if not equals or not name or math.isnan(limit):
        raise argparse.ArgumentTypeError(f"must be METRIC=NUMBER, not {text!r}")
    return name, limit
