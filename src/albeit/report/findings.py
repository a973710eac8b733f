"""Findings of ``check`` as text, JSON lines, and SARIF; flagged errors as files and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit._version import __version__
from albeit.data.evalset import EvalSet
from albeit.data.textio import write_text
from albeit.diagnose.check import Finding, check_named
from albeit.diagnose.flags import KINDS, Flag, only_in
from albeit.errors import InputError
from albeit.report.formats import render
from albeit.report.table import Cell, Heading, Table, Value


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with its file and line."""

    file: str
    line: int
    finding: Finding

    @property
    def column(self) -> int:
        """The first character, from 1."""
        return self.finding.start + 1


def _text(findings: Sequence[Placed]) -> Iterator[str]:
    """Write ``FILE:LINE:COLUMN: KIND MESSAGE``, as compilers and linters do."""
    for each in findings:
        yield f"{each.file}:{each.line}:{each.column}: {each.finding.kind} {each.finding.message}\n"


def _json_lines(findings: Sequence[Placed]) -> Iterator[str]:
    """Write one object per finding; ``line`` is the file's, ``segment`` counts lines with text."""
    for each in findings:
        record = each.finding.to_json()
        segment = record["line"]
        placed = {"file": each.file, **record, "line": each.line, "column": each.column}
        yield json.dumps({**placed, "segment": segment}, ensure_ascii=False) + "\n"


def _sarif(findings: Sequence[Placed]) -> Iterator[str]:
    """Write SARIF 2.1.0 for code-scanning pages."""
    kinds = sorted({each.finding.kind for each in findings})
    rules = [{"id": kind, "shortDescription": {"text": check_named(kind).about}} for kind in kinds]
    driver = {"name": "albeit check", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(each) for each in findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    log = {"$schema": schema, "version": "2.1.0", "runs": [run]}
    yield json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _sarif_result(each: Placed) -> dict[str, object]:
    finding = each.finding
    end = finding.end + 1
    region = {"startLine": each.line, "startColumn": each.column, "endColumn": end}
    location = {"artifactLocation": {"uri": each.file}, "region": region}
    return {
        "ruleId": finding.kind,
        "level": "warning",
        "message": {"text": finding.message},
        "rank": round(100 * finding.probability, 1),
        "locations": [{"physicalLocation": location}],
    }


RENDERERS: dict[str, Callable[[Sequence[Placed]], Iterator[str]]] = {
    "text": _text,
    "json": _json_lines,
    "sarif": _sarif,
}
"""Format to the function that writes it."""

COLUMNS = (
    *("system", "document", "line", "start", "end"),
    *("kind", "probability", "suggestion", "message"),
)
"""Columns of a file of flagged errors. Lines count from 1, characters from 0."""


def check_path(path: str | Path) -> None:
    """Raise unless the ending of a path is that of a format."""
    if Path(path).suffix not in (".tsv", ".jsonl"):
        raise InputError(f"{path}: likely faults are written as .tsv or .jsonl.")


def write_errors(path: str | Path, flags: Iterable[Flag]) -> None:
    """Write flagged errors to a file: TSV or JSON lines, by its ending, one per line."""
    check_path(path)
    contents = (flag.to_json() for flag in flags)
    rows = [{name: content[name] for name in COLUMNS} for content in contents]
    if Path(path).suffix == ".tsv":
        cells = [[_one_line(value) for value in row.values()] for row in rows]
        text = render(Table.of(COLUMNS, cells), "tsv")
    else:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_text(text, path)


def _one_line(value: Any) -> Any:
    return " ".join(value.split()) if isinstance(value, str) else value


def error_tables(
    flags: Sequence[Flag], evalset: EvalSet, baseline: str, *, count: int = 20
) -> list[Table]:
    """Build tables of the flagged errors that a system has and the baseline doesn't have.

    :param flags: flags of all systems
    :param count: how many are listed per system and kind, at most
    """
    tables = []
    for system in evalset.systems:
        if system == baseline:
            continue
        texts = evalset.systems[system], evalset.systems[baseline]
        own, others = only_in(flags, system, baseline), only_in(flags, baseline, system)
        for kind in KINDS:
            of_kind = [flag for flag in own if flag.finding.kind == kind]
            reverse = sum(flag.finding.kind == kind for flag in others)
            listed = f", {count} of them shown" if len(of_kind) > count else ""
            note = (
                f"{len(of_kind)} that {system} has and {baseline} has not{listed};"
                f" {reverse} the other way round."
            )
            meta = {"kind": kind, "baseline": baseline, "system": system, "found": len(of_kind)}
            title = f"Likely faults of {system} against {baseline}: {kind}"
            columns = [
                Heading("p", "probability", decimals=2),
                Heading("Document", "document", align="left"),
                Heading("Line", "line"),
                Heading("words", align="left"),
                Heading("suggestion", align="left"),
                Heading(f"text of {system}", "text", align="left"),
                Heading(f"text of {baseline}", "baseline_text", align="left"),
            ]
            rows = [_error_row(flag, *texts) for flag in of_kind[:count]]
            tables.append(Table.of(columns, rows, title, (note,), meta))
    return tables


def _error_row(flag: Flag, lines: Sequence[str], others: Sequence[str]) -> list[Value | Cell]:
    finding = flag.finding
    text, other = lines[finding.line - 1], others[finding.line - 1]
    details: dict[str, Value] = {
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
    }
    words = text[finding.start : finding.end]
    p = Cell(finding.probability, details=details)
    return [p, flag.document, finding.line, words, finding.suggestion, text, other]
