"""Test sets as tables, one row per segment: TSV, JSON lines, and Parquet.

A TSV has a header; Parquet has the same columns. Cells are text without quoting.

    doc_id ⇥ source ⇥ ref:A ⇥ ref:B ⇥ sys:Online-A ⇥ sys:Online-B

``doc_id`` and ``source`` are optional; ``src`` is the same as ``source``, and ``ref`` is a
reference named ``ref``. JSON lines have one object per segment, all with the same texts:

    {"doc_id": "a.1", "source": "…", "references": {"A": "…"}, "systems": {"Online-A": "…"}}

``name``, ``source_lang``, and ``target_lang`` in any line are of the whole set.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from albeit.data import textio
from albeit.data.corpus import BLOCK, Block, Corpus
from albeit.data.evalset import LABELS, EvalSet, Kind
from albeit.data.files import AnyPath, is_address, open_file, readable, shown
from albeit.data.plugins import import_extra
from albeit.errors import InputError

Column = tuple[str, str]
"""Kind and name of a column; document ids are ``("document", "doc_id")``."""
_ID, _SOURCE = ("document", "doc_id"), ("source", "source")
_COLUMNS = {"doc_id": _ID, "source": _SOURCE, "src": _SOURCE, "ref": ("reference", "ref")}
_KINDS = {"ref": "reference", "sys": "system"}
_TEXTS = {"references": "reference", "systems": "system"}
_NOT_A_LINE = re.compile("[\n\0\ud800-\udfff]")


class Table(Corpus):
    """Rows of cells: lines that a subclass parses, or columns in the order of the header."""

    _reader: textio.LineReader

    def __init__(self, header: Sequence[Column], *, unescape: bool) -> None:
        self._header, self._unescape = list(header), unescape
        texts = [cast(tuple[Kind, str], column) for column in header if column != _ID]
        super().__init__(texts, _ID in header)
        if not texts:
            raise self.error(0, "has no text: no source, reference or system.")

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and line of a row."""
        return self._reader.place(row)

    def chunks(self) -> Iterator[Sequence[Sequence[str]]]:
        """Yield the columns of some lines."""
        reader = self._reader = self._reader.again()
        while lines := reader.take(BLOCK):
            self.share = reader.share
            first = reader.taken - len(lines)
            rows = [self.parse(line, row) for row, line in enumerate(lines, first)]
            yield tuple(zip(*rows, strict=True))

    def parse(self, line: str, row: int) -> Sequence[str]:
        """Return the cells of a line in the order of the header."""
        raise NotImplementedError

    def blocks(self) -> Iterator[Block]:
        """Yield all rows from the first one."""
        done = 0
        for columns in self.chunks():
            texts = list(columns)
            ids: Sequence[str] = [""] * len(columns[0])
            if self.has_documents:
                ids = texts.pop(self._header.index(_ID))
            for row, doc_id in enumerate(ids if self.has_documents else (), done):
                if not doc_id.strip():
                    raise self.error(row, "the doc_id is empty.")
            if self._unescape:
                texts = [[textio.unescape_line(line) for line in text] for text in texts]
            done += len(ids)
            yield (ids, *texts)


def _parse_header(cells: Sequence[str], path: str, expected: Sequence[Column]) -> list[Column]:
    """Return the columns of a header, which must be those of the first file."""
    columns: list[Column] = []
    for cell in cells:
        prefix, _, name = cell.partition(":")
        column = _COLUMNS.get(cell, (_KINDS.get(prefix, ""), name))
        if not all(column) or column in columns:
            hint = "Columns are doc_id, source, ref:NAME and sys:NAME, separated by tabs."
            raise InputError(f"column {cell!r} is unknown, or there twice.", path, 1, hint)
        columns.append(column)
    if expected and columns != expected:
        raise InputError("the header is not that of the first file.", path=path, line=1)
    return columns


