"""A format that is read in partitions: ``reference ||| translation``, one line per segment."""

from collections.abc import Iterator
from pathlib import Path

from albeit.data import Corpus, Format, read_lines


class BarTable(Corpus):
    def __init__(self, path: Path, *, unescape: bool = False) -> None:
        super().__init__([("reference", "ref"), ("system", "mt")], has_documents=False)
        self.path, self.unescape = path, unescape

    def place(self, row: int) -> tuple[str, int]:
        return str(self.path), row + 1

    def blocks(self) -> Iterator[list[list[str]]]:
        for line in read_lines(self.path, unescape=self.unescape):
            reference, translation = line.split(" ||| ")
            yield [[""], [reference], [translation]]


PAIRS = Format("reference ||| translation", BarTable, suffixes=(".pairs",))
