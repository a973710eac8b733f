"""Views, which say why a score is what it is: as text, JSON, one HTML page, or SVG for trees.

The page needs no other file and no network: it has the report's own components.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from albeit.errors import AlbeitError
from albeit.metrics.view import View
from albeit.report.page import VIEW, shell
from albeit.report.views.parts import decimals, partial

__all__ = ["VIEW_FORMATS", "framed", "page_view", "render_views", "to_html"]

VIEW_FORMATS = ("text", "json", "html", "svg")


def render_views(views: Sequence[View], form: str = "text", *, colour: bool = False) -> str:
    """All views in one of :data:`VIEW_FORMATS`, as text ending in a newline.

    JSON is a list; HTML is one page that needs no other file; SVG is one picture of all trees.
    """
    if form == "json":
        found = [view.to_json() for view in views]
        return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    if form == "html":
        return to_html(views)
    if form == "svg":
        from albeit.report.views.trees import to_svg

        return to_svg(views)
    if form == "text":
        from albeit.report.views.text import to_text

        return "\n".join(to_text(view, colour=colour) for view in views)
    raise AlbeitError(f"unknown format {form!r}; there are {', '.join(VIEW_FORMATS)}.")


def to_html(views: Sequence[View]) -> str:
    """One page, a section a view."""
    metrics = ", ".join(dict.fromkeys(view.metric for view in views))
    what = "Explained by" if any(view.system for view in views) else "Texts as seen by"
    return _page(views, f"{what} {metrics}" if views else "Nothing to explain")


def framed(view: View) -> str:
    """The same of one view as a piece of another page, such as a notebook, which it cannot touch."""
    return (
        '<iframe sandbox="allow-scripts" width="100%" height="420" title="explanation"'
        f' style="border:0;resize:vertical" srcdoc="{escape(_page([view], ""))}"></iframe>'
    )


def page_view(view: View) -> dict[str, object]:
    """A view's JSON with what a page must know besides."""
    return {**view.to_json(), "partial": partial(view), "decimals": decimals(view)}


def _page(views: Sequence[View], title: str) -> str:
    data = {"title": title, "views": [page_view(view) for view in views]}
    return shell(title or "albeit", ("base.js", *VIEW, "views.js"), kind="views", data=data)
