"""JSON lines with one object per document, as in WMT25 and WMT26.

    {"doc_id": "a.1", "src_text": "…", "refs": {"refA": "…"}, "tgt_text": {"Online-A": "…"}}

A system's own submission has ``hypothesis`` (or ``tgt_text``) as one text; a dump of many has
an object of names and texts. A source is ``source`` or ``src_text``; references are ``refs``
or ``references`` by name, each a text or an object with ``ref``; languages are ``src_lang``
and ``tgt_lang`` (also ``source_lang``, ``target_lang``). Texts may have line breaks: the lines
of a reference are its segments. Other keys are not read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albeit.corpus.evalset import Document, EvalSet
from albeit.corpus.textio import STDIN, counted, read_text, shown, split_lines
from albeit.errors import InputError

__all__ = ["Record", "looks_like", "read", "segments"]

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


def looks_like(path: Path) -> bool:
    """Whether a file holds documents in JSON lines, by its name and first line."""
    name = path.name.lower().removesuffix(".gz")
    if str(path) == STDIN or not name.endswith((".jsonl", ".json", ".ndjson")):
        return False
    try:
        first = json.loads(read_text(path).split("\n", 1)[0])
    except ValueError:
        return False
    return isinstance(first, dict) and any(key in first for key in (*_HYPOTHESIS, "refs"))


def read(path: Path) -> list[Record]:
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


def segments(
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
