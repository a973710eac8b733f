"""WMT and NIST SGML: ``srcset``, ``refset``, and ``tstset``, in one file or several.

These files aren't XML: text has unescaped ``&`` and ``<``, tags are in either case, attributes have
no quotes, and closing tags are missing. So this reader looks for the tags it knows; everything else
is text. It warns about segments without closing tag and about text outside segments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from albeit.data.corpus import Kind
from albeit.data.evalset import EvalSet, Lines
from albeit.data.files import shown
from albeit.data.markup import Collation, MarkedText
from albeit.data.textio import counted, read_text, unescape_markup, warn, write_text
from albeit.errors import InputError

_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|hl|p|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_NOT_TEXT = re.compile(r"<!--.*?(?:-->|(?P<unclosed>\Z))|<[?!/]?[A-Za-z][^<>]*>", re.DOTALL)
_KINDS: dict[str, Kind] = {"srcset": "source", "refset": "reference", "tstset": "system"}
_LABELS = {
    "name": "setid",
    "source_lang": "srclang",
    "target_lang": "trglang",
}


def read_sgml(
    paths: Sequence[str],
    *,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    origlang: str | None = None,
    unescape: bool = False,
) -> EvalSet:
    """Read one test set from SGML files."""
    collation = Collation(references, systems, origlang)
    for file in paths:
        _Scanner(read_text(file), shown(file), collation).run()
    return collation.evalset(", ".join(map(shown, paths)), unescape=unescape)


def _keep_unclosed(match: re.Match[str]) -> str:
    """Keep a comment that isn't closed, as text; delete any other match."""
    return match[0] if match.lastgroup else ""


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1].lower(): unescape_markup(match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE.finditer(text)
    }


class _Scanner:
    """Scan the tags of one file."""

    def __init__(self, text: str, path: str, collation: Collation) -> None:
        self.text, self.path, self.collation = text, path, collation
        self.line = 1
        self.set: tuple[str, dict[str, str]] | None = None
        """The name and attributes of an open set."""
        self.document: MarkedText | None = None
        self.segment: str | None = None
        """The id of an open segment."""
        self.unclosed = 0
        self.outside: list[int] = []

    def run(self) -> None:
        """Add every document of the file to the collation."""
        end = 0
        for match in _TAG.finditer(self.text):
            self._add_content(self.text[end : match.start()])
            end = match.end()
            closing, tag = bool(match[1]), match[2].lower()
            if self.segment is not None and not (closing and tag == "seg"):
                self.unclosed += 1
            self.segment = None
            if tag in _KINDS:
                self._switch_set(tag, _attributes(match[3]), closing=closing)
            elif tag == "doc" and closing:
                self._end_document()
            elif tag == "doc":
                self._start_document(_attributes(match[3]))
            elif tag == "seg" and not closing:
                if self.document is None:
                    raise self._error("a segment starts outside any document.")
                self.segment = _attributes(match[3]).get("id", "")
            self.line += match[0].count("\n")
        self._add_content(self.text[end:])
        self._finish()

    def _error(self, what: str, hint: str = "") -> InputError:
        return InputError(what, path=self.path, line=self.line, hint=hint)

    def _add_content(self, text: str) -> None:
        """Take the text between two tags: a segment, or text outside segments."""
        line = self.line
        self.line += text.count("\n")
        if self.segment is not None and self.document is not None:
            self.document.add(self.segment, unescape_markup(text), line)
        elif text.strip() and _NOT_TEXT.sub(_keep_unclosed, text).strip():
            self.outside.append(self.line)

    def _switch_set(self, tag: str, attributes: dict[str, str], *, closing: bool) -> None:
        if self.document is not None:
            raise self._error(f"document {self.document.document!r} is not closed before this tag.")
        if closing == (self.set is None) or (closing and self.set and self.set[0] != tag):
            raise self._error(f"{tag} {'ends, but did not start' if closing else 'starts inside'}.")
        self.set = None if closing else (tag, attributes)
        for key, attribute in _LABELS.items():
            value = attributes.get(attribute, "")
            if value.lower() != "any" or key != "source_lang":
                self.collation.label(key, value, self.path, self.line)

    def _start_document(self, attributes: dict[str, str]) -> None:
        if self.set is None:
            raise self._error("a document starts outside srcset, refset and tstset.")
        if self.document is not None:
            raise self._error(f"document {self.document.document!r} is not closed before this one.")
        tag, of_set = self.set
        name = attributes.get("sysid") or of_set.get("sysid") or of_set.get("refid") or ""
        name = {"srcset": "", "refset": name or "ref"}.get(tag, name)
        if tag == "tstset" and not name:
            raise self._error("the document has no sysid, so its system is not known.")
        doc_id = attributes.get("docid")
        if not doc_id:
            raise self._error("the document has no docid.")
        self.collation.describe(doc_id, attributes.get("origlang"))
        self.document = MarkedText(_KINDS[tag], name, doc_id, self.path, self.line)

    def _end_document(self) -> None:
        if self.document is None:
            raise self._error("a document ends here, but none is open.")
        self.collation.add(self.document)
        self.document = None

    def _finish(self) -> None:
        if self.document or self.set:
            raise self._error("the file ends inside a document or set.", "It seems cut short.")
        if self.unclosed:
            count = counted(self.unclosed, "segment")
            what = f"{count} without closing tag; each ends at the next tag."
            warn(what, path=self.path, count=self.unclosed)
        if self.outside:
            what = f"text outside segments, first at line {self.outside[0]}, was ignored."
            warn(what, path=self.path, count=len(self.outside))


def write_sgml(evalset: EvalSet, path: Path) -> None:
    """Write one file with all sets, or, to a path without ``.sgm``, one file per set."""
    source = {} if evalset.source is None else {"": evalset.source}
    sets = {"src": source, "ref": evalset.references, "tst": evalset.systems}
    texts = {tag: _set_text(evalset, f"{tag}set", lines) for tag, lines in sets.items() if lines}
    if path.name.lower().removesuffix(".gz").endswith((".sgm", ".sgml")) or str(path) == "-":
        write_text("".join(texts.values()), path)
        return
    for name, text in texts.items():
        write_text(text, path / f"{name}.sgm")


def _escape(text: str) -> str:
    """Write text so that ``unescape_markup`` restores it."""
    if "\n" in text or "\0" in text:
        raise InputError(f"SGML cannot hold the line break or U+0000 in {text[:60]!r}.")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _attribute(name: str, value: str) -> str:
    if "\r" in value or not value:
        raise InputError(f"{name} {value!r} cannot be written to SGML.")
    return f' {name}="{_escape(value).replace(chr(34), "&quot;")}"'


def _set_text(evalset: EvalSet, tag: str, texts: Mapping[str, Lines]) -> str:
    """One set: all documents of its first text, then of the next."""
    labels = _attribute("setid", evalset.name) + _attribute("srclang", evalset.source_lang or "any")
    if tag != "srcset":
        labels += _attribute("trglang", evalset.target_lang)
    out = [f"<{tag}{labels}>\n"]
    for name, lines in texts.items():
        system = _attribute("sysid", name) if tag != "srcset" else ""
        for document in evalset.documents:
            out.append(f"<doc{system}{_attribute('docid', document.id)}>\n")
            for number, line in enumerate(lines[document.rows], 1):
                out.append(f'<seg id="{number}">{_escape(line)}</seg>\n')
            out.append("</doc>\n")
    return "".join([*out, f"</{tag}>\n"])
