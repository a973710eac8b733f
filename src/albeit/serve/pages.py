"""The server's own pages: the same components as the report, over the API; the demonstration; and
the JSON API for people, a page made of the words of its OpenAPI description.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from albeit.report.page import plain_page, shell
from albeit.serve.openapi import OPENAPI


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


EXAMPLE = """\
curl -s localhost:8000/api/runs -H 'content-type: application/json' -d '{
  "systems": [{"name": "a", "text": "The talks failed.\\nHe left.\\n"}],
  "references": [{"name": "ref", "text": "The talks failed.\\nHe went.\\n"}],
  "metrics": ["chrf", "ter"]}'
"""


def api_page() -> str:
    """Every address with what it takes and what it answers, without a script."""
    body = (
        '<p><a href="/">albeit</a></p><h1>The API</h1>'
        '<p>For programs: <a href="/api/openapi.json">openapi.json</a>. Whatever changes something'
        " is sent as JSON. A server with a token wants it as"
        " <code>Authorization: Bearer …</code>.</p>"
        f'<pre tabindex="0"><code>{escape(EXAMPLE)}</code></pre>'
    )
    parts = (
        _operation(path, method, what)
        for path, methods in OPENAPI["paths"].items()
        for method, what in methods.items()
    )
    return plain_page("albeit: the API", body + "\n".join(parts))


def _operation(path: str, method: str, what: Mapping[str, Any]) -> str:
    return (
        f'<section class="card operation"><h2><code>{method.upper()} {escape(path)}</code></h2>'
        f"<p>{escape(what['summary'])}</p>{_table('takes', _taken(what))}"
        f"{_table('answers', _answers(what))}</section>"
    )


def _taken(what: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Parameters of the address, and keys of the JSON."""
    for each in what.get("parameters", ()):
        yield each["name"], f"in the {each['in']}, {_kind(each['schema'])}"
    for body in what.get("requestBody", {}).get("content", {}).values():
        needed = body["schema"].get("required", ())
        for name, schema in body["schema"]["properties"].items():
            yield name, ("needed, " if name in needed else "") + _kind(schema)


def _answers(what: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for status, answer in what["responses"].items():
        schemas = [each["schema"] for each in answer.get("content", {}).values()]
        fields = [name for schema in schemas for name in schema.get("properties", ())]
        yield status, answer["description"] + (f": {', '.join(fields)}" if fields else "")


def _kind(schema: Mapping[str, Any]) -> str:
    """What a value is, in words."""
    kind = schema.get("type", "")
    if "enum" in schema:
        kind = " or ".join(schema["enum"])
    if kind == "array":
        item = schema["items"]
        inner = item.get("properties")
        kind = f"a list of {' and '.join(inner)}" if inner else f"a list of {_kind(item)}s"
    about = [kind, schema.get("description", "")]
    if "default" in schema:
        about.append(f"by default {json.dumps(schema['default'])}")
    return ", ".join(filter(None, about))


def _table(caption: str, rows: Iterator[tuple[str, str]]) -> str:
    lines = "".join(
        f'<tr><th scope="row"><code>{escape(name)}</code></th><td class="prose">{escape(about)}</td></tr>'
        for name, about in rows
    )
    return (
        f'<div class="wide" tabindex="0"><table><caption>{caption}</caption>{lines}</table></div>'
        if lines
        else ""
    )
