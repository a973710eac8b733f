"""Tables of scores with a header, from any tool.

``system`` is required. ``segment`` (1-based) makes it segment scores, ``document`` without
``segment`` document scores, neither system scores. The scores stand in ``metric`` and
``score``, one per line, or in one column per metric. The order of lines does not matter; what is
missing does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Level
from albeit.corpus.scores import ScoreFile, parse_score
from albeit.corpus.textio import read_text, shown, split_lines, whole_number
from albeit.errors import InputError

__all__ = ["read_score_table"]

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
