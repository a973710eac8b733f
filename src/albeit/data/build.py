"""A test set from text files: one file per text, one line per segment.

This is what the command line uses: references, systems, perhaps a source and a file of
document ids, each a path, ``name=path``, or ``-`` for standard input. Wildcards in a path stand
for several files, read as one text.

Sentence pairs from two files of lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from albeit.data.evalset import UNNAMED, EvalSet
from albeit.data.openings import File, files_of
from albeit.data.rows import AT_ONCE, Block, Head, Kind, gathered
from albeit.data.textio import STDIN, LineReader, counted, read_lines, shown, warn
from albeit.errors import InputError, LanguageError
from albeit.languages import normalise

__all__ = [
    "BLANK_LINES",
    "TextRows",
    "build_evalset",
    "name_of",
    "read_docids",
    "read_pairs",
    "text_rows",
]


BLANK_LINES = "blank-lines"
"""As ``docs``: an empty line in the texts ends a document."""

Lines = tuple[str, ...]
Named = dict[str, tuple[str, Lines]]
"""Name to (file, lines)."""
Texts = dict[tuple[Kind, str], Sequence[File]]
"""Kind and name of a text, and the files that it is read from."""


def name_of(path: str | Path) -> str:
    """The name a file gives its text: without folder, ``.gz``, ``.zst`` and extension.

    An extension is letters only, so ``uedin.2884`` keeps its number.
    """
    if str(path) == STDIN:
        return "stdin"
    name = Path(path).name.removesuffix(".gz").removesuffix(".zst")
    stem, dot, extension = name.rpartition(".")
    return stem if dot and stem and extension.isalpha() else name


def named_path(argument: str | Path) -> tuple[str | None, str]:
    """``name=path`` to its parts; a plain path has no name. An existing file wins."""
    text = str(argument)
    name, equals, path = text.partition("=")
    if equals and name and path and "/" not in name and not _exists(text):
        return name, path
    return None, text


def split_name(argument: str | Path) -> tuple[str, str]:
    """``name=path`` to its parts; a plain path names itself."""
    name, path = named_path(argument)
    return name or name_of(path), path


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def read_docids(path: str | Path, n: int | None = None) -> Lines:
    """The document id of every segment: the first tab-separated column of each line.

    With ``n``, the number of segments, a file of any other length is an error.
    """
    reader = LineReader([path], plain=False)
    ids = _ids(reader.take(), reader)
    if n is not None and len(ids) != n:
        raise _other_ids(reader, n)
    return tuple(ids)


def _ids(lines: Sequence[str], reader: LineReader) -> list[str]:
    """The document ids on the lines that were taken last."""
    ids = [line.split("\t", 1)[0] for line in lines]
    if not all(map(str.strip, ids)):
        empty = next(number for number, doc_id in enumerate(ids) if not doc_id.strip())
        raise reader.error(reader.taken - len(lines) + empty, "the line has no document id.")
    return ids


def _other_ids(reader: LineReader, segments: int) -> InputError:
    ids = reader.taken
    return reader.error(
        min(ids, segments),
        f"has {counted(ids, 'document id')}, but the texts have {counted(segments, 'segment')}.",
        "It needs one line per segment.",
    )


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
    :param source_lang: the language translated from
    :param target_lang: the language translated into
    :param name: what the set is called
    :param unescape: resolve HTML entities in the text

    >>> import albeit
    >>> demo = "examples/demo"
    >>> albeit.build_evalset([f"{demo}/ref.A.txt"], [f"new={demo}/systems/blunt.txt"]).systems.keys()
    dict_keys(['new'])
    """
    return gathered(
        text_rows(
            refs,
            systems,
            source=source,
            docs=docs,
            source_lang=source_lang,
            target_lang=target_lang,
            name=name,
            unescape=unescape,
        )
    )


