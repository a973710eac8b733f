"""Read human judgments; the header of a file shows its kind.

- Preferences: a TSV with ``segment`` (from 1) or ``line0`` (from 0), ``better``, ``worse``.
- WMT's relative rankings: a CSV with one ranking per line: ``srcIndex`` (from 1), ``judgeId``,
  ``systemNId``, and ``systemNrank``. Rank 1 is best, equal ranks are ties, −1 isn't ranked.
- Ratings: a TSV with ``system``, ``segment`` or ``line0``, a score (empty if not judged), and
  optionally ``rater``.
- MQM as Google publishes it: one marked error per row.
- mt-metrics-eval's ``.seg.score``: system and score per line, ``None`` if not judged.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from albeit.data.files import beginning
from albeit.data.judgments.shapes import Pairs, Ratings
from albeit.data.textio import (
    counted,
    parse_number,
    read_lines,
    read_table,
    read_text,
    warn,
    whole_number,
)
from albeit.errors import InputError

_SCORES = ("z", "mqm_avg", "mqm", "mqm_penalty", "esa", "score", "raw", "da_sqm", "judgment")
"""Score columns by preference if none is named."""
_GRADES = {"poor": 0.0, "medium": 1.0, "perfect": 2.0}
_NO_ERROR = ("no-error", "no error")
_SEG_SCORE = ".seg.score"


def read_judgments(
    path: str | Path, *, column: str | None = None, penalties: bool | None = None
) -> Pairs | Ratings:
    """Read rankings or pairs (as :class:`Pairs`) or ratings (as :class:`Ratings`), plain or .gz.

    :param path: the file
    :param column: the score column of ratings: ``raw`` or ``z`` for direct assessment
    :param penalties: whether ratings count errors, so that they are negated; by default if the
        name of the column ends in ``penalty``
    """
    path = Path(path)
    if path.name.removesuffix(".gz").endswith(_SEG_SCORE):
        return _check_sign(_read_seg_score(path), penalties)
    header, *more = beginning(path).split("\n", 1)
    if not header.strip() and not "".join(more).strip():
        raise InputError("is empty.", path=path, hint="It should hold human judgments.")
    names = header.removesuffix("\r").split("\t")
    if "system1Id" in header:
        return _read_rankings(path)
    if {"better", "worse"} <= set(names):
        return _read_pairs(_Table(path))
    if {"category", "severity", "target", "rater"} <= set(names):
        return _read_errors(_Table(path))
    if "system" in names:
        return _check_sign(_read_ratings(_Table(path), column), penalties)
    raise InputError(
        "is no judgments file that albeit knows.",
        path=path,
        line=1,
        hint="It reads WMT ranking CSV, TSV with segment, better, worse, TSV with system, "
        "segment or line0, and a score, and .seg.score.",
    )


class _Table:
    """A tab-separated table with a header."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.names, self._rows = read_table(path)

    def find(self, *wanted: str) -> int | None:
        """Return the index of the first of these columns that the header has."""
        return next((self.names.index(name) for name in wanted if name in self.names), None)

    def need(self, *wanted: str) -> int:
        """Return the same; without any it is an error."""
        index = self.find(*wanted)
        if index is None:
            what = f"has no column {' or '.join(wanted)}; it has {', '.join(self.names)}."
            raise InputError(what, path=self.path, line=1)
        return index

    def rows(self, *numbers: str) -> Iterator[tuple[int, int, Sequence[str]]]:
        """Yield line number, segment from 0, and cells of every row.

        ``numbers`` are the columns of the segment's number from 1; without any they are ``line0``
        (from 0) and ``segment``.
        """
        base = 1 if numbers or "line0" not in self.names else 0
        place = self.need(*numbers) if numbers else self.need("line0" if not base else "segment")
        for line, cells in self._rows:
            segment = whole_number(cells[place].strip()) - base
            if segment < 0:
                what = f"{cells[place]!r} is not a segment number counted from {base}."
                raise InputError(what, path=self.path, line=line)
            yield line, segment, cells


