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
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files

__all__ = ["SCRIPTS", "render_page", "script", "style"]

VENDOR = ("vendor/preact.js", "vendor/hooks.js", "vendor/htm.js")
SCRIPTS = (
    *("base.js", "words.js", "charts.js", "view.js", "summary.js", "profile.js"),
    *("opened.js", "segments.js", "documents.js", "buckets.js", "app.js"),
)
"""The page's own scripts, in the order in which they build on each other."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="report">Unpacking the report …</div>
<noscript>This report needs JavaScript; it runs in this page alone and asks no network.</noscript>
<script type="text/plain" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files("albeit.report.page").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """All scripts as one, in a scope of its own."""
    vendor = "\n".join(_asset(name) for name in VENDOR)
    own = "\n".join(_asset(name) for name in SCRIPTS)
    return f'{vendor}\n(() => {{\n"use strict";\n{own}\n}})();'


@cache
def style() -> str:
    """The stylesheet."""
    return _asset("page.css")


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(connect: str = "'none'") -> str:
    """What the page may do: run its one script, use its one style, nothing else."""
    return (
        f"default-src 'none'; script-src {_digest(script())}; style-src {_digest(style())};"
        f" connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def render_page(data: Mapping[str, object], *, connect: str = "'none'") -> str:
    """The page with its data inside; ``connect`` is where it may ask for more (a server)."""
    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = gzip.compress(plain.encode("utf-8", "surrogatepass"), 9, mtime=0)
    return PAGE.format(
        policy=escape(policy(connect)),
        title=escape(str(data["title"])),
        style=style(),
        data=base64.b64encode(packed).decode("ascii"),
        script=script(),
    )
