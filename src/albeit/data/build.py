"""Test sets from text files: one file per text, one line per segment; and from a folder of them.

References, systems, a source, and document ids are each a path, ``name=path``, or ``-`` for
standard input. A path with wildcards is several files, read as one text. A folder has:

    src.txt             the source, if any
    ref.txt, refA.txt   references named ``ref``, ``refA``; ``ref_B.txt`` is named ``B``
    systems/NAME.txt    one file per system
    docids.txt          one document id per line, in its first tab-separated column

Each can be compressed (``.txt.gz``). The name of a folder that is a pair of two-letter languages
(``cs-en``) gives the languages, and the folder above it the name of the test set.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from albeit.data.corpus import BLOCK, Block, Corpus, Kind
from albeit.data.evalset import UNNAMED, EvalSet
from albeit.data.files import STDIN, File, files_of, list_folder, shown
from albeit.data.textio import LineReader, counted, read_lines, safe_name, warn, write_lines
from albeit.errors import InputError, LanguageError
from albeit.languages import normalise

BLANK_LINES = "blank-lines"
"""As ``docs``: an empty line in the texts ends a document."""

Lines = tuple[str, ...]
Named = dict[str, tuple[str, Lines]]
"""Name to (file, lines)."""
Texts = dict[tuple[Kind, str], Sequence[File]]
"""Kind and name of a text to its files."""
_PAIR = re.compile(r"([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)")


def name_of(path: str | Path) -> str:
    """Return the name of a file's text: without folder, ``.gz``, ``.zst``, and extension.

    An extension has letters only, so ``uedin.2884`` keeps its number.
    """
    if str(path) == STDIN:
        return "stdin"
    name = Path(path).name.removesuffix(".gz").removesuffix(".zst")
    stem, dot, extension = name.rpartition(".")
    return stem if dot and stem and extension.isalpha() else name


def named_path(argument: str | Path) -> tuple[str | None, str]:
    """Split ``name=path``; a plain path, and an existing file, has no name."""
    text = str(argument)
    name, equals, path = text.partition("=")
    try:
        exists = Path(text).exists()
    except (OSError, ValueError):
        exists = False
    if equals and name and path and "/" not in name and not exists:
        return name, path
    return None, text


def split_name(argument: str | Path) -> tuple[str, str]:
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


def read_docids(path: str | Path, n: int | None = None) -> Lines:
    """Return the document id of every segment: the first tab-separated column of each line.

    With ``n``, the number of segments, a file of any other length is an error.
    """
    reader = LineReader([path], plain=False)
    ids = _take_ids(reader)
    if n is not None and len(ids) != n:
        raise _wrong_ids(reader, n)
    return tuple(ids)


def _take_ids(reader: LineReader, count: int | None = None) -> list[str]:
    ids = [line.split("\t", 1)[0] for line in reader.take(count)]
    if not all(map(str.strip, ids)):
        empty = next(number for number, doc_id in enumerate(ids) if not doc_id.strip())
        raise reader.error(reader.taken - len(ids) + empty, "the line has no document id.")
    return ids


def _wrong_ids(reader: LineReader, segments: int) -> InputError:
    ids, texts = counted(reader.taken, "document id"), counted(segments, "segment")
    hint = "It needs one line per segment."
    line = min(reader.taken, segments)
    return reader.error(line, f"has {ids}, but the texts have {texts}.", hint)


def build_evalset(
    refs: Sequence[str | Path],
    systems: Sequence[str | Path],
    *,
    source: str | Path | None = None,
    docs: str | Path | None = None,
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

    >>> import albeit
    >>> demo = "examples/demo"
    >>> evalset = albeit.build_evalset([f"{demo}/ref.A.txt"], [f"new={demo}/systems/blunt.txt"])
    >>> list(evalset.systems)
    ['new']
    """
    labels = {"name": name, "source_lang": source_lang, "target_lang": target_lang}
    return open_texts(
        refs, systems, source=source, docs=docs, unescape=unescape, **labels
    ).evalset()


def open_texts(
    refs: Sequence[str | Path],
    systems: Sequence[str | Path],
    *,
    source: str | Path | None = None,
    docs: str | Path | None = None,
    **options: Any,
) -> TextFiles:
    """Open text files; the parameters are those of :func:`build_evalset`."""
    for what, given in (("refs", refs), ("systems", systems)):
        if isinstance(given, str | Path) or not isinstance(given, Iterable):
            hint = "Give a list of paths: [PATH]."
            raise InputError(f"{what} are {str(given)!r}, not a list.", hint=hint)
    texts: Texts = {}
    for argument in refs:
        _add(texts, "reference", argument)
    if source is not None:
        texts["source", "source"] = files_of(source)
    for argument in systems:
        _add(texts, "system", argument)
    return TextFiles(texts, docs, **options)


