"""What a person reads: text, JSON, TSV, LaTeX, Markdown, HTML.

Build a :class:`~albeit.report.table.Table` and call :func:`render`. A format is one module
with one function ``render(tables) -> str``; it is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from albeit.errors import AlbeitError
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["FORMATS", "Cell", "Heading", "Row", "Table", "render"]

FORMATS: dict[str, str] = {
    "text": "albeit.report.text",
    "json": "albeit.report.json",
    "tsv": "albeit.report.tsv",
    "latex": "albeit.report.latex",
    "markdown": "albeit.report.markdown",
    "html": "albeit.report.html",
}


def render(tables: Table | Sequence[Table], form: str = "text") -> str:
    """Tables in one of :data:`FORMATS`, as text ending in a newline."""
    if form not in FORMATS:
        raise AlbeitError(f"unknown format {form!r}; there are {', '.join(FORMATS)}.")
    several = (tables,) if isinstance(tables, Table) else tuple(tables)
    text: str = import_module(FORMATS[form]).render(several)
    return text if text.endswith("\n") else text + "\n"
