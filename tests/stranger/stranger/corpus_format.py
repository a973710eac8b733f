"""A format that can be read in batches: ``reference ||| translation``, one line per segment."""

from collections.abc import Iterator, Sequence

from albeit.data import Format, Head, read_lines


class Pairs:
    head = Head((("reference", "ref"), ("system", "mt")), has_documents=False)
    share = 0.0

    def __init__(self, paths: Sequence[str], *, unescape: bool = False) -> None:
        (self.path,) = paths
        self.unescape = unescape

    def place(self, row: int) -> tuple[str, int]:
        return self.path, row + 1

    def blocks(self) -> Iterator[list[list[str]]]:
        for line in read_lines(self.path, unescape=self.unescape):
            reference, translation = line.split(" ||| ")
            yield [[""], [reference], [translation]]


PAIRS = Format("reference ||| translation", rows=Pairs, suffixes=(".pairs",))
