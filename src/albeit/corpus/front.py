"""The front door: read any test set, write one in any format.

A format's module is imported when it is needed, and only then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from albeit.corpus.evalset import EvalSet
from albeit.corpus.textio import STDIN, decode, list_folder, read_bytes, shown
from albeit.errors import InputError

__all__ = ["FORMATS", "detect", "read", "write"]

FORMATS = {
    "folder": "src.txt, ref*.txt, systems/*.txt, docids.txt in a folder",
    "jsonl": "one JSON object a segment",
    "mt-metrics-eval": "the directory tree of mt-metrics-eval, one language pair of it",
    "sgml": "WMT SGML: srcset, refset, tstset, in one file or several",
    "tsv": "a table with a header: doc_id, source, ref:NAME, sys:NAME",
    "xml": "WMT XML (2021 on): dataset, doc, src, ref, hyp",
}
_MODULES = {"mt-metrics-eval": "mtme", "xml": "wmtxml"}
_SUFFIXES = {
    ".sgm": "sgml", ".sgml": "sgml", ".xml": "xml", ".tsv": "tsv", ".jsonl": "jsonl",
    ".json": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
_SGML_ROOT = re.compile(r"<(?:mteval|srcset|refset|tstset)\b", re.IGNORECASE)
_TSV_HEADER = re.compile(r"(?:^|\t)(?:sys|ref):[^\t\n]*(?:\t|$)")


def _module(format: str) -> Any:
    if format not in FORMATS:
        raise InputError(f"unknown format {format!r}.", hint=f"Known: {', '.join(FORMATS)}.")
    return import_module(f"albeit.corpus.formats.{_MODULES.get(format, format)}")


def _suffix(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _probe(path: Path) -> None:
    """Raise where a path cannot even be looked at: too long, forbidden, or with U+0000."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return  # "-", or a language pair of a tree; else opening it says so
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}.", path=path) from None


def detect(path: str | Path) -> str:
    """The format of a file or folder, from its shape, name, and, last, its beginning."""
    path = Path(path)
    _probe(path)
    if str(path) != STDIN and path.is_dir():
        return _detect_folder(path)
    if str(path) != STDIN and not path.exists() and path.parent.is_dir():
        mtme = _module("mt-metrics-eval")
        if mtme.looks_like(path.parent):
            return "mt-metrics-eval"
    suffix = _SUFFIXES.get(_suffix(path))
    if suffix is not None and suffix != "xml":
        return suffix
    return _detect_content(path, suffix)


def _detect_folder(path: Path) -> str:
    for format in ("mt-metrics-eval", "folder"):
        if _module(format).looks_like(path):
            return format
    found = {_SUFFIXES.get(_suffix(p)) for p in list_folder(path) if not p.name.startswith(".")}
    for format in ("sgml", "xml"):
        if format in found:
            return format
    raise InputError(
        "the folder has the shape of no known format.",
        path=path,
        hint=f"Known: {'; '.join(f'{k}: {v}' for k, v in FORMATS.items())}.",
    )


def _detect_content(path: Path, default: str | None) -> str:
    if str(path) == STDIN:
        raise InputError("the format of standard input must be given.", path=shown(path))
    text = decode(read_bytes(path), path)
    if _SGML_ROOT.search(text, 0, 4000):
        return "sgml"
    if default is not None:
        return default
    start = text[:4000].lstrip()
    if start.startswith("<"):
        return "xml"
    if start.startswith("{"):
        return "jsonl"
    if _TSV_HEADER.search(text.split("\n", 1)[0]):
        return "tsv"
    raise InputError(
        "looks like plain text, which is one text and no test set.",
        path=path,
        hint="Give references and systems together (build_evalset; albeit score REF -i SYSTEM),"
        " or name the format.",
    )


def read(
    path: str | Path | Sequence[str | Path],
    format: str | None = None,
    *,
    name: str | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    language_pair: str | None = None,
    collection: str | None = None,
    docs: str | Path | None = None,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    unescape: bool = False,
) -> EvalSet:
    """Read a test set in any known format.

    ``path`` is a file, a folder, or several files (SGML and XML). Without ``format`` it is
    detected. ``name``, ``source_lang`` and ``target_lang`` replace what the format says or
    does not say. ``language_pair`` chooses from an mt-metrics-eval tree, ``collection``
    from WMT XML, ``docs`` gives document ids to a folder; ``references`` and ``systems``
    choose texts by name, in that order; ``unescape`` resolves HTML entities in the text.
    """
    paths = [Path(path)] if isinstance(path, str | Path) else [Path(p) for p in path]
    if not paths:
        raise InputError("no file to read was named.")
    for one in paths:
        _probe(one)
    format = format or detect(paths[0])
    module = _module(format)
    choices: dict[str, Any] = {"unescape": unescape}
    for option, value, formats in (
        ("language_pair", language_pair, ("mt-metrics-eval",)),
        ("collection", collection, ("xml",)),
        ("docs", docs, ("folder",)),
    ):
        if value is not None and format not in formats:
            raise InputError(f"{option} says nothing to format {format!r}.", path=shown(paths[0]))
        if value is not None:
            choices[option] = value
    several = format in ("sgml", "xml")
    if len(paths) > 1 and not several:
        raise InputError(f"format {format!r} is read from one path.", path=shown(paths[1]))
    if several:
        choices |= {"references": references, "systems": systems}
    evalset: EvalSet = module.read(paths if several else paths[0], **choices)
    evalset = evalset.select(systems, references)
    return evalset.relabel(name=name, source_lang=source_lang, target_lang=target_lang)


def write(evalset: EvalSet, path: str | Path, format: str | None = None) -> None:
    """Write a test set; without ``format``, the ending of the path says it, or a folder."""
    path = Path(path)
    format = format or _SUFFIXES.get(_suffix(path), "folder")
    _module(format).write(evalset, path)
