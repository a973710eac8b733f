"""A tab-separated table with a header, row by row with line numbers, for the readers here."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from albeit.corpus.textio import whole_number
from albeit.errors import InputError

__all__ = ["Header", "number", "open_text", "rows", "segment", "segment_index"]


def open_text(path: Path) -> io.StringIO:
    """A judgments file as text, unzipped where it ends in .gz; wrong encodings are errors."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}.", path=path) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text.", path=path, line=line) from None
    if not text.strip():
        raise InputError("is empty.", path=path, hint="It should hold human judgments.")
    return io.StringIO(text, newline="")


class Header:
    """The column names of a file and where a wanted one stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names = open_text(path).readline().rstrip("\r\n").split("\t")

    def find(self, *wanted: str) -> int | None:
        """The position of the first of these names that the header has."""
        for name in wanted:
            if name in self.names:
                return self.names.index(name)
        return None

    def need(self, *wanted: str) -> int:
        """The same, or an error that says which columns there are."""
        found = self.find(*wanted)
        if found is None:
            raise InputError(
                f"has no column {' or '.join(wanted)}; it has {', '.join(self.names)}.",
                path=self.path,
                line=1,
            )
        return found


def rows(header: Header) -> Iterator[tuple[int, Sequence[str]]]:
    """Line number and fields of every row below the header; uneven rows are errors."""
    text = open_text(header.path)
    text.readline()
    width = len(header.names)
    for line, row in enumerate(text, start=2):
        fields = row.rstrip("\r\n").split("\t")
        if len(fields) != width:
            raise InputError(
                f"has {len(fields)} fields, but the header has {width}.",
                path=header.path,
                line=line,
            )
        yield line, fields


def number(text: str, path: Path, line: int) -> float:
    """A finite number, or an error that shows what stands there."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise InputError(f"{text!r} is not a finite number.", path=path, line=line)
    return value


def segment(text: str, base: int, path: Path, line: int) -> int:
    """A segment's place from 0, where numbers count from ``base``."""
    place = whole_number(text.strip()) - base
    if place < 0:
        raise InputError(
            f"{text!r} is not a segment number counted from {base}.", path=path, line=line
        )
    return place


def segment_index(header: Header) -> tuple[int, int]:
    """The column that numbers segments and its base: ``segment`` from 1, ``line0`` from 0."""
    zero = header.find("line0")
    return (zero, 0) if zero is not None else (header.need("segment"), 1)
