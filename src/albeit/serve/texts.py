"""Turn a request into the plain texts of a run, in the job: unpack, read, resegment, and check.

Files are sent as bytes and are read by the readers of the command line, with the same errors and
warnings.
"""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, TypeVar

from albeit.data import EvalSet, read
from albeit.data.build import TextFiles, Texts, name_of
from albeit.data.evalset import UNNAMED
from albeit.data.files import Held, opened
from albeit.data.judgments import read_judgments
from albeit.data.loose import LooseSet, LooseText, read_loose
from albeit.data.plausible import warn_if_implausible, warn_of_empty_lines
from albeit.data.textio import decode
from albeit.errors import AlbeitError, AlbeitWarning, InputError
from albeit.evaluation import Evaluation, open_store, recommended
from albeit.metaeval import JudgedSet, join
from albeit.resegment import METHOD, resegment
from albeit.serve.requests import metrics_of

T = TypeVar("T")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def evaluation_of(texts: Mapping[str, Any]) -> Evaluation:
    """Build the test set of a request in plain texts; every fault is an ``AlbeitError``."""
    named: Texts = {}
    for item in texts.get("references", []):
        named["reference", item["name"]] = [_held(item["name"], item["text"])]
    for item in texts["systems"]:
        named["system", item["name"]] = [_held(item["name"], item["text"])]
    if texts.get("source"):
        named["source", "source"] = [_held("source", texts["source"])]
    documents = texts.get("documents")
    corpus = TextFiles(
        named,
        _held("documents", documents) if documents else None,
        source_lang=texts.get("source_lang") or None,
        target_lang=texts.get("lang") or None,
        name=texts.get("title") or UNNAMED,
    )
    evalset = corpus.evalset()
    if texts.get("resegment"):
        evalset = evalset.with_systems(evalset.systems, resegmented=METHOD)
    return Evaluation(evalset, store=open_store())


def _held(name: str, text: str) -> Held:
    return Held(name, text.encode())


