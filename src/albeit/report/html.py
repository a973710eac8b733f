"""HTML: one file that needs no other, for a browser or an attachment."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from albeit._version import __version__
from albeit.report.table import Table

__all__ = ["fragment", "render", "template"]


def render(tables: Sequence[Table]) -> str:
    """One page with all tables."""
    return template("tables.html.j2").render(tables=tables, version=__version__)


def fragment(table: Table) -> str:
    """One table as a piece of a page, such as a notebook."""
    return template("table.html.j2").render(table=table)


def template(name: str) -> Template:
    """One of our templates, in which what users wrote is never markup."""
    environment = Environment(
        loader=PackageLoader("albeit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
