"""Views, which say why a score is what it is: as text, JSON, one HTML page, or SVG for trees."""

from __future__ import annotations

import json
from collections.abc import Sequence

from albeit.errors import AlbeitError
from albeit.metrics.view import View

__all__ = ["VIEW_FORMATS", "render_views"]

VIEW_FORMATS = ("text", "json", "html", "svg")


def render_views(views: Sequence[View], form: str = "text", *, colour: bool = False) -> str:
    """All views in one of :data:`VIEW_FORMATS`, as text ending in a newline.

    JSON is a list; HTML is one page that needs no other file; SVG is one picture of all trees.
    """
    if form == "json":
        found = [view.to_json() for view in views]
        return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    if form == "html":
        from albeit.report.views.html import to_html

        return to_html(views)
    if form == "svg":
        from albeit.report.views.trees import to_svg

        return to_svg(views)
    if form == "text":
        from albeit.report.views.text import to_text

        return "\n".join(to_text(view, colour=colour) for view in views)
    raise AlbeitError(f"unknown format {form!r}; there are {', '.join(VIEW_FORMATS)}.")
