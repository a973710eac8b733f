"""Tables that hold a whole test set, as rows: TSV, JSON lines, Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from albeit.corpus.entities import unescape_line
from albeit.corpus.formats.jsonl import LABELS, Line
from albeit.corpus.formats.tsv import header
from albeit.corpus.lines import LineReader
from albeit.corpus.openings import shown
from albeit.corpus.streams.batches import Head, Row
from albeit.corpus.textio import language
from albeit.errors import InputError, MissingExtraError
from albeit.places import is_address, open_file

__all__ = ["JsonRows", "ParquetRows", "TsvRows"]


class _FileRows:
    """Rows of one or more files of lines, whose first line says what they hold."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        self._files = list(files)
        self._reader = LineReader(self._files, unescape=unescape)
        self.head = self._head(next(iter(self._reader)))

    def _head(self, line: str) -> Head:
        raise NotImplementedError

    @property
    def share(self) -> float:
        """As far as the lines are read."""
        return self._reader.share

    def place(self) -> tuple[str, int]:
        """File and line."""
        return shown(self._reader.path), self._reader.line


class TsvRows(_FileRows):
    """A header, then one line a segment; further files have the same header."""

    def _head(self, line: str) -> Head:
        self._columns = header(line, shown(self._files[0]))
        return _head_of(self._columns)

    def read(self) -> Iterator[Row]:
        """All segments from the first on."""
        self._reader = self._reader.again()
        order = _order(self._columns)
        for line in self._reader:
            if self._reader.line == 1:
                if header(line, shown(self._reader.path)) != self._columns:
                    raise self._reader.error(f"the header is not that of {self._files[0]}.")
                continue
            cells = line.split("\t")
            if len(cells) != len(self._columns):
                raise self._reader.error(
                    f"the line has {len(cells)} cells, but the header has {len(self._columns)}.",
                    "A tab inside a text? Replace it by a space.",
                )
            yield _row(cells, order, self._reader)


class JsonRows(_FileRows):
    """One object a segment; what it says of the whole set must stand in the first line."""

    def _head(self, line: str) -> Head:
        first = Line(line, shown(self._reader.path), self._reader.line)
        labels = self._labels(first)
        columns = [
            *([("source", "source")] if first.text("source") is not None else []),
            *(("reference", name) for name in first.texts("references")),
            *(("system", name) for name in first.texts("systems")),
        ]
        return Head(
            tuple(columns),
            first.text("doc_id") is not None,
            labels["name"] or "evalset",
            labels["source_lang"],
            labels["target_lang"],
        )

    def read(self) -> Iterator[Row]:
        """All segments from the first on."""
        self._reader = self._reader.again()
        known = self.head
        labels = (known.name, known.source_lang, known.target_lang)
        kinds = {"source": known.names("source"), "systems": known.names("system")}
        kinds["references"] = known.names("reference")
        for text in self._reader:
            line = Line(text, shown(self._reader.path), self._reader.line)
            for key, value, first in zip(LABELS, self._labels(line).values(), labels, strict=True):
                if value is not None and value != first:
                    raise line.error(f"{key!r} is {value!r} here, but line 1 has {first!r}.")
            yield self._row(line, kinds)

    @staticmethod
    def _labels(line: Line) -> dict[str, str | None]:
        found = {key: line.text(key) for key in LABELS}
        for key in LABELS[1:]:
            if (tag := found[key]) is not None:
                found[key] = language(tag, line.path, line.number)
        return found

    def _row(self, line: Line, kinds: dict[str, tuple[str, ...]]) -> Row:
        texts: dict[tuple[str, str], str] = {}
        doc_id, source = line.text("doc_id"), line.text("source")
        for key, text, wanted in (
            ("doc_id", doc_id, self.head.has_documents),
            ("source", source, bool(kinds["source"])),
        ):
            if (text is not None) != wanted:
                has, lacks = ("has", "has not") if text is not None else ("lacks", "has")
                raise line.error(f"the line {has} {key!r}, which line 1 {lacks}.")
        if doc_id is not None and not doc_id.strip():
            raise line.error("the doc_id is empty.")
        if source is not None:
            texts["source", "source"] = source
        for key in ("references", "systems"):
            found = line.texts(key)
            if set(found) != set(kinds[key]):
                raise line.error(f"{key!r} are not those of line 1: {', '.join(kinds[key])}.")
            texts |= {(key[:-1], name): text for name, text in found.items()}
        return (doc_id or "", *(texts[column] for column in self.head.columns))


class ParquetRows:
    """Columns named as in TSV (doc_id, source, ref:NAME, sys:NAME), read a row group at a time."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        self._files, self._unescape = list(files), unescape
        self._path, self._line, self._done = self._files[0], 0, 0
        self._tables = [_parquet(path) for path in self._files]
        self._columns = header("\t".join(self._tables[0].schema_arrow.names), self._files[0])
        self._total: int = sum(table.metadata.num_rows for table in self._tables)
        self.head = _head_of(self._columns)

    @property
    def share(self) -> float:
        """As many rows as are read."""
        return self._done / max(1, self._total)

    def place(self) -> tuple[str, int]:
        """File and row."""
        return self._path, self._line

    def error(self, what: str, hint: str = "") -> InputError:
        """Something wrong with the row that was read last."""
        return InputError(what, path=self._path, line=self._line, hint=hint)

    def read(self) -> Iterator[Row]:
        """All segments from the first on."""
        order, self._done = _order(self._columns), 0
        for path, table in zip(self._files, self._tables, strict=True):
            self._path, self._line = path, 0
            names = table.schema_arrow.names
            if header("\t".join(names), self._path) != self._columns:
                raise self.error(f"the columns are not those of {self._files[0]}.")
            for batch in table.iter_batches(batch_size=2000, use_threads=False):
                for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    self._line, self._done = self._line + 1, self._done + 1
                    for name, cell in zip(names, cells, strict=True):
                        if not isinstance(cell, str) or "\n" in cell or "\0" in cell:
                            raise self.error(
                                f"{name!r} is {cell!r:.60}, which is not a line of text."
                            )
                    texts = [unescape_line(cell) for cell in cells] if self._unescape else cells
                    yield _row(texts, order, self)


def _parquet(path: str) -> Any:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtraError(
            f"{path} is Parquet. Install what reads it: pip install 'albeit[scale]'"
        ) from None
    try:
        return ParquetFile(open_file(path) if is_address(path) else path, pre_buffer=False)
    except (OSError, ArrowException) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None


def _head_of(columns: Sequence[str]) -> Head:
    kinds = {"ref": "reference", "sys": "system"}
    found = []
    for column in columns:
        kind, _, name = column.partition(":")
        if column != "doc_id":
            found.append((kinds.get(kind, kind), name or "source"))
    return Head(tuple(found), "doc_id" in columns)


def _order(columns: Sequence[str]) -> tuple[int | None, list[int]]:
    """Where the document id stands, and where the texts do."""
    ids = columns.index("doc_id") if "doc_id" in columns else None
    return ids, [place for place in range(len(columns)) if place != ids]


def _row(
    cells: Sequence[str], order: tuple[int | None, list[int]], reader: LineReader | ParquetRows
) -> Row:
    ids, texts = order
    if ids is not None and not cells[ids].strip():
        raise reader.error("the doc_id is empty.")
    return ("" if ids is None else cells[ids], *(cells[place] for place in texts))
