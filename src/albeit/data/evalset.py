"""The test set in memory: texts by name, one line per segment, and documents.

All values are frozen. Lines are kept as they were read: nothing here normalizes text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from albeit.errors import InputError
from albeit.languages import normalise

V = TypeVar("V")
Level = Literal["system", "document", "segment"]
"""What a table reports."""
Kind = Literal["source", "reference", "system"]
Lines = tuple[str, ...]
Names = Sequence[str] | None
"""A choice of texts; ``None`` is all of them."""
UNNAMED = "evalset"
"""The default name of a set."""
LABELS = ("name", "source_lang", "target_lang")
TOGETHER = "The segments of a document must follow each other."


class Unit(StrEnum):
    """The smallest thing that is scored, analysed or resampled.

    >>> import albeit
    >>> albeit.metric("cohesion").unit is albeit.Unit.DOCUMENT
    True
    """

    SEGMENT = "segment"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Document:
    """A run of consecutive segments.

    :param id: the document's name
    :param start: its first segment, from 0
    :param stop: the segment after its last one
    :param domain: what kind of text it is (news, speech …), if the set has it

    >>> import albeit
    >>> ["a", "b", "c"][albeit.Document("news-1", 0, 2).rows]
    ['a', 'b']
    """

    id: str
    start: int
    stop: int
    domain: str = ""

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def rows(self) -> slice:
        """The document's segments as a slice."""
        return slice(self.start, self.stop)


def documents_from_ids(
    ids: Sequence[str], *, domains: Mapping[str, str] | None = None
) -> tuple[Document, ...]:
    """Group one document id per segment into documents, each of consecutive segments.

    ``domains`` are the domains of documents by id.
    """
    documents: dict[str, Document] = {}
    again: Document | None = None
    start = 0
    for doc_id, run in groupby(ids):
        stop = start + sum(1 for _ in run)
        document = Document(doc_id, start, stop, (domains or {}).get(doc_id, ""))
        again = document if doc_id in documents else again
        documents[doc_id] = document
        start = stop
    if again is not None:
        what = f"document {again.id!r} starts again at segment {again.start + 1}."
        raise InputError(what, hint=TOGETHER)
    return tuple(documents.values())


def check_name(name: object, what: str) -> None:
    """Raise for a name that would break tables, files, or terminals."""
    if not isinstance(name, str) or any(unicodedata.category(c) == "Cc" for c in name):
        hint = "A name is a string without control characters."
        raise InputError(f"{what} is called {name!r}.", hint=hint)


def _check_texts(texts: Mapping[str, Iterable[str]], kind: str) -> Mapping[str, Lines]:
    """Return an immutable copy of texts by name."""
    if not isinstance(texts, Mapping):
        what = f"{kind}s are given as {type(texts).__name__}."
        raise InputError(what, hint="Give a dict: name to lines.")
    for name in texts:
        check_name(name, f"a {kind}")
    return MappingProxyType({k: _check_lines(v, f"{kind} {k!r}") for k, v in texts.items()})


def _check_lines(lines: Iterable[str], what: str) -> Lines:
    """Return the lines of a text; a single string isn't a list of lines."""
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        given = None if lines is None else type(lines).__name__
        hint = "Give one string per segment."
        raise InputError(f"{what} is {given}, not a list of lines.", hint=hint)
    copy = tuple(lines)
    for number, line in enumerate(copy, 1):
        if not isinstance(line, str):
            hint = "Every segment is a string; '' is an empty one."
            raise InputError(f"{what}, segment {number}: {line!r} is not text.", hint=hint)
    return copy


def choose_names(known: Iterable[str], names: Names, none: str, path: str | None = None) -> Lines:
    """Return these names, all of which must be known; all known ones without names."""
    known = tuple(known)
    for name in names or ():
        if name not in known:
            hint = f"It has: {', '.join(known) or 'none'}."
            raise InputError(f"{none} {name!r}.", path=path, hint=hint)
    return known if names is None else tuple(names)


