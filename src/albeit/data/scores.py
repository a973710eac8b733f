"""Scores of other tools: which metric, which level, which system.

Score files of mt-metrics-eval (``NAME.seg.score``, ``.doc.score``, ``.sys.score``) have a system
and a score per line, in the order of the segments or documents, with ``None`` for a missing score.
A table has a header with ``system``, optionally ``document`` and ``segment`` (from 1), and then
``metric`` and ``score`` or one column per metric, with lines in any order. A score that isn't there
is an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from albeit.data import textio
from albeit.data.evalset import EvalSet, Level
from albeit.data.files import AnyPath, shown
from albeit.errors import InputError

LEVELS: Mapping[str, Level] = {"sys": "system", "doc": "document", "seg": "segment"}
"""The endings of mt-metrics-eval, ``.sys.score`` and so on, and their levels."""

Item = str | int
"""What a score is of: a document's id, a segment's number from 1, or ``""`` for a system."""
Scores = dict[Item, float | None]
_SAME = {"doc_id": "document", "docid": "document", "seg_id": "segment"}
_KEYS = ("system", "document", "segment", "metric")


@dataclass(frozen=True)
class ScoreFile:
    """One metric's scores at one level: a system to its values, in the order of the test set.

    ``None`` is a score that the file declares to be missing.
    """

    name: str
    level: Level
    scores: Mapping[str, tuple[float | None, ...]]
    path: str | None = None

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise InputError(f"there is no level {self.level!r}.", path=self.path)
        frozen = {system: tuple(values) for system, values in self.scores.items()}
        object.__setattr__(self, "scores", MappingProxyType(frozen))

    def check(self, evalset: EvalSet) -> None:
        """Raise for a wrong number of scores; systems that the set doesn't have are no error."""
        sizes = {"system": 1, "document": len(evalset.documents), "segment": len(evalset)}
        for system, values in self.scores.items():
            if len(values) != sizes[self.level]:
                count = f"{len(values)} {self.level} scores for {system!r}"
                what = f"has {count}, but {evalset.name} needs {sizes[self.level]}."
                raise InputError(what, path=self.path)


def parse_score(text: str, path: str, line: int) -> float | None:
    """Parse a finite number, or ``None``."""
    return None if text == "None" else textio.parse_number(text, path, line, "Or write None.")


def split_score_name(path: AnyPath) -> tuple[str, Level] | None:
    """Split ``BLEU-refA.seg.score`` to ``("BLEU-refA", "segment")``; ``None`` for other names."""
    name = Path(path).name.removesuffix(".gz")
    stem, _, level = name.removesuffix(".score").rpartition(".")
    if not name.endswith(".score") or not stem or level not in LEVELS:
        return None
    return stem, LEVELS[level]


def read_scores(
    path: AnyPath,
    evalset: EvalSet | None = None,
    *,
    name: str | None = None,
    level: Level | None = None,
) -> ScoreFile:
    """Read a file of ``system ⇥ score`` lines; name and level come from its name.

    With ``evalset``, systems and counts are checked against it.
    """
    file = shown(path)
    stem, known = split_score_name(path) or (Path(path).name, None)
    level = level or known
    if level is None:
        hint = "Name it NAME.seg.score, NAME.doc.score or NAME.sys.score, or give the level."
        raise InputError("its name does not have the level of its scores.", file, hint=hint)
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(textio.split_lines(textio.read_text(path)), 1):
        cells = line.split()
        if len(cells) != 2:
            what = f"the line has {len(cells)} cells, and needs two: system and score."
            raise InputError(what, path=file, line=number)
        scores.setdefault(cells[0], []).append(parse_score(cells[1], file, number))
    size = 1 if level == "system" else len(next(iter(scores.values())))
    for system, values in scores.items():
        if len(values) != size:
            hint = "Every system needs one score per line, None where there is none."
            what = f"has {len(values)} {level} scores for {system!r}, and needs {size}."
            raise InputError(what, path=file, hint=hint)
    table = ScoreFile(name or stem, level, {s: tuple(v) for s, v in scores.items()}, file)
    if evalset is not None:
        table.check(evalset)
    return table