def _add(texts: Texts, kind: Kind, argument: str | Path, name: str | None = None) -> None:
    """Add the text of a path or ``name=path``; two of one name are an error."""
    given, path = named_path(argument) if name is None else (name, str(argument))
    files = files_of(path) if name is None else [path]
    key = (kind, given or name_of(files[0]))
    if key in texts:
        raise _duplicate(kind, key[1], shown(texts[key][0]), shown(files[0]))
    texts[key] = files


def _duplicate(what: str, name: str, first: str, second: str) -> InputError:
    message = f"there is a {what} {name!r} already, from {first}."
    return InputError(message, path=second, hint="Give each its own name: NAME=FILE.")


class TextFiles(Corpus):
    """References, systems, and optionally a source and document ids, line by line."""

    def __init__(
        self,
        texts: Mapping[tuple[Kind, str], Sequence[File]],
        docs: File | None = None,
        *,
        name: str = UNNAMED,
        source_lang: str | None = None,
        target_lang: str | None = None,
        unescape: bool = False,
    ) -> None:
        if not texts:
            raise InputError(f"{name} holds no text: no source, reference or system.")
        super().__init__(tuple(texts), docs is not None, name=name)
        self.labels |= {"source_lang": source_lang, "target_lang": target_lang}
        self._blank = docs is not None and str(docs) == BLANK_LINES
        self._readers = [LineReader(files, unescape=unescape) for files in texts.values()]
        self._starts: list[tuple[int, int]] = []
        """The first row of each document, and the number of empty lines before it."""
        self._ids: LineReader | None = None
        if docs is not None and not self._blank:
            files = files_of(docs) if isinstance(docs, str | Path) else [docs]
            self._ids = LineReader(files, plain=False)
        if sum(str(file) == STDIN for reader in self._all for file in reader.files) > 1:
            hint = "Only one text can be -."
            raise InputError("standard input is named more than once.", hint=hint)

    @property
    def _all(self) -> list[LineReader]:
        return [*self._readers, *([self._ids] if self._ids else [])]

    @property
    def share(self) -> float:  # type: ignore[override]
        """The share of the first text that was read."""
        return self._readers[0].share

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and line of a document id, or else of the first text."""
        return (self._ids or self._readers[0]).place(self._line(row))

    def place_in(self, kind: Kind, name: str, row: int) -> tuple[str, int]:
        """Return the file and line of a row, counted from 0, in the text of this kind and name."""
        return self._readers[self.columns.index((kind, name))].place(self._line(row))

    def _line(self, row: int) -> int:
        """Return the line of a row, both from 0: empty lines that end documents aren't rows."""
        at = bisect_right(self._starts, row, key=lambda start: start[0]) - 1
        return row + self._starts[at][1] if at >= 0 else row

    def blocks(self) -> Iterator[Block]:
        """Yield all segments from the first one."""
        self._readers = [reader.again() for reader in self._readers]
        self._ids = self._ids and self._ids.again()
        return self._split_at_blank_lines() if self._blank else self._read_in_step()

    def _read_in_step(self) -> Iterator[Block]:
        """Yield lines of all texts, which must end together."""
        while True:
            texts = [reader.take(BLOCK) for reader in self._readers]
            ids = _take_ids(self._ids, BLOCK) if self._ids else [""] * len(texts[0])
            if len({len(ids), *map(len, texts)}) > 1:
                raise self._unequal()
            if not ids:
                return
            yield (ids, *texts)

    def _unequal(self) -> InputError:
        """Read all texts to their ends, for a message with their lengths."""
        for reader in self._all:
            while reader.take(BLOCK):
                pass
        first, *others = self._readers
        for reader in others:
            if reader.taken != first.taken:
                line = min(reader.taken, first.taken)
                what, hint = _uneven(reader.taken, shown(first.files[0]), first.taken)
                return reader.error(line, what, hint)
        assert self._ids is not None
        return _wrong_ids(self._ids, first.taken)

    def _split_at_blank_lines(self) -> Iterator[Block]:
        """Number the documents; an empty line must be empty in all texts, and is no segment."""
        documents = segments = blank = 0
        inside = False
        self._starts = []
        for _, *texts in self._read_in_step():
            keep: list[int] = []
            ids: list[str] = []
            for number, line in enumerate(texts[0]):
                if line.strip():
                    if not inside:
                        documents += 1
                        self._starts.append((segments + len(keep), blank))
                    keep.append(number)
                    ids.append(str(documents))
                else:
                    blank += 1
                    self._check_blank(texts, number)
                inside = bool(line.strip())
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


