"""From what a visitor sent to the plain texts that a run keeps: files, a whole test set, loose documents.

Files come as bytes and are read by the readers of the command, so that both say the same of the
same file. What is cut, joined or left out is so before the run begins; warnings are kept with it.
"""

from __future__ import annotations

import base64
import binascii
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from albeit.corpus import EvalSet, read, read_docids
from albeit.corpus.build import name_of
from albeit.corpus.evalset import UNNAMED
from albeit.corpus.judgments import read_judgments
from albeit.corpus.loose import LooseSet, LooseText, read_loose
from albeit.corpus.textio import read_text
from albeit.errors import AlbeitError, AlbeitWarning, InputError
from albeit.judged import JudgedSet, join
from albeit.resegment import resegment
from albeit.serve.job import evalset_of

__all__ = ["files_read", "gathering_warnings", "judged_of", "spread_out", "without_folder"]

T = TypeVar("T")
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


def files_read(asked: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A request with texts in place of the files of texts that were sent."""
    request = dict(asked)
    for key in ("references", "systems"):
        if isinstance(request.get(key), list):
            request[key] = [_named(item, folder) for item in request[key]]
    if _is_file(request.get("source")):
        request["source"] = read_text(_written(request["source"], folder))
    if _is_file(request.get("documents")):
        request["documents"] = "\n".join(read_docids(_written(request["documents"], folder)))
    return request


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
            return join(evalset_of(dict(request)), read_judgments(path))
        except AlbeitError as error:
            raise InputError(without_folder(str(error), folder)) from None


def _is_file(item: object) -> bool:
    return isinstance(item, dict) and set(item) == {"file", "base64"}


def _named(item: object, folder: Path) -> object:
    """A text by its name, from a file where it came as one; anything else is for others to refuse."""
    if not _is_file(item):
        return item
    path = _written(item, folder)
    return {"name": name_of(path), "text": read_text(path)}


def _written(item: object, folder: Path) -> Path:
    """A file that was sent, in a folder of its own: names may come twice."""
    if not (isinstance(item, dict) and _is_file(item)):
        raise InputError("a file is sent as an object with file (its name) and base64.")
    name = PurePath(str(item["file"]).replace("\\", "/")).name.replace("\0", "") or "file"
    try:
        data = base64.b64decode(item["base64"], validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise InputError(f"{name}: its bytes are not in base64.") from None
    if data[:2] == b"\x1f\x8b" or data[:4] == b"\x28\xb5\x2f\xfd":
        raise InputError(f"{name} is compressed: send it as it is, so that its size is known.")
    path = folder / str(len(list(folder.iterdir()))) / name[-120:]
    path.parent.mkdir()
    path.write_bytes(data)
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
    base = evalset_of(request | {"systems": [], "resegment": ""})
    systems: dict[str, tuple[LooseText, ...]] = {}
    for item in request.get("systems") or []:
        path = folder / f"loose-{len(systems)}.txt"
        path.write_text(item["text"], encoding="utf-8", errors="surrogatepass")
        (systems[item["name"]],) = read_loose(base, [f"text={path}"]).systems.values()
    cut: EvalSet = resegment(LooseSet(base, systems)).evalset
    return request | {"systems": _items(cut.systems), "resegment": "auto"}


def _items(texts: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    return [{"name": name, "text": _text(lines)} for name, lines in texts.items()]


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