@dataclass(frozen=True, repr=False)
class EvalSet:
    """A test set: sources, references, the systems' translations, documents, languages.

    Every text has one line per segment. :func:`albeit.read` and :func:`albeit.build_evalset` make
    one of files.

    :param references: the lines of each reference by its name
    :param systems: the lines of each system by its name; the first is the baseline of comparisons
    :param source: the lines of the source text
    :param documents: runs of segments; without any the whole set is one document called ``all``,
        and ``has_documents`` is false
    :param source_lang: the language translated from, in any spelling (``zh-CN`` becomes ``zh``)
    :param target_lang: the language translated into
    :param name: what the set is called
    :param resegmented: how translations without lines were cut (``edits``, ``offsets-…``), for
        signatures
    :param lang_hint: ``None`` if the target language was given; otherwise what a reference's file
        name says of it (``ref.de``), or nothing

    >>> import albeit
    >>> lines = ("It rained.", "We left.")
    >>> found = albeit.EvalSet({"ref": lines}, {"mine": ("It rained.", "We went.")})
    >>> len(found), found.target_lang, found.has_documents
    (2, 'en', False)
    """

    references: Mapping[str, Lines]
    systems: Mapping[str, Lines]
    source: Lines | None = None
    documents: tuple[Document, ...] = ()
    source_lang: str | None = None
    target_lang: str = "en"
    name: str = UNNAMED
    resegmented: str = ""
    lang_hint: str | None = field(default=None, compare=False)
    has_documents: bool = field(init=False, default=True)
    _drawn: dict[Hashable, Any] = field(init=False, default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "references", _check_texts(self.references, "reference"))
        set_(self, "systems", _check_texts(self.systems, "system"))
        if self.source is not None:
            set_(self, "source", _check_lines(self.source, "the source"))
        if self.source_lang is not None:
            set_(self, "source_lang", normalise(self.source_lang))
        set_(self, "target_lang", normalise(self.target_lang))
        size = self._check_lengths()
        whole = (Document("all", 0, size),)
        if not self.documents or tuple(self.documents) == whole:
            set_(self, "documents", whole)
            set_(self, "has_documents", False)
        self._check_documents(size)

    def _check_lengths(self) -> int:
        """Return the number of segments, which all texts must have."""
        texts = self.targets() | ({} if self.source is None else {"source": self.source})
        if not texts:
            raise InputError(f"{self.name} has no text: no source, reference or system.")
        first, size = next((what, len(lines)) for what, lines in texts.items())
        for what, lines in texts.items():
            if len(lines) != size:
                hint = "All texts of a test set need one line per segment."
                what = f"{what} has {len(lines)} segments, but {first} has {size}."
                raise InputError(what, hint=hint)
        if size == 0:
            raise InputError(f"{self.name} is empty: it has no segments.")
        return size

    def _check_documents(self, size: int) -> None:
        covered = 0
        for document in self.documents:
            check_name(document.id, "a document")
            if document.start != covered or document.stop <= covered:
                what = f"document {document.id!r} covers segments {document.start + 1} to"
                what = f"{what} {document.stop}, but segment {covered + 1} comes next."
                raise InputError(what)
            covered = document.stop
        if len({document.id for document in self.documents}) < len(self.documents):
            raise InputError(f"{self.name} has two documents of one id.")
        if covered != size:
            raise InputError(f"the documents cover {covered} segments of {size}.")

    def __reduce__(self) -> tuple[object, ...]:
        documents = self.documents if self.has_documents else ()
        texts = (dict(self.references), dict(self.systems), self.source)
        languages = (self.source_lang, self.target_lang)
        labels = (self.name, self.resegmented, self.lang_hint)
        return (EvalSet, (*texts, documents, *languages, *labels))

    def __len__(self) -> int:
        """Return the number of segments."""
        return self.documents[-1].stop

    def __repr__(self) -> str:
        pair = f"{self.source_lang}-{self.target_lang}" if self.source_lang else self.target_lang
        documents = self.documents if self.has_documents else ()
        texts = {"document": documents, "reference": self.references, "system": self.systems}
        counts = {"segment": len(self)} | {what: len(held) for what, held in texts.items()}
        parts = [f"{n} {what}{'s' * (n != 1)}" for what, n in counts.items() if n]
        return f"<EvalSet {self.name!r} {pair}: {', '.join(parts)}>"

    def draw(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return a value that follows from the set, computed once; copies don't have it."""
        if key not in self._drawn:
            self._drawn[key] = make()
        drawn: V = self._drawn[key]
        return drawn

    def texts(self) -> dict[tuple[Kind, str], Lines]:
        """Return all texts by kind and name."""
        texts: dict[tuple[Kind, str], Lines] = {}
        if self.source is not None:
            texts["source", "source"] = self.source
        texts |= {("reference", name): lines for name, lines in self.references.items()}
        return texts | {("system", name): lines for name, lines in self.systems.items()}

    def targets(self) -> dict[str, Lines]:
        """Return the references and systems by their names in messages."""
        texts = {f"reference {name!r}": lines for name, lines in self.references.items()}
        return texts | {f"system {name!r}": lines for name, lines in self.systems.items()}

    def document_ids(self) -> tuple[str, ...]:
        """Return the document id of every segment."""
        return tuple(d.id for d in self.documents for _ in range(len(d)))

    def _replace(self, **changes: Any) -> EvalSet:
        documents = self.documents if self.has_documents else ()
        return replace(self, **{"documents": documents, **changes})

    def select(self, systems: Names = None, references: Names = None) -> EvalSet:
        """Return the set with only these systems and references, in this order."""
        systems = choose_names(self.systems, systems, f"{self.name} has no system")
        references = choose_names(self.references, references, f"{self.name} has no reference")
        own = {name: self.systems[name] for name in systems}
        return self._replace(systems=own, references={n: self.references[n] for n in references})

    def take(self, segments: Sequence[int], documents: Sequence[Document] | None = None) -> EvalSet:
        """Return the set with only these segments, in order; and other documents if given."""

        def pick(lines: Lines) -> Lines:
            return tuple(lines[i] for i in segments)

        if documents is None and self.has_documents:
            domains = {document.id: document.domain for document in self.documents}
            documents = documents_from_ids(pick(self.document_ids()), domains=domains)
        references = {name: pick(lines) for name, lines in self.references.items()}
        systems = {name: pick(lines) for name, lines in self.systems.items()}
        source = None if self.source is None else pick(self.source)
        texts: Any = {"references": references, "systems": systems, "source": source}
        return replace(self, documents=tuple(documents or ()), **texts)

    def with_systems(self, systems: Mapping[str, Lines], *, resegmented: str = "") -> EvalSet:
        """Return the set with other translations."""
        return self._replace(systems=systems, resegmented=resegmented)

    def relabel(self, **labels: str | None) -> EvalSet:
        """Return the same texts with another name or languages; ``None`` changes nothing."""
        known: dict[str, Any] = {key: label for key, label in labels.items() if label is not None}
        return self._replace(**known, **({"lang_hint": None} if "target_lang" in known else {}))
