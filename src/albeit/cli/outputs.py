"""Scores into files: checked before the work begins, written when it is done."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from albeit.corpus.levels import Level
from albeit.corpus.textio import write_text
from albeit.errors import AlbeitWarning, InputError, MetricError
from albeit.metrics.table import ScoreTable
from albeit.report import render
from albeit.report.scores import score_table

__all__ = ["check_writable", "write_scores"]


def check_writable(path: str | None) -> None:
    """Raise now if a file cannot be written later, when hours of work would be lost."""
    if path is None:
        return
    place = Path(path)
    if place.is_dir():
        raise InputError("is a folder.", path=path, hint="Name a file.")
    while not place.exists() and place != place.parent:
        place = place.parent
    if (str(place) != path and not place.is_dir()) or not os.access(place, os.W_OK):
        raise InputError("cannot be written.", path=path, hint=f"See {place}.")


def write_scores(table: ScoreTable, level: Level, path: str | None) -> None:
    """All scores of one level as TSV; metrics without that level are left out, and said to be."""
    if path is None:
        return
    columns = {n: c for n, c in table.columns.items() if getattr(c, level) is not None}
    left_out = [name for name in table.columns if name not in columns]
    if not columns:
        raise MetricError(f"{', '.join(left_out)}: no {level} scores to write to {path}.")
    if left_out:
        warnings.warn(
            AlbeitWarning(f"{', '.join(left_out)}: no {level} scores; not in the file.", path=path),
            stacklevel=1,
        )
    part = ScoreTable(
        table.systems, table.documents, columns, table.name, table.language_pair,
        table.has_documents,
    )  # fmt: skip
    write_text(render(score_table(part, level), "tsv"), path)
