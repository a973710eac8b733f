"""The JSON API, described for programs (OpenAPI 3.1); :mod:`albeit.serve.pages` is for people."""

from __future__ import annotations

from typing import Any

from albeit._version import __version__
from albeit.report.profile import EXTENTS

_TEXT = {"type": "string"}
_NAMED = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": _TEXT,
            "text": {"type": "string", "description": "one segment per line"},
            "data": {"type": "string", "description": "or the file as base64, perhaps compressed"},
        },
    },
}


def _file(about: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": f"{about}: the name of the file, and its bytes as base64",
        "required": ["name", "data"],
        "properties": {"name": _TEXT, "data": _TEXT},
    }


_REQUEST = {
    "type": "object",
    "required": [],
    "properties": {
        "title": _TEXT,
        "systems": _NAMED,
        "references": _NAMED,
        "source": {"type": "string", "description": "the source text, one segment per line"},
        "documents": {
            "type": "string",
            "description": "one document id per line, in its first tab-separated column",
        },
        "testset": _file("a whole test set, as the command reads it"),
        "judgments": _file("what people said of the translations"),
        "resegment": {
            "type": "boolean",
            "default": False,
            "description": "translations are whole documents: cut them to the reference's segments",
        },
        "lang": {"type": "string", "default": "en", "description": "language translated into"},
        "source_lang": {"type": "string", "description": "language translated from"},
        "metrics": {
            "type": "array",
            "items": _TEXT,
            "description": "without any: what is recommended, judge and chrf into English",
        },
        "profile": {
            "enum": list(EXTENTS),
            "default": "quick",
            "description": "the discourse profile: quick is without what reads whole documents",
        },
    },
}
_RUN = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "title": _TEXT,
        "created": {"type": "number", "description": "seconds since 1970"},
        "state": {"enum": ["queued", "running", "done", "failed", "cancelled", "interrupted"]},
        "done": {"type": "integer", "description": "segments scored so far"},
        "total": {"type": "integer"},
        "left": {"type": "integer", "description": "seconds that the rest will take, about"},
        "warnings": {
            "type": "array",
            "items": _TEXT,
            "description": "what the command line would print",
        },
        "set": {
            "type": "object",
            "description": "digest of the references, and segments, once the texts are checked:"
            " runs of one set compare",
        },
        "error": {
            "type": "string",
            "description": "why the run failed: wrong texts, a limit, or a damaged file of the run",
        },
        "systems": {"type": "array", "items": _TEXT},
        "metrics": {"type": "array", "items": _TEXT},
        "scores": {"type": "object", "description": "metric to one score per system, once done"},
    },
}


def _answer(
    about: str, schema: dict[str, Any] | None = None, kind: str = "application/json"
) -> dict[str, Any]:
    found: dict[str, Any] = {"description": about}
    if schema is not None:
        found["content"] = {kind: {"schema": schema}}
    return found


def _run_path(about: str, status: str = "200", **more: Any) -> dict[str, Any]:
    return {
        "summary": about,
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": _TEXT},
            *more.pop("extra", []),
        ],
        "responses": {
            status: more.get("answer", _answer("the run", _RUN)),
            "404": _answer("no such run"),
            "409": _answer("not in its state"),
            **({"503": _answer("too many runs are waiting")} if more.get("full") else {}),
        },
    }


OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "albeit serve", "version": __version__},
    "paths": {
        "/api/metrics": {
            "get": {
                "summary": "The metrics that can score translations into a language",
                "parameters": [
                    {"name": "lang", "in": "query", "schema": _TEXT},
                    {"name": "source_lang", "in": "query", "schema": _TEXT},
                ],
                "responses": {"200": _answer("names, summaries and needs", {"type": "object"})},
            }
        },
        "/api/demonstration": {
            "get": {
                "summary": "The demonstration set, as the request of a run",
                "responses": {"200": _answer("what POST /api/runs takes", _REQUEST)},
            }
        },
        "/api/runs": {
            "get": {
                "summary": "All runs, the newest first",
                "responses": {"200": _answer("runs", {"type": "object"})},
            },
            "post": {
                "summary": "Start a run",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": _REQUEST}},
                },
                "responses": {
                    "201": _answer("the run, queued; its texts are checked when it starts", _RUN),
                    "400": _answer("wrong shape, names, languages, or metrics of the request"),
                    "408": _answer("too slow"),
                    "413": _answer("too large"),
                    "503": _answer("too many runs are waiting"),
                    "507": _answer("the run cannot be stored, for example on a full disk"),
                },
            },
        },
        "/api/runs/{id}": {
            "get": _run_path("One run: its state, and its scores once it is done"),
            "delete": _run_path("Delete a run that has ended", "204", answer=_answer("gone")),
        },
        "/api/runs/{id}/cancel": {"post": _run_path("End a run that waits or works")},
        "/api/runs/{id}/again": {
            "post": _run_path("Start a run again that did not come to its end", full=True)
        },
        "/api/runs/{id}/events": {
            "get": _run_path(
                "The run's state as it changes, as server-sent events, until it ends",
                answer=_answer("events", {"type": "string"}, "text/event-stream"),
            )
        },
        "/api/runs/{id}/explain": {
            "get": _run_path(
                "Why a segment (its number) or a document (its id) scored as it did: metric to one"
                " view a system (docs/explain.md)",
                extra=[
                    {"name": "segment", "in": "query", "schema": {"type": "integer"}},
                    {"name": "document", "in": "query", "schema": _TEXT},
                ],
                answer=_answer("views", {"type": "object"}),
            )
        },
        "/runs/{id}": {
            "get": _run_path(
                "The report, as a page; with status 202, a page that waits for it",
                answer=_answer("the page", _TEXT, "text/html"),
            )
        },
    },
}
