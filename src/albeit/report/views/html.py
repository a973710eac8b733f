"""Views on one HTML page that needs no other file and no network: the report's own components."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from albeit.metrics.view import View
from albeit.report.page import VIEW, shell
from albeit.report.views.parts import decimals, partial

__all__ = ["framed", "page_view", "to_html"]


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
