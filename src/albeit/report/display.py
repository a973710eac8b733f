"""Results as they are printed and as notebooks show them: the tables and views of a report."""

from __future__ import annotations

from functools import singledispatch

from albeit.metaeval import Ranking
from albeit.metrics.significance import Comparison
from albeit.metrics.table import ScoreTable
from albeit.metrics.view import View
from albeit.report import render
from albeit.report.agreement import ranking_table
from albeit.report.scores import comparison_table, score_table
from albeit.report.table import Table

__all__ = ["as_html", "as_text"]


@singledispatch
def as_table(value: object) -> Table:
    """The table of a result."""
    raise TypeError(f"a {type(value).__name__} is no table")


as_table.register(ScoreTable, score_table)
as_table.register(Comparison, comparison_table)
as_table.register(Ranking, ranking_table)


def as_text(value: object) -> str:
    """What ``print`` shows, without a line break at the end."""
    if isinstance(value, View):
        from albeit.report.views.text import to_text

        return to_text(value).rstrip("\n")
    return render(as_table(value), "text").rstrip("\n")


def as_html(value: object) -> str:
    """What a notebook shows: a table, or a view in a frame of its own."""
    if isinstance(value, View):
        from albeit.report.views import framed

        return framed(value)
    from albeit.report.formats.html import fragment

    return fragment(as_table(value))
