"""A test set from text files: one file a text, one line a segment.

This is what the command line uses: references, systems, perhaps a source and a file of
document ids, each a path, ``name=path``, or ``-`` for standard input.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from albeit.corpus.evalset import Document, EvalSet, documents_from_ids
from albeit.corpus.textio import STDIN, counted, read_lines, read_text, shown, split_lines, warn
from albeit.errors import InputError, LanguageError
from albeit.languages import normalise

__all__ = ["BLANK_LINES", "build_evalset", "name_of", "read_docids"]

BLANK_LINES = "blank-lines"
"""As ``docs``: an empty line in the texts ends a document."""

Lines = tuple[str, ...]
Named = dict[str, tuple[str, Lines]]
"""Name to (file, lines)."""


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
    name = shown(path)
    ids = tuple(line.split("\t", 1)[0] for line in split_lines(read_text(path)))
    for number, doc_id in enumerate(ids, 1):
        if not doc_id.strip():
            raise InputError("the line has no document id.", path=name, line=number)
    if n is not None and len(ids) != n:
        raise InputError(
            f"has {counted(len(ids), 'document id')}, but the texts have {counted(n, 'segment')}.",
            path=name,
            line=min(len(ids), n) + 1,
            hint="It needs one line a segment.",
        )
    return ids


def build_evalset(
    refs: Sequence[str | Path],
    systems: Sequence[str | Path],
    *,
    source: str | Path | None = None,
    docs: str | Path | None = None,
    source_lang: str | None = None,
    target_lang: str = "en",
    name: str = "evalset",
    unescape: bool = False,
) -> EvalSet:
    """Read text files into a test set.

    ``refs`` and ``systems`` are paths or ``name=path``; a text is otherwise named after
    its file. At most one of all paths may be ``-``. ``docs`` is a file of document ids,
    or :data:`BLANK_LINES`: then an empty line, in the same place in every text, ends a
    document and is no segment.
    """
    arguments = [*refs, *systems, *([source] if source else []), *([docs] if docs else [])]
    if sum(split_name(a)[1] == STDIN for a in arguments) > 1:
        raise InputError("standard input is named more than once.", hint="Only one text can be -.")
    read_refs = read_named(refs, "reference", unescape=unescape)
    read_systems = read_named(systems, "system", unescape=unescape)
    read_source = None
    if source is not None:
        read_source = (shown(source), read_lines(source, unescape=unescape))
    return assemble(
        read_refs,
        read_systems,
        read_source,
        docs=docs,
        source_lang=source_lang,
        target_lang=target_lang,
        name=name,
    )


def read_named(arguments: Sequence[str | Path], what: str, *, unescape: bool = False) -> Named:
    """Read texts by path or ``name=path``; names must differ."""
    texts: Named = {}
    for argument in arguments:
        name, path = split_name(argument)
        add_named(texts, name, shown(path), read_lines(path, unescape=unescape), what)
    return texts


def add_named(texts: Named, name: str, path: str, lines: Lines, what: str) -> None:
    """Add one text, unless there is one of that name."""
    if name in texts:
        raise InputError(
            f"there is a {what} {name!r} already, from {texts[name][0]}.",
            path=path,
            hint="Give each its own name: NAME=FILE.",
        )
    texts[name] = (path, lines)


def assemble(
    refs: Named,
    systems: Named,
    source: tuple[str, Lines] | None,
    *,
    docs: str | Path | None,
    source_lang: str | None,
    target_lang: str,
    name: str,
) -> EvalSet:
    """Check that all texts have the same length, cut documents, and make the set."""
    texts = [*([source] if source else []), *refs.values(), *systems.values()]
    if not texts:
        raise InputError(f"{name} holds no text: no source, reference or system.")
    # The reference is what others are measured against, so messages name it first.
    check_parity([*refs.values(), *texts])
    documents: tuple[Document, ...] = ()
    if docs is not None and str(docs) == BLANK_LINES:
        keep, documents = _cut_at_blank_lines([*refs.values(), *texts])
        refs, systems = _pick(refs, keep), _pick(systems, keep)
        source = (source[0], tuple(source[1][i] for i in keep)) if source else None
    elif docs is not None:
        documents = documents_from_ids(read_docids(docs, len(texts[0][1])), path=shown(docs))
    return EvalSet(
        references=_texts(refs),
        systems=_texts(systems),
        source=source[1] if source else None,
        documents=documents,
        source_lang=source_lang,
        target_lang=target_lang,
        name=name,
    )


def _texts(named: Named) -> Mapping[str, Lines]:
    return {name: lines for name, (_, lines) in named.items()}


def _pick(named: Named, keep: Sequence[int]) -> Named:
    return {n: (path, tuple(lines[i] for i in keep)) for n, (path, lines) in named.items()}


def check_parity(texts: Sequence[tuple[str, Lines]]) -> None:
    """Raise unless all texts have as many lines as the first."""
    first, expected = texts[0][0], len(texts[0][1])
    for path, lines in texts[1:]:
        if len(lines) < expected:
            raise InputError(
                f"has {counted(len(lines), 'line')}, but {first} has {expected}:"
                f" line {len(lines) + 1} is the first that is missing.",
                path=path,
                line=len(lines) + 1,
                hint="Every text needs one line a segment.",
            )
        if len(lines) > expected:
            raise InputError(
                f"has {counted(len(lines), 'line')}, but {first} has only {expected}:"
                f" line {expected + 1} has no partner there.",
                path=path,
                line=expected + 1,
                hint="Every text needs one line a segment.",
            )


def _cut_at_blank_lines(
    texts: Sequence[tuple[str, Lines]],
) -> tuple[list[int], tuple[Document, ...]]:
    """The lines that are segments, and their documents; the first text sets the cuts."""
    first, lines = texts[0]
    keep: list[int] = []
    documents: list[Document] = []
    start = 0
    for i, line in enumerate([*lines, ""]):
        if line.strip():
            keep.append(i)
            continue
        if len(keep) > start:
            documents.append(Document(str(len(documents) + 1), start, len(keep)))
            start = len(keep)
        for path, other in texts[1:] if i < len(lines) else ():
            if other[i].strip():
                raise InputError(
                    f"the line is not empty, but ends a document in {first}.",
                    path=path,
                    line=i + 1,
                    hint="Empty lines must stand in the same places in every text.",
                )
    if not documents:
        raise InputError("has no lines with text.", path=first)
    if len(documents) == 1:
        all_of_them = counted(len(keep), "segment")
        warn(f"no empty line between segments: all {all_of_them} are one document.", path=first)
    return keep, tuple(documents)


_PAIR = re.compile(r"([a-z]{2,3}(?:_[A-Za-z]+)?)-([a-z]{2,3}(?:_[A-Za-z]+)?)")


def language_pair(name: str) -> tuple[str, str] | None:
    """``"cs-en"`` to ``("cs", "en")``, ``"en-zh_TW"`` to ``("en", "zh")``; ``None`` for the rest."""
    match = _PAIR.fullmatch(name)
    try:
        return (normalise(match[1]), normalise(match[2])) if match else None
    except LanguageError:
        return None
