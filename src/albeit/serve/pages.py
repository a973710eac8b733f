"""The server's own pages: the same components as the report, over the API; and the demonstration."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from albeit.report.page import shell

__all__ = ["demonstration", "home_page", "run_page"]


@cache
def home_page() -> str:
    """Choose files and metrics, watch runs, open their reports."""
    return _page("home.js")


@cache
def run_page() -> str:
    """A run that has no report yet: watch it, and go on to the report when it is done."""
    return _page("watch.js")


@cache
def demonstration() -> str:
    """The demonstration set, as the request of a run (``tools/demonstration.py`` makes it)."""
    return _asset("demonstration.json")


def _page(own: str) -> str:
    script = "\n".join(map(_asset, ("run.js", own)))
    return shell("albeit", ("base.js",), script, kind="serve", connect="'self'")


def _asset(name: str) -> str:
    return files("albeit.serve").joinpath("assets", name).read_text(encoding="utf-8")
