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
            raise self.error(f"has both {present[0]!r} and {present[1]!r}.", "Leave one out.")
        return self.fields[present[0]] if present else None

    def texts(self, name: str, *keys: str) -> dict[str, str]:
        """Return texts by name; a single text has this name."""
        value = self.get(*keys)
        if not isinstance(value, dict) or "ref" in value:
            value = {} if value is None else {name: value}
        texts: dict[str, str] = {}
        for each, text in value.items():
            text = text["ref"] if isinstance(text, dict) and "ref" in text else text
            if not isinstance(text, str) or "\0" in text:
                raise self.error(f"{keys[0]!r} of {each!r} is not a text.")
            texts[str(each)] = text
        return texts

    def segments(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the lines of the references, and of the source under ``""``."""
        texts = self.texts("ref", "refs", "references")
        for name in names:
            if name not in texts:
                raise self.error(f"reference {name!r} is missing.", f"It has: {', '.join(texts)}.")
        sides = {name: texts[name] for name in names} | self.texts("", "source", "src_text")
        lines = {
            side: [line.strip() for line in text.split("\n") if line.strip()]
            for side, text in sides.items()
        }
        size = len(lines[names[0]])
        for side, own in lines.items():
            if len(own) != size or not own:
                count = f"{side or 'the source'} has {counted(len(own), 'line')} of text"
                hint = "They must have the same paragraphs; choose one reference with --refs."
                raise self.error(f"{count}, but reference {names[0]!r} {size}.", hint)
        return lines


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
            raise record.error(f"document {record.doc_id!r} is on line {other.line} already.")
        records[record.doc_id] = record
    return list(records.values())


def read_loose(
    base: EvalSet, arguments: Sequence[str | Path], *, unescape: bool = False
) -> LooseSet:
    """Read the documents of systems from files or folders, each a path or ``name=path``."""
    systems: dict[str, tuple[LooseText, ...]] = {}
    for argument in arguments:
        name, path = split_name(argument)
        for system, texts in _read_texts(base, name, Path(path)).items():
            if system in systems:
                hint = "Give each its own name: NAME=FILE."
                raise InputError(f"there is a system {system!r} already.", path=path, hint=hint)
            systems[system] = _match_documents(base, texts, shown(path), unescape)
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
        raise InputError("has no references, whose lines would be segments.", path=file)
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
    systems = _by_system(records, name_of(path)).items()
    return LooseSet(base, {s: _match_documents(base, own, file, unescape) for s, own in systems})


def _language(records: Sequence[_Record], *keys: str) -> str | None:
    tags = {record.get(*keys) for record in records} - {None}
    if len(tags) > 1:
        what = f"holds several languages: {', '.join(sorted(map(str, tags)))}."
        raise InputError(what, path=records[0].path, hint="One language pair a file.")
    return str(tags.pop()) if tags else None


def _by_system(records: Sequence[_Record], name: str) -> dict[str, dict[str, str]]:
    """Return the texts of each system by document."""
    systems: dict[str, dict[str, str]] = {}
    for record in records:
        for system, text in record.texts(name, *_HYPOTHESIS).items():
            systems.setdefault(system, {})[record.doc_id] = text
    return systems


def _read_texts(base: EvalSet, name: str, path: Path) -> dict[str, Mapping[str, str] | str]:
    """Read the texts of systems by document, or one text of the whole set."""
    if str(path) != STDIN and path.is_dir():
        texts: dict[str, str] = {}
        for each in list_folder(path):
            if each.is_file() and not each.name.startswith("."):
                if name_of(each) in texts:
                    raise InputError(f"document {name_of(each)!r} is there twice.", path=each)
                empty = not each.stat().st_size  # a document without translation
                texts[name_of(each)] = "" if empty else read_text(each)
        return {name: texts}
    if holds_documents(path):
        return {**_by_system(_read_records(path), name)}
    text = read_text(path)
    blocks = [block for block in _BLANK.split(text.strip()) if block.strip()]
    if base.has_documents and len(blocks) == len(base.documents):
        return {name: {d.id: block for d, block in zip(base.documents, blocks, strict=True)}}
    return {name: text}


def _match_documents(
    base: EvalSet, texts: Mapping[str, str] | str, path: str, unescape: bool
) -> tuple[LooseText, ...]:
    """Return the texts in the order of the set's documents, all of which must be there."""
    documents = base.documents
    if isinstance(texts, str):
        documents = (Document("all", 0, len(base)),)
        texts = {"all": texts}
    known = dict.fromkeys(document.id for document in documents)
    missing = [doc_id for doc_id in known if doc_id not in texts]
    if missing:
        what = f"has no text of document {missing[0]!r} ({len(missing)} of {len(known)} missing);"
        what = f"{what} it has {', '.join(sorted(texts)[:5]) or 'none'} …."
        raise InputError(what, path, hint="A document without translation is an empty text.")
    extra = [doc_id for doc_id in texts if doc_id not in known]
    if extra:
        what = f"document {extra[0]!r} is not in the test set ({len(extra)} such documents)."
        raise InputError(what, path=path, hint="Give the test set's own document ids with --docs.")
    clean = {
        doc_id: "\n".join(resolve_entities(text.strip().split("\n"), path, unescape=unescape))
        for doc_id, text in texts.items()
    }
    return tuple(LooseText(document, clean[document.id]) for document in documents)