def text_rows(
    refs: Sequence[str | Path],
    systems: Sequence[str | Path],
    *,
    source: str | Path | None = None,
    docs: str | Path | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    name: str = UNNAMED,
    unescape: bool = False,
) -> TextRows:
    """The rows of text files, named as :func:`build_evalset` takes them."""
    for what, given in (("refs", refs), ("systems", systems)):
        if isinstance(given, str | Path) or not isinstance(given, Iterable):
            raise InputError(
                f"{what} are {str(given)!r}, not a list.", hint="Give a list of paths: [PATH]."
            )
    texts: Texts = {}
    for argument in refs:
        _add(texts, "reference", argument)
    if source is not None:
        texts["source", "source"] = files_of(source)
    for argument in systems:
        _add(texts, "system", argument)
    return TextRows(
        texts,
        docs,
        name=name,
        source_lang=source_lang,
        target_lang=target_lang,
        unescape=unescape,
    )


def _add(texts: Texts, kind: Kind, argument: str | Path) -> None:
    """Add the text that a path or ``name=path`` names, unless there is one of that name."""
    name, path = named_path(argument)
    files = files_of(path)
    key = (kind, name or name_of(files[0]))
    if key in texts:
        raise _namesake(kind, key[1], shown(texts[key][0]), shown(files[0]))
    texts[key] = files


def _namesake(what: str, name: str, first: str, second: str) -> InputError:
    return InputError(
        f"there is a {what} {name!r} already, from {first}.",
        path=second,
        hint="Give each its own name: NAME=FILE.",
    )


class TextRows:
    """References, systems, perhaps a source and document ids, side by side."""

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
        self._blank = docs is not None and str(docs) == BLANK_LINES
        self.head = Head(tuple(texts), docs is not None, name, source_lang, target_lang)
        self._readers = [LineReader(files, unescape=unescape) for files in texts.values()]
        self._begun: list[tuple[int, int]] = []
        """The first row of each document, and how many empty lines stand before it."""
        self._ids: LineReader | None = None
        if docs is not None and not self._blank:
            files = files_of(docs) if isinstance(docs, str | Path) else [docs]
            self._ids = LineReader(files, plain=False)
        if sum(str(file) == STDIN for reader in self._all for file in reader.files) > 1:
            raise InputError(
                "standard input is named more than once.", hint="Only one text can be -."
            )

    @property
    def _all(self) -> list[LineReader]:
        return [*self._readers, *([self._ids] if self._ids else [])]

    @property
    def share(self) -> float:
        """As far as the first text is read."""
        return self._readers[0].share

    def place(self, row: int) -> tuple[str, int]:
        """Where the document ids stand, or else the first text."""
        return (self._ids or self._readers[0]).place(self._line(row))

    def place_in(self, kind: Kind, name: str, row: int) -> tuple[str, int]:
        """File and line of a row, counted from 0, in the text of this kind and name."""
        return self._readers[self.head.columns.index((kind, name))].place(self._line(row))

    def _line(self, row: int) -> int:
        """The line that a row is, both from 0: empty lines that end documents are no rows."""
        begun = bisect_right(self._begun, row, key=itemgetter(0)) - 1
        return row + self._begun[begun][1] if begun >= 0 else row

    def blocks(self) -> Iterator[Block]:
        """All segments from the first on."""
        self._readers = [reader.again() for reader in self._readers]
        self._ids = self._ids and self._ids.again()
        return self._by_blank_lines() if self._blank else self._together()

    def _together(self) -> Iterator[Block]:
        """Lines of each text, which must end together."""
        while True:
            texts = [reader.take(AT_ONCE) for reader in self._readers]
            ids = self._ids.take(AT_ONCE) if self._ids else [""] * len(texts[0])
            if len({len(ids), *map(len, texts)}) > 1:
                raise self._unequal()
            if not ids:
                return
            yield (_ids(ids, self._ids) if self._ids else ids, *texts)

    def _unequal(self) -> InputError:
        """Texts end at different lines: all are read to their ends, to say how long they are."""
        for reader in self._all:
            while reader.take(AT_ONCE):
                pass
        first, *others = self._readers
        for reader in others:
            if reader.taken != first.taken:
                return _unequal(reader, first.taken, shown(first.files[0]))
        assert self._ids is not None
        return _other_ids(self._ids, first.taken)

    def _by_blank_lines(self) -> Iterator[Block]:
        """Documents are numbered; an empty line must be one in all texts, and is no segment."""
        documents = segments = before = 0
        inside = False
        self._begun = []
        for _, *texts in self._together():
            keep: list[int] = []
            ids: list[str] = []
            for number, line in enumerate(texts[0]):
                if line.strip():
                    if not inside:
                        documents += 1
                        self._begun.append((segments + len(keep), before))
                    keep.append(number)
                    ids.append(str(documents))
                else:
                    before += 1
                    self._check_blank(texts, number)
                inside = bool(line.strip())
            segments += len(keep)
            if keep:
                yield (ids, *([text[number] for number in keep] for text in texts))
        path = shown(self._readers[0].files[0])
        if not documents:
            raise InputError("has no lines with text.", path=path)
        if documents == 1:
            all_of_them = counted(segments, "segment")
            warn(f"no empty line between segments: all {all_of_them} are one document.", path=path)

    def _check_blank(self, texts: Sequence[Sequence[str]], number: int) -> None:
        for reader, text in zip(self._readers, texts, strict=True):
            if text[number].strip():
                raise reader.error(
                    reader.taken - len(text) + number,
                    "the line is not empty, but ends a document in"
                    f" {shown(self._readers[0].files[0])}.",
                    "Empty lines must stand in the same places in every text.",
                )


