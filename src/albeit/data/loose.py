"""Read translations of whole documents, without lines, which must be resegmented.

A system is a folder with one file per document (``NAME/docid.txt``), JSON lines with one object per
document, or one file: its blocks between empty lines are the documents if there are as many, and
otherwise it is one running text over the whole set. JSON lines are as in WMT25 and WMT26:

    {"doc_id": "a.1", "src_text": "…", "refs": {"refA": "…"}, "tgt_text": {"Online-A": "…"}}

A submission has ``hypothesis`` (or ``tgt_text``) as one text; a file of many has an object of names
and texts. The source is ``source`` or ``src_text``. References are ``refs`` or ``references`` by
name, each a text or an object with ``ref``; their lines are the segments. Languages are
``src_lang`` and ``tgt_lang`` (also ``source_lang``, ``target_lang``). Other keys are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit.data.build import name_of, split_name
from albeit.data.evalset import Document, EvalSet, documents_from_ids
from albeit.data.files import STDIN, list_folder, shown
from albeit.data.textio import counted, read_text, resolve_entities, split_lines
from albeit.errors import InputError

_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_HYPOTHESIS = ("hypothesis", "tgt_text")


@dataclass(frozen=True, slots=True)
class LooseText:
    """A running text, and the segments that it translates."""

    document: Document
    text: str


@dataclass(frozen=True)
class LooseSet:
    """Reference segments in documents, and systems whose texts aren't cut to them.

    ``base`` has references, source, documents, and systems that have lines. The texts of a system
    follow each other and cover all of its segments.
    """

    base: EvalSet
    systems: Mapping[str, tuple[LooseText, ...]]


class _Record:
    """One document: an object of JSON lines."""

    def __init__(self, line: str, path: str, number: int) -> None:
        self.path, self.line = path, number
        try:
            self.fields: dict[str, Any] = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self.error(f"is not JSON: {error}.") from None
        doc_id = self.fields.get("doc_id") if isinstance(self.fields, dict) else None
        if not isinstance(doc_id, str) or not doc_id.strip():
            raise self.error("is not an object with a doc_id.")
        self.doc_id = doc_id

    def error(self, what: str, hint: str = "") -> InputError:
        """Return an error at this line."""
        return InputError(what, path=self.path, line=self.line, hint=hint)

    def get(self, *keys: str) -> Any:
        """Return the value of the one of these keys that is there."""
        present = [key for key in keys if self.fields.get(key) is not None]
        if len(present) > 1:
            what = f"has both {present[0]!r} and {present[1]!r}."
            raise self.error(what, "Leave one out.")
        return self.fields[present[0]] if present else None

    def texts(self, name: str, *keys: str) -> dict[str, str]:
        """Return texts by name; a single text has this name."""
        value = self.get(*keys)
        named = isinstance(value, dict) and "ref" not in value
        texts = {} if value is None else value if named else {name: value}
        found: dict[str, str] = {}
        for each, text in texts.items():
            text = text["ref"] if isinstance(text, dict) and "ref" in text else text
            if not isinstance(text, str) or "\0" in text:
                raise self.error(f"{keys[0]!r} of {each!r} is not a text.")
            found[str(each)] = text
        return found

    def segments(self, names: Sequence[str] | None) -> dict[str, list[str]]:
        """Return the lines of the references, and of the source under ``""``."""
        texts = self.texts("ref", "refs", "references")
        found: dict[str, list[str]] = {}
        for name in texts if names is None else names:
            if name not in texts:
                hint = f"It has: {', '.join(texts)}."
                raise self.error(f"reference {name!r} is missing.", hint)
            found[name] = _segments(texts[name])
        if source := self.texts("", "source", "src_text"):
            found |= {"": _segments(source[""])}
        (first, lines), *others = found.items()
        for name, other in others:
            if len(other) != len(lines):
                side = f"reference {name!r}" if name else "source"
                count = f"{side} has {counted(len(other), 'line')}"
                hint = "They must have the same paragraphs; choose one reference with --refs."
                raise self.error(f"{count}, but reference {first!r} {len(lines)}.", hint)
        if not lines:
            raise self.error(f"reference {first!r} has no text.")
        return found


def _segments(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def holds_documents(path: Path) -> bool:
    """Return whether a file is JSON lines of documents, by its name and first line."""
    name = path.name.lower().removesuffix(".gz")
    if str(path) == STDIN or not name.endswith((".jsonl", ".json", ".ndjson")):
        return False
    try:
        first = json.loads(read_text(path).split("\n", 1)[0])
    except ValueError:
        return False
    return isinstance(first, dict) and any(key in first for key in (*_HYPOTHESIS, "refs"))


def _read_records(path: Path) -> list[_Record]:
    """Read the documents of a file."""
    records: dict[str, _Record] = {}
    for number, line in enumerate(split_lines(read_text(path)), 1):
        record = _Record(line, shown(path), number)
        if other := records.get(record.doc_id):
            what = f"document {record.doc_id!r} is on line {other.line} already."
            raise record.error(what, "One object per document.")
        records[record.doc_id] = record
    return list(records.values())


def read_loose(
    base: EvalSet, arguments: Sequence[str | Path], *, unescape: bool = False
) -> LooseSet:
    """Read the documents of systems from files or folders, each a path or ``name=path``."""
    systems: dict[str, tuple[LooseText, ...]] = {}
    for argument in arguments:
        name, path = split_name(argument)
        for system, texts in _read_texts(base, name, Path(path), unescape).items():
            if system in systems:
                what = f"there is a system {system!r} already."
                hint = "Give each its own name: NAME=FILE."
                raise InputError(what, path=shown(path), hint=hint)
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
    """Read a whole test set from JSON lines of documents; reference lines are segments."""
    records, file = _read_records(Path(path)), shown(path)
    names = references or list(records[0].texts("ref", "refs", "references"))
    if not names:
        hint = "Segments are a reference's lines."
        raise InputError("has no references.", path=file, hint=hint)
    rows = [record.segments(names) for record in records]
    sides = [*names, *([""] if all("" in row for row in rows) else [])]
    texts = {side: tuple(line for row in rows for line in row[side]) for side in sides}
    pairs = zip(records, rows, strict=True)
    ids = [record.doc_id for record, row in pairs for _ in row[names[0]]]
    base = EvalSet(
        {name: texts[name] for name in names},
        {},
        texts.get(""),
        documents_from_ids(ids),
        source_lang or _language(records, "src_lang", "source_lang"),
        target_lang or _language(records, "tgt_lang", "target_lang") or "en",
        name_of(path),
    )
    return LooseSet(base, _by_system(base, records, name_of(path), file, unescape))


def _language(records: Sequence[_Record], *keys: str) -> str | None:
    tags = {record.get(*keys) for record in records} - {None}
    if len(tags) > 1:
        what = f"holds several languages: {', '.join(sorted(map(str, tags)))}."
        raise InputError(what, path=records[0].path, hint="One language pair a file.")
    return str(tags.pop()) if tags else None


def _by_system(
    base: EvalSet, records: Sequence[_Record], name: str, path: str, unescape: bool
) -> dict[str, tuple[LooseText, ...]]:
    systems: dict[str, dict[str, str]] = {}
    for record in records:
        for system, text in record.texts(name, *_HYPOTHESIS).items():
            systems.setdefault(system, {})[record.doc_id] = text
    return {s: _by_document(base, texts, path, unescape) for s, texts in systems.items()}


def _read_texts(
    base: EvalSet, name: str, path: Path, unescape: bool
) -> dict[str, tuple[LooseText, ...]]:
    """Read the texts of the systems in one file or folder, by the system's name."""
    file, texts = shown(path), {}
    if str(path) != STDIN and path.is_dir():
        for each in list_folder(path):
            if not each.is_file() or each.name.startswith("."):
                continue
            if name_of(each) in texts:
                raise InputError(f"document {name_of(each)!r} is there twice.", path=each)
            empty = not each.stat().st_size  # a document without translation
            texts[name_of(each)] = "" if empty else read_text(each)
        return {name: _by_document(base, texts, file, unescape)}
    if holds_documents(path):
        return _by_system(base, _read_records(path), name, file, unescape)
    text = read_text(path)
    blocks = [block for block in _BLANK.split(text.strip()) if block.strip()]
    if base.has_documents and len(blocks) == len(base.documents):
        texts = {d.id: block for d, block in zip(base.documents, blocks, strict=True)}
        return {name: _by_document(base, texts, file, unescape)}
    whole = Document("all", 0, len(base))
    return {name: (LooseText(whole, _clean(text, file, unescape)),)}


def _by_document(
    base: EvalSet, texts: Mapping[str, str], path: str, unescape: bool
) -> tuple[LooseText, ...]:
    """Return the texts in the order of the set's documents, all of which must be there."""
    wanted = [d.id for d in base.documents]
    known = frozenset(wanted)
    missing = [name for name in wanted if name not in texts]
    if missing:
        raise InputError(
            f"{counted(len(missing), 'document')} of {len(wanted)} not found,"
            f" the first {missing[0]!r}; there are {', '.join(sorted(texts)[:5]) or 'none'} ….",
            path=path,
            hint="Documents are found by their ids; a document without translation is an empty"
            " text, and must be there.",
        )
    extra = [name for name in texts if name not in known]
    if extra:
        count = counted(len(extra), "such document")
        what = f"document {extra[0]!r} is not in the test set ({count})."
        hint = "Give the test set's own document ids with --docs, or leave the document out."
        raise InputError(what, path=path, hint=hint)
    return tuple(LooseText(d, _clean(texts[d.id], path, unescape)) for d in base.documents)


def _clean(text: str, path: str, unescape: bool) -> str:
    return "\n".join(resolve_entities(text.strip().split("\n"), path, unescape=unescape))
