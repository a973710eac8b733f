"""Findings as text, JSON lines and SARIF, for people, programs and code-scanning pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from albeit._version import __version__
from albeit.flags.checks import check_named
from albeit.flags.finding import Finding

__all__ = ["RENDERERS", "Placed"]


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
