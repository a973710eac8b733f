"""WMT and NIST SGML, and the alignment of marked-up texts by document and segment ids.

Texts of SGML and XML come document by document, in any order and from several files. A document or
segment that only some texts have is an error at its line.

SGML files have ``srcset``, ``refset``, and ``tstset``, together or apart. They aren't XML: text has
unescaped ``&`` and ``<``, tags are in either case, attributes have no quotes, and closing tags are
missing. So the reader searches for known tags; everything else is text. It warns about segments
without closing tag and about text outside segments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from albeit.data import textio
from albeit.data.evalset import EvalSet, Kind, Lines, Names, choose_names, documents_from_ids
from albeit.data.files import shown
from albeit.errors import InputError, LanguageError
from albeit.languages import normalise


class MarkedSegment(NamedTuple):
    """A segment: its id in the document, text, and line in the file."""

    id: str
    text: str
    line: int


@dataclass(slots=True)
class MarkedText:
    """One document of one text."""

    kind: Kind
    name: str
    document: str
    path: str
    line: int
    segments: list[MarkedSegment] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The name of the text in messages."""
        return "the source" if self.kind == "source" else f"{self.kind} {self.name!r}"

    def add(self, id: str | None, text: str, line: int) -> None:
        """Add a segment; without an id, its position is its id."""
        self.segments.append(MarkedSegment(id or str(len(self.segments) + 1), text, line))

    def error(self, what: str, line: int | None = None) -> InputError:
        """Return an error at its line, or at a line of it."""
        what = f"document {self.document!r} of {self.title} {what}"
        return InputError(what, path=self.path, line=line or self.line)


class Collation:
    """Collect texts, then build a test set.

    ``references`` and ``systems`` choose texts by name. The others aren't checked: WMT files have
    references for some documents only. ``origlang`` chooses documents by their original language.
    """

    def __init__(
        self, references: Names = None, systems: Names = None, origlang: str | None = None
    ) -> None:
        self._origlang = None if origlang is None else normalise(origlang)
        self._origins: dict[str, str] = {}
        self._domains: dict[str, str] = {}
        self._wanted = {"reference": references, "system": systems, "source": None}
        self._known: dict[tuple[Kind, str], None] = {}
        self._texts: dict[tuple[Kind, str], dict[str, MarkedText]] = {}
        self._labels: dict[str, tuple[str, str]] = {}

    def describe(self, document: str, origlang: str | None, domain: str | None = None) -> None:
        """Record the original language and the domain of a document."""
        self._domains[document] = domain or ""
        self._origins[document] = origlang or ""
        with suppress(LanguageError):  # it is only compared
            self._origins[document] = normalise(origlang or "")

    def add(self, text: MarkedText) -> None:
        """Add a document of a text, which has each document and each segment once."""
        self._known[text.kind, text.name] = None
        wanted = self._wanted[text.kind]
        if wanted is not None and text.name not in wanted:
            return
        documents = self._texts.setdefault((text.kind, text.name), {})
        if text.document in documents:
            other = documents[text.document]
            raise text.error(f"is at {other.path}:{other.line} already. Rename one text.")
        if not text.segments:
            raise text.error("has no segments.")
        seen: set[str] = set()
        for segment in text.segments:
            if segment.id in seen:
                raise text.error(f"has two segments {segment.id!r}.", segment.line)
            seen.add(segment.id)
        documents[text.document] = text

    def label(self, key: str, value: str | None, path: str, line: int) -> None:
        """Record the set's name or a language; two different ones are an error."""
        if not value:
            return
        if key != "name":
            value = textio.parse_language(value, path, line)
        known, where = self._labels.setdefault(key, (value, f"{path}:{line}"))
        if known != value:
            what = f"{key} is {value!r} here, but {known!r} at {where}."
            raise InputError(what, path, line, "Read one test set and language pair at a time.")

    def evalset(self, path: str, *, unescape: bool = False) -> EvalSet:
        """Build the test set; the source, or else the first text, gives the order of documents."""
        for kind, names in self._wanted.items():
            known = [name for of, name in self._known if of == kind]
            choose_names(known, names, f"has no {kind}", path)
        if not self._texts:
            raise InputError("holds no document.", path=path)
        guide = self._texts.get(("source", ""), next(iter(self._texts.values())))
        texts: dict[Kind, dict[str, Lines]] = {"reference": {}, "system": {}, "source": {}}
        for (kind, name), documents in self._texts.items():
            _check_segments(documents, guide)
            texts[kind][name] = _lines([documents[doc_id] for doc_id in guide], unescape=unescape)
        ids = [doc_id for doc_id, text in guide.items() for _ in text.segments]
        runs = documents_from_ids(ids, domains=self._domains)
        labels = {key: value for key, (value, _) in self._labels.items()}
        source = texts["source"].get("")
        evalset = EvalSet(texts["reference"], texts["system"], source, runs, **labels)
        return evalset if self._origlang is None else self._take_origin(evalset, path)

    def _take_origin(self, evalset: EvalSet, path: str) -> EvalSet:
        """Return only the documents with the requested original language."""
        chosen = [d for d in evalset.documents if self._origins.get(d.id) == self._origlang]
        if not chosen:
            known = ", ".join(sorted(set(self._origins.values()) - {""})) or "none"
            what = f"no document was first written in {self._origlang!r}."
            raise InputError(what, path, hint=f"Original languages of the documents: {known}.")
        return evalset.take([row for d in chosen for row in range(d.start, d.stop)])


