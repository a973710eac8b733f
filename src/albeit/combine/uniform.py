"""Uniform combination: the mean of scaled metrics; and the named groups in ``groups.toml``.

Metrics are scaled over the table's scores, as in the papers' tables, so a score depends on the
other systems. A tuned model has the constants of its training data instead.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from albeit.arrays import FloatArray
from albeit.data.evalset import Level
from albeit.errors import MetricError
from albeit.metaeval.judged_set import oriented
from albeit.metrics.grammar import Signature
from albeit.metrics.table import Column, ScoreTable


class Group(NamedTuple):
    """A named group of metrics: a title for tables, and the members in order."""

    name: str
    title: str
    members: tuple[str, ...]


@cache
def groups() -> dict[str, Group]:
    """Return all groups by name."""
    text = files("albeit.combine").joinpath("groups.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)

    def members(name: str) -> tuple[str, ...]:
        items = data[name]["metrics"]
        parts = [members(item[1:]) if item.startswith("@") else (item,) for item in items]
        return tuple(member for part in parts for member in part)

    return {name: Group(name, data[name]["title"], members(name)) for name in data}


def group(name: str) -> Group:
    """Return a group by its name."""
    if name.lower() not in groups():
        known = ", ".join(groups())
        raise MetricError(f"unknown group of metrics {name!r}; there are {known}.")
    return groups()[name.lower()]


def min_max(scores: FloatArray, name: str = "the metric") -> FloatArray:
    """Scale scores to [0, 1]; raise if they are constant."""
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    if low == high:
        raise MetricError(f"{name} is constant ({low:g}), so it cannot be normalized.")
    return np.asarray((scores - low) / (high - low))


def share_of_maximum(scores: FloatArray, name: str = "the metric") -> FloatArray:
    """Scale as ASIYA's ULC: score / maximum, after a shift to zero if a score is negative."""
    shifted = scores - min(0.0, float(np.nanmin(scores)))
    top = float(np.nanmax(shifted))
    if top == 0.0:
        raise MetricError(f"{name} is zero everywhere, so it cannot be normalized.")
    return np.asarray(shifted / top)


_SCALINGS = {"min-max": min_max, "ulc": share_of_maximum}


def uniform(
    table: ScoreTable, metrics: Sequence[str], *, name: str | None = None, scaling: str = "min-max"
) -> Column:
    """Return the mean of these columns, scaled at every level over the table's scores.

    Error metrics are negated first. A level that one metric lacks is missing in the combination.

    :param table: scores of all the metrics
    :param metrics: the metrics to combine; one that is named twice counts twice
    :param name: the name of the combination
    :param scaling: ``min-max`` or ``ulc`` (ASIYA's share of the maximum)

    >>> import albeit
    >>> from albeit.combine import uniform
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf", "ter"])
    >>> table.systems[uniform(table, ["chrf", "ter"]).system.argmax()]
    'careful'
    """
    if not metrics:
        raise MetricError("a combination needs at least one metric.")
    if scaling not in _SCALINGS:
        raise MetricError(f"unknown scaling {scaling!r}; there are {', '.join(_SCALINGS)}.")
    columns = [table[metric] for metric in metrics]

    def combine(level: Level) -> FloatArray | None:
        if any(getattr(column, level) is None for column in columns):
            return None
        scaled = [_SCALINGS[scaling](oriented(c, level), c.name) for c in columns]
        return np.asarray(np.mean(scaled, axis=0))

    system = combine("system")
    if system is None:
        raise MetricError("a metric of the combination has no system scores.")
    inside = "+".join(metrics)
    signature = Signature("uniform", (("metrics", inside), ("scaling", scaling)))
    own_name = name or f"uniform({inside})"
    return Column(own_name, signature, True, system, combine("document"), combine("segment"))
