"""Explicit connectives and their senses from GUM's PDTB-style relations (`rst/gdtb/pdtb/gold`)."""

from __future__ import annotations

from pathlib import Path

from training.rows import Span

SENSE_DEPTH = 2
"""How many levels of PDTB 3's sense hierarchy are kept: `Comparison.Concession`."""


def _numbers(text: str) -> list[int]:
    """`3-5,9` → [2, 3, 4, 8]: GUM counts a document's words from 1."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first) - 1, int(last or first)))
    return numbers


def read(path: Path) -> list[Span]:
    """The explicit connectives of a document, as spans over its words, in order.

    The parts of a discontinuous connective (`if … then`) are spans of their own with one sense;
    where two relations share a connective, the first sense stands.
    """
    spans: dict[tuple[int, int], str] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("|")
            if fields[0] != "Explicit":
                continue
            place = line.rsplit("GDTB::", 1)[1].strip().rstrip("|").split(":", 1)[1]
            words = place.split(";")[1]
            if words == "_":
                continue
            sense = ".".join(fields[8].split(".")[:SENSE_DEPTH]).replace("+belief", "")
            start = previous = -1
            for word in [*_numbers(words), -9]:
                if word != previous + 1 or previous < 0:
                    if start >= 0:
                        spans.setdefault((start, previous + 1), sense)
                    start = word
                previous = word
    return sorted((start, end, sense) for (start, end), sense in spans.items())
