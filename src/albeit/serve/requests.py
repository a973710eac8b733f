"""What a client may ask for, checked before any work: shape, names, sizes, metrics."""

from __future__ import annotations

import base64
import re
from typing import Any

from albeit.corpus.openings import Held, opened
from albeit.corpus.textio import decode
from albeit.errors import InputError
from albeit.report.page.profile import EXTENTS
from albeit.serve.job import evaluation_of, metrics_of

__all__ = ["checked"]

_TEXTS = ("source", "documents", "title", "lang", "source_lang")
_KNOWN = frozenset({*_TEXTS, "references", "systems", "metrics", "profile"})
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_FILE = re.compile(r"[/\\~:]|\.[^\W\d]")
"""What the name of a file has (saved models, lexicons), and a metric and its numbers have not."""
MOST = 200
"""How many references, systems or metrics one run may have."""
LARGEST = 1 << 28
"""How many bytes a compressed file may have when it is unpacked."""


def checked(asked: object) -> dict[str, Any]:
    """The request as a run keeps it; raises an ``AlbeitError`` that says what is wrong."""
    if not isinstance(asked, dict):
        raise InputError("a run is asked for with a JSON object.", hint="See /api.")
    unknown = sorted(set(asked) - _KNOWN)
    if unknown:
        raise InputError(
            f"unknown keys: {', '.join(unknown)}.", hint=f"Known: {', '.join(sorted(_KNOWN))}."
        )
    asked = {key: _text_of(value, key) for key, value in asked.items()}
    for key in _TEXTS:
        _check_text(asked.get(key, ""), key)
    if asked.get("profile", "quick") not in EXTENTS:
        raise InputError(f"profile must be one of {', '.join(EXTENTS)}.")
    made = dict(asked)
    made["references"] = _texts(asked.get("references", []), "references")
    made["systems"] = _texts(asked.get("systems"), "systems")
    names = asked.get("metrics") or ["chrf"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("metrics must be a list of names.", hint="GET /api/metrics lists them.")
    if len(names) > MOST:
        raise InputError(f"{len(names)} metrics are asked for; {MOST} at most.")
    for name in names:
        if _FILE.search(name):
            raise InputError(f"{name!r}: a metric that reads files cannot be asked of a server.")
    made["metrics"] = names
    _try(made)
    return made


def _check_text(value: object, what: str) -> None:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text.")
    if _NO_TEXT.search(value):
        raise InputError(f"{what} holds U+0000 or half a character, which no text has.")


def _texts(given: object, what: str) -> list[dict[str, str]]:
    if not isinstance(given, list) or len(given) > MOST:
        raise InputError(f"{what} must be a list of at most {MOST} objects with name and text.")
    seen: set[str] = set()
    found = []
    for item in given:
        if not isinstance(item, dict) or set(item) not in ({"name", "text"}, {"name", "data"}):
            raise InputError(f"{what}: each must be an object with name and text (or data).")
        if "data" in item:
            own = {"data": item["data"]}
            item = {"name": item["name"], "text": _text_of(own, str(item["name"]))}
        found.append(item)
        for key, value in item.items():
            _check_text(value, f"{what}: {key}")
        if not item["name"].strip() or item["name"] in seen:
            raise InputError(f"{what}: the name {item['name']!r} is empty or stands twice.")
        seen.add(item["name"])
    return found


def _text_of(value: object, name: str) -> object:
    """A text; where a file's bytes are sent in its place, what the reader of files makes of them."""
    if not isinstance(value, dict) or set(value) != {"data"}:
        return value
    try:
        data = base64.b64decode(value["data"], validate=True)
    except (ValueError, TypeError):
        raise InputError("its data is not base64.", path=name) from None
    with opened(Held(name, data)) as (file, _):
        unpacked = file.read(LARGEST + 1)
    if len(unpacked) > LARGEST:
        raise InputError(f"is larger than {LARGEST:,} bytes when it is unpacked.", path=name)
    return decode(unpacked, name)


def _try(request: dict[str, Any]) -> None:
    """Refuse now what could only fail later: unequal lengths, unknown or unusable metrics."""
    evaluation = evaluation_of(request)
    if not evaluation.evalset.systems:
        raise InputError("there is no translation to score.")
    metrics = metrics_of(request)
    if any(metric.files for metric in metrics):
        raise InputError("a metric that reads files cannot be asked of a server.")
    evaluation.check(metrics)
