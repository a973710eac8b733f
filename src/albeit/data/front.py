"""The front door: read any test set, whole or as rows, and write one in any format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from albeit.data.evalset import EvalSet
from albeit.data.formats import Format, all_formats, by_suffix, format_named, suffix_of
from albeit.data.openings import (
    STDIN,
    beginning,
    files_of,
    list_folder,
    read_bytes,
    readable,
    shown,
)
from albeit.data.rows import Rows, SetRows, gathered
from albeit.data.textio import decode
from albeit.errors import InputError

__all__ = ["detect", "is_test_set", "open_rows", "read", "write"]


def _probed(path: str | Path) -> str | Path:
    """A path that can be looked at: not too long, not forbidden, and without U+0000."""
    with readable(path), suppress(FileNotFoundError, NotADirectoryError):
        Path(path).stat()  # "-", or a language pair of a tree, is none; else opening it says so
    return path


def is_test_set(path: str | Path) -> bool:
    """Whether a path names a whole test set, by its shape or ending, and not one text."""
    return Path(path).is_dir() or by_suffix(path) is not None


def detect(path: str | Path) -> str:
    """The format of a file or folder, from its shape, name, and, last, its beginning."""
    file, path = str(path), Path(_probed(path))
    if file == STDIN:
        raise InputError("the format of standard input must be given.", path=shown(file))
    if path.is_dir():
        return _detect_folder(path)
    tree = "mt-metrics-eval"
    if not path.exists() and path.parent.is_dir() and format_named(tree).looks_like(path.parent):
        return tree
    ending = suffix_of(path)
    by_name = by_suffix(path)
    if by_name is not None and not any(ending in one.under for one in all_formats().values()):
        return by_name
    begin = beginning(file)
    for name, one in all_formats().items():
        asked = by_name is None or ending in one.under
        if asked and one.begins is not None and one.begins(begin):
            return name
    if by_name is not None:
        return by_name
    decode(read_bytes(file), file)
    raise InputError(
        "looks like plain text, which is one text and no test set.",
        path=file,
        hint="Give references and systems together (build_evalset; albeit score REF -i SYSTEM),"
        " or name the format.",
    )


def _detect_folder(path: Path) -> str:
    for name, one in all_formats().items():
        if one.looks_like(path) or ("several" in one.takes and _files(path, one)):
            return name
    raise InputError(
        "the folder has the shape of no known format.",
        path=path,
        hint=f"Known: {'; '.join(f'{k}: {v.about}' for k, v in all_formats().items())}.",
    )


def _files(path: Path, format: Format) -> list[Path]:
    """The files of a folder that end as those of the format do."""
    shown_files = (p for p in list_folder(path) if not p.name.startswith("."))
    return [p for p in shown_files if suffix_of(p) in format.suffixes]


def read(
    path: str | Path | Sequence[str | Path],
    format: str | None = None,
    *,
    name: str | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
    language_pair: str | None = None,
    collection: str | None = None,
    origlang: str | None = None,
    docs: str | Path | None = None,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    unescape: bool = False,
) -> EvalSet:
    """Read a test set in any known format.

    :param path: a file, a folder, or several files (SGML, XML and tables); a path with wildcards
        stands for several
    :param format: the format's name; by default it is detected
    :param name: what the set is called, in place of what the format says
    :param source_lang: the language translated from, in place of what the format says
    :param target_lang: the language translated into, in place of what the format says
    :param language_pair: which pair of an mt-metrics-eval tree
    :param collection: which collection of WMT XML
    :param origlang: only documents first written in this language
    :param docs: document ids for a folder
    :param references: only these references, in this order
    :param systems: only these systems, in this order
    :param unescape: resolve HTML entities in the text

    >>> import albeit
    >>> list(albeit.read("examples/demo", systems=["careful", "blunt"]).systems)
    ['careful', 'blunt']
    """
    options = {
        "language_pair": language_pair,
        "collection": collection,
        "docs": docs,
        "origlang": origlang,
    }
    found = _found(path, format, options, references, systems, unescape)
    evalset = found if isinstance(found, EvalSet) else gathered(found)
    if systems is not None or references is not None:
        evalset = evalset.select(systems, references)
    if name is None and source_lang is None and target_lang is None:
        return evalset
    return evalset.relabel(name=name, source_lang=source_lang, target_lang=target_lang)


def open_rows(
    path: str | Path | Sequence[str | Path],
    format: str | None = None,
    *,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    unescape: bool = False,
    **options: Any,
) -> Rows:
    """The rows of a test set in any known format; options are those of :func:`read`."""
    found = _found(path, format, options, references, systems, unescape)
    return SetRows(found) if isinstance(found, EvalSet) else found


def _found(
    path: str | Path | Sequence[str | Path],
    format: str | None,
    options: Mapping[str, Any],
    references: Sequence[str] | None,
    systems: Sequence[str] | None,
    unescape: bool,
) -> EvalSet | Rows:
    """What the format makes of the files: a set, or rows of one."""
    if not isinstance(path, Iterable | Path):
        raise InputError(f"{path!r} is no path.", hint="Give a path, or a list of them.")
    given = [path] if isinstance(path, str | Path) else list(path)
    paths = [file for each in given for file in files_of(_probed(each))]
    if not paths:
        raise InputError("no file to read was named.")
    format = format or detect(paths[0])
    chosen = format_named(format)
    choices: dict[str, Any] = {"unescape": unescape}
    for option, value in options.items():
        if value is not None and option not in chosen.takes:
            raise InputError(f"{option} says nothing to format {format!r}.", path=shown(paths[0]))
        if value is not None:
            choices[option] = value
    choices |= {
        option: value
        for option, value in (("references", references), ("systems", systems))
        if option in chosen.takes
    }
    several = "several" in chosen.takes
    if len(paths) > 1 and not several:
        raise InputError(f"format {format!r} is read from one path.", path=shown(paths[1]))
    files = _all_files(paths, chosen) if several else paths
    if chosen.rows is not None:
        return chosen.rows(files, **choices)
    if chosen.read is None:
        raise InputError(f"format {format!r} can only be written.", path=shown(paths[0]))
    return chosen.read(list(map(Path, files)) if several else Path(files[0]), **choices)


def _all_files(paths: Sequence[str], format: Format) -> list[str]:
    """The files named, and in the place of a folder those in it."""
    found: list[str] = []
    for path in paths:
        inside = list(map(str, _files(Path(path), format))) if Path(path).is_dir() else [path]
        if not inside:
            raise InputError(f"has no {' or '.join(format.suffixes)} files.", path=path)
        found += inside
    return found


def write(evalset: EvalSet, path: str | Path, format: str | None = None) -> None:
    """Write a test set.

    :param evalset: the test set
    :param path: where to; ``-`` is standard output, for formats that are one file
    :param format: the format's name; by default the ending of the path says it, or a folder

    >>> import albeit
    >>> albeit.write(albeit.read("examples/demo"), "demo.jsonl")  # doctest: +SKIP
    """
    path = Path(path)
    format = format or by_suffix(path) or _folder(path)
    chosen = format_named(format)
    if chosen.write is None:
        raise InputError(f"format {format!r} is only read, not written.", path=path)
    if str(path) == STDIN and not chosen.suffixes:
        raise InputError(
            f"format {format!r} is a folder, and standard output is none.",
            hint="Name a file, or a format that is one file: jsonl, tsv, xml or sgml.",
        )
    chosen.write(evalset, path)


def _folder(path: Path) -> str:
    """The format of a path whose ending says none: a folder, unless it ends as files do."""
    ending = suffix_of(path)
    if ending[1:].isalpha() and not path.is_dir():
        known = ", ".join(suffix for one in all_formats().values() for suffix in one.suffixes)
        raise InputError(
            f"its ending {ending!r} says no format that albeit knows.",
            path=path,
            hint=f"Known endings: {known}. A folder has none; or name the format.",
        )
    return "folder"
