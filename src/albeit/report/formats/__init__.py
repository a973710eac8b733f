"""Tables as text, JSON, TSV, LaTeX, Markdown or HTML: one module a format, imported when used.

A format is one function ``render(tables) -> str``, and one line in :data:`FORMATS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from albeit.data.plugins import imported
from albeit.errors import AlbeitError
from albeit.report.table import Table

__all__ = ["FORMATS", "render"]

FORMATS: dict[str, str] = {
    "text": "albeit.report.formats.text:render",
    "json": "albeit.report.formats.json:render",
    "tsv": "albeit.report.formats.tsv:render",
    "latex": "albeit.report.formats.latex:render",
    "markdown": "albeit.report.formats.markdown:render",
    "html": "albeit.report.formats.html:render",
    "value": "albeit.report.formats.tsv:render_values",
}


def render(tables: Table | Sequence[Table], form: str = "text") -> str:
    """Tables as text in one format, ending in a newline.

    :param tables: one or several, as those of :mod:`albeit.report.scores`
    :param form: one of :data:`FORMATS`

    >>> import albeit
    >>> from albeit.report.scores import score_table
    >>> table = albeit.score(albeit.read("examples/demo", systems=["careful"]), ["chrf"])
    >>> albeit.render(score_table(table), "tsv").splitlines()[0].split()
    ['system', 'chrf']
    """
    if form not in FORMATS:
        raise AlbeitError(f"unknown format {form!r}; there are {', '.join(FORMATS)}.")
    write: Any = imported(FORMATS[form])
    text: str = write((tables,) if isinstance(tables, Table) else tuple(tables))
    return text if text.endswith("\n") else text + "\n"
