"""Scores of segments beside their texts, one line per segment, in the order of the set.

Written as the parts of a run come, so that the set may have any length. The ending of the file
says the form: ``.jsonl``, ``.tsv``, ``.csv`` (all perhaps ``.gz``) or ``.parquet``. A segment that was
left out has its line, and no score.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

from albeit.data.evalset import EvalSet
from albeit.data.levels import Unit
from albeit.errors import InputError, MissingExtraError
from albeit.evaluation.parts import Part
from albeit.metrics.base import Metric

__all__ = ["SegmentFile"]

Column = tuple[str, ...]
"""``("segment",)``, ``("doc_id",)``, ``("source",)``, ``("ref", name)``, ``("sys", name)``,
``("score", metric, system)``."""
Record = dict[Column, Any]
"""A segment as a row of a table: column to text or number."""


class SegmentFile:
    """A file that grows part by part, and stands in its place only once it is whole."""

    def __init__(
        self,
        path: str | Path,
        systems: Sequence[str],
        metrics: Sequence[Metric],
        *,
        documents: bool,
    ) -> None:
        self.path = Path(path)
        self._systems, self._documents = tuple(systems), documents
        self._metrics = [
            (place, metric) for place, metric in enumerate(metrics) if metric.unit is Unit.SEGMENT
        ]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        self._writer = _WRITERS[ending_of(path)](self._temporary, self.path)

    def __enter__(self) -> SegmentFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()
        if error is None:
            self._temporary.replace(self.path)
        else:
            self._temporary.unlink(missing_ok=True)

    def add(self, part: Part, texts: EvalSet) -> None:
        """Write the segments of a part with their texts."""
        self._writer.write(self._records(part, texts))

    def _records(self, part: Part, texts: EvalSet) -> Iterator[Record]:
        scores = {
            (str(metric), system): own.tolist()
            for place, metric in self._metrics
            for system, own in zip(
                self._systems,
                metric.segment_score(part.statistics[place]) if part.statistics else (),
                strict=bool(part.statistics),
            )
        }
        rows = {place: row for row, place in enumerate(part.places())}
        ids = dict(_ids(part))
        for place in range(part.first, part.first + part.size):
            record: Record = {("segment",): place + 1}
            if self._documents:
                record["doc_id",] = ids[place]
            line = place - part.first
            if texts.source is not None:
                record["source",] = texts.source[line]
            record |= {("ref", n): lines[line] for n, lines in texts.references.items()}
            record |= {("sys", n): lines[line] for n, lines in texts.systems.items()}
            row = rows.get(place)
            for _, metric in self._metrics:
                for system in self._systems:
                    value = None if row is None else scores[str(metric), system][row]
                    record["score", str(metric), system] = value
            yield record


def _ids(part: Part) -> Iterator[tuple[int, str]]:
    places = part.places()
    for document in part.documents:
        yield from ((place, document.id) for place in places[document.rows])
    for document in part.left_out:
        yield from ((place, document.id) for place in range(document.start, document.stop))


def ending_of(path: str | Path) -> str:
    """The form that a file's name asks for."""
    name = Path(path).name
    for ending in _WRITERS:
        if name.endswith((ending, f"{ending}.gz")) and not name.endswith(".parquet.gz"):
            return ending
    raise InputError(
        "does not say by its ending how it is to be written.",
        path=path,
        hint=f"End it in one of {', '.join(_WRITERS)}.",
    )


class _Lines:
    """One line a record."""

    def __init__(self, temporary: Path, path: Path) -> None:
        self._path, self._number = path, 0
        self._raw = temporary.open("wb")
        self._file = cast(
            IO[bytes],
            gzip.GzipFile("", "wb", fileobj=self._raw, mtime=0)
            if path.suffix == ".gz"
            else self._raw,
        )

    def write(self, records: Iterable[Record]) -> None:
        for record in records:
            self._number += 1
            self._file.write((self.line(record) + "\n").encode())

    def line(self, record: Record) -> str:
        raise NotImplementedError

    def close(self) -> None:
        self._file.close()
        self._raw.close()


class _JsonLines(_Lines):
    """References and systems are objects, as in the JSONL of test sets, and so are scores."""

    def line(self, record: Record) -> str:
        """One object."""
        found: dict[str, Any] = {}
        for (kind, *names), value in record.items():
            if not names:
                found[kind] = value
            elif kind == "score":
                metric, system = names
                found.setdefault("scores", {}).setdefault(system, {})[metric] = value
            else:
                found.setdefault({"ref": "references", "sys": "systems"}[kind], {})[names[0]] = (
                    value
                )
        return json.dumps(found, ensure_ascii=False)


def _heading(column: Column) -> str:
    """``ref:A``, ``sys:online``, ``chrf:online``."""
    kind, *names = column
    return ":".join(names if kind == "score" else column)


class _Table(_Lines):
    """A header, then cells; no score is an empty cell."""

    def line(self, record: Record) -> str:
        """One line, with the header before the first."""
        cells = ["" if value is None else str(value) for value in record.values()]
        if any("\t" in cell for cell in cells):
            raise InputError(
                "a table cannot hold the tab in a text.",
                path=self._path,
                line=self._number + 1,
                hint="Write .jsonl or .parquet.",
            )
        line = "\t".join(cells)
        return "\t".join(map(_heading, record)) + "\n" + line if self._number == 1 else line


class _CommaTable(_Lines):
    """The same as CSV, whose cells may hold anything."""

    def line(self, record: Record) -> str:
        """One line, with the header before the first."""
        made = io.StringIO()
        writer = csv.writer(made, lineterminator="\n")
        if self._number == 1:
            writer.writerow(map(_heading, record))
        writer.writerow(record.values())
        return made.getvalue().removesuffix("\n")


class _Parquet:
    """A row group a part."""

    def __init__(self, temporary: Path, path: Path) -> None:
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingExtraError(
                f"{path} is to be Parquet. Install what writes it: pip install 'albeit[scale]'"
            ) from None
        self._temporary = temporary
        self._writer: Any = None

    def write(self, records: Iterable[Record]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        rows = list(records)
        types = {"segment": pa.int64(), "score": pa.float64()}
        schema = pa.schema([(_heading(c), types.get(c[0], pa.string())) for c in rows[0]])
        columns = [[row[column] for row in rows] for column in rows[0]]
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._temporary, schema, compression="zstd")
        self._writer.write_table(pa.table(columns, schema=schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


_WRITERS: dict[str, type[_JsonLines | _Table | _CommaTable | _Parquet]] = {
    ".jsonl": _JsonLines,
    ".tsv": _Table,
    ".csv": _CommaTable,
    ".parquet": _Parquet,
}