def read_named(arguments: Sequence[str | Path], what: str, *, unescape: bool = False) -> Named:
    """Read texts by path or ``name=path``; names must differ."""
    texts: Named = {}
    for argument in arguments:
        name, path = split_name(argument)
        lines = LineReader(files_of(path), unescape=unescape).take()
        if name in texts:
            raise _duplicate(what, name, texts[name][0], shown(path))
        texts[name] = (shown(path), tuple(lines))
    return texts


def _uneven(lines: int, first: str, expected: int) -> tuple[str, str]:
    """Return message and hint for a text with another number of lines than the first."""
    only, rest = "only ", f"line {expected + 1} has no partner there."
    if lines < expected:
        only, rest = "", f"line {lines + 1} is the first that is missing."
    return (
        f"has {counted(lines, 'line')}, but {first} has {only}{expected}: {rest}",
        "Every text needs one line per segment; translations of whole documents, without such"
        " lines, are cut by --resegment.",
    )


def read_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """Return the sentence pairs of two files, without those that have U+FFFD."""
    first, second = read_lines(source), read_lines(target)
    if len(first) != len(second):
        what, hint = _uneven(len(second), source, len(first))
        line = min(len(first), len(second)) + 1
        raise InputError(what, path=target, line=line, hint=hint)
    kept = [(a, b) for a, b in zip(first, second, strict=True) if "\ufffd" not in a + b]
    lost = len(first) - len(kept)
    if lost:
        warn(f"{counted(lost, 'sentence pair')} with U+FFFD ignored.", path=target, count=lost)
    return kept


def texts_in(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return the text files of a folder that begin with a prefix, by the rest of their stem."""
    texts: dict[str, Path] = {}
    for path in list_folder(folder):
        name = path.name.removesuffix(".gz")
        if not name.endswith(".txt") or not name.startswith(prefix) or not path.is_file():
            continue
        stem = name.removesuffix(".txt").removeprefix(prefix)
        if name.startswith("."):
            continue
        if stem in texts:
            raise InputError(f"is there twice, also as {texts[stem].name}.", path=path)
        texts[stem] = path
    return texts


def is_folder(path: Path) -> bool:
    """Return whether a folder has the shape of a test set."""
    names = [p.name for p in list_folder(path) if p.name.endswith((".txt", ".txt.gz"))]
    return any(n.startswith(("src", "ref")) for n in names) or (path / "systems").is_dir()


def read_folder(path: Path, *, docs: str | Path | None = None, unescape: bool = False) -> TextFiles:
    """Open the texts of a folder; ``docs`` replaces its ``docids.txt``."""
    files = texts_in(path)
    texts: Texts = {}
    for stem, file in files.items():
        if stem.startswith("ref"):
            _add(texts, "reference", file, stem.removeprefix("ref_") or stem)
    if "src" in files:
        texts["source", "source"] = [files["src"]]
    if (path / "systems").is_dir():
        for stem, file in texts_in(path / "systems").items():
            _add(texts, "system", file, stem)
    if not texts:
        hint = "Expected src.txt, ref.txt or systems/*.txt."
        raise InputError("holds no test set.", path=path, hint=hint)
    resolved = path.resolve()
    pair = language_pair(resolved.name)
    if pair and max(len(side.split("_")[0]) for side in resolved.name.split("-")) > 2:
        pair = None  # "new-run" isn't a pair of languages: codes of three letters must be given
    return TextFiles(
        texts,
        docs if docs is not None else files.get("docids"),
        source_lang=pair[0] if pair else None,
        target_lang=pair[1] if pair else None,
        name=(resolved.parent.name if pair else resolved.name) or UNNAMED,
        unescape=unescape,
    )


def write_folder(evalset: EvalSet, path: Path) -> None:
    """Write a folder; languages are kept only by a name like ``xx-yy``."""
    if evalset.source is not None:
        write_lines(evalset.source, path / "src.txt")
    for name, lines in evalset.references.items():
        plain = name.startswith("ref") and not name.startswith("ref_")
        write_lines(lines, path / f"{safe_name(name if plain else 'ref_' + name, 'reference')}.txt")
    for name, lines in evalset.systems.items():
        write_lines(lines, path / "systems" / f"{safe_name(name, 'system')}.txt")
    if evalset.has_documents:
        ids = evalset.document_ids()
        for doc_id in ids:
            if "\t" in doc_id or not doc_id.strip():
                raise InputError(f"document id {doc_id!r} cannot be written to {path}.")
        write_lines(ids, path / "docids.txt")
