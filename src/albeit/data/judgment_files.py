"""Read human judgments; the header of a file shows its kind.

- Preferences: a TSV with ``segment`` (from 1) or ``line0`` (from 0), ``better``, ``worse``.
- WMT's relative rankings: a CSV with one ranking per line: ``line0`` (from 0) or ``srcIndex`` (from
  1), ``judgeId``, ``systemNId``, and ``systemNrank``. Rank 1 is best, equal ranks are ties, −1
  isn't ranked. Where a file has both, ``srcIndex`` is of another file, and ``line0`` counts.
- Ratings: a TSV with ``system``, ``segment`` or ``line0``, a score (empty if not judged), and
  optionally ``rater``.
- Translations with marked errors (:mod:`albeit.data.marked`): Google's MQM, Appraise's ESA, and
  WMT's JSON lines.
- mt-metrics-eval's ``.seg.score``: system and score per line, ``None`` if not judged.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from albeit.data import textio
from albeit.data.files import AnyPath, beginning
from albeit.data.judgments import Pairs, Ratings
from albeit.data.textio import Row
from albeit.errors import InputError

if TYPE_CHECKING:
    from albeit.data.marked import Annotation

Preference = tuple[int, str, str, int, int]
"""Segment from 0, left and right system, preference, line of the file."""
Rating = tuple[str, int, int, float, str]
"""System, segment from 0, line of the file, score (NaN if not judged), rater."""
_SCORES = ("z", "mqm_avg", "mqm", "mqm_penalty", "esa", "score", "raw", "da_sqm", "judgment")
"""Score columns by preference if none is named."""
_NUMBERS = ("line0", "segment")
_GRADES = {"poor": 0.0, "medium": 1.0, "perfect": 2.0}
_SEG_SCORE = ".seg.score"
HUMAN = re.compile(r'(?<!\\)"tgt_text"\s*:')
"""What WMT's human evaluation has near the beginning of a file."""


def read_judgments(
    path: AnyPath,
    *,
    column: str | None = None,
    penalties: bool | None = None,
    language_pair: str | None = None,
) -> Pairs | Ratings:
    """Read rankings or pairs (as :class:`Pairs`) or ratings (as :class:`Ratings`), plain or .gz.

    :param path: the file
    :param column: the score column of ratings: ``raw`` or ``z`` for direct assessment
    :param penalties: whether ratings count errors, so that they are negated; by default if the
        name of the column ends in ``penalty``
    :param language_pair: the pair to read from a file that has several
    """
    file = str(path)
    if file.removesuffix(".gz").endswith(_SEG_SCORE):
        return _check_sign(_read_seg_score(file), penalties)
    start = beginning(file)
    if "system1Id" in start.split("\n", 1)[0]:
        return _read_rankings(file)
    import albeit.data.marked as marked

    if HUMAN.search(start):
        return _of_annotations(marked.read_human_json(file, language_pair), "esa", file)
    if marked.is_esa(start):
        return _of_annotations(marked.read_esa(file), "esa", file)
    names, rows = textio.read_table(file)
    if {"better", "worse"} <= set(names):
        return _read_pairs(file, names, rows)
    if marked.is_mqm(names):
        return _of_annotations(marked.read_mqm(file), "mqm", file)
    if "system" in names:
        return _check_sign(_read_ratings(file, names, rows, column), penalties)
    hint = "Use WMT ranking CSV; TSV with segment, better, worse; TSV with system, segment or"
    hint = f"{hint} line0, and a score; .seg.score; Google's MQM; Appraise's ESA; or WMT's JSON."
    raise InputError("isn't a known format of judgments.", path, 1, hint)


def _choose(names: Sequence[str], path: str, *wanted: str) -> str:
    """Return the first of these columns that a header has."""
    column = next((name for name in wanted if name in names), None)
    if column is None:
        what = f"has no column {' or '.join(wanted)}; it has {', '.join(names)}."
        raise InputError(what, path=path, line=1)
    return column


def _segment(row: Row, column: str) -> int:
    """Return the number of a segment from 0; only ``line0`` counts from 0 in files."""
    base = 0 if column == "line0" else 1
    number = textio.whole_number(row[column].strip())
    if number < base:
        raise row.error(f"{column} is {row[column]!r}, not the number of a segment from {base}.")
    return number - base


def _make_pairs(rows: Sequence[Preference], systems: Iterable[str], path: str) -> Pairs:
    index = {name: number for number, name in enumerate(dict.fromkeys(systems))}
    numbers = [(s, index[left], index[right], p, line) for s, left, right, p, line in rows]
    columns = np.array(numbers, dtype=np.int64).reshape(-1, 5).T
    return Pairs(tuple(index), columns[0], columns[1], columns[2], columns[3], path, columns[4])


def _read_pairs(path: str, names: Sequence[str], table: Iterator[Row]) -> Pairs:
    """Read preferences; a repeated line is a second judgment."""
    column = _choose(names, path, *_NUMBERS)
    rows: list[Preference] = []
    for row in table:
        better, worse = row["better"], row["worse"]
        if better == worse:
            raise row.error(f"{better!r} is compared with itself.")
        rows.append((_segment(row, column), better, worse, 1, row.line))
    if not rows:
        raise InputError("has a header but no judgments.", path=path)
    return _make_pairs(rows, (name for row in rows for name in row[1:3]), path)


