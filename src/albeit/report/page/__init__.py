"""The report: one HTML file that opens from disk, without a network, and can be mailed.

The page is a small program (``assets/``: plain scripts that a browser runs as they are, on
Preact and htm, vendored) over one compressed JSON object, the report's data
(:mod:`albeit.report.page.data`). Texts and names of users are data in that object: they
never become markup. The page's own policy forbids everything but its one script and style.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from albeit._version import __version__

__all__ = ["VIEW", "plain_page", "render_page", "shell"]

VENDOR = ("vendor/preact.js", "vendor/hooks.js", "vendor/htm.js")
VIEW = ("words.js", "tree.js", "chains.js", "view.js")
"""What shows an explanation, in the report and out of it."""
SCRIPTS = (
    *("base.js", "sorting.js", "charts.js", *VIEW, "summary.js"),
    *("profile.js", "why.js", "opened.js", "rows.js", "segments.js", "documents.js", "buckets.js"),
    *("metrics.js", "app.js"),
)
"""The report's own scripts, in the order in which they build on each other."""
LATER = ("explanations", "documents")

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="albeit {kind} {version}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def render_page(
    data: Mapping[str, object], *, connect: str = "'none'", warnings: Sequence[str] = ()
) -> str:
    """Return the report with its data; ``connect`` is the server that it may request more from.

    Explanations, the most by far, lie apart: the page unpacks them when it shows the rest.
    """
    later = {key: data[key] for key in LATER if key in data}
    first = {key: value for key, value in data.items() if key not in later}
    caveats: Any = data.get("warnings", ())
    first |= {"warnings": [*warnings, *caveats]} if warnings or caveats else {}
    title = str(data["title"])
    return shell(title, SCRIPTS, kind="report", data=first, later=later, connect=connect)


def shell(
    title: str,
    scripts: Sequence[str],
    own: str = "",
    *,
    kind: str,
    data: Mapping[str, object] | None = None,
    later: Mapping[str, object] | None = None,
    connect: str = "'none'",
) -> str:
    """Return a page with shared scripts, its own script, and compressed data.

    What comes ``later`` joins the data when they are shown.
    """
    vendor = "\n".join(map(_asset, VENDOR))
    parts = "\n".join([*map(_asset, scripts), own])
    script = f'{vendor}\n(() => {{\n"use strict";\n{parts}\n}})();'
    body = (
        '<div id="report">Unpacking …</div>\n'
        "<noscript>This page needs JavaScript, which runs in it alone.</noscript>\n"
        f"{_block('data', data)}{_block('later', later)}<script>{script}</script>"
    )
    return _page(title, body, kind, f"script-src {_digest(script)}; connect-src {connect}")


def plain_page(title: str, body: str) -> str:
    """Write a page without script in the report's style; ``body`` is markup, already escaped."""
    return _page(title, f'<main id="report">\n{body}\n</main>', "table", "connect-src 'none'")


def _page(title: str, body: str, kind: str, sources: str) -> str:
    style = _asset("page.css")
    policy = f"default-src 'none'; style-src {_digest(style)}; {sources}"
    return PAGE.format(
        kind=kind,
        version=__version__,
        policy=escape(f"{policy}; base-uri 'none'; form-action 'none'"),
        title=escape(title),
        style=style,
        body=body,
    )


def _block(name: str, data: Mapping[str, object] | None) -> str:
    """Write data as an element of the page that no browser interprets."""
    if not data:
        return ""
    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = gzip.compress(plain.encode("utf-8", "surrogatepass"), 9, mtime=0)
    return f'<script type="text/plain" id="{name}">{base64.b64encode(packed).decode()}</script>\n'


@cache
def _asset(name: str) -> str:
    return files("albeit.report.page").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
