"""What a client may ask for, checked before any work: shape, names, sizes, metrics."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from albeit.corpus.plausible import warn_if_implausible, warn_of_empty_lines
from albeit.corpus.textio import decode
from albeit.engine import recommended
from albeit.errors import AlbeitError, InputError
from albeit.report.page.profile import EXTENTS
from albeit.serve.intake import gathering_warnings, spread_out, unpacked, without_folder
from albeit.serve.job import evaluation_of, metrics_of

__all__ = ["checked"]

_TEXTS = ("source", "documents", "title", "lang", "source_lang")
_FILES = ("testset", "judgments")
_KNOWN = frozenset({*_TEXTS, *_FILES, "references", "systems", "metrics", "profile", "resegment"})
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_FILE = re.compile(r"[/\\~:]|\.[^\W\d]")
"""What the name of a file has (saved models, lexicons), and a metric and its numbers have not."""
MOST = 200
"""How many references, systems or metrics one run may have."""


def checked(asked: object) -> dict[str, Any]:
    """The request as a run keeps it; raises an ``AlbeitError`` that says what is wrong."""
    if not isinstance(asked, dict):
        raise InputError("a run is asked for with a JSON object.", hint="See /api.")
    unknown = sorted(set(asked) - _KNOWN)
    if unknown:
        raise InputError(
            f"unknown keys: {', '.join(unknown)}.", hint=f"Known: {', '.join(sorted(_KNOWN))}."
        )
    if asked.get("profile", "quick") not in EXTENTS:
        raise InputError(f"profile must be one of {', '.join(EXTENTS)}.")
    if not isinstance(asked.get("resegment", False), bool):
        raise InputError("resegment must be true or false.")
    with TemporaryDirectory(prefix="albeit-") as folder:
        try:
            made, said = gathering_warnings(lambda: _made(asked, Path(folder)))
        except AlbeitError as error:
            raise InputError(without_folder(str(error), folder)) from None
        return made | {"warnings": [without_folder(each, folder) for each in said]}


def _made(asked: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The request in plain texts, tried."""
    made = {key: _text_of(value, key) for key, value in asked.items()}
    for key in _TEXTS:
        _check_text(made.get(key, ""), key)
    made["references"] = _texts(made.get("references", []), "references")
    made["systems"] = _texts(made.get("systems", []), "systems")
    made["metrics"] = _metrics(asked.get("metrics") or [])
    made = spread_out(made, folder)
    evaluation = evaluation_of(made)
    evalset = evaluation.evalset
    if not evalset.systems:
        raise InputError("there is no translation to score.")
    made["metrics"] = made["metrics"] or recommended(evalset)
    metrics = metrics_of(made)
    if any(metric.files for metric in metrics):
        raise InputError("a metric that reads files cannot be asked of a server.")
    evaluation.check(metrics)
    warn_of_empty_lines(evalset)
    warn_if_implausible(evalset)
    return made


def _metrics(names: object) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError("metrics must be a list of names.", hint="GET /api/metrics lists them.")
    if len(names) > MOST:
        raise InputError(f"{len(names)} metrics are asked for; {MOST} at most.")
    for name in names:
        if _FILE.search(name):
            raise InputError(f"{name!r}: a metric that reads files cannot be asked of a server.")
    return names


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
    return decode(unpacked(value["data"], name), name)
