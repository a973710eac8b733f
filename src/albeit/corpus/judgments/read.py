"""One entry for every kind of judgments file: the header says which it is.

Preferences between two translations are read here: a TSV with columns ``segment`` (1-based),
``better``, ``worse``, or one with ``good`` and ``bad`` translations.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from albeit.corpus.formats.contrastive import BAD, GOOD, begins, read_items
from albeit.corpus.formats.itemset import places
from albeit.corpus.judgments.rankings import read_rankings
from albeit.corpus.judgments.ratings import read_ratings
from albeit.corpus.judgments.shapes import Pairs, Ratings
from albeit.corpus.openings import beginning
from albeit.corpus.tables import Table, segment
from albeit.errors import InputError

__all__ = ["read_contrastive", "read_judgments", "read_pairwise"]


def read_judgments(
    path: str | Path, *, column: str | None = None, penalties: bool | None = None
) -> Pairs | Ratings:
    """Read rankings or pairs (as :class:`Pairs`) or ratings (as :class:`Ratings`).

    ``column`` and ``penalties`` are for ratings; see :func:`read_ratings`.
    """
    path = Path(path)
    if path.name.removesuffix(".gz").endswith(".seg.score"):
        return read_ratings(path, penalties=penalties)
    header, *more = beginning(path).split("\n", 1)
    if not header.strip() and not "".join(more).strip():
        raise InputError("is empty.", path=path, hint="It should hold human judgments.")
    header = header.removesuffix("\r")
    if "system1Id" in header:
        return read_rankings(path).pairs()
    names = header.split("\t")
    if "better" in names and "worse" in names:
        return read_pairwise(path)
    if begins(header):
        return read_contrastive(path)
    if "system" in names:
        return read_ratings(path, column=column, penalties=penalties)
    raise InputError(
        "is no judgments file that albeit knows.",
        path=path,
        line=1,
        hint="It reads WMT ranking CSV, TSV with segment, better, worse, TSV with system, "
        "segment or line0, and a score, tables with good and bad translations, and .seg.score.",
    )


def read_pairwise(path: str | Path) -> Pairs:
    """Read a pairwise file; a repeated line is a second judgment."""
    table = Table(path)
    place, base = table.segments()
    better, worse = table.need("better"), table.need("worse")
    index: dict[str, int] = {}
    found: list[tuple[int, int, int, int]] = []
    for line, fields in table.rows():
        left = index.setdefault(fields[better], len(index))
        right = index.setdefault(fields[worse], len(index))
        if left == right:
            what = f"{fields[better]!r} is compared with itself."
            raise InputError(what, path=table.path, line=line)
        found.append((segment(fields[place], base, table.path, line), left, right, line))
    if not found:
        raise InputError("has a header but no judgments.", path=table.path)
    rows = np.array(found, dtype=np.int64)
    ones = np.ones(len(rows), dtype=np.int64)
    return Pairs(tuple(index), rows[:, 0], rows[:, 1], rows[:, 2], ones, str(path), rows[:, 3])


def read_contrastive(path: str | Path) -> Pairs:
    """The good translation preferred to the bad one, on the sentence of every item."""
    items, _ = read_items(Path(path))
    segments = np.array(places(items), dtype=np.int64)
    zero, one = np.zeros_like(segments), np.ones_like(segments)
    return Pairs((GOOD, BAD), segments, zero, one, one, str(path))