def read_named(arguments: Sequence[str | Path], what: str, *, unescape: bool = False) -> Named:
    """Read texts by path or ``name=path``; names must differ."""
    texts: Named = {}
    for argument in arguments:
        name, path = split_name(argument)
        lines = LineReader(files_of(path), unescape=unescape).take()
        if name in texts:
            raise _namesake(what, name, texts[name][0], shown(path))
        texts[name] = (shown(path), tuple(lines))
    return texts


def check_parity(texts: Sequence[tuple[str, Lines]]) -> None:
    """Raise unless all texts have as many lines as the first."""
    first, expected = texts[0][0], len(texts[0][1])
    for path, lines in texts[1:]:
        if len(lines) != expected:
            what, hint = _uneven(len(lines), first, expected)
            line = min(len(lines), expected) + 1
            raise InputError(what, path=path, line=line, hint=hint)


def _unequal(reader: LineReader, expected: int, first: str) -> InputError:
    return reader.error(min(reader.taken, expected), *_uneven(reader.taken, first, expected))


def _uneven(lines: int, first: str, expected: int) -> tuple[str, str]:
    """What is wrong with a text of so many lines, and what to do."""
    only, rest = (
        ("", f"line {lines + 1} is the first that is missing.")
        if lines < expected
        else ("only ", f"line {expected + 1} has no partner there.")
    )
    return (
        f"has {counted(lines, 'line')}, but {first} has {only}{expected}: {rest}",
        "Every text needs one line per segment; translations of whole documents, without such"
        " lines, are cut by --resegment.",
    )


_PAIR = re.compile(r"([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)")


def language_pair(name: str) -> tuple[str, str] | None:
    """``"cs-en"`` to ``("cs", "en")``, ``"en-zh_TW"`` to ``("en", "zh")``; ``None`` for the rest."""
    match = _PAIR.fullmatch(name)
    try:
        return (normalise(match[1]), normalise(match[2])) if match else None
    except LanguageError:
        return None


def read_pairs(source: str, target: str) -> list[tuple[str, str]]:
    """The sentence pairs of two files; pairs with characters that were lost are left out."""
    first, second = read_lines(source), read_lines(target)
    check_parity([(source, first), (target, second)])
    kept = [(a, b) for a, b in zip(first, second, strict=True) if "\ufffd" not in a + b]
    lost = len(first) - len(kept)
    if lost:
        warn(f"{counted(lost, 'sentence pair')} with U+FFFD left out.", path=target, count=lost)
    return kept
