"""HTML: one file that needs no other, for a browser or an attachment."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from albeit._version import __version__
from albeit.report.table import Table

__all__ = ["render"]


def render(tables: Sequence[Table]) -> str:
    """One page with all tables."""
    environment = Environment(
        loader=PackageLoader("albeit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("tables.html.j2")
    return page.render(tables=tables, version=__version__)
