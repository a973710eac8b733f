"""What a client may ask for, checked before any work: shape, names, sizes, metrics; and what was sent
(files, a whole test set, loose documents) as the plain texts that a run keeps.

Files come as bytes and are read by the readers of the command, so that both say the same of the
same file. What is cut, joined or left out is so before the run begins; warnings are kept with it.
"""

from __future__ import annotations

import base64
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from albeit.corpus import EvalSet, read
from albeit.corpus.build import name_of
from albeit.corpus.evalset import UNNAMED
from albeit.corpus.judgments import read_judgments
from albeit.corpus.loose import LooseSet, LooseText, read_loose
from albeit.corpus.openings import Held, opened
from albeit.corpus.plausible import warn_if_implausible, warn_of_empty_lines
from albeit.corpus.textio import decode
from albeit.engine import recommended
from albeit.errors import AlbeitError, AlbeitWarning, InputError
from albeit.judged import JudgedSet, join
from albeit.report.page.profile import EXTENTS
from albeit.resegment import METHOD, resegment
from albeit.serve.job import evaluation_of, metrics_of

__all__ = ["checked", "gathering_warnings", "judged_of", "spread_out", "unpacked", "without_folder"]

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


T = TypeVar("T")
LARGEST = 1 << 28
"""How many bytes a compressed file may have when it is unpacked."""
_ONE_AT_A_TIME = threading.Lock()
"""Warnings of Python belong to the process: whoever gathers them is alone."""


def gathering_warnings(work: Callable[[], T]) -> tuple[T, list[str]]:
    """What some work gives, and the warnings that the command line would print."""
    with _ONE_AT_A_TIME, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", AlbeitWarning)
        made = work()
    own = (str(each.message) for each in said if isinstance(each.message, AlbeitWarning))
    return made, list(dict.fromkeys(own))


def without_folder(text: str, folder: str | Path) -> str:
    """A message with the names of files as they were sent."""
    return re.sub(rf"{re.escape(str(folder))}/(\d+/)?", "", text)


def unpacked(data: object, name: str) -> bytes:
    """The bytes of a file that was sent as base64, perhaps compressed."""
    try:
        packed = base64.b64decode(data, validate=True)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError("its data is not base64.", path=name) from None
    with opened(Held(name, packed)) as (file, _):
        found = file.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise InputError(f"is larger than {LARGEST:,} bytes when it is unpacked.", path=name)
    return found


def spread_out(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A request of checked texts, with those of a whole test set, loose documents cut to segments,
    and of judged systems only those that were."""
    if "testset" in request:
        request = _spread(request, _written(request.pop("testset"), folder))
    if request.get("resegment"):
        request = _cut(request, folder)
    if (judged := judged_of(request)) is not None:
        kept = judged.evalset.systems
        request["systems"] = [item for item in request["systems"] if item["name"] in kept]
    return request


def judged_of(request: Mapping[str, Any]) -> JudgedSet | None:
    """The set of a request with its judgments, where it has some."""
    given = request.get("judgments")
    if not given:
        return None
    with TemporaryDirectory(prefix="albeit-") as folder:
        path = _written(given, Path(folder))
        try:
            return join(evaluation_of(dict(request)).evalset, read_judgments(path))
        except AlbeitError as error:
            raise InputError(without_folder(str(error), folder)) from None


def _written(item: object, folder: Path) -> Path:
    """A file that was sent, under its own name, which says its format, in a folder of its own."""
    if not isinstance(item, dict) or set(item) != {"name", "data"}:
        raise InputError("a file is sent as an object with name and data (base64).")
    name = PurePath(str(item["name"]).replace("\\", "/")).name.replace("\0", "")
    name = name.removesuffix(".gz").removesuffix(".zst")[-120:] or "file"
    path = folder / str(len(list(folder.iterdir()))) / name
    path.parent.mkdir()
    path.write_bytes(unpacked(item["data"], name))
    return path


def _spread(request: dict[str, Any], path: Path) -> dict[str, Any]:
    """A whole test set as texts; the visitor's own systems stand before the set's."""
    found = read(
        path,
        source_lang=request.get("source_lang") or None,
        target_lang=request.get("lang") or None,
    )
    own = request.get("systems") or []
    taken = {item["name"] for item in own if isinstance(item, dict) and "name" in item}
    for name in found.systems:
        if name in taken:
            raise InputError(f"the test set has a system {name!r} of its own: rename your file.")
    made = request | {
        "systems": [*own, *_items(found.systems)],
        "references": [*(request.get("references") or []), *_items(found.references)],
        "lang": found.target_lang,
    }
    if found.source is not None:
        made["source"] = _text(found.source)
    if found.has_documents:
        made["documents"] = _text(found.document_ids())
    if found.source_lang:
        made["source_lang"] = found.source_lang
    named = name_of(path) if found.name == UNNAMED else found.name
    return made | {"title": request.get("title") or named}


def _cut(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Translations of whole documents, cut to the segments of the reference."""
    if not request.get("references"):
        raise InputError("there is no reference, by which translations could be cut.")
    base = evaluation_of(request | {"systems": [], "resegment": ""}).evalset
    systems: dict[str, tuple[LooseText, ...]] = {}
    for item in request.get("systems") or []:
        path = folder / f"loose-{len(systems)}.txt"
        path.write_text(item["text"], encoding="utf-8", errors="surrogatepass")
        (systems[item["name"]],) = read_loose(base, [f"text={path}"]).systems.values()
    cut: EvalSet = resegment(LooseSet(base, systems)).evalset
    return request | {"systems": _items(cut.systems), "resegment": METHOD}


def _items(texts: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    return [{"name": name, "text": _text(lines)} for name, lines in texts.items()]


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
