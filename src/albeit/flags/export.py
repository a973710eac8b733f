"""Likely faults as records for an editor's own tool: TSV or JSON lines, one fault a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from albeit.errors import InputError
from albeit.flags.flag import Flag

__all__ = ["COLUMNS", "check_path", "record", "to_jsonl", "to_tsv", "write_faults"]

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


def record(flag: Flag) -> dict[str, object]:
    """What is written of a flag, by the names of ``COLUMNS``."""
    found = flag.to_json()
    return {name: found[name] for name in COLUMNS}


def to_tsv(flags: Iterable[Flag]) -> str:
    """A heading and a line per flag; tabs and line breaks in texts become spaces."""
    lines = ["\t".join(COLUMNS)]
    for flag in flags:
        cells = ("" if cell is None else str(cell) for cell in record(flag).values())
        lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    return "\n".join(lines) + "\n"


def to_jsonl(flags: Iterable[Flag]) -> str:
    """An object per line."""
    return "".join(json.dumps(record(flag), ensure_ascii=False) + "\n" for flag in flags)


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