def _read_pairs(table: _Table) -> Pairs:
    """Read preferences; a repeated line is a second judgment."""
    better, worse = table.need("better"), table.need("worse")
    index: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    for line, segment, cells in table.rows():
        left = index.setdefault(cells[better], len(index))
        right = index.setdefault(cells[worse], len(index))
        if left == right:
            what = f"{cells[better]!r} is compared with itself."
            raise InputError(what, path=table.path, line=line)
        rows.append((segment, left, right, line))
    if not rows:
        raise InputError("has a header but no judgments.", path=table.path)
    segments, lefts, rights, lines = np.array(rows, dtype=np.int64).T
    ones = np.ones(len(rows), dtype=np.int64)
    return Pairs(tuple(index), segments, lefts, rights, ones, table.path, lines)


def _read_rankings(path: Path) -> Pairs:
    """Read a WMT ranking CSV as all pairs of two ranked systems, in order, with ties."""
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
    header = reader.fieldnames or []
    numbers = sorted(
        int(match[1]) for name in header if (match := re.fullmatch(r"system(\d+)Id", name))
    )
    needed = ["srcIndex", "judgeId", *(f"system{k}rank" for k in numbers)]
    absent = [name for name in needed if name not in header]
    if len(numbers) < 2 or absent:
        what = f"is not a WMT ranking file: it lacks {', '.join(absent) or 'system columns'}."
        hint = "Its header should name srcIndex, judgeId, system1Id … and system1rank …."
        raise InputError(what, path=path, line=1, hint=hint)
    index: dict[str, int] = {}
    rows: list[tuple[int, int, int, int, int]] = []
    line = 1
    for row in reader:
        line = reader.line_num
        if None in row or None in row.values():
            what = f"has not the {len(header)} fields of the header."
            raise InputError(what, path=path, line=line)
        segment = _integer(row, "srcIndex", path, line)
        if segment < 1:
            raise InputError(f"srcIndex {segment} is not a 1-based segment.", path=path, line=line)
        systems = [index.setdefault(row[f"system{k}Id"], len(index)) for k in numbers]
        ranks = [_integer(row, f"system{k}rank", path, line) for k in numbers]
        if any(rank != -1 and rank < 1 for rank in ranks):
            what = "a rank is neither positive nor −1 (not judged)."
            raise InputError(what, path=path, line=line)
        for (left, a), (right, b) in combinations(zip(systems, ranks, strict=True), 2):
            if a > 0 and b > 0 and left != right:
                rows.append((segment - 1, left, right, (b > a) - (b < a), line))
    if line == 1:
        raise InputError("has a header but no rankings.", path=path)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Pairs(
        tuple(index), columns[0], columns[1], columns[2], columns[3], str(path), columns[4]
    )


def _integer(row: Mapping[str, str], key: str, path: Path, line: int) -> int:
    text = row[key].strip()
    number = -1 if text == "-1" else whole_number(text)  # -1: a system that isn't ranked
    if number < 0 and text != "-1":
        raise InputError(f"{key} is {row[key]!r}, not a number.", path=path, line=line)
    return number


def _check_sign(ratings: Ratings, penalties: bool | None) -> Ratings:
    """Negate penalties; warn about MQM scores that could be penalties."""
    if penalties is None:
        penalties = ratings.kind.endswith("penalty")
        positive = ratings.score.min() >= 0 < ratings.score.max()
        if not penalties and ratings.kind.startswith("mqm") and positive:
            warn(
                f"{ratings.kind} is positive, so higher is taken as better;"
                " if it counts errors, say so (--penalties).",
                path=ratings.path,
            )
    if penalties and (ratings.score < 0).any():
        raise InputError("has negative numbers, so they are not penalties.", path=ratings.path)
    return replace(ratings, score=0.0 - ratings.score) if penalties else ratings


class _Ratings:
    """Ratings while they are read."""

    def __init__(self) -> None:
        self.systems: dict[str, int] = {}
        self.raters: dict[str, int] = {}
        self.rows: list[tuple[int, int, int, int]] = []
        self.scores: list[float] = []

    def add(self, system: str, segment: int, line: int, score: float, rater: str = "") -> None:
        index = self.systems.setdefault(system, len(self.systems))
        by = self.raters.setdefault(rater, len(self.raters))
        self.rows.append((index, segment, line, by))
        self.scores.append(score)

    def ratings(self, kind: str, path: str, *, by_rater: bool = False) -> Ratings:
        system, segment, line, rater = np.array(self.rows, dtype=np.int64).T
        ratings = Ratings(
            tuple(self.systems), system, segment, np.array(self.scores), kind, path, line
        )
        return replace(ratings, raters=tuple(self.raters), rater=rater) if by_rater else ratings


