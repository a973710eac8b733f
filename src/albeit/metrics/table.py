"""The one result type: scores of systems by metrics, for systems, documents and segments.

Later stages (combination, meta-evaluation, reports) take a :class:`ScoreTable` and care
not whether a column was computed here or read from a file of another tool. Records become data frames
of other packages, which are imported where they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from albeit.data.evalset import Document, EvalSet
from albeit.data.levels import Level, Unit
from albeit.errors import InputError, MetricError, MissingExtraError
from albeit.metrics.base import FloatArray, Metric
from albeit.metrics.display import Displayed
from albeit.metrics.signature import Signature
from albeit.stats.sums import running_sums

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = [
    "Column",
    "Confidence",
    "Score",
    "ScoreTable",
    "arrow",
    "errors_of",
    "frame",
    "scores_of",
]

Records = Iterable[dict[str, object]]


def frame(records: Records) -> pandas.DataFrame:
    """A pandas frame, a row a record."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError(
            "to_frame needs pandas. Install it: pip install 'albeit[pandas]'"
        ) from None
    return pd.DataFrame(list(records))


def arrow(records: Records) -> pyarrow.Table:
    """An Arrow table, a row a record."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(
            "Arrow tables need pyarrow. Install it: pip install 'albeit[arrow]'"
        ) from None
    return pa.Table.from_pylist(list(records))


@dataclass(frozen=True, slots=True)
class Confidence:
    """How confidence intervals were made: bootstrap over segments or documents."""

    level: float
    resamples: int
    seed: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Score:
    """One system's score by one metric.

    :param value: the score
    :param signature: how to get it again
    :param interval: the ends of its confidence interval, where one was asked for
    :param confidence: how that was made

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


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One metric's scores for all systems of a table.

    ``system`` has shape (systems,), ``document`` (systems, documents), ``segment``
    (systems, segments); a level that the metric does not have is ``None``. Where the
    metric ran here, ``statistics`` (systems, rows, k) are kept for resampling.
    ``sums`` (systems, k) are those statistics added up.
    ``intervals`` (systems, 2) hold the ends of confidence intervals, once made.
    ``standard_errors`` say level by level how far off the scores may be, in their shape, where
    the metric itself says so.
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
    standard_errors: Mapping[Level, FloatArray] = field(default_factory=dict)

    @classmethod
    def from_statistics(
        cls,
        metric: Metric,
        statistics: FloatArray,
        documents: Sequence[Document],
        signature: Signature,
    ) -> Column:
        """Scores at every level from rows of additive statistics."""
        sums = running_sums(statistics)
        by_document = _by_document(metric, statistics, documents, sums)
        segment, document = scores_of(metric, statistics, documents, sums)
        rows: dict[Level, FloatArray] = {"system": sums, "document": by_document}
        rows |= {"segment": statistics} if metric.unit is Unit.SEGMENT else {}
        return cls(
            str(metric),
            signature,
            metric.higher_is_better,
            metric.score(sums),
            document,
            segment,
            metric,
            statistics,
            sums,
            standard_errors=errors_of(metric, rows),
        )

    def __repr__(self) -> str:
        return f"<Column {self.name}: {len(self.system)} systems>"

    def at(self, level: Level) -> FloatArray:
        """The scores at one level; an error where the metric has none there."""
        if level not in get_args(Level):
            known = ", ".join(get_args(Level))
            raise MetricError(f"there is no level {level!r} of scores. Levels: {known}.")
        found: FloatArray | None = getattr(self, level)
        if found is None:
            raise MetricError(f"{self.name} has no {level} scores.")
        return found


def scores_of(
    metric: Metric,
    statistics: FloatArray,
    documents: Sequence[Document],
    sums: FloatArray | None = None,
) -> tuple[FloatArray | None, FloatArray]:
    """Scores of segments, if it has them, and of documents, from rows over those documents.

    ``sums`` are all rows added up, if that is known: a document that is the whole set has the
    set's score to the last bit.
    """
    if metric.unit is not Unit.SEGMENT:
        return None, metric.segment_score(statistics)
    by_document = _by_document(metric, statistics, documents, sums)
    return metric.segment_score(statistics), metric.score(by_document)


def errors_of(metric: Metric, rows: Mapping[Level, FloatArray]) -> dict[Level, FloatArray]:
    """How far off the scores of sums of rows may be, level by level, where the metric says so."""
    errors = {level: metric.standard_error(own) for level, own in rows.items()}
    return {level: found for level, found in errors.items() if found is not None}