def _check_segments(documents: dict[str, MarkedText], guide: dict[str, MarkedText]) -> None:
    """Raise unless a text has the documents and segments of the guide."""
    first = next(iter(guide.values()))
    for doc_id, text in documents.items():
        if doc_id not in guide:
            raise text.error(f"is missing in {first.title} ({first.path}).")
    for doc_id, model in guide.items():
        if doc_id not in documents:
            some = next(iter(documents.values()))
            what = f"{some.title} lacks document {doc_id!r}, which {model.title} has at"
            hint = "All texts need all documents. Choose others (references=, systems=)."
            raise InputError(f"{what} {model.path}:{model.line}.", path=some.path, hint=hint)
        text = documents[doc_id]
        for own, other in zip(text.segments, model.segments, strict=False):
            if own.id != other.id:
                what = f"has segment {own.id!r}, but {model.path}:{other.line} has {other.id!r}."
                raise text.error(what, own.line)
        if len(text.segments) != len(model.segments):
            count = textio.counted(len(text.segments), "segment")
            where = f"{model.path}:{model.line}"
            raise text.error(f"has {count}, but {len(model.segments)} at {where}.")


def _lines(texts: Sequence[MarkedText], *, unescape: bool) -> Lines:
    """Return the lines of a text in order; warn about folded segments and entities."""
    lines = [segment.text for text in texts for segment in text.segments]
    path = f"{texts[-1].path} ({texts[-1].title})"
    folded = sum("\n" in line for line in lines)
    if folded:
        lines = [_fold(line) if "\n" in line else line for line in lines]
        count = textio.counted(folded, "segment")
        what = f"{count} broken over several lines; each is one line now."
        textio.warn(what, path=path, count=folded)
    return tuple(textio.resolve_entities(lines, path, unescape=unescape))


def _fold(text: str) -> str:
    """Join the lines of a segment."""
    return " ".join(part for part in (p.strip(" \t") for p in text.split("\n")) if part)


_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|hl|p|seg)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_NOT_TEXT = re.compile(r"<!--.*?(?:-->|(?P<unclosed>\Z))|<[?!/]?[A-Za-z][^<>]*>", re.DOTALL)
_KINDS: dict[str, Kind] = {"srcset": "source", "refset": "reference", "tstset": "system"}
_PARENTS = {**dict.fromkeys(_KINDS, ("",)), "doc": tuple(_KINDS), "seg": ("doc",)}
"""Each element to those that it can be in."""
_LABELS = {"name": "setid", "source_lang": "srclang", "target_lang": "trglang"}


def read_sgml(paths: Sequence[str], *, unescape: bool = False, **choices: Any) -> EvalSet:
    """Read one test set from SGML files; ``choices`` are those of :class:`Collation`."""
    collation = Collation(**choices)
    for file in paths:
        _Scanner(textio.read_text(file), shown(file), collation).run()
    return collation.evalset(", ".join(map(shown, paths)), unescape=unescape)


