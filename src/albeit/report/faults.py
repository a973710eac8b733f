"""Likely faults that one system has and another has not, as tables with both lines side by side."""

from __future__ import annotations

from collections.abc import Sequence

from albeit.corpus.evalset import EvalSet
from albeit.flags.flag import TRUSTED, Flag, only_in
from albeit.report.table import Cell, Heading, Row, Table, Value

__all__ = ["faults_tables"]


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
            tables.append(_table(of_kind, back, evalset, (baseline, system), kind, count))
    return tables


def _table(
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