def _by_document(
    metric: Metric,
    statistics: FloatArray,
    documents: Sequence[Document],
    sums: FloatArray | None = None,
) -> FloatArray:
    """The rows of each document added up."""
    if metric.unit is not Unit.SEGMENT:
        return statistics
    if len(documents) == 1 and sums is not None:
        return sums[:, None]
    return np.add.reduceat(statistics, [d.start for d in documents], axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Displayed):
    """Systems × metrics, at every level, over the segments and documents of one test set.

    ``print`` shows the systems' scores as a table; so do notebooks.

    :param systems: their names, in the order of the set
    :param documents: the documents of the set
    :param columns: the scores of each metric by its name
    :param name: what the set is called
    :param language_pair: the languages translated from and into
    :param has_documents: whether the set says where documents begin

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
        """A table over the systems of a set; column names must differ."""
        named: dict[str, Column] = {}
        for column in columns:
            if column.name in named:
                raise MetricError(f"{column.name} is asked for twice.")
            named[column.name] = column
        return cls(
            tuple(evalset.systems),
            evalset.documents,
            named,
            evalset.name,
            (evalset.source_lang, evalset.target_lang),
            evalset.has_documents,
        )

    def __getitem__(self, metric: str | Metric) -> Column:
        """The column of a metric, by its name in the grammar."""
        try:
            return self.columns[str(metric)]
        except KeyError:
            known = ", ".join(self.columns)
            raise MetricError(f"the table has no column {metric!s}; it has {known}.") from None

    def __len__(self) -> int:
        """The number of segments."""
        return self.documents[-1].stop

    def __repr__(self) -> str:
        systems, metrics = len(self.systems), ", ".join(self.columns)
        return f"<ScoreTable {self.name!r}: {systems} systems, {len(self)} segments, {metrics}>"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def select(self, metrics: Iterable[str | Metric]) -> ScoreTable:
        """The same table with only these columns, in this order."""
        return replace(
            self, columns={column.name: column for column in map(self.__getitem__, metrics)}
        )

    def with_columns(self, extra: Iterable[Column]) -> ScoreTable:
        """The same table with more columns."""
        named = dict(self.columns)
        for column in extra:
            if column.name in named:
                raise MetricError(f"the table has a column {column.name} already.")
            if column.system.shape != (len(self.systems),):
                raise InputError(f"{column.name} does not cover the table's systems.")
            named[column.name] = column
        return replace(self, columns=named)

    def score(self, metric: str | Metric, system: str) -> Score:
        """One system's score by one metric, with its signature and interval."""
        column, row = self[metric], self.system_index(system)
        interval = None
        if column.intervals is not None:
            interval = (float(column.intervals[row, 0]), float(column.intervals[row, 1]))
        return Score(float(column.system[row]), str(column.signature), interval, column.confidence)

    def system_index(self, system: str) -> int:
        """The row of a system."""
        try:
            return self.systems.index(system)
        except ValueError:
            known = ", ".join(self.systems)
            raise InputError(f"there is no system {system!r}; there are {known}.") from None

    def to_records(self, level: Level = "system") -> Iterator[dict[str, object]]:
        """One plain record a score: system, metric, score, and document or segment.

        System scores with a confidence interval carry its ends as ``low`` and ``high``, scores
        of a metric that says how sure it is their ``standard_error``.
        """
        for column in self.columns.values():
            scores = column.at(level)
            errors = column.standard_errors.get(level)

            def sure(*place: int, errors: FloatArray | None = errors) -> dict[str, float]:
                return {} if errors is None else {"standard_error": float(errors[place])}

            for row, system in enumerate(self.systems):
                base: dict[str, object] = {"system": system, "metric": column.name}
                if level == "system":
                    found = self.score(column.name, system)
                    ends = dict(zip(("low", "high"), found.interval or (), strict=False))
                    yield base | {"score": found.value} | ends | sure(row)
                elif level == "document":
                    for d, document in enumerate(self.documents):
                        own = {"document": document.id, "score": float(scores[row, d])}
                        yield base | own | sure(row, d)
                else:
                    for document in self.documents:
                        for i in range(document.start, document.stop):
                            place = {"document": document.id, "segment": i + 1}
                            yield base | place | {"score": float(scores[row, i])} | sure(row, i)

    def to_frame(self, level: Level = "system") -> pandas.DataFrame:
        """The records as a pandas frame (``polars.DataFrame(table.to_arrow())`` makes one of polars)."""
        return frame(self.to_records(level))

    def to_arrow(self, level: Level = "system") -> pyarrow.Table:
        """The records as an Arrow table, which polars and others take as it is."""
        return arrow(self.to_records(level))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's own way to hand over columns: ``polars.DataFrame(table)`` uses it."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
