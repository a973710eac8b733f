"""Read and write annotations in the formats of parsers and treebanks.

JSON lines have one object per text with all its layers, and are read back without loss. Formats
with a single tree per file are written to a folder or zip file.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from albeit.data.textio import replacing
from albeit.errors import InputError
from albeit.parsing import layers
from albeit.parsing.formats.rst import read_dis, read_rs3, write_rs3
from albeit.parsing.formats.treebanks import read_conllu, read_ptb, write_conllu
from albeit.parsing.tokenize import plain_forms

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def write_json(analyses: Iterable[layers.Analysis]) -> Iterator[str]:
    """Yield one JSON line per text."""
    for analysis in analyses:
        yield json.dumps(to_object(analysis), ensure_ascii=False, separators=(",", ":")) + "\n"


def read_json(text: str, *, path: str | Path | None = None) -> list[layers.Analysis]:
    """Return all texts of a file of JSON lines, in order, without empty lines."""
    analyses = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            analyses.append(from_object(json.loads(line)))
        except ValueError as error:  # not JSON, or a number with thousands of digits
            what = getattr(error, "msg", error)
            raise InputError(f"not JSON: {what}.", path=path, line=number) from None
        except InputError as error:
            raise InputError(error.what, path=path, line=number) from None
    return analyses


def to_object(analysis: layers.Analysis) -> dict[str, Any]:
    """Return an annotation as plain JSON values, with the layers that it has."""
    out: dict[str, Any] = {"text": analysis.text}
    for layer in analysis:
        data = layer.to_json(analysis[layer])
        if layer is layers.TOKENS:
            out["tokens"], out["offsets"] = data
        else:
            out[layer.name] = data
    return out


def from_object(data: Any) -> layers.Analysis:
    """Return the annotation of such an object; raise ``InputError`` if it isn't one."""
    try:
        found = [each for each in layers.of_lines() if each.name in data and not each.derived]
        if layers.TOKENS in found:
            data = {**data, "tokens": [data["tokens"], data["offsets"]]}
        values = {layer: layer.from_json(data[layer.name]) for layer in found}
        analysis = layers.Analysis(str(data["text"]), values)
        for layer, value in values.items():
            layer.check(value, analysis)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        raise InputError(f"not an analysis as albeit writes it ({error!r}).") from None
    return analysis


_READERS: dict[str, Callable[..., list[layers.Analysis]]] = {
    ".dis": read_dis,
    ".rs3": read_rs3,
    ".rs4": read_rs3,
    ".conllu": read_conllu,
    ".ptb": read_ptb,
    ".mrg": read_ptb,
    ".json": read_json,
    ".jsonl": read_json,
}
_WRITERS: dict[str, Callable[[Iterable[layers.Analysis]], Iterator[str]]] = {
    "rs3": write_rs3,
    "conllu": write_conllu,
    "json": write_json,
}
HOLDS: dict[str, frozenset[layers.AnyLayer]] = {
    "rs3": frozenset({layers.TOKENS, layers.EDUS, layers.RST}),
    "conllu": frozenset(
        {layers.TOKENS, layers.SENTENCES, layers.EDUS, layers.DEPENDENCIES, layers.COREFERENCE}
    ),
    "json": frozenset(
        [*(each for each in layers.of_lines() if not each.derived), layers.COREFERENCE]
    ),
}
"""The layers that a format can hold."""
SINGLE = frozenset({"rs3"})
"""Formats of which a well-formed file holds one text."""


LARGEST = 64 * 1024 * 1024
"""Maximum size of a file in a zip file."""


def is_collection(path: str | Path) -> bool:
    """Return whether this is, or will be, many files: a folder or a zip file."""
    path = Path(path)
    return path.is_dir() or path.suffix.lower() in ("", ".zip")


def write_each(found: Iterable[layers.Analysis], count: int, path: str | Path, form: str) -> None:
    """Write one file per text into a folder or a zip file.

    Files have the numbers of the texts. A text without words has no file.
    """
    path, width = Path(path), len(str(count))
    texts = ("".join(write_analyses([analysis], form)) for analysis in found)
    files = ((f"{n:0{width}}.{form}", text.encode()) for n, text in enumerate(texts, 1) if text)
    try:
        if path.suffix.lower() == ".zip":
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as whole, zipfile.ZipFile(whole, "w") as archive:
                for name, data in files:
                    # without a date, so that the same trees make the same file
                    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
        else:
            path.mkdir(parents=True, exist_ok=True)
            for name, data in files:
                (path / name).write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be written: {reason}.", path=path) from None


