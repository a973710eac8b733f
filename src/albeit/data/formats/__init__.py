"""The formats of test sets: one module each, imported when it is needed and only then.

A format is a :class:`Format` value. Ours are one line each in :data:`BUILTIN`; other packages
add theirs by the entry point group ``albeit.formats`` (name = "package.module:VALUE").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from albeit.data.evalset import EvalSet
from albeit.data.plugins import loaded, plugins
from albeit.data.rows import Rows
from albeit.errors import InputError

__all__ = ["BUILTIN", "GROUP", "Format", "all_formats", "by_suffix", "format_named", "suffix_of"]

GROUP = "albeit.formats"


def _no_folder(path: Path) -> bool:
    return False


@dataclass(frozen=True)
class Format:
    """How test sets of one kind are recognised, read and written.

    A format is read as rows, or as a whole; one of ``rows`` and ``read`` is enough, since whole
    sets are made of rows, and a set in memory has rows. Files are known by their ``suffixes``;
    those that go under another format's ending, or under none, by ``begins``.

    :param about: what it is, in a few words
    :param read: ``read(path, *, unescape)`` makes an :class:`EvalSet` of a file or folder
    :param write: ``write(evalset, path)``; a format without it is only read
    :param looks_like: whether a folder is one
    :param begins: whether a text that begins so is one
    :param suffixes: endings of files that are known by them
    :param under: endings of other formats under which files of this one go too
    :param takes: options of :func:`albeit.read` that ``read`` and ``rows`` get too: ``docs``,
        ``collection``, ``language_pair``, ``origlang``, ``references``, ``systems``; ``several``:
        more than one path, for ``read`` then a list of paths instead of one
    :param rows: ``rows(paths, *, unescape)`` opens files as :class:`albeit.data.Rows`, so that
        sets of any length can be read in batches

    >>> import albeit
    >>> def read_lines(path, *, unescape):
    ...     lines = tuple(path.read_text(encoding="utf-8").splitlines())
    ...     return albeit.EvalSet({}, {path.stem: lines})
    >>> albeit.Format("bare lines", read=read_lines, suffixes=(".lines",)).suffixes
    ('.lines',)
    """

    about: str
    read: Callable[..., EvalSet] | None = None
    write: Callable[[EvalSet, Path], None] | None = None
    looks_like: Callable[[Path], bool] = _no_folder
    begins: Callable[[str], bool] | None = None
    suffixes: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()
    rows: Callable[..., Rows] | None = None


def _ours(
    name: str, about: str, has: str, suffixes: str = "", under: str = "", takes: str = ""
) -> Format:
    """A format of ours, whose functions are looked up in its module when they are called."""

    def later(function: str) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            found = getattr(import_module(f"albeit.data.formats.{name}"), function)
            return found(*args, **options)

        return call

    functions = {function: later(function) for function in has.split()}
    return Format(
        about,
        **functions,
        suffixes=tuple(suffixes.split()),
        under=tuple(under.split()),
        takes=frozenset(takes.split()),
    )


BUILTIN: dict[str, Format] = {
    "mt-metrics-eval": _ours(
        "mtme",
        "the directory tree of mt-metrics-eval, one language pair of it",
        "read write looks_like",
        takes="language_pair",
    ),
    "folder": _ours(
        "folder",
        "src.txt, ref*.txt, systems/*.txt, docids.txt in a folder",
        "rows write looks_like",
        takes="docs",
    ),
    "sgml": _ours(
        "sgml",
        "WMT SGML: srcset, refset, tstset, in one file or several",
        "read write begins",
        ".sgm .sgml",
        ".xml",
        "several references systems origlang",
    ),
    "xml": _ours(
        "wmtxml",
        "WMT XML (2021 on): dataset, doc, src, ref, hyp",
        "read write begins",
        ".xml",
        takes="several references systems collection origlang",
    ),
    "jsonl": _ours(
        "jsonl",
        "one JSON object a segment",
        "rows write begins",
        ".jsonl .json .ndjson",
        takes="several",
    ),
    "tsv": _ours(
        "tsv",
        "a table with a header: doc_id, source, ref:NAME, sys:NAME",
        "rows write begins",
        ".tsv",
        takes="several",
    ),
    "parquet": _ours(
        "parquet",
        "the columns of a TSV as Parquet",
        "rows write begins",
        ".parquet",
        takes="several",
    ),
}
"""In the order in which a folder, or the beginning of a file, is tried on them."""


@cache
def all_formats() -> dict[str, Format]:
    """All formats by name, those of other packages last."""
    found = dict(BUILTIN)
    for name, target in plugins(GROUP).items():
        made = loaded("format", name, target)
        if not isinstance(made, Format):
            raise InputError(f"the plug-in {target!r} for format {name!r} is not an albeit Format.")
        found.setdefault(name, made)
    return found


def format_named(name: str) -> Format:
    """A format by its name."""
    found = all_formats().get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}.", hint=f"Known: {', '.join(all_formats())}.")
    return found


def suffix_of(path: str | PurePath) -> str:
    """The ending of a file's name in lower case, ``.gz`` and ``.zst`` aside."""
    return PurePath(PurePath(path).name.lower().removesuffix(".gz").removesuffix(".zst")).suffix


def by_suffix(path: str | PurePath) -> str | None:
    """The format that files with this ending are in, if nothing else is known of them."""
    ending = suffix_of(path)
    return next((name for name, one in all_formats().items() if ending in one.suffixes), None)
