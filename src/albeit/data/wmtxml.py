"""WMT XML, used from 2021 on: documents with source, references, and systems in one file.

    <dataset id="newstest2021">
      <collection id="news">                         (optional)
        <doc id="guardian.1" origlang="en">
          <src lang="en"><p><seg id="1">…</seg></p></src>
          <ref lang="de" translator="A">…</ref>
          <hyp lang="de" system="Online-A">…</hyp>

The ``testsuite`` attribute of a document counts as its collection. Declared entities are an error:
they aren't part of the format, and a small file can expand to a huge one through them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from albeit.data.corpus import Kind
from albeit.data.evalset import EvalSet, Lines
from albeit.data.files import read_bytes, shown
from albeit.data.markup import Collation, MarkedText
from albeit.data.textio import counted, decode, warn, write_text
from albeit.errors import InputError

_KINDS: dict[str, Kind] = {"src": "source", "ref": "reference", "hyp": "system"}
_PARENTS = {
    "dataset": ("",),
    "collection": ("dataset",),
    "doc": ("dataset", "collection"),
    **dict.fromkeys(_KINDS, ("doc",)),
    "seg": tuple(_KINDS),
}
"""Each element to those it can be in; other elements between them are ignored."""
_INNER = ("dataset", "collection", "doc", *_KINDS)
_NOT_XML = re.compile("[\x00-\x08\n\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_xml(
    paths: Sequence[str],
    *,
    collection: str | None = None,
    unescape: bool = False,
    **choices: Any,
) -> EvalSet:
    """Read one test set from XML files; ``choices`` are those of :class:`Collation`."""
    collation = Collation(**choices)
    seen: dict[str, None] = {}
    for file in paths:
        _Reader(shown(file), collation, collection, seen).run(read_bytes(file))
    path = ", ".join(map(shown, paths))
    if collection is not None and collection not in seen:
        hint = f"It has: {', '.join(map(repr, seen)) or 'none'}."
        raise InputError(f"has no collection {collection!r}.", path=path, hint=hint)
    return collation.evalset(path, unescape=unescape)


class _Reader:
    """Turn the events of one file into documents of texts."""

    def __init__(
        self, path: str, collation: Collation, wanted: str | None, seen: dict[str, None]
    ) -> None:
        self.path, self.collation, self.wanted, self.seen = path, collation, wanted, seen
        self.stack = [""]
        """The innermost known element, at each depth."""
        self.collection: str | None = None
        self.skip = False
        self.text: MarkedText
        self.document = self.segment = ""
        self.line = 0
        self.parts: list[str] = []
        self.unknown: Counter[str] = Counter()
        self.outside = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.XmlDeclHandler = self._check_encoding
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity

    def run(self, data: bytes) -> None:
        """Parse a whole file."""
        # Decoded first: the parser's own message for a wrong encoding doesn't name the byte.
        data = decode(data, self.path).encode("utf-8")
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            what = f"is not well-formed XML: {expat.ErrorString(error.code)}"
            what = f"{what} (column {error.offset + 1})."
            raise InputError(what, path=self.path, line=error.lineno) from None
        if self.unknown:
            count, names = self.unknown.total(), ", ".join(sorted(self.unknown))
            what = f"{counted(count, 'unknown element')} ignored: {names}."
            warn(what, path=self.path, count=count)
        if self.outside:
            warn("text outside segments was ignored.", path=self.path, count=self.outside)

    def _error(self, what: str, hint: str = "") -> InputError:
        return InputError(what, path=self.path, line=self.parser.CurrentLineNumber, hint=hint)

    def _check_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower().replace("-", "") not in ("utf8", "usascii"):
            what = f"the declared encoding is {encoding}, and must be UTF-8."
            raise self._error(what, "Convert it, and change its first line.")

    def _refuse_entity(self, *args: Any) -> None:
        what = f"entity {args[0]!r} is declared in or outside this file; that is refused."
        raise self._error(what, "Write characters as they are.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self.stack[-1]
        if parent not in _PARENTS.get(tag, _INNER):
            what = (
                f"element {tag!r} cannot be in {parent!r}." if parent else f"begins with {tag!r}."
            )
            hint = "Is it SGML with srcset, refset or tstset? Then name the format sgml."
            raise self._error(what, "" if parent else hint)
        self.stack.append(tag if tag in _PARENTS else parent)
        self.line = self.parser.CurrentLineNumber
        if tag == "dataset":
            self.collation.label("name", attributes.get("id"), self.path, self.line)
        elif tag == "collection":
            self.collection = attributes.get("id")
        elif tag == "doc":
            self._start_document(attributes)
        elif tag in _KINDS:
            self._start_text(tag, attributes)
        elif tag == "seg":
            self.segment, self.parts = attributes.get("id", ""), []
        elif tag != "p":
            self.unknown[tag] += 1

    def _start_document(self, attributes: dict[str, str]) -> None:
        self.document = attributes.get("id", "")
        if not self.document:
            raise self._error("the document has no id.")
        self.collation.describe(self.document, attributes.get("origlang"), attributes.get("domain"))
        collection = attributes.get("testsuite") or self.collection
        if collection is not None:
            self.seen[collection] = None
        self.skip = self.wanted is not None and collection != self.wanted

    def _start_text(self, tag: str, attributes: dict[str, str]) -> None:
        names = {"src": "", "ref": attributes.get("translator") or "ref"}
        name = names.get(tag, attributes.get("system", ""))
        if tag == "hyp" and not name:
            raise self._error("the translation has no system attribute.")
        self.text = MarkedText(_KINDS[tag], name, self.document, self.path, self.line)
        if not self.skip:
            side = "source_lang" if tag == "src" else "target_lang"
            self.collation.label(side, attributes.get("lang"), self.path, self.line)

    def _end(self, tag: str) -> None:
        self.stack.pop()
        if tag == "seg":
            self.text.add(self.segment, "".join(self.parts), self.line)
        elif tag in _KINDS and not self.skip:
            self.collation.add(self.text)
        elif tag == "collection":
            self.collection = None

    def _characters(self, data: str) -> None:
        if self.stack[-1] == "seg":
            self.parts.append(data)
        elif data.strip():
            self.outside += 1


def write_xml(evalset: EvalSet, path: Path) -> None:
    """Write one file: every document with its source, references, and systems."""
    target = f" lang={_quote(evalset.target_lang)}"
    texts: list[tuple[str, str, Lines]] = []
    if evalset.source is not None:
        lang = f" lang={_quote(evalset.source_lang)}" if evalset.source_lang else ""
        texts.append(("src", lang, evalset.source))
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
            for number, line in enumerate(lines[document.rows], 1):
                out.append(f'        <seg id="{number}">{_escape(line)}</seg>\n')
            out.append(f"      </p>\n    </{tag}>\n")
        out.append("  </doc>\n")
    write_text("".join([*out, "</dataset>\n"]), path)


def _escape(text: str) -> str:
    match = _NOT_XML.search(text)
    if match:
        raise InputError(f"XML cannot hold U+{ord(match[0]):04X} in {text[:60]!r}.")
    return escape(text, {"\r": "&#13;"})


def _quote(text: str) -> str:
    if not text:
        raise InputError("XML needs a name that is not empty for every text and document.")
    _escape(text)
    return quoteattr(text, {"\r": "&#13;"})
