"""WMT XML, used from 2021 on: documents with source, references and systems in one file.

    <dataset id="newstest2021">
      <collection id="news">                         (optional)
        <doc id="guardian.1" origlang="en">
          <src lang="en"><p><seg id="1">…</seg></p></src>
          <ref lang="de" translator="A">…</ref>
          <hyp lang="de" system="Online-A">…</hyp>

The ``testsuite`` attribute of a document counts as its collection. Declarations of entities
are refused: they are no part of the format, and a small file can blow up through them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from albeit.data.evalset import EvalSet, Lines
from albeit.data.formats.collate import Collation, Label, MarkedSegment, Piece
from albeit.data.rows import Kind
from albeit.data.textio import counted, decode, read_bytes, shown, warn, write_text
from albeit.errors import InputError

__all__ = ["begins", "read", "write"]

_KINDS: dict[str, Kind] = {"src": "source", "ref": "reference", "hyp": "system"}
_NOT_XML = re.compile("[\x00-\x08\n\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read(
    paths: Sequence[Path],
    *,
    collection: str | None = None,
    origlang: str | None = None,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    unescape: bool = False,
) -> EvalSet:
    """Read one test set from XML files."""
    collation = Collation(references, systems, origlang)
    seen: dict[str, None] = {}
    for file in paths:
        _Reader(shown(file), collation, collection, seen).run(read_bytes(file))
    if collection is not None and collection not in seen:
        known = ", ".join(repr(c) for c in seen) or "none"
        raise InputError(
            f"has no collection {collection!r}.",
            path=", ".join(shown(f) for f in paths),
            hint=f"It has: {known}.",
        )
    return collation.evalset([shown(f) for f in paths], unescape=unescape)


def begins(text: str) -> bool:
    """Whether a file begins as markup does."""
    return text.lstrip().startswith("<")


class _Reader:
    """Turns the events of one file into documents of texts."""

    def __init__(
        self, path: str, collation: Collation, wanted: str | None, seen: dict[str, None]
    ) -> None:
        self.path, self.collation, self.wanted, self.seen = path, collation, wanted, seen
        self.stack: list[str] = []
        self.collection: str | None = None
        self.document = ""
        self.skip = False
        self.piece: Piece | None = None
        self.segment: tuple[str, int] | None = None
        self.text: list[str] = []
        self.unknown: dict[str, int] = {}
        self.stray = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.XmlDeclHandler = self._declaration
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity

    def run(self, data: bytes) -> None:
        """Parse a whole file."""
        # Checked first: the parser's own message for a wrong encoding names no byte.
        data = decode(data, self.path).encode("utf-8")
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            what = expat.errors.messages.get(error.code, str(error.code))
            raise InputError(
                f"is not well-formed XML: {what} (column {error.offset + 1}).",
                path=self.path,
                line=error.lineno,
            ) from None
        if self.unknown:
            names = ", ".join(sorted(self.unknown))
            count = sum(self.unknown.values())
            warn(
                f"{counted(count, 'unknown element')} left out: {names}.",
                path=self.path,
                count=count,
            )
        if self.stray:
            warn("text outside segments was left out.", path=self.path, count=self.stray)

    def _error(self, what: str, hint: str = "") -> InputError:
        return InputError(what, path=self.path, line=self.parser.CurrentLineNumber, hint=hint)

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower().replace("-", "") not in ("utf8", "usascii"):
            raise self._error(
                f"the file says that its encoding is {encoding}, and must be UTF-8.",
                "Convert it, and change its first line.",
            )

    def _refuse_entity(self, *args: Any) -> None:
        raise self._error(
            f"entity {args[0]!r} is declared in or outside this file; that is refused.",
            "Write characters as they are.",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.stack and tag != "dataset":
            raise self._error(
                f"the root element is {tag!r}; WMT XML begins with 'dataset'.",
                "Is it SGML with srcset, refset or tstset? Then name the format sgml.",
            )
        if self.segment is not None:
            raise self._error(f"element {tag!r} inside a segment; a segment holds only text.")
        self.stack.append(tag)
        line = self.parser.CurrentLineNumber
        if tag == "dataset":
            self.collation.label("name", attributes.get("id"), self.path, line)
        elif tag == "collection":
            self.collection = attributes.get("id")
        elif tag == "doc":
            self._start_document(attributes)
        elif tag in _KINDS:
            self._start_text(tag, attributes)
        elif tag == "seg":
            if self.piece is None:
                raise self._error("a segment outside src, ref and hyp.")
            position = str(len(self.piece.segments) + 1)
            self.segment = (attributes.get("id") or position, line)
            self.text = []
        elif tag != "p":
            self.unknown[tag] = self.unknown.get(tag, 0) + 1

    def _start_document(self, attributes: dict[str, str]) -> None:
        if "doc" in self.stack[:-1]:
            raise self._error("a document inside a document.")
        self.document = attributes.get("id", "")
        if not self.document:
            raise self._error("the document has no id.")
        self.collation.origin(self.document, attributes.get("origlang"))
        self.collation.domain(self.document, attributes.get("domain"))
        collection = attributes.get("testsuite") or self.collection
        if collection is not None:
            self.seen[collection] = None
        self.skip = self.wanted is not None and collection != self.wanted

    def _start_text(self, tag: str, attributes: dict[str, str]) -> None:
        if "doc" not in self.stack or self.piece is not None:
            raise self._error(f"{tag!r} must stand directly in a document.")
        kind, name = _KINDS[tag], ""
        if kind == "reference":
            name = attributes.get("translator") or "ref"
        elif kind == "system":
            name = attributes.get("system") or ""
            if not name:
                raise self._error("the translation has no system attribute.")
        line = self.parser.CurrentLineNumber
        self.piece = Piece(kind, name, self.document, self.path, line)
        if not self.skip:
            language = attributes.get("lang")
            side: Label = "source_lang" if kind == "source" else "target_lang"
            self.collation.label(side, language, self.path, line)

    def _end(self, tag: str) -> None:
        self.stack.pop()
        if tag == "seg" and self.segment is not None and self.piece is not None:
            seg_id, line = self.segment
            self.piece.segments.append(MarkedSegment(seg_id, "".join(self.text), line))
            self.segment = None
        elif tag in _KINDS and self.piece is not None:
            if not self.skip:
                self.collation.add(self.piece)
            self.piece = None
        elif tag == "collection":
            self.collection = None

    def _characters(self, data: str) -> None:
        if self.segment is not None:
            self.text.append(data)
        elif data.strip():
            self.stray += 1


def write(evalset: EvalSet, path: Path) -> None:
    """Write one file: every document with its source, references and systems."""
    source = "" if evalset.source_lang is None else f" lang={_quote(evalset.source_lang)}"
    target = f" lang={_quote(evalset.target_lang)}"
    texts: list[tuple[str, str, Lines]] = []
    if evalset.source is not None:
        texts.append(("src", source, evalset.source))
    for name, lines in evalset.references.items():
        texts.append(("ref", f"{target} translator={_quote(name)}", lines))
    for name, lines in evalset.systems.items():
        texts.append(("hyp", f"{target} system={_quote(name)}", lines))
    out = [f'<?xml version="1.0" encoding="utf-8"?>\n<dataset id={_quote(evalset.name)}>\n']
    for document in evalset.documents:
        domain = f" domain={_quote(document.domain)}" if document.domain else ""
        out.append(f"  <doc id={_quote(document.id)}{domain}>\n")
        for tag, attributes, lines in texts:
            out.append(f"    <{tag}{attributes}>\n      <p>\n")
            out += [
                f'        <seg id="{i}">{_escape(line)}</seg>\n'
                for i, line in enumerate(lines[document.rows], 1)
            ]
            out.append(f"      </p>\n    </{tag}>\n")
        out.append("  </doc>\n")
    write_text("".join([*out, "</dataset>\n"]), path)


def _checked(text: str) -> str:
    match = _NOT_XML.search(text)
    if match:
        raise InputError(f"XML cannot hold U+{ord(match[0]):04X} in {text[:60]!r}.")
    return text


def _escape(text: str) -> str:
    return escape(_checked(text), {"\r": "&#13;"})


def _quote(text: str) -> str:
    if not text:
        raise InputError("XML needs a name that is not empty for every text and document.")
    return quoteattr(_checked(text), {"\r": "&#13;"})
