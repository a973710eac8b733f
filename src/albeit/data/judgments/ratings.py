"""Ratings: direct assessment (raw or z), MQM, ESA, or any number a person gave a translation.

Three layouts are read: a TSV with a header (``system``, ``segment`` from 1 or ``line0`` from
0, a score column, empty where nobody judged, and perhaps ``rater``), marked errors as Google
publishes them (:mod:`albeit.data.judgments.raters`), and mt-metrics-eval's ``.seg.score`` (system and score on
each line, the systems' segments in order, ``None`` where nobody judged).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from albeit.data.judgments.raters import holds_errors, read_mqm
from albeit.data.judgments.shapes import Ratings
from albeit.data.openings import first_line
from albeit.data.tables import Table, number, segment
from albeit.data.textio import counted, read_lines, warn
from albeit.errors import InputError

__all__ = ["GRADES", "SCORE_COLUMNS", "read_ratings"]

SCORE_COLUMNS = ("z", "mqm_avg", "mqm", "mqm_penalty", "esa", "score", "raw", "da_sqm", "judgment")
"""Score columns by preference where none is named."""
GRADES = {"poor": 0.0, "medium": 1.0, "perfect": 2.0}
"""Judgments in words."""


def read_ratings(
    path: str | Path, *, column: str | None = None, penalties: bool | None = None
) -> Ratings:
    """Read ratings (plain or .gz).

    ``column`` names the score column of a TSV: ``raw`` or ``z`` for direct assessment.
    ``penalties`` says whether the numbers count errors, so that they are negated and higher
    is better in every :class:`Ratings`; by default a column called so (``mqm_penalty``) does.
    """
    path = Path(path)
    name = path.name.removesuffix(".gz")
    if name.endswith(".seg.score"):
        found = _seg_score(path)
    elif holds_errors(first_line(path).split("\t")):
        return read_mqm(path)[0]
    else:
        found = _table(path, column)
    if penalties is None:
        penalties = found.kind.endswith("penalty")
        if (
            not penalties
            and found.kind.startswith("mqm")
            and found.score.min() >= 0 < found.score.max()
        ):
            warn(
                f"{found.kind} is positive, so higher is taken as better;"
                " if it counts errors, say so (--penalties).",
                path=path,
            )
    if penalties:
        if (found.score < 0).any():
            raise InputError("has negative numbers, so they are not penalties.", path=path)
        return replace(found, score=0.0 - found.score)
    return found


def _table(path: Path, column: str | None) -> Ratings:
    table = Table(path)
    system = table.need("system")
    place, base = table.segments()
    score = table.need(column) if column else table.need(*SCORE_COLUMNS)
    who = table.find("rater")
    raters: dict[str, int] = {}
    index: dict[str, int] = {}
    numbers: list[tuple[int, int, int, int]] = []
    scores: list[float] = []
    blank = 0
    for line, fields in table.rows():
        at = segment(fields[place], base, table.path, line)
        row = index.setdefault(fields[system], len(index))
        if not fields[score].strip():
            blank += 1
            continue
        grade = GRADES.get(fields[score])
        scores.append(number(fields[score], table.path, line) if grade is None else grade)
        rater = 0 if who is None else raters.setdefault(fields[who], len(raters))
        numbers.append((row, at, line, rater))
    if not numbers:
        raise InputError("has a header but no ratings.", path=path)
    if blank:
        warn(
            f"{counted(blank, 'row')} without a {table.names[score]}: not judged.",
            path=path,
            count=blank,
        )
    rows = np.array(numbers, dtype=np.int64)
    return Ratings(
        tuple(index),
        rows[:, 0],
        rows[:, 1],
        np.array(scores),
        table.names[score],
        str(path),
        rows[:, 2],
        tuple(raters),
        None if who is None else rows[:, 3],
    )


def _seg_score(path: Path) -> Ratings:
    index: dict[str, int] = {}
    next_segment: dict[str, int] = {}
    numbers: list[tuple[int, int, int]] = []
    scores: list[float] = []
    for line, text in enumerate(read_lines(path), start=1):
        fields = text.split("\t")
        if len(fields) == 1:
            fields = text.split()
        if len(fields) != 2:
            raise InputError("should hold a system and a score.", path=path, line=line)
        system, value = fields
        at = next_segment.get(system, 0)
        next_segment[system] = at + 1
        row = index.setdefault(system, len(index))
        if value not in {"None", "NaN", "nan"}:
            scores.append(number(value, str(path), line))
            numbers.append((row, at, line))
    lengths = set(next_segment.values())
    if len(lengths) > 1:
        short = min(next_segment, key=lambda name: next_segment[name])
        raise InputError(
            f"{short!r} has {next_segment[short]} segments, but others have {max(lengths)}.",
            path=path,
        )
    if not numbers:
        raise InputError("holds no ratings, only None.", path=path)
    table = np.array(numbers, dtype=np.int64)
    kind = path.name.removesuffix(".gz").removesuffix(".seg.score").rpartition(".")[2]
    return Ratings(
        tuple(index), table[:, 0], table[:, 1], np.array(scores), kind, str(path), table[:, 2]
    )
