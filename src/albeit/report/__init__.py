"""What a person reads: text, JSON, TSV, LaTeX, Markdown, HTML.

Build a :class:`~albeit.report.table.Table` and call :func:`render`. A format is one function
``render(tables) -> str``, imported when it is used. Ours are one line each in
:data:`FORMATS`; other packages add theirs by the entry point group ``albeit.reports``
(name = "package.module:function").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from albeit.errors import AlbeitError
from albeit.plugins import loaded, plugins
from albeit.report.table import Cell, Heading, Row, Table

__all__ = ["FORMATS", "GROUP", "Cell", "Heading", "Row", "Table", "render"]

FORMATS: dict[str, str] = {
    "text": "albeit.report.text:render",
    "json": "albeit.report.json:render",
    "tsv": "albeit.report.tsv:render",
    "latex": "albeit.report.latex:render",
    "markdown": "albeit.report.markdown:render",
    "html": "albeit.report.html:render",
    "value": "albeit.report.value:render",
}
GROUP = "albeit.reports"


def render(tables: Table | Sequence[Table], form: str = "text") -> str:
    """Tables in one of :data:`FORMATS`, or one that another package adds, ending in a newline."""
    known = {**plugins(GROUP), **FORMATS}
    if form not in known:
        raise AlbeitError(f"unknown format {form!r}; there are {', '.join(known)}.")
    write: Any = loaded("format", form, known[form])
    text: str = write((tables,) if isinstance(tables, Table) else tuple(tables))
    return text if text.endswith("\n") else text + "\n"
