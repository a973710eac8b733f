"""A tab-separated table with a header, row by row with line numbers, for the readers here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from albeit.data.textio import LineReader, shown, whole_number
from albeit.errors import InputError

__all__ = ["Table", "number", "segment"]


class Table:
    """The column names of a file, where a wanted one stands, and the rows below."""

    def __init__(self, path: str | Path) -> None:
        self.path = shown(path)
        first, *self._lines = LineReader([path], plain=False).take()
        self.names = first.split("\t")

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

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Line number and fields of every row below the header; uneven rows are errors."""
        width = len(self.names)
        for line, row in enumerate(self._lines, start=2):
            fields = row.split("\t")
            if len(fields) != width:
                raise InputError(
                    f"has {len(fields)} fields, but the header has {width}.",
                    path=self.path,
                    line=line,
                )
            yield line, fields

    def segments(self) -> tuple[int, int]:
        """The column that numbers segments and its base: ``segment`` from 1, ``line0`` from 0."""
        zero = self.find("line0")
        return (zero, 0) if zero is not None else (self.need("segment"), 1)


def number(text: str, path: str, line: int) -> float:
    """A finite number, or an error that shows what stands there."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise InputError(f"{text!r} is not a finite number.", path=path, line=line)
    return value


def segment(text: str, base: int, path: str, line: int) -> int:
    """A segment's place from 0, where numbers count from ``base``."""
    place = whole_number(text.strip()) - base
    if place < 0:
        raise InputError(
            f"{text!r} is not a segment number counted from {base}.", path=path, line=line
        )
    return place
