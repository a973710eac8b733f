"""A test set that is read on demand: as a whole, or in partitions of whole documents.

A reader yields blocks of rows. The whole set and every partition are an :class:`EvalSet`, built by
the same function from the same rows, so errors are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from albeit.data.evalset import UNNAMED, Document, EvalSet, documents_from_ids, repeated_document
from albeit.errors import InputError
from albeit.languages import normalise

Kind = Literal["source", "reference", "system"]
Block = Sequence[Sequence[str]]
"""Some rows by column: document ids (empty without documents), then one column per text."""
BLOCK = 4096
"""About how many rows a block has."""


@dataclass(frozen=True)
class Partition:
    """Some whole documents of a set, or some segments of a set without documents."""

    number: int
    first: int
    """The index of its first segment in the set."""
    evalset: EvalSet
    last: bool

    @property
    def span(self) -> str:
        """Its segments, for messages."""
        return f"segments {self.first + 1} to {self.first + len(self.evalset)}"


class Corpus:
    """A test set that is read on demand, as often as needed.

    A subclass implements :meth:`blocks` and :meth:`place`.

    :param columns: kind (``source``, ``reference``, ``system``) and name of each text of a block
    :param has_documents: whether the first column of a block has document ids
    :param name: the name of the set
    :param source_lang: the source language
    :param target_lang: the target language
    :param domains: the domains of documents by id
    """

    share = 0.0
    """The share that was read, from 0 to 1; 0 if it isn't known."""

    def __init__(
        self,
        columns: Sequence[tuple[Kind, str]],
        has_documents: bool,
        *,
        name: str = UNNAMED,
        source_lang: str | None = None,
        target_lang: str | None = None,
        domains: Mapping[str, str] | None = None,
    ) -> None:
        self.columns, self.has_documents = tuple(columns), has_documents
        self.labels = {"name": name, "source_lang": source_lang, "target_lang": target_lang}
        self._domains = domains or {}
        self._chosen: dict[Kind, Sequence[str] | None] = {}
        self._given: dict[str, str] = {}

    def blocks(self) -> Iterator[Block]:
        """Yield all rows from the first one, some at a time."""
        raise NotImplementedError

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and line of a row that was read, counted from 0."""
        raise NotImplementedError

    def choose(
        self,
        *,
        references: Sequence[str] | None = None,
        systems: Sequence[str] | None = None,
        name: str | None = None,
        source_lang: str | None = None,
        target_lang: str | None = None,
    ) -> Corpus:
        """Choose texts, and override the labels of the set; return the corpus."""
        self._chosen = {"reference": references, "system": systems}
        for kind, names in self._chosen.items():
            known = self._names(kind)
            for one in names or ():
                if one not in known:
                    hint = f"It has: {', '.join(known) or 'none'}."
                    raise InputError(f"{self.name} has no {kind} {one!r}.", hint=hint)
        given = {"name": name, "source_lang": source_lang, "target_lang": target_lang}
        self._given = {key: label for key, label in given.items() if label is not None}
        return self

    def _names(self, kind: Kind) -> list[str]:
        return [name for of, name in self.columns if of == kind]

    def _choice(self, kind: Kind) -> tuple[str, ...]:
        chosen = self._chosen.get(kind)
        return tuple(self._names(kind) if chosen is None else chosen)

    @property
    def references(self) -> tuple[str, ...]:
        """The names of the references."""
        return self._choice("reference")

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self._choice("system")

    def _label(self, key: str) -> str | None:
        return self._given.get(key, self.labels[key])

    @property
    def name(self) -> str:
        """The name of the set."""
        return self._label("name") or UNNAMED

    @property
    def source_lang(self) -> str | None:
        """The source language."""
        tag = self._label("source_lang")
        return None if tag is None else normalise(tag)

    @property
    def target_lang(self) -> str:
        """The target language."""
        return normalise(self._label("target_lang") or "en")

    def evalset(self) -> EvalSet:
        """Read the whole set."""
        columns: list[list[str]] = [[] for _ in range(len(self.columns) + 1)]
        for block in self.blocks():
            for column, more in zip(columns, block, strict=True):
                column.extend(more)
        return self._build(columns, self.place)

    def _build(
        self, block: Block, place: Callable[[int], tuple[str, int]] | None = None
    ) -> EvalSet:
        """Build the test set of some rows."""
        ids, *texts = block
        found = dict(zip(self.columns, texts, strict=True))
        documents: tuple[Document, ...] = ()
        if self.has_documents:
            documents = documents_from_ids(ids, domains=self._domains, place=place)
        source = next((text for (kind, _), text in found.items() if kind == "source"), None)
        return EvalSet(
            {name: tuple(found["reference", name]) for name in self.references},
            {name: tuple(found["system", name]) for name in self.systems},
            None if source is None else tuple(source),
            documents,
            self.source_lang,
            self.target_lang,
            self.name,
        )

    def partitions(self, size: int) -> Iterator[Partition]:
        """Yield partitions of at least so many segments, as few as whole documents allow."""
        if not self.systems:
            raise InputError(f"{self.name} holds no translations.", hint="Give some with -i FILE.")
        labels = dict(self.labels)
        columns: list[list[str]] = [[] for _ in range(len(self.columns) + 1)]
        documents: set[int] = set()
        number = first = 0
        end = size
        for block in self.blocks():
            if self.labels != labels:
                hint = "A set that is read in batches must say them in its first line."
                what = f"{self.name} says its name or a language only further down."
                raise InputError(what, hint=hint)
            if self.has_documents:
                self._check_documents(columns[0], block[0], documents, first)
            for column, more in zip(columns, block, strict=True):
                column.extend(more)
            ids = columns[0]
            while end < len(ids):
                if self.has_documents and ids[end] == ids[end - 1]:
                    end += 1
                    continue
                evalset = self._build([column[:end] for column in columns])
                yield Partition(number, first, evalset, last=False)
                for column in columns:
                    del column[:end]
                number, first, end = number + 1, first + end, size
        if not columns[0]:
            raise InputError(f"{self.name} is empty: it has no segments.")
        yield Partition(number, first, self._build(columns), last=True)

    def _check_documents(
        self, before: Sequence[str], ids: Sequence[str], seen: set[int], first: int
    ) -> None:
        """Raise for a document that was there already; ``seen`` has the hashes of all ids."""
        last = before[-1] if before else None
        for number, doc_id in enumerate(ids):
            if doc_id != last:
                if hash(doc_id) in seen:
                    raise repeated_document(doc_id, first + len(before) + number, self.place)
                seen.add(hash(doc_id))
            last = doc_id


class LoadedCorpus(Corpus):
    """A test set in memory, for formats that are read as a whole."""

    def __init__(self, evalset: EvalSet) -> None:
        columns: list[tuple[Kind, str]] = [("reference", name) for name in evalset.references]
        columns += [("source", "source")] if evalset.source is not None else []
        columns += [("system", name) for name in evalset.systems]
        super().__init__(
            columns,
            evalset.has_documents,
            name=evalset.name,
            source_lang=evalset.source_lang,
            target_lang=evalset.target_lang,
            domains={document.id: document.domain for document in evalset.documents},
        )
        self._set = evalset

    def evalset(self) -> EvalSet:
        """Return the set."""
        return self._set.select(self.systems, self.references).relabel(**self._given)

    def blocks(self) -> Iterator[Block]:
        """Yield all rows at once."""
        source = () if self._set.source is None else (self._set.source,)
        ids = self._set.document_ids() if self.has_documents else ("",) * len(self._set)
        self.share = 1.0
        yield (ids, *self._set.references.values(), *source, *self._set.systems.values())

    def place(self, row: int) -> tuple[str, int]:
        """Return the name of the set, and the number of the segment from 1."""
        return self._set.name, row + 1