def write_scores(scores: ScoreFile, path: AnyPath) -> None:
    """Write ``system ⇥ score`` lines; reading them returns the same numbers."""
    lines: list[str] = []
    for system, values in scores.scores.items():
        if system.split() != [system] or "\0" in system:
            hint = "Its name must not hold spaces. Rename it."
            raise InputError(f"a score file cannot have a system called {system!r}.", hint=hint)
        for value in values:
            if value is not None and not math.isfinite(value):
                raise InputError(f"{value} isn't a score; None is a missing one.")
            lines.append(f"{system}\t{None if value is None else float(value)!r}")
    textio.write_lines(lines, path)


def read_score_table(path: AnyPath, evalset: EvalSet | None = None) -> tuple[ScoreFile, ...]:
    """Read a table of scores into one :class:`ScoreFile` per metric.

    With ``evalset``, it must have all documents or segments of the set and no others.
    """
    file = shown(path)
    header, rows = textio.read_table(path)
    columns = [_SAME.get(cell, cell) for cell in header]
    values = _check_header(columns, file)
    level: Level = "document" if "document" in columns else "system"
    level = "segment" if "segment" in columns else level
    scores: dict[str, dict[str, Scores]] = {}
    for cells in rows:
        row = {_SAME.get(name, name): cell for name, cell in cells.items()}
        unit: Item = "" if level == "system" else row[level]
        if level == "segment":
            unit = textio.whole_number(row[level])
            if unit < 1:
                what = f"{row[level]!r} is not the number of a segment, counted from 1."
                raise cells.error(what)
        for column in values:
            metric = row.get("metric", column)
            own = scores.setdefault(metric, {}).setdefault(row["system"], {})
            if unit in own:
                of = f"{level} {unit!r} of " if unit else ""
                raise cells.error(f"{metric} has a score for {of}system {row['system']!r} already.")
            own[unit] = parse_score(row[column], file, cells.line)
    if not scores:
        raise InputError("has a header, but no scores.", path=file, line=1)
    units = [unit for systems in scores.values() for own in systems.values() for unit in own]
    order: Sequence[Item] = list(dict.fromkeys(units))
    if level == "segment":
        size = len(evalset) if evalset else max(unit for unit in units if isinstance(unit, int))
        order = range(1, size + 1)
    elif level == "document" and evalset is not None:
        order = [document.id for document in evalset.documents]
    tables = {metric: _sort(metric, own, level, order, file) for metric, own in scores.items()}
    return tuple(ScoreFile(metric, level, own, file) for metric, own in tables.items())


def _check_header(columns: Sequence[str], path: str) -> list[str]:
    """Return the columns with scores."""
    values = [column for column in columns if column not in _KEYS]
    what = ""
    if "system" not in columns:
        what = "the header has no column 'system'."
    elif len(set(columns)) < len(columns) or "" in columns:
        what = "a column is there twice, or has no name."
    elif not values or ("metric" in columns and values != ["score"]):
        what = "the header needs 'metric' and 'score', or one column per metric."
    if what:
        raise InputError(what, path=path, line=1)
    return values


def _sort(
    metric: str, systems: Mapping[str, Scores], level: Level, order: Sequence[Item], path: str
) -> dict[str, tuple[float | None, ...]]:
    """Return the scores of each system in order."""
    known = set(order)
    for system, own in systems.items():
        if own.keys() != known:
            unit = next(unit for unit in (*own, *order) if unit not in own or unit not in known)
            what = f"scores {level} {unit!r}, which isn't in the test set."
            if unit in known:
                what = f"{metric} has no score for {level} {unit!r} of {system!r}."
            raise InputError(what, path=path, hint="Write None where there is no score.")
    return {system: tuple(own[unit] for unit in order) for system, own in systems.items()}
