"""Marked-up test sets: many texts, each given document by document, put side by side.

SGML and XML say which document and segment a text belongs to, so texts may come in any
order and from several files. Here they are matched by document and segment id, and any
document or segment that only some texts have is an error with its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from albeit.data.entities import unescape_line
from albeit.data.evalset import Document, EvalSet
from albeit.data.rows import Kind
from albeit.data.textio import counted, language, warn, warn_entities
from albeit.errors import InputError, LanguageError
from albeit.languages import normalise

__all__ = ["Collation", "Label", "MarkedSegment", "Piece", "fold_lines"]

Label = Literal["name", "source_lang", "target_lang"]
_LABELS = {"name": "set name", "source_lang": "source language", "target_lang": "target language"}


@dataclass(frozen=True, slots=True)
class MarkedSegment:
    """A segment as marked up: its id in the document, text, and line in the file."""

    id: str
    text: str
    line: int


@dataclass(slots=True)
class Piece:
    """One document of one text."""

    kind: Kind
    name: str
    document: str
    path: str
    line: int
    segments: list[MarkedSegment] = field(default_factory=list)

    @property
    def text_name(self) -> str:
        """What the text is called in messages."""
        return "the source" if self.kind == "source" else f"{self.kind} {self.name!r}"

    def error(self, what: str, line: int | None = None, hint: str = "") -> InputError:
        """Something wrong with it, or with a line of it."""
        return InputError(what, path=self.path, line=line or self.line, hint=hint)


def _code(tag: str) -> str:
    """A language's code; what is none stays as it is, since it is only compared."""
    try:
        return normalise(tag)
    except LanguageError:
        return tag


def fold_lines(text: str) -> str:
    """A text broken over several lines of markup, as one line."""
    return " ".join(part for part in (p.strip(" \t") for p in text.split("\n")) if part)


class Collation:
    """Collects pieces, then makes a test set of them.

    ``references`` and ``systems`` choose texts by name. The others are left aside unchecked:
    WMT files hold references that cover some documents only.
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
        self._wanted: dict[Kind, Sequence[str] | None] = {
            "reference": references,
            "system": systems,
        }
        self._known: dict[tuple[Kind, str], None] = {}
        self._texts: dict[tuple[Kind, str], dict[str, Piece]] = {}
        self._labels: dict[str, tuple[str, str]] = {}

    def domain(self, document: str, domain: str | None) -> None:
        """Say what kind of text a document is."""
        if domain:
            self._domains[document] = domain

    def origin(self, document: str, origlang: str | None) -> None:
        """The language that a document was first written in, where the markup says so."""
        if origlang and self._origlang is not None:
            self._origins[document] = _code(origlang)

    def add(self, piece: Piece) -> None:
        """Add a document of a text; a text has each document once, and each segment once."""
        self._known[piece.kind, piece.name] = None
        wanted = self._wanted.get(piece.kind)
        if wanted is not None and piece.name not in wanted:
            return
        documents = self._texts.setdefault((piece.kind, piece.name), {})
        if piece.document in documents:
            other = documents[piece.document]
            raise piece.error(
                f"{piece.text_name} has document {piece.document!r} already,"
                f" at {other.path}:{other.line}.",
                hint="Two texts of one name? Rename one.",
            )
        if not piece.segments:
            raise piece.error(f"document {piece.document!r} of {piece.text_name} has no segments.")
        seen: set[str] = set()
        for segment in piece.segments:
            if segment.id in seen:
                what = f"document {piece.document!r} has two segments {segment.id!r}."
                raise piece.error(what, segment.line)
            seen.add(segment.id)
        documents[piece.document] = piece

    def label(self, key: Label, value: str | None, path: str, line: int) -> None:
        """Note the set's name or a language; two different ones are an error."""
        if not value:
            return
        if key != "name":
            value = language(value, path, line)
        known, where = self._labels.setdefault(key, (value, f"{path}:{line}"))
        if known != value:
            raise InputError(
                f"the {_LABELS[key]} is {value!r} here, but {known!r} at {where}.",
                path=path,
                line=line,
                hint="Read one test set and language pair at a time.",
            )

    def evalset(self, paths: Sequence[str], *, unescape: bool = False) -> EvalSet:
        """The test set; the source, or else the first text, gives the order of documents."""
        self._check_wanted(", ".join(paths))
        if not self._texts:
            raise InputError("holds no document.", path=", ".join(paths))
        guide = self._texts.get(("source", ""), next(iter(self._texts.values())))
        texts: dict[tuple[Kind, str], tuple[str, ...]] = {}
        for key, documents in self._texts.items():
            _match(documents, guide)
            pieces = [documents[doc_id] for doc_id in guide]
            texts[key] = tuple(_finish(pieces, unescape=unescape))
        cuts: list[Document] = []
        for doc_id, piece in guide.items():
            start = cuts[-1].stop if cuts else 0
            stop = start + len(piece.segments)
            cuts.append(Document(doc_id, start, stop, self._domains.get(doc_id, "")))
        labels = {key: value for key, (value, _) in self._labels.items()}
        made = EvalSet(
            references={name: text for (kind, name), text in texts.items() if kind == "reference"},
            systems={name: text for (kind, name), text in texts.items() if kind == "system"},
            source=texts.get(("source", "")),
            documents=tuple(cuts),
            source_lang=labels.get("source_lang"),
            target_lang=labels.get("target_lang", "en"),
            name=labels.get("name", "evalset"),
        )
        return made if self._origlang is None else self._written_in(made, ", ".join(paths))

    def _written_in(self, evalset: EvalSet, path: str) -> EvalSet:
        """Only the documents that were first written in the language asked for."""
        segments = [
            number
            for document in evalset.documents
            if self._origins.get(document.id) == self._origlang
            for number in range(document.start, document.stop)
        ]
        if not segments:
            known = ", ".join(sorted(set(self._origins.values()))) or "none"
            raise InputError(
                f"no document was first written in {self._origlang!r}.",
                path=path,
                hint=f"Languages that documents say they were written in: {known}.",
            )
        return evalset.take(segments)

    def _check_wanted(self, path: str) -> None:
        """Raise for a text that was asked for, and is not there."""
        for kind, names in self._wanted.items():
            for name in names or ():
                if (kind, name) not in self._known:
                    known = ", ".join(n for k, n in self._known if k == kind) or "none"
                    raise InputError(
                        f"has no {kind} {name!r}.", path=path, hint=f"It has: {known}."
                    )


