"""JSON lines: one object per text with all its layers, and back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from albeit.errors import InputError
from albeit.parsing.layers import Analysis, of_lines

__all__ = ["from_object", "read_json", "to_object", "write_json"]


def write_json(analyses: Iterable[Analysis]) -> Iterator[str]:
    """One line per text."""
    for analysis in analyses:
        yield json.dumps(to_object(analysis), ensure_ascii=False, separators=(",", ":")) + "\n"


def read_json(text: str, *, path: str | Path | None = None) -> list[Analysis]:
    """All texts of a file of JSON lines, in order; empty lines are skipped."""
    analyses = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            analyses.append(from_object(json.loads(line)))
        except ValueError as error:  # what is no JSON, or has a number of thousands of digits
            what = getattr(error, "msg", error)
            raise InputError(f"not JSON: {what}.", path=path, line=number) from None
        except InputError as error:
            raise InputError(error.what, path=path, line=number) from None
    return analyses


def to_object(analysis: Analysis) -> dict[str, Any]:
    """An analysis as plain JSON values; layers that were not annotated are left out."""
    out: dict[str, Any] = {"text": analysis.text}
    for layer in analysis:
        out |= layer.to_fields(analysis[layer])
    return out


def from_object(data: Any) -> Analysis:
    """The analysis of such an object; raises ``InputError`` where it is not one."""
    try:
        found = [each for each in of_lines() if each.name in data and not each.derived]
        values = {layer: layer.from_fields(data) for layer in found}
        analysis = Analysis(str(data["text"]), values)
        for layer, value in values.items():
            layer.check(value, analysis)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        raise InputError(f"not an analysis as albeit writes it ({error!r}).") from None
    return analysis
