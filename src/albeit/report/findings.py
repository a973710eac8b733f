"""Findings of checks as text, JSON lines and SARIF, for people, programs and code-scanning pages; likely
faults of the profile as files for an editor's own tool: TSV or JSON lines, one fault a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from albeit._version import __version__
from albeit.diagnose.checks import check_named
from albeit.diagnose.finding import Finding
from albeit.diagnose.flag import Flag
from albeit.errors import InputError

__all__ = ["COLUMNS", "RENDERERS", "Placed", "check_path", "to_jsonl", "to_tsv", "write_faults"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with the file and line where it stands."""

    file: str
    line: int
    finding: Finding

    @property
    def column(self) -> int:
        """The first character, from 1."""
        return self.finding.start + 1


def text(found: Sequence[Placed]) -> Iterator[str]:
    """``FILE:LINE:COLUMN: KIND MESSAGE``, as compilers and linters print."""
    for each in found:
        yield f"{each.file}:{each.line}:{each.column}: {each.finding.kind} {each.finding.message}\n"


def json_lines(found: Sequence[Placed]) -> Iterator[str]:
    """One object per finding; ``line`` is the file's, ``segment`` counts lines with text."""
    for each in found:
        record = each.finding.to_json()
        segment = record["line"]
        placed = {"file": each.file, **record, "line": each.line, "column": each.column}
        yield json.dumps({**placed, "segment": segment}, ensure_ascii=False) + "\n"


def sarif(found: Sequence[Placed]) -> Iterator[str]:
    """SARIF 2.1.0, which code-scanning pages show beside the lines."""
    kinds = sorted({each.finding.kind for each in found})
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "albeit check",
                        "version": __version__,
                        "rules": [
                            {"id": kind, "shortDescription": {"text": check_named(kind).about}}
                            for kind in kinds
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(each) for each in found],
            }
        ],
    }
    yield json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _result(each: Placed) -> dict[str, object]:
    finding = each.finding
    region = {
        "startLine": each.line,
        "startColumn": each.column,
        "endColumn": finding.end + 1,
    }
    place = {"artifactLocation": {"uri": each.file}, "region": region}
    return {
        "ruleId": finding.kind,
        "level": "warning",
        "message": {"text": finding.message},
        "rank": round(100 * finding.probability, 1),
        "locations": [{"physicalLocation": place}],
    }


RENDERERS: dict[str, Callable[[Sequence[Placed]], Iterator[str]]] = {
    "text": text,
    "json": json_lines,
    "sarif": sarif,
}
"""Format to the function that writes it."""


COLUMNS = (
    "system",
    "document",
    "line",
    "start",
    "end",
    "kind",
    "probability",
    "suggestion",
    "message",
)
"""Lines count from 1, characters from 0; ``end`` is the character after the last."""


def _record(flag: Flag) -> dict[str, object]:
    """What is written of a flag, by the names of ``COLUMNS``."""
    found = flag.to_json()
    return {name: found[name] for name in COLUMNS}


def to_tsv(flags: Iterable[Flag]) -> str:
    """A heading and a line per flag; tabs and line breaks in texts become spaces."""
    lines = ["\t".join(COLUMNS)]
    for flag in flags:
        cells = ("" if cell is None else str(cell) for cell in _record(flag).values())
        lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    return "\n".join(lines) + "\n"


def to_jsonl(flags: Iterable[Flag]) -> str:
    """An object per line."""
    return "".join(json.dumps(_record(flag), ensure_ascii=False) + "\n" for flag in flags)


def check_path(path: str | Path) -> None:
    """Raise unless the ending of a path says which format to write."""
    if Path(path).suffix not in (".tsv", ".jsonl"):
        raise InputError(f"{path}: likely faults are written as .tsv or .jsonl.")


def write_faults(path: str | Path, flags: Iterable[Flag]) -> None:
    """Write flags to a file, in the format that its ending says."""
    check_path(path)
    text = to_tsv(flags) if Path(path).suffix == ".tsv" else to_jsonl(flags)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}).") from None
