"""One entry for every kind of judgments file: the header says which it is.

Preferences between two translations are read here: a TSV with columns ``segment`` (1-based),
``better``, ``worse``.

In WMT's relative rankings a judge orders up to five systems on one segment. The campaign's CSV has one ranking a line: ``srcIndex`` (the 1-based segment), ``judgeId``,
``systemNId`` and ``systemNrank``. Rank 1 is best, equal ranks are ties, and −1 means that
the judge did not rank that system. ``_ref`` is the human reference.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from albeit.arrays import IntArray
from albeit.data.judgments.ratings import read_ratings
from albeit.data.judgments.shapes import Pairs, Ratings
from albeit.data.openings import beginning
from albeit.data.tables import Table, segment
from albeit.data.textio import read_text, whole_number
from albeit.errors import InputError

__all__ = ["Rankings", "read_judgments", "read_pairwise", "read_rankings"]


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings: row ``r`` orders ``system[r]`` (rows of ``systems``) by ``rank[r]``; −1 is none."""

    systems: tuple[str, ...]
    segment: IntArray
    judge: tuple[str, ...]
    system: IntArray
    rank: IntArray
    path: str | None = None
    line: IntArray | None = None

    def __len__(self) -> int:
        """The number of rankings."""
        return len(self.segment)

    def pairs(self) -> Pairs:
        """All pairs of two ranked systems, in the order of the rankings, ties included."""
        columns = np.array(list(combinations(range(self.rank.shape[1]), 2)))
        first, second = columns[:, 0], columns[:, 1]
        ranked = (self.rank[:, first] > 0) & (self.rank[:, second] > 0)
        ranked &= self.system[:, first] != self.system[:, second]
        row, column = np.nonzero(ranked)
        left_rank = self.rank[row, first[column]]
        right_rank = self.rank[row, second[column]]
        return Pairs(
            self.systems,
            self.segment[row],
            self.system[row, first[column]],
            self.system[row, second[column]],
            np.sign(right_rank - left_rank),
            self.path,
            None if self.line is None else self.line[row],
        )

    def counts(self) -> dict[str, int]:
        """Systems, rankings, distinct segments and judges: a campaign's table of its data."""
        return {
            "systems": len(self.systems),
            "ranks": len(self),
            "sents": len(np.unique(self.segment)),
            "judges": len(set(self.judge)),
        }


def read_rankings(path: str | Path) -> Rankings:
    """Read a WMT ranking CSV (plain or .gz)."""
    path = Path(path)
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
    header = reader.fieldnames or []
    places = sorted(
        int(found.group(1)) for name in header if (found := re.fullmatch(r"system(\d+)Id", name))
    )
    needed = ["srcIndex", "judgeId", *(f"system{k}rank" for k in places)]
    absent = [name for name in needed if name not in header]
    if len(places) < 2 or absent:
        raise InputError(
            f"is not a WMT ranking file: it lacks {', '.join(absent) or 'system columns'}.",
            path=path,
            line=1,
            hint="Its header should name srcIndex, judgeId, system1Id … and system1rank ….",
        )
    index: dict[str, int] = {}
    rows: list[tuple[int, str, list[int], list[int], int]] = []
    for row in reader:
        line = reader.line_num
        if None in row or None in row.values():
            raise InputError(
                f"has not the {len(header)} fields of the header.", path=path, line=line
            )
        segment = _integer(row, "srcIndex", path, line)
        if segment < 1:
            raise InputError(f"srcIndex {segment} is not a 1-based segment.", path=path, line=line)
        systems = [index.setdefault(row[f"system{k}Id"], len(index)) for k in places]
        ranks = [_integer(row, f"system{k}rank", path, line) for k in places]
        if any(rank != -1 and rank < 1 for rank in ranks):
            raise InputError(
                "a rank is neither positive nor −1 (not judged).", path=path, line=line
            )
        rows.append((segment - 1, row["judgeId"], systems, ranks, line))
    if not rows:
        raise InputError("has a header but no rankings.", path=path)
    return Rankings(
        tuple(index),
        np.array([r[0] for r in rows], dtype=np.int64),
        tuple(r[1] for r in rows),
        np.array([r[2] for r in rows], dtype=np.int64),
        np.array([r[3] for r in rows], dtype=np.int64),
        str(path),
        np.array([r[4] for r in rows], dtype=np.int64),
    )


def _integer(row: Mapping[str, str], key: str, path: Path, line: int) -> int:
    text = row[key].strip()
    if text == "-1":  # a system that the judge did not rank
        return -1
    number = whole_number(text)
    if number < 0:
        raise InputError(f"{key} is {row[key]!r}, not a number.", path=path, line=line)
    return number


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
    if "system" in names:
        return read_ratings(path, column=column, penalties=penalties)
    raise InputError(
        "is no judgments file that albeit knows.",
        path=path,
        line=1,
        hint="It reads WMT ranking CSV, TSV with segment, better, worse, TSV with system, "
        "segment or line0, and a score, and .seg.score.",
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