class Tsv(Table):
    """Tab-separated cells with a header; several files must have the same header."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        header: list[Column] = []

        def check(line: str, path: str) -> None:
            header[:] = _parse_header(line.split("\t"), path, header)

        self._reader = textio.LineReader(files, plain=not unescape, header=check)
        if self._reader.first() is None:
            raise InputError("has a header, but no segments.", path=shown(files[0]), line=1)
        super().__init__(header, unescape=unescape)

    def parse(self, line: str, row: int) -> Sequence[str]:
        """Split a line at tabs."""
        cells, width = line.split("\t"), len(self._header)
        if len(cells) != width:
            what = f"the line has {len(cells)} cells, but the header has {width}."
            raise self.error(row, what, "Replace tabs in texts with spaces.")
        return cells


def _columns(evalset: EvalSet, path: Path) -> dict[str, Sequence[str]]:
    """Return the columns of a set by their headings."""
    columns: dict[str, Sequence[str]] = {}
    if evalset.has_documents:
        columns["doc_id"] = evalset.document_ids()
        if not all(document.id.strip() for document in evalset.documents):
            raise InputError("a document without an id cannot be written.", path=path)
    for (kind, name), lines in evalset.texts().items():
        columns["source" if kind == "source" else f"{kind[:3]}:{name}"] = lines
    return columns


def write_tsv(evalset: EvalSet, path: Path) -> None:
    """Write a table; it can't have the name and languages of the set."""
    columns = _columns(evalset, path)
    rows = [tuple(columns), *zip(*columns.values(), strict=True)]
    for number, cells in enumerate(rows, 1):
        if "\t" in "".join(cells):
            raise InputError("a table cannot hold a tab in a text.", path=path, line=number)
    textio.write_lines(map("\t".join, rows), path)


def unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise if it has a key twice."""
    record = dict(pairs)
    if len(record) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"{twice!r} is there twice in one object")
    return record


def _check_text(value: Any, what: str) -> str:
    """Return a text that can be one line of a file."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is not a string")
    if _NOT_A_LINE.search(value):
        raise ValueError(f"{what} contains a line break, U+0000, or half a surrogate pair")
    return value


def _parse_record(text: str) -> tuple[dict[Column, str], dict[str, str]]:
    """Return the cells and the labels of a line of JSON."""
    record = json.loads(text, object_pairs_hook=unique_object)
    if not isinstance(record, dict):
        raise ValueError("is not a JSON object")
    cells: dict[Column, str] = {}
    labels: dict[str, str] = {}
    if "mt" in record:  # other keys of COMET's rows, such as a score, are ignored
        columns: dict[str, Column] = {**_COLUMNS, "mt": ("system", "mt")}
        own = [key for key in columns if record.get(key) is not None]
        return {columns[key]: _check_text(record[key], repr(key)) for key in own}, labels
    for key, value in record.items():
        if key in _TEXTS:
            if not isinstance(value, dict):
                raise ValueError(f"{key!r} is not an object of names and texts")
            for name, line in value.items():
                column = (_TEXTS[key], _check_text(name, f"a name in {key!r}"))
                cells[column] = _check_text(line, f"{key!r} of {name!r}")
        elif key not in ("doc_id", "source", *LABELS):
            known = ", ".join(("doc_id", "source", *_TEXTS, *LABELS))
            raise ValueError(f"unknown key {key!r}. Known: {known}")
        elif value is not None and key in LABELS:
            labels[key] = _check_text(value, repr(key))
        elif value is not None:
            cells[_COLUMNS[key]] = _check_text(value, repr(key))
    return cells, labels


