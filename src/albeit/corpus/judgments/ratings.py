"""Ratings: direct assessment (raw or z), MQM, or any number a person gave a translation.

Two layouts are read: a TSV with a header (``system``, ``segment`` from 1 or ``line0`` from
0, and a score column), and mt-metrics-eval's ``.seg.score`` (system and score on each
line, the systems' segments in order, ``None`` where nobody judged).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from albeit.corpus.judgments.shapes import Ratings
from albeit.corpus.judgments.tsv import Header, number, open_text, rows, segment, segment_index
from albeit.errors import InputError

__all__ = ["SCORE_COLUMNS", "read_ratings"]

SCORE_COLUMNS = ("z", "mqm_avg", "mqm", "score", "raw")
"""Score columns by preference where none is named."""


def read_ratings(
    path: str | Path, *, column: str | None = None, penalties: bool = False
) -> Ratings:
    """Read ratings (plain or .gz).

    ``column`` names the score column of a TSV: ``raw`` or ``z`` for direct assessment. With
    ``penalties`` the numbers count errors (as MQM totals may) and are negated, so that
    higher is better in every :class:`Ratings`.
    """
    path = Path(path)
    name = path.name.removesuffix(".gz")
    found = _seg_score(path) if name.endswith(".seg.score") else _table(path, column)
    if penalties:
        if (found.score < 0).any():
            raise InputError("has negative numbers, so they are not penalties.", path=path)
        return Ratings(
            found.systems, found.system, found.segment, -found.score,
            found.kind, found.path, found.line,
        )  # fmt: skip
    return found


def _table(path: Path, column: str | None) -> Ratings:
    header = Header(path)
    system = header.need("system")
    place, base = segment_index(header)
    score = header.need(column) if column else header.need(*SCORE_COLUMNS)
    index: dict[str, int] = {}
    numbers: list[tuple[int, int, int]] = []
    scores: list[float] = []
    for line, fields in rows(header):
        at = segment(fields[place], base, path, line)
        scores.append(number(fields[score], path, line))
        numbers.append((index.setdefault(fields[system], len(index)), at, line))
    if not numbers:
        raise InputError("has a header but no ratings.", path=path)
    table = np.array(numbers, dtype=np.int64)
    return Ratings(
        tuple(index), table[:, 0], table[:, 1], np.array(scores), header.names[score],
        str(path), table[:, 2],
    )  # fmt: skip


def _seg_score(path: Path) -> Ratings:
    index: dict[str, int] = {}
    next_segment: dict[str, int] = {}
    numbers: list[tuple[int, int, int]] = []
    scores: list[float] = []
    for line, text in enumerate(open_text(path), start=1):
        fields = text.rstrip("\r\n").split("\t")
        if len(fields) == 1:
            fields = text.split()
        if len(fields) != 2:
            raise InputError("should hold a system and a score.", path=path, line=line)
        system, value = fields
        at = next_segment.get(system, 0)
        next_segment[system] = at + 1
        row = index.setdefault(system, len(index))
        if value not in {"None", "NaN", "nan"}:
            scores.append(number(value, path, line))
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
