"""Translations of whole documents, without lines: what must be cut before it is scored.

A system's text comes as one file per document in a folder (``NAME/docid.txt``), as JSON lines
with one object per document, or as one file: then its
blocks between empty lines are the documents where there are as many, and otherwise it is one
running text over the whole set.

JSON lines with one object per document are as in WMT25 and WMT26.

    {"doc_id": "a.1", "src_text": "…", "refs": {"refA": "…"}, "tgt_text": {"Online-A": "…"}}

A system's own submission has ``hypothesis`` (or ``tgt_text``) as one text; a dump of many has
an object of names and texts. A source is ``source`` or ``src_text``; references are ``refs``
or ``references`` by name, each a text or an object with ``ref``; languages are ``src_lang``
and ``tgt_lang`` (also ``source_lang``, ``target_lang``). Texts may have line breaks: the lines
of a reference are its segments. Other keys are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit.data.build import name_of, split_name
from albeit.data.evalset import Document, EvalSet
from albeit.data.files import list_folder
from albeit.data.textio import (
    STDIN,
    counted,
    read_text,
    shown,
    split_lines,
    unescape_line,
    warn_entities,
)
from albeit.errors import InputError

__all__ = [
    "LooseSet",
    "LooseText",
    "Record",
    "holds_documents",
    "read_loose",
    "read_loose_set",
    "read_records",
]


_HYPOTHESIS = ("hypothesis", "tgt_text")
_SOURCE = ("source", "src_text")
_REFERENCES = ("refs", "references")
_LANGUAGES = (("src_lang", "source_lang"), ("tgt_lang", "target_lang"))


@dataclass(frozen=True, slots=True)
class Record:
    """One document: what its line says, checked as far as it is asked for."""

    doc_id: str
    fields: dict[str, Any]
    path: str
    line: int

    def error(self, what: str, hint: str = "") -> InputError:
        """What is wrong with this line."""
        return InputError(what, path=self.path, line=self.line, hint=hint)

    def one(self, keys: Sequence[str]) -> Any:
        """The value of whichever of these keys is there."""
        found = [key for key in keys if self.fields.get(key) is not None]
        if len(found) > 1:
            raise self.error(f"has both {found[0]!r} and {found[1]!r}.", "Leave one out.")
        return self.fields[found[0]] if found else None

    def text(self, value: Any, what: str) -> str:
        """A text, with any line breaks."""
        if isinstance(value, dict) and "ref" in value:
            value = value["ref"]
        if not isinstance(value, str) or "\0" in value:
            raise self.error(f"{what} is not a text.")
        return value

    def named(self, keys: Sequence[str], name: str) -> dict[str, str]:
        """Texts by name; a single text is called ``name``."""
        value = self.one(keys)
        if value is None:
            return {}
        if isinstance(value, dict) and "ref" not in value:
            return {str(n): self.text(text, f"{keys[0]!r} of {n!r}") for n, text in value.items()}
        return {name: self.text(value, f"{keys[0]!r}")}

    def hypotheses(self, name: str) -> dict[str, str]:
        """The translations by system; a single one is called ``name``."""
        return self.named(_HYPOTHESIS, name)

    def references(self) -> dict[str, str]:
        """The references by name."""
        return self.named(_REFERENCES, "ref")

    def source(self) -> str | None:
        """The source text."""
        value = self.one(_SOURCE)
        return None if value is None else self.text(value, "the source")


def holds_documents(path: Path) -> bool:
    """Whether a file holds documents in JSON lines, by its name and first line."""
    name = path.name.lower().removesuffix(".gz")
    if str(path) == STDIN or not name.endswith((".jsonl", ".json", ".ndjson")):
        return False
    try:
        first = json.loads(read_text(path).split("\n", 1)[0])
    except ValueError:
        return False
    return isinstance(first, dict) and any(key in first for key in (*_HYPOTHESIS, "refs"))


def read_records(path: Path) -> list[Record]:
    """The documents of a file."""
    file = shown(path)
    records: list[Record] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(split_lines(read_text(path)), 1):
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}.", path=file, line=number) from None
        doc_id = fields.get("doc_id") if isinstance(fields, dict) else None
        if not isinstance(doc_id, str) or not doc_id.strip():
            raise InputError("is not an object with a doc_id.", path=file, line=number)
        if doc_id in seen:
            raise InputError(
                f"document {doc_id!r} stands on line {seen[doc_id]} already.",
                path=file,
                line=number,
                hint="One object per document.",
            )
        seen[doc_id] = number
        records.append(Record(doc_id, fields, file, number))
    return records


def _segments(
    records: Sequence[Record], path: str, references: Sequence[str] | None = None
) -> EvalSet:
    """References and source, cut at line breaks, with the documents they make."""
    names = list(references or records[0].references())
    if not names:
        raise InputError("has no references.", path=path, hint="Segments are a reference's lines.")
    texts: dict[str, list[str]] = {name: [] for name in names}
    source: list[str] | None = []
    documents: list[Document] = []
    for record in records:
        found = record.references()
        sides = {}
        for name in names:
            if name not in found:
                raise record.error(
                    f"reference {name!r} is missing.", f"It has: {', '.join(found)}."
                )
            sides[f"reference {name!r}"] = _lines(found[name])
        raw = record.source()
        if raw is not None:
            sides["source"] = _lines(raw)
        (first, lines), *others = sides.items()
        for side, other in others:
            if len(other) != len(lines):
                raise record.error(
                    f"{side} has {counted(len(other), 'line')}, but {first} {len(lines)}.",
                    "They must have the same paragraphs; choose one reference with --refs.",
                )
        start = documents[-1].stop if documents else 0
        if not lines:
            raise record.error(f"{first} has no text.")
        documents.append(Document(record.doc_id, start, start + len(lines)))
        for name in names:
            texts[name] += sides[f"reference {name!r}"]
        source = None if source is None or raw is None else [*source, *sides["source"]]
    languages = [_language(records, keys) for keys in _LANGUAGES]
    return EvalSet(
        {name: tuple(lines) for name, lines in texts.items()},
        {},
        tuple(source) if source else None,
        tuple(documents),
        source_lang=languages[0],
        target_lang=languages[1] or "en",
    )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _language(records: Sequence[Record], keys: Sequence[str]) -> str | None:
    found = {record.one(keys) for record in records} - {None}
    if len(found) > 1:
        raise InputError(
            f"holds several languages: {', '.join(sorted(map(str, found)))}.",
            path=records[0].path,
            hint="One language pair a file.",
        )
    return str(found.pop()) if found else None


@dataclass(frozen=True, slots=True)
class LooseText:
    """A running text, and the segments that it translates."""

    document: Document
    text: str


@dataclass(frozen=True)
class LooseSet:
    """Reference segments in documents, and systems whose texts are not cut to them.

    ``base`` holds references, source and documents, and systems that have lines; the texts
    of a system follow each other and cover all of its segments.
    """

    base: EvalSet
    systems: Mapping[str, tuple[LooseText, ...]]


_BLANK = re.compile(r"\n[^\S\n]*\n\s*")


def read_loose(
    base: EvalSet, arguments: Sequence[str | Path], *, unescape: bool = False
) -> LooseSet:
    """The systems' documents from files or folders, each a path or ``name=path``."""
    systems: dict[str, tuple[LooseText, ...]] = {}
    for argument in arguments:
        name, path = split_name(argument)
        for system, texts in _texts(base, name, Path(path), unescape).items():
            if system in systems:
                raise InputError(
                    f"there is a system {system!r} already.",
                    path=shown(path),
                    hint="Give each its own name: NAME=FILE.",
                )
            systems[system] = texts
    return LooseSet(base, systems)