def _read_ratings(table: _Table, column: str | None) -> Ratings:
    system, rater = table.need("system"), table.find("rater")
    score = table.need(column) if column else table.need(*_SCORES)
    found = _Ratings()
    blank = 0
    for line, segment, cells in table.rows():
        cell = cells[score]
        found.systems.setdefault(cells[system], len(found.systems))
        if not cell.strip():
            blank += 1
            continue
        value = _GRADES[cell] if cell in _GRADES else parse_number(cell, table.path, line)
        by = "" if rater is None else cells[rater]
        found.add(cells[system], segment, line, value, by)
    if not found.rows:
        raise InputError("has a header but no ratings.", path=table.path)
    if blank:
        what = f"{counted(blank, 'row')} without a {table.names[score]}: not judged."
        warn(what, path=table.path, count=blank)
    return found.ratings(table.names[score], table.path, by_rater=rater is not None)


def _read_errors(table: _Table) -> Ratings:
    """Read Google's MQM files: one rating per rater, translation, and segment.

    A row has one error, or none if a rater saw no error.
    """
    columns = [table.need(name) for name in ("system", "rater", "category", "severity")]
    scores: dict[tuple[str, int, str], float] = {}
    lines: dict[tuple[str, int, str], int] = {}
    for line, segment, cells in table.rows("globalSegId", "seg_id", "segment"):
        system, rater, category, severity = (cells[at].strip() for at in columns)
        penalty = _penalty(category.lower(), severity.lower())
        if penalty is None:
            hint = "Known: major, minor, neutral, critical, no-error."
            what = f"there is no severity {severity!r}."
            raise InputError(what, path=table.path, line=line, hint=hint)
        key = (system, segment, rater)
        scores[key] = scores.get(key, 0.0) - penalty
        lines.setdefault(key, line)
    if not scores:
        raise InputError("has a header but no marked errors.", path=table.path)
    found = _Ratings()
    for (system, segment, rater), score in scores.items():
        found.add(system, segment, lines[system, segment, rater], score, rater)
    return found.ratings("mqm", table.path, by_rater=True)


def _penalty(category: str, severity: str) -> float | None:
    """Return Google's MQM weight of an error; ``None`` for an unknown severity.

    A major error is 5, a minor one 1 (0.1 for punctuation), no translation at all 25.
    """
    if severity in ("neutral", *_NO_ERROR) or category in _NO_ERROR:
        return 0.0
    if category.startswith("non-translation"):
        return 25.0
    if severity == "minor":
        return 0.1 if category == "fluency/punctuation" else 1.0
    return {"major": 5.0, "critical": 25.0}.get(severity)


def _read_seg_score(path: Path) -> Ratings:
    counts: dict[str, int] = {}
    found = _Ratings()
    for line, text in enumerate(read_lines(path), start=1):
        cells = text.split("\t") if "\t" in text else text.split()
        if len(cells) != 2:
            raise InputError("should hold a system and a score.", path=path, line=line)
        system, value = cells
        segment = counts.get(system, 0)
        counts[system] = segment + 1
        found.systems.setdefault(system, len(found.systems))
        if value not in {"None", "NaN", "nan"}:
            found.add(system, segment, line, parse_number(value, str(path), line))
    if len(set(counts.values())) > 1:
        short = min(counts, key=lambda name: counts[name])
        longest = max(counts.values())
        what = f"{short!r} has {counts[short]} segments, but others have {longest}."
        raise InputError(what, path=path)
    if not found.rows:
        raise InputError("holds no ratings, only None.", path=path)
    kind = path.name.removesuffix(".gz").removesuffix(_SEG_SCORE).rpartition(".")[2]
    return found.ratings(kind, str(path))
