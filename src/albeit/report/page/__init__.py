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
<div id="report">Unpacking …</div>
<noscript>This page needs JavaScript, which runs in it alone.</noscript>
{data}<script>{script}</script>
</body>
</html>
"""


def render_page(data: Mapping[str, object], *, connect: str = "'none'") -> str:
    """The report with its data inside; ``connect`` is where it may ask for more (a server).

    Explanations, the most by far, lie apart: the page unpacks them when it shows the rest.
    """
    later = {key: data[key] for key in LATER if key in data}
    first = {key: value for key, value in data.items() if key not in later}
    return shell(
        str(data["title"]), SCRIPTS, kind="report", data=first, later=later, connect=connect
    )


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
    """A page of some of our scripts, then a script of its own, over some data, packed inside.

    What comes ``later`` joins the data when they are shown.
    """
    vendor = "\n".join(map(_asset, VENDOR))
    parts = "\n".join([*map(_asset, scripts), own])
    script = f'{vendor}\n(() => {{\n"use strict";\n{parts}\n}})();'
    style = _asset("page.css")
    blocks = (_block("data", data) if data else "") + (_block("later", later) if later else "")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)};"
        f" connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(
        kind=kind,
        version=__version__,
        policy=escape(policy),
        title=escape(title),
        style=style,
        data=blocks,
        script=script,
    )


def _block(name: str, data: Mapping[str, object]) -> str:
    """Data as an element of the page that no browser reads by itself."""
    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = gzip.compress(plain.encode("utf-8", "surrogatepass"), 9, mtime=0)
    return f'<script type="text/plain" id="{name}">{base64.b64encode(packed).decode()}</script>\n'


def plain_page(title: str, body: str) -> str:
    """A page without script in the report's style; ``body`` is markup, escaped by who made it."""
    style = _asset("page.css")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="generator" content="albeit {__version__}">\n'
        '<meta http-equiv="Content-Security-Policy"'
        f' content="default-src &#x27;none&#x27;; style-src {escape(_digest(style))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body>\n<main id="report">\n{body}\n</main>\n</body>\n</html>\n'
    )


@cache
def _asset(name: str) -> str:
    return files("albeit.report.page").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
