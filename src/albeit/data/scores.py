"""Scores that other tools wrote, as plain values: which metric, which level, which system.

Two kinds of file are read. The score files of mt-metrics-eval (``NAME.seg.score``,
``.doc.score``, ``.sys.score``) hold a system and a score per line, a system's in the order of
the segments or documents, with ``None`` where there is no score. A table has a header with
``system``, perhaps ``document`` and ``segment`` (1-based), and then either ``metric`` and
``score`` or one column per metric. ``segment`` makes it segment scores, ``document`` without
``segment`` document scores, neither system scores; the order of its lines does not matter. A score
that is not there is an error; nothing is filled in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from albeit.data.evalset import EvalSet
from albeit.data.levels import Level
from albeit.data.textio import read_text, shown, split_lines, whole_number, write_lines
from albeit.errors import InputError

__all__ = ["LEVELS", "ScoreFile", "read_score_table", "read_scores", "write_scores"]


LEVELS: Mapping[str, Level] = {"sys": "system", "doc": "document", "seg": "segment"}
"""The endings of mt-metrics-eval, ``.sys.score`` and so on, and the levels they stand for."""

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class ScoreFile:
    """One metric's scores at one level: a system to its values, in the order of the test set.

    ``None`` is a score that the file itself declares to be missing. ``reference`` is what
    mt-metrics-eval says the metric compared with (``refA``, ``src``), where known.
    """

    name: str
    level: Level
    scores: Mapping[str, Values]
    reference: str | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise InputError(f"there is no level {self.level!r}.", path=self.path)
        frozen = {system: tuple(values) for system, values in self.scores.items()}
        object.__setattr__(self, "scores", MappingProxyType(frozen))

    def check(self, evalset: EvalSet) -> None:
        """Raise for a wrong number of scores.

        Systems that the set has not are no error: official files score references and systems
        that a user left out, and whoever joins them with a set names those.
        """
        expected = {
            "system": 1,
            "document": len(evalset.documents),
            "segment": len(evalset),
        }[self.level]
        for system, values in self.scores.items():
            if len(values) != expected:
                raise InputError(
                    f"has {len(values)} {self.level} scores for {system!r}, but"
                    f" {evalset.name} needs {expected}.",
                    path=self.path,
                )


def parse_score(text: str, path: str, line: int) -> float | None:
    """A finite number, or ``None`` where the file says so."""
    if text == "None":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{text!r} is not a number.", path=path, line=line, hint="None says: no score."
        )
    return value


def split_score_name(path: str | Path) -> tuple[str, Level] | None:
    """``BLEU-refA.seg.score`` to ``("BLEU-refA", "segment")``; ``None`` for other names."""
    name = Path(path).name.removesuffix(".gz")
    stem, dot, level = name.removesuffix(".score").rpartition(".")
    if not name.endswith(".score") or not stem or not dot or level not in LEVELS:
        return None
    return stem, LEVELS[level]


def read_scores(
    path: str | Path,
    evalset: EvalSet | None = None,
    *,
    name: str | None = None,
    level: Level | None = None,
) -> ScoreFile:
    """Read a file of ``system ⇥ score`` lines; name and level come from its name.

    With ``evalset``, systems and counts are checked against it.
    """
    shown_path = shown(path)
    named = split_score_name(path)
    if level is None and named is None:
        raise InputError(
            "its name does not say the level of its scores.",
            path=shown_path,
            hint="Name it NAME.seg.score, NAME.doc.score or NAME.sys.score, or give the level.",
        )
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(split_lines(read_text(path)), 1):
        cells = line.split()
        if len(cells) != 2:
            raise InputError(
                f"the line has {len(cells)} cells, and needs two: system and score.",
                path=shown_path,
                line=number,
            )
        scores.setdefault(cells[0], []).append(parse_score(cells[1], shown_path, number))
    counts = {len(values) for values in scores.values()}
    found_level = level or (named[1] if named else "segment")
    if len(counts) > 1 or (found_level == "system" and counts != {1}):
        _raise_uneven(scores, found_level, shown_path)
    found = ScoreFile(
        name or (named[0] if named else Path(path).name),
        found_level,
        {system: tuple(values) for system, values in scores.items()},
        path=shown_path,
    )
    if evalset is not None:
        found.check(evalset)
    return found


def _raise_uneven(scores: Mapping[str, list[float | None]], level: str, path: str) -> None:
    """Say which system has another number of scores than the first."""
    if level == "system":
        twice = next(system for system, values in scores.items() if len(values) > 1)
        raise InputError(f"system {twice!r} has more than one score.", path=path)
    (first, values), *rest = scores.items()
    for system, others in rest:
        if len(others) != len(values):
            raise InputError(
                f"has {len(others)} {level} scores for {system!r}, but {len(values)} for"
                f" {first!r}.",
                path=path,
                hint="Every system needs one score per line, None where there is none.",
            )


def write_scores(scores: ScoreFile, path: str | Path) -> None:
    """Write ``system ⇥ score`` lines; reading them gives the same numbers."""
    write_lines(_score_lines(scores), path)


def _score_lines(scores: ScoreFile) -> Iterable[str]:
    for system, values in scores.scores.items():
        if system.split() != [system] or "\0" in system:
            raise InputError(
                f"a score file cannot have a system called {system!r}.",
                hint="Its name must not hold spaces. Rename it.",
            )
        for value in values:
            if value is not None and not math.isfinite(value):
                raise InputError(f"{value} is no score; None says that there is none.")
            yield f"{system}\t{None if value is None else float(value)!r}"


_SAME = {"doc_id": "document", "docid": "document", "seg_id": "segment"}
_PLACES = ("system", "document", "segment", "metric")
Place = str | int
"""What a score is of: a document's id, a segment's 1-based number, or ``""``."""


@dataclass(slots=True)
class _Table:
    """The scores of a table: metric, then system, then place."""

    path: str
    level: Level
    scores: dict[str, dict[str, dict[Place, float | None]]] = field(default_factory=dict)

    def add(self, metric: str, system: str, place: Place, score: float | None, line: int) -> None:
        places = self.scores.setdefault(metric, {}).setdefault(system, {})
        if place in places:
            what = f"{self.level} {place!r} of " if place != "" else ""
            raise InputError(
                f"{metric} has a score for {what}system {system!r} already.",
                path=self.path,
                line=line,
            )
        places[place] = score

    def order(self, evalset: EvalSet | None) -> Sequence[Place]:
        """The places every system must have, in order."""
        if self.level == "system":
            return [""]
        if evalset is not None:
            by_document: Sequence[Place] = [d.id for d in evalset.documents]
            return by_document if self.level == "document" else range(1, len(evalset) + 1)
        found = dict.fromkeys(
            place
            for systems in self.scores.values()
            for places in systems.values()
            for place in places
        )
        return list(found) if self.level == "document" else range(1, _highest(found) + 1)


def _highest(places: Iterable[Place]) -> int:
    return max((place for place in places if isinstance(place, int)), default=0)


def read_score_table(path: str | Path, evalset: EvalSet | None = None) -> tuple[ScoreFile, ...]:
    """Read a table of scores into one :class:`ScoreFile` a metric.

    With ``evalset``, its documents and segments are the ones that must be there, in its
    order, and a system or document it does not know is an error.
    """
    table = _read(shown(path), split_lines(read_text(path)))
    order = table.order(evalset)
    known = set(order) if not isinstance(order, range) else order
    found: list[ScoreFile] = []
    for metric, systems in table.scores.items():
        columns: dict[str, tuple[float | None, ...]] = {}
        for system, places in systems.items():
            for place in places:
                if place not in known:
                    raise InputError(
                        f"scores {table.level} {place!r}, which the test set has not.",
                        path=table.path,
                    )
            if len(places) != len(order):
                missing = next(place for place in order if place not in places)
                raise InputError(
                    f"{metric} has no score for {table.level} {missing!r} of {system!r}.",
                    path=table.path,
                    hint="Write None where there is no score.",
                )
            columns[system] = tuple(places[place] for place in order)
        found.append(ScoreFile(metric, table.level, columns, path=table.path))
    if evalset is not None:
        for scores in found:
            scores.check(evalset)
    return tuple(found)


def _read(path: str, lines: list[str]) -> _Table:
    header = [_SAME.get(cell, cell) for cell in lines[0].split("\t")]
    if "system" not in header:
        raise InputError("the header has no column 'system'.", path=path, line=1)
    for column in header:
        if header.count(column) > 1 or not column:
            raise InputError(f"column {column!r} is empty or there twice.", path=path, line=1)
    values = [column for column in header if column not in _PLACES]
    if not values or ("metric" in header and values != ["score"]):
        raise InputError(
            "the header needs 'metric' and 'score', or one column per metric.", path=path, line=1
        )
    level: Level = "system"
    if "document" in header:
        level = "document"
    if "segment" in header:
        level = "segment"
    table = _Table(path, level)
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            raise InputError(
                f"the line has {len(cells)} cells, but the header has {len(header)}.",
                path=path,
                line=number,
            )
        row = dict(zip(header, cells, strict=True))
        place = "" if level == "system" else _place(row[level], level, path, number)
        for column in values:
            metric = row.get("metric", column)
            table.add(metric, row["system"], place, parse_score(row[column], path, number), number)
    if not table.scores:
        raise InputError("has a header, but no scores.", path=path, line=1)
    return table


def _place(cell: str, level: Level, path: str, line: int) -> Place:
    if level == "document":
        return cell
    number = whole_number(cell)
    if number < 1:
        raise InputError(
            f"{cell!r} is not the number of a segment.",
            path=path,
            line=line,
            hint="Segments are counted from 1.",
        )
    return number
