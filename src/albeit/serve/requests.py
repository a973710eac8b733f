"""Check a request for a run, and turn it into plain texts.

The server checks the form of a request (:func:`check_request`) before anything is stored. The job
reads its texts (:func:`read_texts`): files are sent as bytes and are read by the readers of the
command line, with the same errors and warnings.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from albeit.data import Kind, TextFiles, decode, name_of, read
from albeit.data.files import Held, opened
from albeit.data.judgment_files import read_judgments
from albeit.data.plausible import warn_if_implausible, warn_of_empty_lines, warn_of_off_target
from albeit.data.resegment import LooseSet, LooseText, read_loose, resegment
from albeit.evaluation import Evaluation, open_store, recommended
from albeit.languages import normalise
from albeit.metaeval import JudgedSet, join
from albeit.metrics import UNNAMED, EvalSet, InputError, Metric
from albeit.metrics.registry import untrusted_metric
from albeit.report.profile import EXTENTS

MOST = 200
"""How many references, systems, or metrics one run may have, and how long a name may be."""
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_TEXTS = ("references", "systems", "source", "documents", "testset")


def check_request(request: object) -> dict[str, Any]:
    """Check the form, sizes, names, and metrics of a request; return it as a run stores it."""
    if not isinstance(request, dict):
        raise InputError("a request must be a JSON object.", hint="See docs/serve.md.")
    if unknown := sorted(set(request) - set(_FORMS)):
        hint = f"Known: {', '.join(sorted(_FORMS))}."
        raise InputError(f"unknown keys: {', '.join(map(repr, unknown))[:MOST]}.", hint=hint)
    for key, value in request.items():
        is_valid, expected = _FORMS[key]
        if not is_valid(value):
            raise InputError(f"{key} must be {expected}.")
    for lang in filter(None, map(request.get, ("lang", "source_lang"))):
        normalise(lang)
    if not request.get("systems") and "testset" not in request:
        raise InputError("there is no translation to score.")
    checked = {"systems": [], **request, "metrics": request.get("metrics") or []}
    metrics_of(checked)
    return checked


def metrics_of(request: Mapping[str, Any]) -> list[Metric]:
    """Build the metrics that a request names; raise an error if one isn't allowed."""
    return [untrusted_metric(name) for name in request["metrics"]]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MOST and not _NO_TEXT.search(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) or _has(value, "data")


def _is_file(value: Any) -> bool:
    return _has(value, "name", "data") and _is_name(value["name"])


def _is_item(value: Any) -> bool:
    named = _is_file(value) or (_has(value, "name", "text") and _is_name(value["name"]))
    return named and bool(value["name"].strip())


def _is_items(value: object) -> bool:
    if not isinstance(value, list) or len(value) > MOST or not all(map(_is_item, value)):
        return False
    return len({item["name"] for item in value}) == len(value)


def _is_names(value: object) -> bool:
    names = [] if value is None else value
    return isinstance(names, list) and len(names) <= MOST and all(map(_is_name, names))


def _has(value: object, *keys: str) -> bool:
    """Return whether a value is an object with exactly these keys, each a text."""
    if not isinstance(value, dict) or set(value) != set(keys):
        return False
    return all(isinstance(each, str) for each in value.values())


_NAME = (_is_name, f"text of at most {MOST} characters, without U+0000 or half a character")
_TEXT = (_is_text, "text, or an object with data (base64)")
_FILE = (_is_file, "an object with name and data (base64)")
_ITEMS = (_is_items, f"a list of at most {MOST} objects with their own name, and text or data")
_FORMS: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("title", "lang", "source_lang"), _NAME),
    **dict.fromkeys(("source", "documents"), _TEXT),
    **dict.fromkeys(("testset", "judgments"), _FILE),
    **dict.fromkeys(("references", "systems"), _ITEMS),
    "metrics": (_is_names, "a list of names, which GET /api/metrics lists"),
    "profile": (lambda value: value in list(EXTENTS), f"one of {', '.join(EXTENTS)}"),
    "resegment": (lambda value: isinstance(value, bool), "true or false"),
}