def read_loose_set(
    path: str | Path,
    *,
    references: Sequence[str] | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    unescape: bool = False,
) -> LooseSet:
    """A whole test set from JSON lines, one document a line; reference lines are segments."""
    records = read_records(Path(path))
    base = _segments(records, shown(path), references).relabel(
        name=name_of(path), source_lang=source_lang, target_lang=target_lang
    )
    named = [record.hypotheses(name_of(path)) for record in records]
    names = list(dict.fromkeys(name for texts in named for name in texts))
    return LooseSet(
        base,
        {
            name: _by_document(
                base,
                {
                    r.doc_id: texts[name]
                    for r, texts in zip(records, named, strict=True)
                    if name in texts
                },
                shown(path),
                unescape,
            )
            for name in names
        },
    )


def _texts(
    base: EvalSet, name: str, path: Path, unescape: bool
) -> dict[str, tuple[LooseText, ...]]:
    """The texts of the systems in one file or folder, by the system's name."""
    if str(path) != STDIN and path.is_dir():
        files = [f for f in list_folder(path) if f.is_file() and not f.name.startswith(".")]
        texts = {}
        for file in files:
            if name_of(file) in texts:
                raise InputError(f"document {name_of(file)!r} is there twice.", path=file)
            empty = not file.stat().st_size  # a document without translation
            texts[name_of(file)] = "" if empty else read_text(file)
        return {name: _by_document(base, texts, str(path), unescape)}
    if holds_documents(path):
        records = read_records(path)
        systems: dict[str, dict[str, str]] = {}
        for record in records:
            for system, text in record.hypotheses(name).items():
                systems.setdefault(system, {})[record.doc_id] = text
        return {s: _by_document(base, t, shown(path), unescape) for s, t in systems.items()}
    text = read_text(path)
    blocks = [block for block in _BLANK.split(text.strip()) if block.strip()]
    if base.has_documents and len(blocks) == len(base.documents):
        by_id = {d.id: block for d, block in zip(base.documents, blocks, strict=True)}
        return {name: _by_document(base, by_id, shown(path), unescape)}
    whole = LooseText(Document("all", 0, len(base)), _clean(text, path, unescape))
    return {name: (whole,)}


def _by_document(
    base: EvalSet, texts: Mapping[str, str], path: str, unescape: bool
) -> tuple[LooseText, ...]:
    """The texts in the order of the set's documents, all of which must be there."""
    _check_ids([d.id for d in base.documents], texts, path)
    return tuple(LooseText(d, _clean(texts[d.id], path, unescape)) for d in base.documents)


def _check_ids(wanted: Sequence[str], found: Iterable[str], path: str) -> None:
    found = dict.fromkeys(found)
    known = frozenset(wanted)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise InputError(
            f"{counted(len(missing), 'document')} of {len(wanted)} not found,"
            f" the first {missing[0]!r}; there are {', '.join(sorted(found)[:5]) or 'none'} ….",
            path=path,
            hint="Documents are found by their ids; a document without translation is an empty"
            " text, and must be there.",
        )
    extra = [name for name in found if name not in known]
    if extra:
        raise InputError(
            f"document {extra[0]!r} is not in the test set"
            f" ({counted(len(extra), 'such document')}).",
            path=path,
            hint="Give the test set's own document ids with --docs, or leave the document out.",
        )


def _clean(text: str, path: str | Path, unescape: bool) -> str:
    lines = text.strip().split("\n")
    if unescape:
        return "\n".join(map(unescape_line, lines))
    warn_entities(lines, path)
    return "\n".join(lines)
