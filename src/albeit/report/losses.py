"""Where one system loses to another: the segments and documents that differ most, as tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from albeit.corpus.evalset import EvalSet
from albeit.corpus.levels import Level
from albeit.metrics.significance import Comparison
from albeit.metrics.table import Column
from albeit.report.scores import decimals_of
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["losses_tables"]


def losses_tables(
    found: Comparison, evalset: EvalSet, count: int, *, decimals: int | None = None
) -> list[Table]:
    """The places where each system loses most to the baseline, by each metric, worst first.

    Segments with their texts, then, where there are several, documents. Places where it does
    not lose are not shown, so that a table may be shorter than ``count``, or say that it is empty.
    """
    base = found.table.system_index(found.baseline)
    return [
        table
        for system in range(len(found.table.systems))
        if system != base
        for column in found.table.columns.values()
        for table in _of(found, evalset, column, base, system, count, decimals)
    ]


def _of(
    found: Comparison,
    evalset: EvalSet,
    column: Column,
    base: int,
    system: int,
    count: int,
    decimals: int | None,
) -> Iterator[Table]:
    baseline, other = found.table.systems[base], found.table.systems[system]
    texts = {
        **dict(list(evalset.references.items())[:1]),
        f"text of {baseline}": evalset.systems[baseline],
        f"text of {other}": evalset.systems[other],
    }
    ids, documents = evalset.document_ids(), found.table.documents
    digits = decimals_of(column, decimals)
    scores = [
        Heading(baseline, "baseline", decimals=digits),
        Heading(other, "system", decimals=digits),
        Heading("diff", "difference", decimals=digits),
    ]
    levels: list[Level] = ["segment", "document"] if found.table.has_documents else ["segment"]
    for level in levels:
        if getattr(column, level) is None:
            continue
        rows = []
        for place in _worst(column, level, base, system, count):
            one, two = (float(column.at(level)[row, place]) for row in (base, system))
            numbers = (Cell(one), Cell(two), Cell(two - one))
            if level == "segment":
                lines = (Cell(lines[place]) for lines in texts.values())
                rows.append(Row((Cell(place + 1), Cell(ids[place]), *numbers, *lines)))
            else:
                size = len(documents[place])
                rows.append(Row((Cell(documents[place].id), Cell(size), *numbers)))
        columns = (
            [Heading("Segment", "segment"), Heading("Document", "document", align="left"), *scores]
            + [Heading(name, align="left") for name in texts]
            if level == "segment"
            else [Heading("Document", "document", align="left"), Heading("segments"), *scores]
        )
        caption = f"Where {other} loses to {baseline}: {level}s by {column.name}"
        notes = () if rows else ("nowhere",)
        meta = {"metric": column.name, "level": level, "baseline": baseline, "system": other}
        yield Table(tuple(columns), tuple(rows), caption, notes, meta)


def _worst(column: Column, level: Level, base: int, system: int, count: int) -> list[int]:
    """The places with the largest loss, at most so many; none where nothing is lost."""
    scores = column.at(level)
    gain = scores[system] - scores[base]
    gain = gain if column.higher_is_better else -gain
    order = np.argsort(np.where(np.isnan(gain), np.inf, gain), kind="stable")[:count]
    return [int(place) for place in order if gain[place] < 0]