def read_texts(
    request: Mapping[str, Any], folder: Path, limit: int
) -> tuple[dict[str, Any], Evaluation, JudgedSet | None]:
    """Return the settings of a request, its test set, and its judgments.

    :param request: a request whose form was checked
    :param folder: an empty folder for files that readers need on disk
    :param limit: how many bytes all files together may have when they are unpacked
    """
    files = _Files(folder, limit)
    settings = {key: value for key, value in request.items() if key not in _TEXTS}
    kinds: tuple[tuple[Kind, str], ...] = (("reference", "references"), ("system", "systems"))
    texts: dict[Kind, dict[str, str]] = {
        kind: {each["name"]: files.text(each, each["name"]) for each in request.get(key, [])}
        for kind, key in kinds
    }
    source, documents = (files.text(request.get(key, ""), key) for key in ("source", "documents"))
    texts["source"] = {"source": source} if source else {}
    if "testset" in request:
        documents = _add_testset(texts, settings, files.write(request["testset"])) or documents
    loose = texts.pop("system") if settings.get("resegment") else None
    if loose is not None and not texts["reference"]:
        raise InputError("resegmentation needs a reference.")
    evalset = _build(texts, documents, settings)
    if loose is not None:
        systems: dict[str, tuple[LooseText, ...]] = {}
        for name, text in loose.items():
            path = files.save(name, text.encode())
            systems[name] = read_loose(evalset, [f"text={path}"]).systems["text"]
        evalset = resegment(LooseSet(evalset, systems)).evalset
    judged = None
    if settings.get("judgments"):
        judged = join(evalset, read_judgments(files.write(settings["judgments"])))
        evalset = judged.evalset
    if not evalset.systems:
        raise InputError("there is no translation to score.")
    evaluation = Evaluation(evalset, store=open_store())
    settings["metrics"] = settings.get("metrics") or recommended(evalset)
    evaluation.check(metrics_of(settings))
    warn_of_empty_lines(evalset)
    warn_if_implausible(evalset)
    warn_of_off_target(evalset)
    return settings, evaluation, judged


def _build(
    texts: Mapping[Kind, Mapping[str, str]], documents: str, settings: Mapping[str, Any]
) -> EvalSet:
    held = {
        (kind, name): [Held(name, text.encode())]
        for kind, own in texts.items()
        for name, text in own.items()
    }
    ids = Held("documents", documents.encode()) if documents else None
    name = settings.get("title") or UNNAMED
    return TextFiles(held, ids, name=name, **_languages(settings)).evalset()


def _languages(settings: Mapping[str, Any]) -> dict[str, Any]:
    source_lang, lang = (settings.get(key) or None for key in ("source_lang", "lang"))
    return {"source_lang": source_lang, "target_lang": lang}


class _Files:
    """The files of a request, unpacked within one limit for all of them."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit, self.left = folder, limit, limit

    def text(self, value: Any, name: str) -> str:
        """Return a text, or read it from the bytes that were sent."""
        if isinstance(value, dict) and "data" in value:
            return decode(self.unpack(value["data"], name), name)
        text: str = value["text"] if isinstance(value, dict) else value
        if _NO_TEXT.search(text):
            raise InputError("has U+0000 or half a character, which text can't have.", path=name)
        return text

    def unpack(self, data: str, name: str) -> bytes:
        """Decode and decompress a file, never more than the rest of the limit."""
        try:
            packed = base64.b64decode(data, validate=True)
        except ValueError:
            raise InputError("its data is not base64.", path=name) from None
        with opened(Held(name, packed)) as (file, _):
            content = file.read(self.left + 1)
        if len(content) > self.left:
            message = f"the unpacked files of this request are larger than {self.limit:,} bytes."
            raise InputError(message, path=name, hint="Send fewer or smaller files.")
        self.left -= len(content)
        return content

    def write(self, item: Mapping[str, str]) -> Path:
        """Write a file that was sent."""
        return self.save(item["name"], self.unpack(item["data"], item["name"]))

    def save(self, name: str, content: bytes) -> Path:
        """Write a file; its own name shows the reader its format."""
        name = PurePath(name.replace("\\", "/")).name
        name = name.removesuffix(".gz").removesuffix(".zst")[-120:] or "file"
        path = self.folder / str(len(list(self.folder.iterdir()))) / name
        path.parent.mkdir()
        path.write_bytes(content)
        return path


def _add_testset(texts: dict[Kind, dict[str, str]], settings: dict[str, Any], path: Path) -> str:
    """Add a whole test set after the texts of the request; return its document ids."""
    evalset = read(path, **_languages(settings))
    if double := [name for name in texts["system"] if name in evalset.systems]:
        raise InputError(f"the test set has a system {double[0]!r} of its own: rename your file.")
    texts["system"] |= {name: _lines(lines) for name, lines in evalset.systems.items()}
    texts["reference"] |= {name: _lines(lines) for name, lines in evalset.references.items()}
    if evalset.source:
        texts["source"] = {"source": _lines(evalset.source)}
    name = name_of(path) if evalset.name == UNNAMED else evalset.name
    settings["title"] = settings.get("title") or name
    settings["lang"] = evalset.target_lang
    settings["source_lang"] = evalset.source_lang or settings.get("source_lang")
    return _lines(evalset.document_ids()) if evalset.has_documents else ""


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