def gather_warnings(work: Callable[[], T]) -> tuple[T, list[str]]:
    """Return a result, and the warnings that the command line would print."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", AlbeitWarning)
        made = work()
    own = (str(each.message) for each in said if isinstance(each.message, AlbeitWarning))
    return made, list(dict.fromkeys(own))


def prepare(
    request: Mapping[str, Any], folder: Path, limit: int
) -> tuple[dict[str, Any], Evaluation, JudgedSet | None, list[str]]:
    """Return a request in plain texts, its test set, its judgments, and warnings.

    :param request: a request whose shape and names were checked
    :param folder: an empty folder for files that readers need on disk
    :param limit: how many bytes all files together may have when they are unpacked
    """
    try:
        made, said = gather_warnings(lambda: _Intake(folder, limit).prepare(dict(request)))
    except AlbeitError as error:
        raise InputError(_without_folder(str(error), folder)) from None
    return *made, [_without_folder(each, folder) for each in said]


def _without_folder(text: str, folder: Path) -> str:
    """Name files in a message as they were sent."""
    return re.sub(rf"{re.escape(str(folder))}/(\d+/)?", "", text)


class _Intake:
    """What one request sent, unpacked within one limit for all files."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit, self.left = folder, limit, limit

    def prepare(
        self, request: dict[str, Any]
    ) -> tuple[dict[str, Any], Evaluation, JudgedSet | None]:
        for key in ("references", "systems"):
            request[key] = [
                {"name": item["name"], "text": self._text(item, item["name"])}
                for item in request.get(key) or []
            ]
        for key in ("source", "documents"):
            if key in request:
                request[key] = self._text(request[key], key)
        if "testset" in request:
            request = _spread(request, self._write(request.pop("testset")))
        if request.get("resegment"):
            request = self._cut(request)
        judged = self._judged(request)
        if judged is not None:
            kept = judged.evalset.systems
            request["systems"] = [item for item in request["systems"] if item["name"] in kept]
        evaluation = evaluation_of(request)
        evalset = evaluation.evalset
        if not evalset.systems:
            raise InputError("there is no translation to score.")
        request["metrics"] = request.get("metrics") or recommended(evalset)
        evaluation.check(metrics_of(request))
        warn_of_empty_lines(evalset)
        warn_if_implausible(evalset)
        return request, evaluation, judged

    def _text(self, value: Any, name: str) -> str:
        """Return a text, or what the reader of files makes of the bytes that were sent."""
        if isinstance(value, dict) and "data" in value:
            return decode(self._unpack(value["data"], name), name)
        text: str = value["text"] if isinstance(value, dict) else value
        if _NO_TEXT.search(text):
            raise InputError("holds U+0000 or half a character, which no text has.", path=name)
        return text

    def _unpack(self, data: str, name: str) -> bytes:
        """Decode and decompress a file, never more than the rest of the limit."""
        try:
            packed = base64.b64decode(data, validate=True)
        except ValueError:
            raise InputError("its data is not base64.", path=name) from None
        with opened(Held(name, packed)) as (file, _):
            found = file.read(self.left + 1)
        if len(found) > self.left:
            raise InputError(
                f"the files of this request are larger than {self.limit:,} bytes when they are"
                " unpacked.",
                path=name,
                hint="Send fewer or smaller files.",
            )
        self.left -= len(found)
        return found

    def _write(self, item: Mapping[str, str]) -> Path:
        """Write a file that was sent; its own name shows the reader its format."""
        name = PurePath(item["name"].replace("\\", "/")).name
        name = name.removesuffix(".gz").removesuffix(".zst")[-120:] or "file"
        path = self.folder / str(len(list(self.folder.iterdir()))) / name
        path.parent.mkdir()
        path.write_bytes(self._unpack(item["data"], name))
        return path

    def _judged(self, request: Mapping[str, Any]) -> JudgedSet | None:
        if not request.get("judgments"):
            return None
        judgments = read_judgments(self._write(request["judgments"]))
        return join(evaluation_of(request).evalset, judgments)

    def _cut(self, request: dict[str, Any]) -> dict[str, Any]:
        """Cut translations of whole documents to the segments of the reference."""
        if not request["references"]:
            raise InputError("there is no reference, by which translations could be cut.")
        base = evaluation_of(request | {"systems": [], "resegment": False}).evalset
        systems: dict[str, tuple[LooseText, ...]] = {}
        for item in request["systems"]:
            path = self.folder / f"loose-{len(systems)}.txt"
            path.write_text(item["text"], encoding="utf-8")
            (systems[item["name"]],) = read_loose(base, [f"text={path}"]).systems.values()
        cut: EvalSet = resegment(LooseSet(base, systems)).evalset
        return request | {"systems": _items(cut.systems)}


def _spread(request: dict[str, Any], path: Path) -> dict[str, Any]:
    """Add the texts of a whole test set; the request's own systems come first."""
    found = read(
        path,
        source_lang=request.get("source_lang") or None,
        target_lang=request.get("lang") or None,
    )
    taken = {item["name"] for item in request["systems"]}
    for name in found.systems:
        if name in taken:
            raise InputError(f"the test set has a system {name!r} of its own: rename your file.")
    made = request | {
        "systems": [*request["systems"], *_items(found.systems)],
        "references": [*request["references"], *_items(found.references)],
        "lang": found.target_lang,
    }
    if found.source is not None:
        made["source"] = _lines(found.source)
    if found.has_documents:
        made["documents"] = _lines(found.document_ids())
    if found.source_lang:
        made["source_lang"] = found.source_lang
    named = name_of(path) if found.name == UNNAMED else found.name
    return made | {"title": request.get("title") or named}


def _items(texts: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    return [{"name": name, "text": _lines(lines)} for name, lines in texts.items()]


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
