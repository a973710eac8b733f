"""HTML: one file that needs no other, for a browser or an attachment."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from albeit.report.page import plain_page
from albeit.report.table import Table

__all__ = ["fragment", "render", "template"]


def render(tables: Sequence[Table]) -> str:
    """One page with all tables, in the report's style."""
    title = next((table.caption for table in tables if table.caption), "albeit")
    return plain_page(title, "\n".join(map(fragment, tables)))


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
