"""Check what a client asks for before anything is stored: shape, sizes, names, and metrics.

No text is read here: :mod:`albeit.serve.texts` reads and checks the texts in the job.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from albeit.errors import InputError
from albeit.languages import normalise
from albeit.metrics.base import Metric
from albeit.metrics.registry import untrusted_metric
from albeit.report.profile import EXTENTS

_NAMES = ("title", "lang", "source_lang")
_TEXTS = ("source", "documents")
_FILES = ("testset", "judgments")
_LISTS = ("references", "systems")
_KNOWN = frozenset({*_NAMES, *_TEXTS, *_FILES, *_LISTS, "metrics", "profile", "resegment"})
_NO_NAME = re.compile("[\0\ud800-\udfff]")
MOST = 200
"""How many references, systems or metrics one run may have, and how long a name may be."""


def checked(asked: object) -> dict[str, Any]:
    """Return the request as a run stores it; raise an ``AlbeitError`` if something is wrong."""
    if not isinstance(asked, dict):
        raise InputError("a run is asked for with a JSON object.", hint="See /api.")
    unknown = sorted(set(asked) - _KNOWN)
    if unknown:
        raise InputError(
            f"unknown keys: {', '.join(unknown)[:MOST]}.",
            hint=f"Known: {', '.join(sorted(_KNOWN))}.",
        )
    if asked.get("profile", "quick") not in EXTENTS:
        raise InputError(f"profile must be one of {', '.join(EXTENTS)}.")
    if not isinstance(asked.get("resegment", False), bool):
        raise InputError("resegment must be true or false.")
    for key in _NAMES:
        _check_name(asked.get(key, ""), key)
    for key in ("lang", "source_lang"):
        if asked.get(key):
            normalise(asked[key])
    for key in _TEXTS:
        value = asked.get(key, "")
        if not isinstance(value, str) and not _has(value, "data"):
            raise InputError(f"{key} must be text, or an object with data.")
    for key in _FILES:
        if key in asked and not _has(asked[key], "name", "data"):
            raise InputError(f"{key}: a file is sent as an object with name and data (base64).")
        _check_name(asked[key]["name"] if key in asked else "", f"{key}: name")
    for key in _LISTS:
        _check_items(asked.get(key, []), key)
    if not asked.get("systems") and "testset" not in asked:
        raise InputError("there is no translation to score.")
    made = {"systems": [], **asked, "metrics": _metrics(asked.get("metrics") or [])}
    metrics_of(made)
    return made


def metrics_of(request: Mapping[str, Any]) -> list[Metric]:
    """Build the metrics that a request names; raise an error if one isn't allowed."""
    return [untrusted_metric(name) for name in request["metrics"]]


def _metrics(names: object) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("metrics must be a list of names.", hint="GET /api/metrics lists them.")
    if len(names) > MOST:
        raise InputError(f"{len(names)} metrics are asked for; {MOST} at most.")
    for name in names:
        _check_name(name, "metrics: name")
    return names


def _check_name(value: object, what: str) -> None:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text.")
    if len(value) > MOST:
        raise InputError(f"{what} is longer than {MOST} characters.")
    if _NO_NAME.search(value):
        raise InputError(f"{what} holds U+0000 or half a character, which no text has.")


def _check_items(given: object, what: str) -> None:
    if not isinstance(given, list) or len(given) > MOST:
        raise InputError(f"{what} must be a list of at most {MOST} objects with name and text.")
    seen: set[str] = set()
    for item in given:
        if not _has(item, "name", "text") and not _has(item, "name", "data"):
            raise InputError(f"{what}: each must be an object with name and text (or data).")
        name = item["name"]
        _check_name(name, f"{what}: name")
        if not name.strip() or name in seen:
            raise InputError(f"{what}: the name {name!r} is empty or stands twice.")
        seen.add(name)


def _has(value: object, *keys: str) -> bool:
    """Whether a value is an object with these keys alone, each a text."""
    return (
        isinstance(value, dict)
        and set(value) == set(keys)
        and all(isinstance(each, str) for each in value.values())
    )