def _read_rankings(path: str) -> Pairs:
    """Read a WMT ranking CSV as all pairs of two ranked systems, in order, with ties."""
    reader = csv.DictReader(io.StringIO(textio.read_text(path), newline=""))
    try:
        names = reader.fieldnames or []
        lines = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        line = reader.reader.line_num
        raise InputError(f"is not CSV: {error}.", path=path, line=line) from None
    numbers = sorted(int(m[1]) for name in names if (m := re.fullmatch(r"system(\d{1,4})Id", name)))
    for needed in ("judgeId", "system2Id", *(f"system{k}rank" for k in numbers)):
        _choose(names, path, needed)
    column = _choose(names, path, "line0", "srcIndex")
    rows: list[Preference] = []
    systems: list[str] = []
    for line, cells in lines:
        row = Row.of(cells, path, line)
        if None in cells or None in cells.values():
            raise row.error(f"has not {len(names)} fields like the header.")
        segment = _segment(row, column)
        ranked = [(row[f"system{k}Id"], _rank(row, f"system{k}rank")) for k in numbers]
        systems += [system for system, _ in ranked]
        for (left, a), (right, b) in combinations(ranked, 2):
            if a > 0 and b > 0 and left != right:
                rows.append((segment, left, right, (b > a) - (b < a), row.line))
    if not systems:
        raise InputError("has a header but no rankings.", path=path)
    return _make_pairs(rows, systems, path)


def _rank(row: Row, column: str) -> int:
    """Return a rank from 1, or −1 for a system that isn't ranked."""
    cell = row[column]
    rank = textio.whole_number(cell.strip())
    if rank < 1 and cell.strip() != "-1":
        raise row.error(f"rank {cell!r} is neither a positive number nor −1 (not judged).")
    return rank


def _check_sign(ratings: Ratings, penalties: bool | None) -> Ratings:
    """Negate penalties; warn about MQM scores that could be penalties."""
    if penalties is None:
        penalties = ratings.kind.endswith("penalty")
        positive = ratings.score.min() >= 0 < ratings.score.max()
        if not penalties and ratings.kind.startswith("mqm") and positive:
            what = f"{ratings.kind} is positive, so higher is taken as better; if it counts errors,"
            textio.warn(f"{what} pass --penalties.", path=ratings.path)
    if penalties and (ratings.score < 0).any():
        raise InputError("has negative numbers, so they are not penalties.", path=ratings.path)
    return replace(ratings, score=0.0 - ratings.score) if penalties else ratings


def _make_ratings(rows: Sequence[Rating], kind: str, path: str, by_rater: bool = False) -> Ratings:
    judged = [row for row in rows if not math.isnan(row[3])]
    if not judged:
        raise InputError("holds no ratings.", path=path)
    names, segments, lines, scores, raters = zip(*judged, strict=True)
    systems = {name: number for number, name in enumerate(dict.fromkeys(row[0] for row in rows))}
    known = {name: number for number, name in enumerate(dict.fromkeys(raters))}
    system = np.array([systems[name] for name in names])
    columns = (system, np.array(segments), np.array(scores))
    made = Ratings(tuple(systems), *columns, kind, path, np.array(lines))
    rater = np.array([known[rater] for rater in raters])
    return replace(made, raters=tuple(known), rater=rater) if by_rater else made


def _read_ratings(path: str, names: list[str], table: Iterator[Row], column: str | None) -> Ratings:
    number = _choose(names, path, *_NUMBERS)
    kind = _choose(names, path, *([column] if column else _SCORES))
    rows: list[Rating] = []
    blank = 0
    for row in table:
        segment, score = _segment(row, number), _GRADES.get(row[kind], math.nan)
        if not row[kind].strip():
            blank += 1
        elif row[kind] not in _GRADES:
            score = textio.parse_number(row[kind], path, row.line)
        rows.append((row["system"], segment, row.line, score, row.get("rater", "")))
    ratings = _make_ratings(rows, kind, path, by_rater="rater" in names)
    if blank:
        what = f"{textio.counted(blank, 'row')} without a {kind}: not judged."
        textio.warn(what, path=path, count=blank)
    return ratings


def _of_annotations(found: Sequence[Annotation], kind: str, path: str) -> Ratings:
    """Return the scores of annotations, with the number of errors."""
    scored = [one for one in found if not math.isnan(one.score)]
    rows = [(one.system, one.segment, one.line, one.score, one.rater) for one in scored]
    made = _make_ratings(rows, kind, path, by_rater=True)
    return replace(made, errors=np.array([one.errors for one in scored]))


def _read_seg_score(path: str) -> Ratings:
    counts: dict[str, int] = {}
    rows: list[Rating] = []
    for line, text in enumerate(textio.read_lines(path), start=1):
        cells = text.split("\t") if "\t" in text else text.split()
        if len(cells) != 2:
            raise InputError("should hold a system and a score.", path=path, line=line)
        system, value = cells
        missing = value in {"None", "NaN", "nan"}
        score = math.nan if missing else textio.parse_number(value, path, line)
        rows.append((system, counts.get(system, 0), line, score, ""))
        counts[system] = counts.get(system, 0) + 1
    longest = max(counts.values())
    for system, count in counts.items():
        if count < longest:
            what = f"{system!r} has {count} segments, but others have {longest}."
            raise InputError(what, path=path)
    kind = Path(path).name.removesuffix(".gz").removesuffix(_SEG_SCORE).rpartition(".")[2]
    return _make_ratings(rows, kind, path)