def _attributes(text: str) -> dict[str, str]:
    found = _ATTRIBUTE.finditer(text)
    return {m[1].lower(): textio.unescape_markup(m[2] or m[3] or m[4] or "") for m in found}


class _Scanner:
    """Scan the tags of one file."""

    def __init__(self, text: str, path: str, collation: Collation) -> None:
        self.text, self.path, self.collation = text, path, collation
        self.line = 1
        self.open: list[tuple[str, dict[str, str]]] = [("", {})]
        """The open elements with their attributes."""
        self.document: MarkedText
        self.unclosed = 0
        self.outside: list[int] = []

    def run(self) -> None:
        """Add every document of the file to the collation."""
        end = 0
        for match in _TAG.finditer(self.text):
            self._add_content(self.text[end : match.start()])
            end = match.end()
            closing, tag = bool(match[1]), match[2].lower()
            if self.open[-1][0] == "seg":
                self.open.pop()
                self.unclosed += not (closing and tag == "seg")
            if closing and tag not in ("seg", "p", "hl"):
                self._end(tag)
            elif not closing and tag in _PARENTS:
                self._start(tag, _attributes(match[3]))
            self.line += match[0].count("\n")
        self._add_content(self.text[end:])
        if len(self.open) > 1:
            raise self._error(f"the file ends inside {self.open[-1][0]!r}. It may be truncated.")
        if self.unclosed:
            count = textio.counted(self.unclosed, "segment")
            what = f"{count} without closing tag; each ends at the next tag."
            textio.warn(what, path=self.path, count=self.unclosed)
        if self.outside:
            what = f"text outside segments, first at line {self.outside[0]}, was ignored."
            textio.warn(what, path=self.path, count=len(self.outside))

    def _error(self, what: str) -> InputError:
        return InputError(what, path=self.path, line=self.line)

    def _add_content(self, text: str) -> None:
        """Take the text between two tags: a segment, or text outside segments."""
        line = self.line
        self.line += text.count("\n")
        tag, attributes = self.open[-1]
        if tag == "seg":
            self.document.add(attributes.get("id"), textio.unescape_markup(text), line)
        elif _NOT_TEXT.sub(lambda m: m[0] if m.lastgroup else "", text).strip():
            self.outside.append(self.line)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent, of_set = self.open[-1]
        if parent not in _PARENTS[tag]:
            raise self._error(f"{tag!r} starts {f'inside {parent!r}' if parent else 'outside'}.")
        self.open.append((tag, attributes))
        if tag in _KINDS:
            for key, attribute in _LABELS.items():
                value = attributes.get(attribute, "")
                if value.lower() != "any" or key != "source_lang":
                    self.collation.label(key, value, self.path, self.line)
        elif tag == "doc":
            name = attributes.get("sysid") or of_set.get("sysid") or of_set.get("refid") or ""
            name = {"srcset": "", "refset": name or "ref"}.get(parent, name)
            doc_id = attributes.get("docid")
            if not doc_id or (parent == "tstset" and not name):
                raise self._error(f"the document has no {'sysid' if doc_id else 'docid'}.")
            self.collation.describe(doc_id, attributes.get("origlang"))
            self.document = MarkedText(_KINDS[parent], name, doc_id, self.path, self.line)

    def _end(self, tag: str) -> None:
        if self.open.pop()[0] != tag:
            raise self._error(f"{tag!r} ends here, but isn't open.")
        if tag == "doc":
            self.collation.add(self.document)


def write_sgml(evalset: EvalSet, path: Path) -> None:
    """Write one file with all sets, or, to a path without ``.sgm``, one file per set."""
    source = {} if evalset.source is None else {"": evalset.source}
    sets = {"src": source, "ref": evalset.references, "tst": evalset.systems}
    texts = {tag: _set_text(evalset, f"{tag}set", lines) for tag, lines in sets.items() if lines}
    if path.name.lower().removesuffix(".gz").endswith((".sgm", ".sgml")) or str(path) == "-":
        textio.write_text("".join(texts.values()), path)
        return
    for name, text in texts.items():
        textio.write_text(text, path / f"{name}.sgm")


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
    """Yield one set: all documents of its first text, then of the next."""
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