class JsonLines(Table):
    """One JSON object per segment."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        self._reader = textio.LineReader(files, plain=not unescape)
        self._known: dict[str, str] = {}
        self._columns = self._parse(self._reader.first() or "", 0).keys()
        order = ("document", "reference", "source", "system")
        header = sorted(self._columns, key=lambda column: order.index(column[0]))
        super().__init__(header, unescape=unescape)
        self.labels |= self._known

    def _parse(self, line: str, row: int) -> dict[Column, str]:
        """Return the cells of a line, and note the name and languages of the set."""
        try:
            cells, labels = _parse_record(line)
        except (ValueError, RecursionError) as error:
            raise self.error(row, f"is not a line of a test set: {error}.") from None
        for key, label in labels.items():
            value = label if key == "name" else textio.parse_language(label, *self.place(row))
            known = self._known.setdefault(key, value)
            if value != known:
                raise self.error(row, f"{key!r} is {value!r} here, but {known!r} further up.")
        return cells

    def parse(self, line: str, row: int) -> Sequence[str]:
        """Return the texts of a line, which must be those of the first line."""
        cells = self._parse(line, row)
        self.labels |= self._known
        if cells.keys() != self._columns:
            kind, name = min(cells.keys() ^ self._columns)
            verb = "has" if (kind, name) in cells else "lacks"
            raise self.error(row, f"the line {verb} {kind} {name!r}, unlike line 1.")
        return [cells[column] for column in self._header]


def write_jsonl(evalset: EvalSet, path: Path) -> None:
    """Write JSON lines; the first one also has the set's name and languages."""
    labels = {key: getattr(evalset, key) for key in LABELS}
    record: dict[str, Any] = {key: value for key, value in labels.items() if value is not None}
    ids = evalset.document_ids()
    out: list[str] = []
    for row in range(len(evalset)):
        if evalset.has_documents:
            record["doc_id"] = ids[row]
        if evalset.source is not None:
            record["source"] = evalset.source[row]
        record["references"] = {n: lines[row] for n, lines in evalset.references.items()}
        record["systems"] = {n: lines[row] for n, lines in evalset.systems.items()}
        out.append(json.dumps(record, ensure_ascii=False) + "\n")
        record = {}
        try:
            _parse_record(out[-1])
        except ValueError as error:
            raise InputError(f"{error}.", path=path, line=len(out)) from None
    textio.write_text("".join(out), path)


def _pyarrow(path: AnyPath, does: str) -> Any:
    import_extra("pyarrow.parquet", f"{path} is Parquet. Install what {does} it", "scale")
    return import_module("pyarrow")


class Parquet(Table):
    """One row per segment, read in batches; several files must have the same columns."""

    def __init__(self, files: Sequence[str], *, unescape: bool = False) -> None:
        self._tables: list[tuple[str, Any]] = []
        header: list[Column] = []
        for path in files:
            with self._readable(path):
                source = open_file(path) if is_address(path) else path
                table = _pyarrow(path, "reads").parquet.ParquetFile(source, pre_buffer=False)
            self._tables.append((path, table))
            header = _parse_header(table.schema_arrow.names, path, header)
        super().__init__(header, unescape=unescape)

    @staticmethod
    @contextmanager
    def _readable(path: str) -> Iterator[None]:
        pyarrow = _pyarrow(path, "reads")
        with readable(path):
            try:
                yield
            except pyarrow.ArrowException as error:
                raise ValueError(str(error)) from None

    def place(self, row: int) -> tuple[str, int]:
        """Return the file, and the row there from 1."""
        for path, table in self._tables:
            if row < table.metadata.num_rows:
                return path, row + 1
            row -= table.metadata.num_rows
        return self._tables[-1][0], row + 1

    def chunks(self) -> Iterator[Sequence[Sequence[str]]]:
        """Yield the columns of some rows."""
        done = 0
        total = sum(table.metadata.num_rows for _, table in self._tables)
        for path, table in self._tables:
            entities = 0
            with self._readable(path):
                for batch in table.iter_batches(batch_size=BLOCK, use_threads=False):
                    columns = [column.to_pylist() for column in batch.columns]
                    for column, cells in zip(self._header, columns, strict=True):
                        self._check(column, cells, done)
                        if column != _ID and not self._unescape:
                            entities += textio.count_entities(cells)
                    done += batch.num_rows
                    self.share = done / total
                    yield columns
            textio.warn_entities(entities, path)
        if not done:
            raise InputError("has columns, but no segments.", path=self._tables[0][0])

    def _check(self, column: Column, cells: Sequence[object], first: int) -> None:
        for row, cell in enumerate(cells, first):
            if not isinstance(cell, str) or "\n" in cell or "\0" in cell:
                what = f"{' '.join(column)} is {cell!r:.60}, which is not a line of text."
                raise self.error(row, what)


def write_parquet(evalset: EvalSet, path: Path) -> None:
    """Write one column per text; Parquet can't have the name and languages of the set."""
    columns = _columns(evalset, path)
    pyarrow = _pyarrow(path, "writes")
    table = pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()})
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    textio.write_bytes(buffer.getvalue(), path)


read_jsonl, read_tsv, read_parquet = JsonLines, Tsv, Parquet
"""Readers by the names of their formats."""
