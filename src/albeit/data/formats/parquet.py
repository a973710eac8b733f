"""Parquet, read a row group at a time: columns as in TSV (``doc_id``, ``source``, ``ref:NAME``, ``sys:NAME``)."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from albeit.data.entities import count_entity_lines, unescape_line
from albeit.data.evalset import EvalSet
from albeit.data.formats.tsv import block_of, columns_of, head_of, header
from albeit.data.places import is_address, open_file
from albeit.data.rows import AT_ONCE, Block
from albeit.data.textio import STDIN, replacing, warn_of_entities
from albeit.errors import InputError, MissingExtraError

__all__ = ["ParquetRows", "begins", "rows", "write", "write_columns"]


class ParquetRows:
    """One row per segment; further files have the same columns."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        self._files, self._unescape = list(files), unescape
        self._tables = [_table(path) for path in self._files]
        self._columns = self._columns_of(0)
        self._done = 0
        self.head = head_of(self._columns)

    def _columns_of(self, number: int) -> list[str]:
        return header("\t".join(self._tables[number].schema_arrow.names), self._files[number])

    @property
    def share(self) -> float:
        """As many rows as are read."""
        whole: int = sum(table.metadata.num_rows for table in self._tables)
        return self._done / max(1, whole)

    def place(self, row: int) -> tuple[str, int]:
        """File and row, from 1."""
        for path, table in zip(self._files, self._tables, strict=True):
            if row < table.metadata.num_rows:
                return path, row + 1
            row -= table.metadata.num_rows
        return self._files[-1], row + 1

    def error(self, row: int, what: str) -> InputError:
        """Something wrong with a row, from 0."""
        path, line = self.place(row)
        return InputError(what, path=path, line=line)

    def blocks(self) -> Iterator[Block]:
        """All segments from the first on."""
        self._done = 0
        for number, (path, table) in enumerate(zip(self._files, self._tables, strict=True)):
            if self._columns_of(number) != self._columns:
                what = f"the columns are not those of {self._files[0]}."
                raise InputError(what, path=path, line=1)
            entities = 0
            for cells in _cells(table, path):
                for name, column in zip(self._columns, cells, strict=True):
                    self._check(name, column)
                ids, *texts = block_of(cells, self._columns, self._error_here)
                if self._unescape:
                    texts = [[unescape_line(text) for text in column] for column in texts]
                else:
                    entities += sum(map(count_entity_lines, texts))
                self._done += len(ids)
                yield (ids, *texts)
            if entities:
                warn_of_entities(entities, path)
        if not self._done:
            raise InputError("has columns, but no segments.", path=self._files[0])

    def _error_here(self, row: int, what: str) -> InputError:
        return self.error(self._done + row, what)

    def _check(self, name: str, column: Sequence[object]) -> None:
        for row, cell in enumerate(column):
            if not isinstance(cell, str) or "\n" in cell or "\0" in cell:
                raise self._error_here(
                    row, f"{name!r} is {cell!r:.60}, which is not a line of text."
                )


rows = ParquetRows


def _cells(table: Any, path: str) -> Iterator[list[list[Any]]]:
    """The values of some rows by column; a damaged page is an error."""
    trouble = _library(path, "reads")[1]
    batches = table.iter_batches(batch_size=AT_ONCE, use_threads=False)
    while True:
        try:
            batch = next(batches, None)
            if batch is None:
                return
            cells = [column.to_pylist() for column in batch.columns]
        except (OSError, ValueError, trouble) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"cannot be read: {reason}", path=path) from None
        yield cells


def begins(text: str) -> bool:
    """Whether a file begins as Parquet does."""
    return text.startswith("PAR1")


def _table(path: str) -> Any:
    parquet, trouble = _library(path, "reads")
    try:
        source = open_file(path) if is_address(path) else path
        return parquet.ParquetFile(source, pre_buffer=False)
    except (OSError, trouble) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None


def _library(path: str | Path, does: str) -> tuple[Any, type[Exception]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtraError(
            f"{path} is Parquet. Install what {does} it: pip install 'albeit[scale]'"
        ) from None
    return parquet, ArrowException


def write(evalset: EvalSet, path: Path) -> None:
    """Write one column per text; the test set's name and languages have no place in it."""
    write_columns(columns_of(evalset, path), path)


def write_columns(columns: Mapping[str, Sequence[object]], path: Path) -> None:
    """Write columns by name; ``-`` is standard output."""
    parquet, _ = _library(path, "writes")
    import pyarrow

    table = pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()})
    if str(path) == STDIN:
        made = io.BytesIO()
        parquet.write_table(table, made, compression="zstd")
        sys.stdout.buffer.write(made.getvalue())
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            parquet.write_table(table, temporary, compression="zstd")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}.", path=path) from None
