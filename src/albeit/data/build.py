"""Test sets from text files, from lists of lines, and from the columns of a data frame.

A text file has one line per segment.
References, systems, a source, and document ids are each a path, ``name=path``, or ``-`` for
standard input. A path with wildcards is several files, read as one text.

A frame is anything with named columns: pandas, polars, a pyarrow table, or an object with Arrow's
``__arrow_c_stream__``. No package is imported unless its frame is given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from albeit.data.corpus import BLOCK, Block, Corpus
from albeit.data.evalset import UNNAMED, EvalSet, Kind, Names, documents_from_ids
from albeit.data.files import STDIN, AnyPath, File, files_of, shown
from albeit.data.plugins import import_extra
from albeit.data.textio import LineReader, counted, warn
from albeit.errors import InputError, LanguageError
from albeit.languages import COMMON, normalise

BLANK_LINES = "blank-lines"
"""As ``docs``: an empty line in the texts ends a document."""
NO_DOMAIN = "all"
"""The domain of documents without one, in files of mt-metrics-eval."""

Texts = dict[tuple[Kind, str], Sequence[File]]
"""Kind and name of a text to its files."""
Frame = dict[str, list[Any]]
_PAIR = re.compile(r"([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)")


def name_of(path: AnyPath) -> str:
    """Return the name of a file's text: without folder, ``.gz``, ``.zst``, and extension.

    An extension has letters only, so ``uedin.2884`` keeps its number.
    """
    if str(path) == STDIN:
        return "stdin"
    name = Path(path).name.removesuffix(".gz").removesuffix(".zst")
    stem, _, extension = name.rpartition(".")
    return stem if stem and extension.isalpha() else name


def named_path(argument: AnyPath) -> tuple[str | None, str]:
    """Split ``name=path``; a plain path, and an existing file, has no name."""
    text = str(argument)
    name, equals, path = text.partition("=")
    exists = False
    with suppress(OSError, ValueError):
        exists = Path(text).exists()
    if equals and name and path and "/" not in name and not exists:
        return name, path
    return None, text


def split_name(argument: AnyPath) -> tuple[str, str]:
    """Split ``name=path``; the name of a plain path is that of its file."""
    name, path = named_path(argument)
    return name or name_of(path), path


def language_pair(name: str) -> tuple[str, str] | None:
    """Parse ``"cs-en"`` to ``("cs", "en")``, ``"en-zh_TW"`` to ``("en", "zh")``."""
    match = _PAIR.fullmatch(name)
    try:
        return (normalise(match[1]), normalise(match[2])) if match else None
    except LanguageError:
        return None


def build_evalset(
    refs: Sequence[AnyPath],
    systems: Sequence[AnyPath],
    *,
    source: AnyPath | None = None,
    docs: AnyPath | None = None,
    source_lang: str | None = None,
    target_lang: str | None = "en",
    name: str = UNNAMED,
    unescape: bool = False,
) -> EvalSet:
    """Read text files into a test set.

    :param refs: paths or ``name=path``; a text is otherwise named after its file
    :param systems: the same for translations; at most one of all paths may be ``-``
    :param source: the source text
    :param docs: a file of document ids, or :data:`BLANK_LINES`: then an empty line, in the same
        place in every text, ends a document and is no segment
    :param source_lang: the source language
    :param target_lang: the target language
    :param name: the name of the set
    :param unescape: resolve HTML entities in the text
    :return: the test set

    >>> import albeit
    >>> demo = "examples/demo"
    >>> evalset = albeit.build_evalset([f"{demo}/ref.A.txt"], [f"new={demo}/systems/blunt.txt"])
    >>> list(evalset.systems)
    ['new']
    """
    labels = {"name": name, "source_lang": source_lang, "target_lang": target_lang}
    corpus = open_texts(refs, systems, source=source, docs=docs, unescape=unescape, **labels)
    return corpus.evalset()


def open_texts(
    refs: Sequence[AnyPath],
    systems: Sequence[AnyPath],
    *,
    source: AnyPath | None = None,
    **options: Any,
) -> TextFiles:
    """Open text files; the parameters are those of :func:`build_evalset`."""
    for what, given in (("refs", refs), ("systems", systems)):
        if isinstance(given, str | Path) or not isinstance(given, Iterable):
            hint = "Give a list of paths: [PATH]."
            raise InputError(f"{what} are {str(given)!r}, not a list.", hint=hint)
    texts: Texts = {}
    for argument in refs:
        add_text(texts, "reference", *_named_files(argument))
    if source is not None:
        texts["source", "source"] = files_of(source)
    for argument in systems:
        add_text(texts, "system", *_named_files(argument))
    return TextFiles(texts, **options)


def _named_files(argument: AnyPath) -> tuple[str, list[str]]:
    """Return the name and the files of a path or ``name=path``."""
    name, path = named_path(argument)
    files = files_of(path)
    return name or name_of(files[0]), files


def add_text(texts: Texts, kind: Kind, name: str, files: Sequence[File]) -> None:
    """Add a text; two of one name are an error."""
    if (kind, name) in texts:
        raise _duplicate(kind, name, shown(texts[kind, name][0]), files[0])
    texts[kind, name] = files


def _duplicate(kind: str, name: str, first: str, second: File) -> InputError:
    what = f"there is a {kind} {name!r} already, from {first}."
    return InputError(what, path=shown(second), hint="Give each its own name: NAME=FILE.")


class TextFiles(Corpus):
    """References, systems, and optionally a source and document ids, line by line.

    :param texts: the files of each text
    :param docs: the file of document ids: the first column of a table, or with ``has_domains``
        lines of a domain and a document
    :param unescape: resolve HTML entities in the text
    :param labels: name and languages of the set
    """

    def __init__(
        self,
        texts: Mapping[tuple[Kind, str], Sequence[File]],
        docs: File | None = None,
        *,
        has_domains: bool = False,
        unescape: bool = False,
        **labels: Any,
    ) -> None:
        if not texts:
            raise InputError("the test set has no text: no source, reference or system.")
        super().__init__(tuple(texts), docs is not None, **labels)
        names = [shown(f) for (kind, _), own in texts.items() if kind == "reference" for f in own]
        endings = [re.sub(r"\.(gz|zst)$", "", name).rpartition(".")[2] for name in names]
        self.lang_hint = next((ending for ending in endings if ending in COMMON), "")
        self._has_domains, self._blank = has_domains, str(docs) == BLANK_LINES
        self._readers = [LineReader(files, unescape=unescape) for files in texts.values()]
        self._blanks: list[int] = []
        """The number of rows before each empty line, which ends a document and is no row."""
        self._ids: list[LineReader] = []
        """The reader of document ids, if there is one."""
        if docs is not None and not self._blank:
            files = files_of(docs) if isinstance(docs, str | Path) else [docs]
            self._ids = [LineReader(files, plain=False)]
        readers = [*self._readers, *self._ids]
        if sum(str(file) == STDIN for reader in readers for file in reader.files) > 1:
            hint = "Only one text can be -."
            raise InputError("standard input is named more than once.", hint=hint)

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and line of a document id, or else of the first text."""
        return (*self._ids, self._readers[0])[0].place(row + bisect_right(self._blanks, row))

    def place_in(self, kind: Kind, name: str, row: int) -> tuple[str, int]:
        """Return the file and line of a row, counted from 0, in the text of this kind and name."""
        line = row + bisect_right(self._blanks, row)
        return self._readers[self.columns.index((kind, name))].place(line)

    def blocks(self) -> Iterator[Block]:
        """Yield all segments from the first one."""
        self._readers = [reader.again() for reader in self._readers]
        self._ids = [reader.again() for reader in self._ids]
        blocks = self._read_in_step()
        return self._split_at_blank_lines(blocks) if self._blank else blocks

    def _read_in_step(self) -> Iterator[Block]:
        """Yield lines of all texts, which must end together."""
        readers, id_readers = self._readers, self._ids
        domains = self._domains if self._has_domains else None
        while True:
            texts = [reader.take(BLOCK) for reader in readers]
            ids = [_take_ids(each, BLOCK, domains) for each in id_readers] or [[""] * len(texts[0])]
            if len(set(map(len, ids + texts))) > 1:
                raise _unequal(*readers, *id_readers)
            if not texts[0]:
                return
            self.share = readers[0].share
            yield ids + texts

    def _split_at_blank_lines(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Assign numbers to documents; an empty line must be empty in all texts."""
        documents = segments = 0
        inside = False
        self._blanks = []
        for _, *texts in blocks:
            keep: list[int] = []
            ids: list[str] = []
            for number, line in enumerate(texts[0]):
                if not line.strip():
                    self._blanks.append(segments + len(keep))
                    self._check_blank(texts, number)
                    inside = False
                    continue
                documents += not inside
                inside = True
                keep.append(number)
                ids.append(str(documents))
            segments += len(keep)
            if keep:
                yield (ids, *([text[number] for number in keep] for text in texts))
        path = shown(self._readers[0].files[0])
        if not documents:
            raise InputError("has no lines with text.", path=path)
        if documents == 1:
            count = counted(segments, "segment")
            warn(f"no empty line between segments: all {count} are one document.", path=path)

    def _check_blank(self, texts: Sequence[Sequence[str]], number: int) -> None:
        for reader, text in zip(self._readers, texts, strict=True):
            if text[number].strip():
                first = shown(self._readers[0].files[0])
                what = f"the line is not empty, but ends a document in {first}."
                hint = "Empty lines must be in the same places in every text."
                raise reader.error(reader.taken - len(text) + number, what, hint)


def _take_ids(reader: LineReader, count: int | None, domains: dict[str, str] | None) -> list[str]:
    """Return the next document ids; with ``domains``, lines are a domain and a document."""
    ids: list[str] = []
    first = reader.taken
    for row, line in enumerate(reader.take(count), first):
        doc_id = line.split("\t", 1)[0]
        if domains is not None:
            cells = line.split()
            if len(cells) != 2:
                raise reader.error(row, "the line is not a domain and a document.")
            domain, doc_id = cells
            domains[doc_id] = "" if domain == NO_DOMAIN else domain
        if not doc_id.strip():
            raise reader.error(row, "the line has no document id.")
        ids.append(doc_id)
    return ids


def _unequal(first: LineReader, *others: LineReader) -> InputError:
    """Read all texts to their ends, for a message with their lengths."""
    for reader in (first, *others):
        while reader.take(BLOCK):
            pass
    other = next(reader for reader in others if reader.taken != first.taken)
    return _wrong_length(other, first.taken, shown(first.files[0]))


def _wrong_length(reader: LineReader, expected: int, first: str) -> InputError:
    """Return the error for a text with another number of lines than the first."""
    lines = reader.taken
    where = "here" if lines < expected else "there"
    what = f"has {counted(lines, 'line')}, but {first} has {expected}: line"
    hint = "Every text needs one line per segment; translations of whole documents, without such"
    hint = f"{hint} lines, are cut by --resegment."
    last = min(lines, expected)
    return reader.error(last, f"{what} {last + 1} is missing {where}.", hint)


def add_systems(evalset: EvalSet, paths: Sequence[AnyPath], *, unescape: bool = False) -> EvalSet:
    """Return a set with the systems of text files (paths or ``name=path``) before its own."""
    systems: dict[str, tuple[str, ...]] = {}
    for argument in paths:
        name, files = _named_files(argument)
        reader = LineReader(files, unescape=unescape)
        lines = tuple(reader.take())
        if name in systems or name in evalset.systems:
            other = "the test set" if name in evalset.systems else "another file"
            raise _duplicate("system", name, other, files[0])
        if len(lines) != len(evalset):
            raise _wrong_length(reader, len(evalset), f"test set {evalset.name!r}")
        systems[name] = lines
    return evalset.with_systems({**systems, **evalset.systems})


def read_docids(path: AnyPath) -> tuple[str, ...]:
    """Return the document id of every segment: the first tab-separated column of each line."""
    return tuple(_take_ids(LineReader([path], plain=False), None, None))


def read_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """Return the sentence pairs of two files, without those that have U+FFFD."""
    corpus = TextFiles({("source", "source"): [source], ("system", "target"): [target]})
    pairs = [pair for _, *texts in corpus.blocks() for pair in zip(*texts, strict=True)]
    kept = [(first, second) for first, second in pairs if "\ufffd" not in first + second]
    lost = len(pairs) - len(kept)
    if lost:
        warn(f"{counted(lost, 'sentence pair')} with U+FFFD ignored.", path=target, count=lost)
    return kept


def evalset_of(
    data: object,
    references: Any = None,
    *,
    source: Any = None,
    documents: Any = None,
    systems: Names = None,
    lang: str = "en",
    source_lang: str | None = None,
    name: str = UNNAMED,
) -> EvalSet:
    """Build a test set of translations and references.

    ``data`` is one system's lines, a mapping of names to lines, or a data frame. For a frame,
    ``references``, ``source``, ``documents``, and ``systems`` (default: all other columns) name
    columns. Otherwise they are lines: one reference's, a list of several, or a mapping of names to
    lines; ``documents`` has one id per segment.
    """
    texts: Any = data
    spans: Any = documents
    if (columns := _frame_columns(data)) is not None:
        labels = [references] if isinstance(references, str) else list(references or ())
        used = [*labels, *(each for each in (source, documents) if each is not None)]
        texts = _frame_texts(columns, used, systems)
        references = {each: columns[each] for each in labels}
        source = None if source is None else columns[source]
        spans = None if documents is None else columns[documents]
    elif systems is not None:
        raise InputError("systems names columns of a data frame.", hint="Give a dict of systems.")
    elif isinstance(data, str | bytes) or not isinstance(data, Iterable):
        hint = "Give one, a list of lines, a dict of names to lines, or a data frame;"
        hint = f"{hint} albeit.read(PATH) reads a file."
        raise InputError(f"{data!r} isn't an EvalSet.", hint=hint)
    elif not isinstance(data, Mapping):
        texts = {"system": data}
    elif not data:
        raise InputError("there are no translations: the dict of systems is empty.")
    if isinstance(spans, str) or not isinstance(spans, Iterable | None):
        raise InputError(f"documents are {documents!r}.", hint="Give one document id per segment.")
    spans = () if spans is None else documents_from_ids(list(map(str, spans)))
    return EvalSet(_name_references(references), texts, source, spans, source_lang, lang, name)


def _frame_texts(columns: Frame, used: Sequence[object], systems: Names) -> Frame:
    """Return the columns of the systems."""
    chosen = [each for each in columns if each not in used] if systems is None else systems
    chosen = [chosen] if isinstance(chosen, str) else chosen
    for each in (*used, *chosen):
        if not isinstance(each, str) or each not in columns:
            hint = f"It has: {', '.join(columns)}."
            raise InputError(f"the data frame has no column {each!r}.", hint=hint)
        values = columns[each]
        if systems is None and each not in used and not any(isinstance(v, str) for v in values):
            what = f"column {each!r} of the data frame has no text."
            raise InputError(what, hint="Name the systems' columns: systems=[…].")
    return {each: columns[each] for each in chosen}


def _name_references(given: Any) -> Mapping[str, Any]:
    """Name references: one is ``ref``, several are ``ref1``, ``ref2`` …"""
    if given is None or isinstance(given, Mapping):
        return given or {}
    several = isinstance(given, Sequence) and not isinstance(given, str)
    if several and given and not any(isinstance(each, str) for each in given):
        return {f"ref{number}": lines for number, lines in enumerate(given, 1)}
    return {"ref": given}


def _frame_columns(data: Any) -> Frame | None:
    """Return the columns of a frame by name; ``None`` if it isn't a frame."""
    is_column = hasattr(data, "to_list") or hasattr(data, "to_pylist")  # one pandas Series
    is_frame = hasattr(data, "columns") and hasattr(data, "__getitem__")
    if isinstance(data, Mapping) or (is_column and not hasattr(data, "columns")):
        return None
    if not is_frame and not hasattr(data, "__arrow_c_stream__"):
        return None
    if not is_frame:
        why = "reading this frame needs pyarrow. Install it"
        data = import_extra("pyarrow", why, "arrow").table(data)
    columns = {str(name): data[name] for name in getattr(data, "column_names", data.columns)}
    return {
        name: list((getattr(column, "to_pylist", None) or column.to_list)())
        for name, column in columns.items()
    }