def _read_zip(path: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of a zip file."""
    try:
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                name = Path(f"{path}/{info.filename}")
                if name.suffix.lower() in _READERS:
                    if info.file_size > LARGEST:
                        what = f"{info.filename} is too large to be one tree."
                        raise InputError(what, path=path)
                    yield name, archive.read(info)
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, EOFError) as error:
        raise InputError(f"cannot be read as a zip: {error}.", path=path) from None


def write_analyses(analyses: Iterable[layers.Analysis], form: str) -> Iterator[str]:
    """Yield annotations in a format, in parts."""
    return _WRITERS[form](analyses)


def read_analyses(path: str | Path) -> list[layers.Analysis]:
    """Read annotations from a file, whose name determines the format, or from a folder or zip."""
    path = Path(path)
    known = ", ".join(_READERS)
    many = path.is_dir() or path.suffix.lower() == ".zip"
    if not many and path.suffix.lower() not in _READERS:
        what = f"annotations cannot be read from {path.suffix or 'a file without a suffix'!r}."
        raise InputError(what, path=path, hint=f"Known: {known}.")
    try:
        if path.is_dir():
            names = (
                n for n in sorted(path.iterdir()) if n.suffix.lower() in _READERS and n.is_file()
            )
            files = [(name, name.read_bytes()) for name in names]
        else:
            files = list(_read_zip(path)) if many else [(path, path.read_bytes())]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", path=path) from None
    if not files:
        raise InputError(f"has no file that ends in {known}.", path=path)
    return [each for name, data in files for each in _read_file(data, name)]


def _read_file(data: bytes, path: Path) -> list[layers.Analysis]:
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        hint = "Convert the file to UTF-8."
        raise InputError(f"not UTF-8: byte {error.start}.", path=path, hint=hint) from None
    try:
        return _READERS[path.suffix.lower()](text, path=path)
    except RecursionError:
        raise InputError("a tree is nested too deeply.", path=path) from None


def read_attached(path: str | Path, texts: Sequence[str]) -> list[layers.Analysis]:
    """Read annotations from a file, the n-th for the n-th text (which has its words)."""
    analyses = read_analyses(path)
    if len(texts) != len(analyses):
        hint = "Supply one annotation per line of text, in the same order."
        what = f"{len(analyses)} annotations for {len(texts)} texts."
        raise InputError(what, path=path, hint=hint)
    pairs = zip(analyses, texts, strict=True)
    return [attach_numbered(each, text, path, i) for i, (each, text) in enumerate(pairs, 1)]


def write_pretty(
    analyses: Iterable[layers.Analysis], shown: Sequence[layers.AnyLayer]
) -> Iterator[str]:
    """Yield each text with its layers below it, for a terminal."""
    for number, analysis in enumerate(analyses, 1):
        lines = [f"{number}  {' '.join(analysis.text.split())}"]
        for layer in shown:
            lines += [f"   {line}" for line in layer.render(analysis[layer], analysis)]
        yield "\n".join(lines) + "\n\n"


# Words of annotations in the raw text.


def attach(analysis: layers.Analysis, text: str) -> layers.Analysis:
    """Return the annotation with the offsets of the raw text of its words.

    White space can differ, and so can the escapes of usual tokenizers (``-LRB-``, quotes as two
    backquotes). Any other difference is an error.
    """
    tokens = analysis.get(layers.TOKENS) or layers.TOKENS.empty()
    groups = list(tokens.groups())
    # words that the text contracts are one there
    written = [
        tokens.forms[a] if b == a + 1 else analysis.text[slice(*tokens.offsets[a])]
        for a, b in groups
    ]
    forms: list[str] = []
    offsets: list[tuple[int, int]] = []
    for (first, stop), (start, end) in zip(groups, align(written, text), strict=True):
        forms += [text[start:end]] if stop == first + 1 else tokens.forms[first:stop]
        offsets += [(start, end)] * (stop - first)
    return analysis.replace(text, {layers.TOKENS: layers.Tokens(tuple(forms), tuple(offsets))})


def attach_numbered(
    analysis: layers.Analysis, text: str, path: str | Path, number: int
) -> layers.Analysis:
    """Attach an annotation of a file; an error has its number."""
    try:
        return attach(analysis, text)
    except InputError as error:
        raise InputError(f"annotation {number}: {error.what}", path=path, hint=error.hint) from None


def align(forms: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Return the offsets of words in a text; raise ``InputError`` if it has other words."""
    hint = "An annotation must have the same words as the text, in the same order."
    offsets = []
    at = 0
    for number, form in enumerate(forms, 1):
        while at < len(text) and text[at].isspace():
            at += 1
        variant = next((v for v in _variants(form) if v and text.startswith(v, at)), None)
        if variant is None:
            what = f"word {number} of an annotation, {form!r}, is not what its text has there"
            raise InputError(f"{what}: {text[at : at + 20]!r}.", hint=hint)
        offsets.append((at, at + len(variant)))
        at += len(variant)
    if text[at:].strip():
        what = "an annotation ends before its text does; the text goes on"
        raise InputError(f"{what}: {text[at : at + 20]!r}.", hint=hint)
    return offsets


def _variants(form: str) -> Iterable[str]:
    yield form
    if form in _BRACKETS:
        yield _BRACKETS[form]
    if form in ("``", "''", '"'):
        yield from ('"', "“", "”", "„", "«", "»", "``", "''")
    if form in ("`", "'"):
        yield from ("'", "‘", "’", "`")
    if "'" in form:
        yield from (form.replace("'", variant) for variant in ("’", "&apos;", "&#39;"))
    yield from plain_forms([form])