def _match(documents: dict[str, Piece], guide: dict[str, Piece]) -> None:
    """Raise unless a text has the documents and segments of the guide."""
    for doc_id, piece in documents.items():
        if doc_id not in guide:
            first = next(iter(guide.values()))
            raise piece.error(
                f"{piece.text_name} has document {doc_id!r}, which {first.text_name}"
                f" ({first.path}) has not."
            )
    for doc_id, model in guide.items():
        found = documents.get(doc_id)
        if found is None:
            some = next(iter(documents.values()))
            raise InputError(
                f"{some.text_name} lacks document {doc_id!r}, which {model.text_name} has at"
                f" {model.path}:{model.line}.",
                path=some.path,
                hint="All texts need all documents. Leave this text out (references=, systems=),"
                " or read one collection.",
            )
        for mine, theirs in zip(found.segments, model.segments, strict=False):
            if mine.id != theirs.id:
                raise found.error(
                    f"segment {mine.id!r} of document {doc_id!r} stands where"
                    f" {model.path}:{theirs.line} has segment {theirs.id!r}.",
                    mine.line,
                )
        if len(found.segments) != len(model.segments):
            raise found.error(
                f"document {doc_id!r} of {found.text_name} has {counted(len(found.segments), 'segment')},"
                f" but {len(model.segments)} at {model.path}:{model.line}."
            )


def _finish(pieces: Iterable[Piece], *, unescape: bool) -> list[str]:
    """The lines of a text, in order; what was folded or holds entities gives a warning."""
    lines: list[str] = []
    folded = 0
    path = ""
    for piece in pieces:
        path = f"{piece.path} ({piece.text_name})"
        for segment in piece.segments:
            text = segment.text
            if "\n" in text:
                text = fold_lines(text)
                folded += 1
            lines.append(unescape_line(text) if unescape else text)
    if folded:
        warn(
            f"{counted(folded, 'segment')} broken over several lines; each is one line now.",
            path=path,
            count=folded,
        )
    if not unescape:
        warn_entities(lines, path)
    return lines
