"""Align the texts of a marked-up test set (SGML, XML) by document and segment ids.

Texts come document by document, in any order and from several files. A document or segment that
only some texts have is an error at its line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from albeit.data.corpus import Kind
from albeit.data.evalset import UNNAMED, Document, EvalSet, Lines
from albeit.data.textio import counted, parse_language, resolve_entities, warn
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

    @property
    def place(self) -> str:
        """File and line in messages."""
        return f"{self.path}:{self.line}"

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
        self,
        references: Sequence[str] | None = None,
        systems: Sequence[str] | None = None,
        origlang: str | None = None,
    ) -> None:
        self._origlang = None if origlang is None else normalise(origlang)
        self._origins: dict[str, str] = {}
        self._domains: dict[str, str] = {}
        self._wanted = {"reference": references, "system": systems, "source": None}
        self._known: dict[tuple[Kind, str], None] = {}
        self._texts: dict[tuple[Kind, str], dict[str, MarkedText]] = {}
        self._labels: dict[str, tuple[str, str]] = {}

    def describe(self, document: str, origlang: str | None, domain: str | None = None) -> None:
        """Note the original language and the domain of a document."""
        self._domains[document] = domain or ""
        try:
            self._origins[document] = normalise(origlang or "")
        except LanguageError:  # it is only compared
            self._origins[document] = origlang or ""

    def add(self, text: MarkedText) -> None:
        """Add a document of a text, which has each document and each segment once."""
        self._known[text.kind, text.name] = None
        wanted = self._wanted[text.kind]
        if wanted is not None and text.name not in wanted:
            return
        documents = self._texts.setdefault((text.kind, text.name), {})
        if text.document in documents:
            raise text.error(f"is at {documents[text.document].place} already: rename one text?")
        if not text.segments:
            raise text.error("has no segments.")
        seen: set[str] = set()
        for segment in text.segments:
            if segment.id in seen:
                raise text.error(f"has two segments {segment.id!r}.", segment.line)
            seen.add(segment.id)
        documents[text.document] = text

    def label(self, key: str, value: str | None, path: str, line: int) -> None:
        """Note the set's name or a language; two different ones are an error."""
        if not value:
            return
        if key != "name":
            value = parse_language(value, path, line)
        known, where = self._labels.setdefault(key, (value, f"{path}:{line}"))
        if known != value:
            what = f"{key} is {value!r} here, but {known!r} at {where}."
            hint = "Read one test set and language pair at a time."
            raise InputError(what, path=path, line=line, hint=hint)

    def evalset(self, path: str, *, unescape: bool = False) -> EvalSet:
        """Build the test set; the source, or else the first text, gives the order of documents."""
        for kind, names in self._wanted.items():
            known = [name for of, name in self._known if of == kind]
            for name in names or ():
                if name not in known:
                    hint = f"It has: {', '.join(known) or 'none'}."
                    raise InputError(f"has no {kind} {name!r}.", path=path, hint=hint)
        if not self._texts:
            raise InputError("holds no document.", path=path)
        guide = self._texts.get(("source", ""), next(iter(self._texts.values())))
        texts: dict[Kind, dict[str, Lines]] = {"reference": {}, "system": {}, "source": {}}
        for (kind, name), documents in self._texts.items():
            _check_segments(documents, guide)
            texts[kind][name] = _lines([documents[doc_id] for doc_id in guide], unescape=unescape)
        spans: list[Document] = []
        for doc_id, text in guide.items():
            start = spans[-1].stop if spans else 0
            stop = start + len(text.segments)
            spans.append(Document(doc_id, start, stop, self._domains.get(doc_id, "")))
        labels = {key: value for key, (value, _) in self._labels.items()}
        evalset = EvalSet(
            texts["reference"],
            texts["system"],
            texts["source"].get(""),
            tuple(spans),
            labels.get("source_lang"),
            labels.get("target_lang", "en"),
            labels.get("name", UNNAMED),
        )
        return evalset if self._origlang is None else self._take_origin(evalset, path)

    def _take_origin(self, evalset: EvalSet, path: str) -> EvalSet:
        """Return only the documents with the original language that was asked for."""
        chosen = [d for d in evalset.documents if self._origins.get(d.id) == self._origlang]
        if not chosen:
            known = ", ".join(sorted(set(self._origins.values()) - {""})) or "none"
            what = f"no document was first written in {self._origlang!r}."
            hint = f"Original languages of the documents: {known}."
            raise InputError(what, path=path, hint=hint)
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
            raise InputError(f"{what} {model.place}.", path=some.path, hint=hint)
        text = documents[doc_id]
        for own, other in zip(text.segments, model.segments, strict=False):
            if own.id != other.id:
                what = f"has segment {own.id!r}, but {model.path}:{other.line} has {other.id!r}."
                raise text.error(what, own.line)
        if len(text.segments) != len(model.segments):
            count = counted(len(text.segments), "segment")
            raise text.error(f"has {count}, but {len(model.segments)} at {model.place}.")


def _lines(texts: Sequence[MarkedText], *, unescape: bool) -> Lines:
    """Return the lines of a text in order; warn about folded segments and entities."""
    lines = [segment.text for text in texts for segment in text.segments]
    path = f"{texts[-1].path} ({texts[-1].title})"
    folded = sum("\n" in line for line in lines)
    if folded:
        lines = [_fold(line) if "\n" in line else line for line in lines]
        what = f"{counted(folded, 'segment')} broken over several lines; each is one line now."
        warn(what, path=path, count=folded)
    return tuple(resolve_entities(lines, path, unescape=unescape))


def _fold(text: str) -> str:
    """Join the lines of a segment."""
    return " ".join(part for part in (p.strip(" \t") for p in text.split("\n")) if part)
