"""The server's start page: the same components as the report, over the API."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from albeit.report.page import shell

__all__ = ["home_page"]


@cache
def home_page() -> str:
    """Choose files and metrics, watch runs, open their reports."""
    own = files("albeit.serve").joinpath("assets", "home.js").read_text(encoding="utf-8")
    return shell("albeit", ("base.js",), own, kind="serve", connect="'self'")
