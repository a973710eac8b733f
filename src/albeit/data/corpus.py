"""A test set that is read on demand: as a whole, or in partitions of whole documents.

A reader yields blocks of rows. The whole set and every partition are an :class:`EvalSet`, built by
the same function from the same rows, so errors are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, get_args

from albeit.data import evalset as sets
from albeit.data.evalset import EvalSet, Kind, Names, choose_names, documents_from_ids
from albeit.errors import InputError
from albeit.languages import normalise

Block = Sequence[Sequence[str]]
"""Some rows by column: document ids (empty without documents), then one column per text."""
BLOCK = 4096
"""About how many rows a block has."""


class Partition(NamedTuple):
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
        domains: Mapping[str, str] | None = None,
        **labels: str | None,
    ) -> None:
        self.columns, self.has_documents = tuple(columns), has_documents
        self.labels = {"name": sets.UNNAMED, "source_lang": None, "target_lang": None, **labels}
        self._domains = dict(domains or {})
        self.choose()

    lang_hint: str | None = ""
    """What the file name of a reference says of the target language."""

    def blocks(self) -> Iterator[Block]:
        """Yield all rows from the first one, some at a time."""
        raise NotImplementedError

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and line of a row that was read, counted from 0."""
        raise NotImplementedError

    def error(self, row: int, what: str, hint: str = "") -> InputError:
        """Return an error at a row, which counts from 0."""
        return InputError(what, *self.place(row), hint)

    def choose(
        self, *, references: Names = None, systems: Names = None, **labels: str | None
    ) -> Corpus:
        """Choose texts, and override the name or languages of the set; return the corpus."""
        self._given = {key: label for key, label in labels.items() if label is not None}
        texts = {kind: [name for of, name in self.columns if of == kind] for kind in get_args(Kind)}
        none = f"{self.name} has no"
        self.references = choose_names(texts["reference"], references, f"{none} reference")
        self.systems = choose_names(texts["system"], systems, f"{none} system")
        return self

    @property
    def _labels(self) -> dict[str, str | None]:
        return self.labels | self._given

    @property
    def name(self) -> str:
        """The name of the set."""
        return self._labels["name"] or sets.UNNAMED

    @property
    def source_lang(self) -> str | None:
        """The source language."""
        tag = self._labels["source_lang"]
        return None if tag is None else normalise(tag)

    @property
    def target_lang(self) -> str:
        """The target language."""
        return normalise(self._labels["target_lang"] or "en")

    def _checked_blocks(self) -> Iterator[Block]:
        """Yield all rows; a document that starts for the second time is an error."""
        seen: set[int] = set()
        """The hashes of all document ids: a large set has many."""
        row, last = 0, None
        for block in self.blocks():
            for doc_id, run in groupby(block[0] if self.has_documents else ()):
                if doc_id != last and hash(doc_id) in seen:
                    what = f"document {doc_id!r} starts again here, at segment {row + 1}"
                    raise self.error(row, f"{what}; it ended further up.", sets.TOGETHER)
                seen.add(hash(doc_id))
                row, last = row + sum(1 for _ in run), doc_id
            yield block

    def evalset(self) -> EvalSet:
        """Read the whole set."""
        return next(self._cut(sys.maxsize)).evalset

    def _build(self, rows: Block) -> EvalSet:
        """Build the test set of some rows."""
        ids, *texts = rows
        columns = dict(zip(self.columns, texts, strict=True))
        references = {name: tuple(columns["reference", name]) for name in self.references}
        systems = {name: tuple(columns["system", name]) for name in self.systems}
        source = next((tuple(columns[each]) for each in columns if each[0] == "source"), None)
        documents = documents_from_ids(ids, domains=self._domains) if self.has_documents else ()
        labels = (self.source_lang, self.target_lang, self.name)
        hint = None if self._labels["target_lang"] else self.lang_hint
        return EvalSet(references, systems, source, documents, *labels, lang_hint=hint)

    def partitions(self, size: int) -> Iterator[Partition]:
        """Yield partitions of at least so many segments, as few as whole documents allow."""
        if not self.systems:
            raise InputError(f"{self.name} has no translations.", hint="Add them with -i FILE.")
        labels = dict(self.labels)
        for partition in self._cut(size):
            if self.labels != labels:
                hint = "A set that is read in batches must have them in its first line."
                what = f"{self.name} has its name or a language only further down."
                raise InputError(what, hint=hint)
            yield partition

    def _cut(self, size: int) -> Iterator[Partition]:
        rows: list[list[str]] = [[] for _ in range(len(self.columns) + 1)]
        number = first = 0
        end = size
        for block in self._checked_blocks():
            for column, more in zip(rows, block, strict=True):
                column.extend(more)
            ids = rows[0]
            while end < len(ids):
                if self.has_documents and ids[end] == ids[end - 1]:
                    end += 1
                    continue
                evalset = self._build([column[:end] for column in rows])
                yield Partition(number, first, evalset, last=False)
                for column in rows:
                    del column[:end]
                number, first, end = number + 1, first + end, size
        yield Partition(number, first, self._build(rows), last=True)


class LoadedCorpus(Corpus):
    """A test set in memory, for formats that are read as a whole."""

    def __init__(self, evalset: EvalSet) -> None:
        self._set = evalset
        domains = {document.id: document.domain for document in evalset.documents}
        super().__init__(tuple(evalset.texts()), evalset.has_documents, domains=domains)
        self.labels = {key: getattr(evalset, key) for key in self.labels}
        self.lang_hint = evalset.lang_hint

    def evalset(self) -> EvalSet:
        """Return the set."""
        return self._set.select(self.systems, self.references).relabel(**self._given)

    def blocks(self) -> Iterator[Block]:
        """Yield all rows at once."""
        self.share = 1.0
        yield (self._set.document_ids(), *self._set.texts().values())

    def place(self, row: int) -> tuple[str, int]:
        """Return the name of the set, and the number of the segment from 1."""
        return self._set.name, row + 1
