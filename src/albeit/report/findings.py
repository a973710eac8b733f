"""Findings of ``check`` as text, JSON lines, and SARIF; flagged errors as files and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from albeit._version import __version__
from albeit.data.evalset import EvalSet
from albeit.data.textio import write_text
from albeit.diagnose.check import Finding, check_named
from albeit.diagnose.flags import KINDS, Flag, only_in
from albeit.errors import InputError
from albeit.report.formats import render
from albeit.report.table import Cell, Heading, Table, Value

Placed = tuple[str, int, Finding]
"""A file, a line in it, and a finding there."""


def _text(findings: Sequence[Placed]) -> Iterator[str]:
    """Write ``FILE:LINE:COLUMN: KIND MESSAGE``, as compilers and linters do."""
    for file, line, found in findings:
        yield f"{file}:{line}:{found.start + 1}: {found.kind} {found.message}\n"


def _json_lines(findings: Sequence[Placed]) -> Iterator[str]:
    """Write one object per finding; ``line`` is the file's, ``segment`` counts lines with text."""
    for file, line, found in findings:
        place = {"line": line, "column": found.start + 1, "segment": found.line}
        yield json.dumps({"file": file, **found.to_json(), **place}, ensure_ascii=False) + "\n"


def _sarif(findings: Sequence[Placed]) -> Iterator[str]:
    """Write SARIF 2.1.0 for code-scanning pages."""
    kinds = sorted({found.kind for _, _, found in findings})
    rules = [{"id": kind, "shortDescription": {"text": check_named(kind).about}} for kind in kinds]
    driver = {"name": "albeit check", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(*each) for each in findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    log = {"$schema": schema, "version": "2.1.0", "runs": [run]}
    yield json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _sarif_result(file: str, line: int, found: Finding) -> dict[str, object]:
    region = {"startLine": line, "startColumn": found.start + 1, "endColumn": found.end + 1}
    location = {"artifactLocation": {"uri": file}, "region": region}
    return {
        "ruleId": found.kind,
        "level": "warning",
        "message": {"text": found.message},
        "rank": round(100 * found.probability, 1),
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
        raise InputError(f"{path}: flagged errors are written as .tsv or .jsonl.")


def write_errors(path: str | Path, flags: Iterable[Flag]) -> None:
    """Write flagged errors to a file: TSV or JSON lines, by its ending, one per line."""
    check_path(path)
    rows = [[content[name] for name in COLUMNS] for content in map(Flag.to_json, flags)]
    if Path(path).suffix == ".tsv":
        cells = [[" ".join(v.split()) if isinstance(v, str) else v for v in row] for row in rows]
        text = render(Table.of(COLUMNS, cells), "tsv")
    else:
        records = (dict(zip(COLUMNS, row, strict=True)) for row in rows)
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    write_text(text, path)


def error_tables(
    flags: Sequence[Flag], evalset: EvalSet, baseline: str, *, count: int = 20
) -> list[Table]:
    """Build tables of the flagged errors that a system has and the baseline doesn't have.

    :param flags: flags of all systems
    :param count: how many are listed per system and kind, at most
    """
    tables = []
    for system in (name for name in evalset.systems if name != baseline):
        texts = evalset.systems[system], evalset.systems[baseline]
        own, others = only_in(flags, system, baseline), only_in(flags, baseline, system)
        for kind in KINDS:
            of_kind = [flag for flag in own if flag.finding.kind == kind]
            reverse = sum(flag.finding.kind == kind for flag in others)
            listed = f", {count} of them shown" if len(of_kind) > count else ""
            note = (
                f"{len(of_kind)} that {system} has and {baseline} has not{listed};"
                f" {reverse} in the other direction."
            )
            meta = {"kind": kind, "baseline": baseline, "system": system, "found": len(of_kind)}
            title = f"Flagged errors of {system} against {baseline}: {kind}"
            words = [("words", ""), ("suggestion", ""), (f"text of {system}", "text")]
            words.append((f"text of {baseline}", "baseline_text"))
            columns = [
                Heading("likelihood", "probability", decimals=2),
                Heading("Document", "document", align="left"),
                Heading("Line", "line"),
                *(Heading(*each, align="left") for each in words),
            ]
            rows = [_error_row(flag, *texts) for flag in of_kind[:count]]
            tables.append(Table.of(columns, rows, title, (note,), meta))
    return tables


def _error_row(flag: Flag, lines: Sequence[str], others: Sequence[str]) -> list[Value | Cell]:
    finding = flag.finding
    text, other = lines[finding.line - 1], others[finding.line - 1]
    start, end = finding.start, finding.end
    details: dict[str, Value] = {"start": start, "end": end, "message": finding.message}
    p = Cell(finding.probability, details=details)
    return [p, flag.document, finding.line, text[start:end], finding.suggestion, text, other]
