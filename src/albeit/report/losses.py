"""Where one system loses to another, as tables: the segments and documents that differ most, and the
likely faults that it alone has, with both lines side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from albeit.data.evalset import EvalSet
from albeit.data.levels import Level
from albeit.diagnose.flag import TRUSTED, Flag, only_in
from albeit.metrics.significance import Comparison
from albeit.metrics.table import Column
from albeit.report.scores import decimals_of
from albeit.report.table import Cell, Heading, Row, Table, Value

__all__ = ["faults_tables", "losses_tables"]


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


def faults_tables(
    found: Sequence[Flag], evalset: EvalSet, baseline: str, *, count: int = 20
) -> list[Table]:
    """For each system but the baseline, and each kind: its own likely faults, most certain first.

    :param found: flags of all systems
    :param count: how many are shown of each kind, at most
    """
    tables = []
    for system in evalset.systems:
        if system == baseline:
            continue
        own = only_in(found, system, baseline)
        lost = only_in(found, baseline, system)
        for kind in TRUSTED:
            of_kind = [flag for flag in own if flag.finding.kind == kind]
            back = sum(flag.finding.kind == kind for flag in lost)
            tables.append(_faults(of_kind, back, evalset, (baseline, system), kind, count))
    return tables


def _faults(
    own: Sequence[Flag],
    back: int,
    evalset: EvalSet,
    names: tuple[str, str],
    kind: str,
    count: int,
) -> Table:
    baseline, system = names
    columns = (
        Heading("p", "probability", decimals=2),
        Heading("Document", "document", align="left"),
        Heading("Line", "line"),
        Heading("words", align="left"),
        Heading("suggestion", align="left"),
        Heading(f"text of {system}", "text", align="left"),
        Heading(f"text of {baseline}", "baseline_text", align="left"),
    )
    rows = []
    for flag in own[:count]:
        finding = flag.finding
        text = evalset.systems[system][finding.line - 1]
        details: dict[str, Value] = {
            "start": finding.start,
            "end": finding.end,
            "message": finding.message,
        }
        rows.append(
            Row(
                (
                    Cell(finding.probability, details=details),
                    Cell(flag.document),
                    Cell(finding.line),
                    Cell(text[finding.start : finding.end]),
                    Cell(finding.suggestion),
                    Cell(text),
                    Cell(evalset.systems[baseline][finding.line - 1]),
                )
            )
        )
    notes = (
        f"{len(own)} that {system} has and {baseline} has not"
        + (f", {count} of them shown" if len(own) > count else "")
        + f"; {back} the other way round.",
    )
    meta = {"kind": kind, "baseline": baseline, "system": system, "found": len(own)}
    title = f"Likely faults of {system} against {baseline}: {kind}"
    return Table(columns, tuple(rows), title, notes, meta)
