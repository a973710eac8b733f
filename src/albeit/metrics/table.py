"""The result type: scores of systems by metrics, for systems, documents, and segments.

Combination, meta-evaluation, and reports take a :class:`ScoreTable`, whether its columns were
computed or read from a file of another tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from albeit.data.plugins import import_extra
from albeit.errors import InputError, MetricError
from albeit.metrics import Document, EvalSet, FloatArray, Level, Metric, Signature, Unit
from albeit.metrics.view import Displayed

if TYPE_CHECKING:
    import pandas
    import pyarrow

_BLOCK = 4096
"""Rows that are added up at once; it bounds memory and changes nothing else."""
ScoreRows = Iterable[dict[str, object]]


def running_sums(rows: FloatArray, before: FloatArray | None = None) -> FloatArray:
    """Sum over the second axis of (systems, rows, k), on top of sums ``before``: (systems, k).

    ``np.add.accumulate`` adds one row after the other; ``sum`` doesn't promise an order.
    """
    total = before
    for start in range(0, rows.shape[1], _BLOCK):
        block = rows[:, start : start + _BLOCK]
        if total is not None:
            block = np.concatenate([total[:, None], block], axis=1)
        total = np.add.accumulate(block, axis=1)[:, -1]
    if total is None:
        raise ValueError("there are no rows to add up")
    return total


def frame(records: ScoreRows) -> pandas.DataFrame:
    """Convert records to a pandas frame."""
    loaded = import_extra("pandas", "to_frame needs pandas. Install it", "pandas")
    table: pandas.DataFrame = loaded.DataFrame(list(records))
    return table


def arrow(records: ScoreRows) -> pyarrow.Table:
    """Convert records to an Arrow table."""
    loaded = import_extra("pyarrow", "an Arrow table needs pyarrow. Install it", "arrow")
    return loaded.Table.from_pylist(list(records))


@dataclass(frozen=True, slots=True)
class Confidence:
    """The settings of confidence intervals: bootstrap over segments or documents."""

    level: float
    resamples: int
    seed: int
    unit: Unit


class Score(NamedTuple):
    """One system's score by one metric.

    :param value: the score
    :param signature: what is needed to reproduce it
    :param interval: the ends of its confidence interval, if one was computed
    :param confidence: the settings of that interval

    >>> import albeit
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf"])
    >>> round(table.score("chrf", "careful").value, 1)
    91.1
    """

    value: float
    signature: str
    interval: tuple[float, float] | None = None
    confidence: Confidence | None = None

    def __float__(self) -> float:
        return self.value


class Column(NamedTuple):
    """One metric's scores for all systems of a table.

    ``system`` has shape (systems,), ``document`` (systems, documents), ``segment``
    (systems, segments); a level that the metric doesn't have is ``None``. If the metric was
    computed, ``statistics`` (systems, rows, k) are kept for resampling, and ``sums``
    (systems, k) are their sums. ``intervals`` (systems, 2) are the ends of confidence intervals.
    ``standard_errors`` are those of the scores per level, in their shape, if the metric has them.
    """

    name: str
    signature: Signature
    higher_is_better: bool
    system: FloatArray
    document: FloatArray | None = None
    segment: FloatArray | None = None
    metric: Metric | None = None
    statistics: FloatArray | None = None
    sums: FloatArray | None = None
    intervals: FloatArray | None = None
    confidence: Confidence | None = None
    standard_errors: Mapping[Level, FloatArray] = MappingProxyType({})

    @classmethod
    def from_statistics(
        cls,
        metric: Metric,
        statistics: FloatArray,
        documents: Sequence[Document],
        signature: Signature,
    ) -> Column:
        """Compute scores at every level from rows of additive statistics.

        A document that is the whole set has the set's score, bit by bit.
        """
        sums = running_sums(statistics)
        by_segment = metric.unit is Unit.SEGMENT
        by_document = statistics
        if by_segment and len(documents) == 1:
            by_document = sums[:, None]
        elif by_segment:
            by_document = np.add.reduceat(statistics, [d.start for d in documents], axis=1)
        rows: dict[Level, FloatArray] = {"system": sums, "document": by_document}
        rows |= {"segment": statistics} if by_segment else {}
        own = metric.segment_score(statistics)
        levels: tuple[FloatArray, FloatArray | None] = own, None
        if by_segment:
            levels = metric.score(by_document), own
        scores = metric.higher_is_better, metric.score(sums), *levels
        errors = standard_errors(metric, rows)
        source = metric, statistics, sums
        return cls(str(metric), signature, *scores, *source, standard_errors=errors)

    def __repr__(self) -> str:
        return f"<Column {self.name}: {len(self.system)} systems>"

    def at(self, level: Level) -> FloatArray:
        """Return the scores at one level; raise if the metric has none."""
        if level not in get_args(Level):
            known = ", ".join(get_args(Level))
            raise MetricError(f"there is no level {level!r} of scores. Levels: {known}.")
        scores: FloatArray | None = getattr(self, level)
        if scores is None:
            raise MetricError(f"{self.name} has no {level} scores.")
        return scores


def standard_errors(metric: Metric, rows: Mapping[Level, FloatArray]) -> dict[Level, FloatArray]:
    """Return the standard errors of scores of sums of rows, per level, if the metric has them."""
    errors = {level: metric.standard_error(own) for level, own in rows.items()}
    return {level: error for level, error in errors.items() if error is not None}


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Displayed):
    """Systems × metrics, at every level, over the segments and documents of one test set.

    ``print`` and notebooks show the systems' scores as a table.

    :param systems: their names, in the order of the set
    :param documents: the documents of the set
    :param columns: the scores of each metric by its name
    :param name: what the set is called
    :param language_pair: the languages translated from and into
    :param has_documents: whether the set has document boundaries

    >>> import albeit
    >>> table = albeit.score(albeit.read("examples/demo"), ["chrf", "ter"])
    >>> table.metrics, table["ter"].segment.shape
    (('chrf', 'ter'), (4, 24))
    """

    systems: tuple[str, ...]
    documents: Sequence[Document]
    columns: Mapping[str, Column]
    name: str = "evalset"
    language_pair: tuple[str | None, str] = (None, "en")
    has_documents: bool = True

    @classmethod
    def build(cls, evalset: EvalSet, columns: Iterable[Column]) -> ScoreTable:
        """Build a table over the systems of a set; column names must differ."""
        named: dict[str, Column] = {}
        for column in columns:
            if column.name in named:
                raise MetricError(f"{column.name} is asked for twice.")
            named[column.name] = column
        languages = evalset.source_lang, evalset.target_lang
        about = evalset.name, languages, evalset.has_documents
        return cls(tuple(evalset.systems), evalset.documents, named, *about)

    def __getitem__(self, metric: str | Metric) -> Column:
        """Return the column of a metric, by its name in the grammar."""
        try:
            return self.columns[str(metric)]
        except KeyError:
            known = ", ".join(self.columns)
            raise MetricError(f"the table has no column {metric!s}; it has {known}.") from None

    def __len__(self) -> int:
        """Return the number of segments."""
        return self.documents[-1].stop

    def __repr__(self) -> str:
        systems, metrics = len(self.systems), ", ".join(self.columns)
        return f"<ScoreTable {self.name!r}: {systems} systems, {len(self)} segments, {metrics}>"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def select(self, metrics: Iterable[str | Metric]) -> ScoreTable:
        """Return the table with only these columns, in this order."""
        return replace(self, columns={c.name: c for c in map(self.__getitem__, metrics)})

    def with_columns(self, extra: Iterable[Column]) -> ScoreTable:
        """Return the table with more columns."""
        named = dict(self.columns)
        for column in extra:
            if column.name in named:
                raise MetricError(f"the table has a column {column.name} already.")
            if column.system.shape != (len(self.systems),):
                raise InputError(f"{column.name} does not cover the table's systems.")
            named[column.name] = column
        return replace(self, columns=named)

    def score(self, metric: str | Metric, system: str) -> Score:
        """Return one system's score by one metric, with its signature and interval."""
        column, row = self[metric], self.system_index(system)
        interval = None
        if column.intervals is not None:
            low, high = column.intervals[row].tolist()
            interval = (low, high)
        return Score(float(column.system[row]), str(column.signature), interval, column.confidence)

    def system_index(self, system: str) -> int:
        """Return the row of a system."""
        try:
            return self.systems.index(system)
        except ValueError:
            known = ", ".join(self.systems)
            raise InputError(f"there is no system {system!r}; there are {known}.") from None

    def to_records(self, level: Level = "system") -> Iterator[dict[str, object]]:
        """Yield one plain record per score: system, metric, score, and document or segment.

        System scores with a confidence interval have its ends as ``low`` and ``high``. Scores of a
        metric with standard errors have their ``standard_error``.
        """
        items: list[dict[str, object]] = [{}]
        if level == "document":
            items = [{"document": document.id} for document in self.documents]
        elif level == "segment":
            items = [
                {"document": document.id, "segment": i + 1}
                for document in self.documents
                for i in range(document.start, document.stop)
            ]
        for column in self.columns.values():
            scores = column.at(level).reshape(len(self.systems), -1)
            errors = column.standard_errors.get(level)
            for row, system in enumerate(self.systems):
                interval = self.score(column.name, system).interval if level == "system" else None
                ends = dict(zip(("low", "high"), interval or (), strict=False))
                for at, item in enumerate(items):
                    record = {"system": system, "metric": column.name, **item}
                    record |= {"score": float(scores[row, at]), **ends}
                    if errors is not None:
                        record["standard_error"] = float(errors.reshape(scores.shape)[row, at])
                    yield record

    def to_frame(self, level: Level = "system") -> pandas.DataFrame:
        """Return the records as a pandas frame (polars: ``polars.DataFrame(table)``)."""
        return frame(self.to_records(level))

    def to_arrow(self, level: Level = "system") -> pyarrow.Table:
        """Return the records as an Arrow table."""
        return arrow(self.to_records(level))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return Arrow's stream of columns, which ``polars.DataFrame(table)`` reads."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
