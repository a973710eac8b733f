"""Read a test set in any known format, and write one.

A format is a :class:`Format` value. Other packages add theirs by the entry point group
``albeit.formats`` (name = "package.module:VALUE"). The modules of formats are imported when they
are used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

from albeit.data.corpus import Corpus, LoadedCorpus
from albeit.data.evalset import EvalSet
from albeit.data.files import STDIN, AnyPath, beginning, files_of, list_folder, readable, shown
from albeit.data.plugins import imported, loaded, plugins
from albeit.data.textio import read_text
from albeit.errors import InputError

Paths = AnyPath | Sequence[AnyPath]


class Format(NamedTuple):
    """How test sets of one format are recognized, read, and written.

    :param about: a short description
    :param read: ``read(path, *, unescape)`` returns an :class:`EvalSet`, or an
        :class:`albeit.data.Corpus` that can be read in partitions
    :param write: ``write(evalset, path)``; a format without it is only read
    :param looks_like: whether a folder is one
    :param begins: whether a file with this beginning is one
    :param suffixes: endings of its files
    :param under: endings of other formats that its files can have too
    :param takes: options of :func:`albeit.read` that ``read`` gets too: ``docs``, ``collection``,
        ``language_pair``, ``origlang``, ``references``, ``systems``; ``several``: a list of paths
        (as strings) in place of one path

    >>> import albeit
    >>> def read_lines(path, *, unescape):
    ...     lines = tuple(path.read_text(encoding="utf-8").splitlines())
    ...     return albeit.EvalSet({}, {path.stem: lines})
    >>> albeit.Format("bare lines", read=read_lines, suffixes=(".lines",)).suffixes
    ('.lines',)
    """

    about: str
    read: Callable[..., EvalSet | Corpus] | None = None
    write: Callable[[EvalSet, Path], None] | None = None
    looks_like: Callable[[Path], bool] = lambda _: False
    begins: Callable[[str], bool] | None = None
    suffixes: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()


def _lazy(target: str) -> Callable[..., Any]:
    """Return a function of a module here that is imported when it is called."""

    def call(*args: Any, **options: Any) -> Any:
        return imported(f"albeit.data.{target}")(*args, **options)

    return call


def _of_folder(name: str, about: str, option: str) -> Format:
    read, write, looks_like = (_lazy(f"folders:{verb}_{name}") for verb in ("read", "write", "is"))
    return Format(about, read, write, looks_like, takes=frozenset({option}))


def _of_files(
    kind: str, about: str, begins: str, suffixes: str, takes: str = "", under: str = ""
) -> Format:
    """Return a format of one file or several; options and endings are separated by spaces."""
    module, _, name = kind.partition(":")
    return Format(
        about,
        _lazy(f"{module}:read_{name}"),
        _lazy(f"{module}:write_{name}"),
        begins=lambda text: re.search(begins, text, re.IGNORECASE) is not None,
        suffixes=tuple(suffixes.split()),
        under=tuple(under.split()),
        takes=frozenset({"several", *takes.split()}),
    )


_CHOICES = "references systems origlang"
_SGML = r"<(?:mteval|srcset|refset|tstset)\b"
_TSV = "a table with a header: doc_id, source, ref:NAME, sys:NAME"
_XML = "WMT XML (2021 on): dataset, doc, src, ref, hyp"
_WMT_JSON = r'\A\s*\{(?s:.)*?(?<!\\)"(item_id|src_text|tgt_text|hyps)"\s*:'
_FORMATS = {
    "mt-metrics-eval": _of_folder(
        "tree", "the directory tree of mt-metrics-eval, one language pair of it", "language_pair"
    ),
    "folder": _of_folder(
        "folder", "src.txt, ref*.txt, systems/*.txt, docids.txt in a folder", "docs"
    ),
    "sgml": _of_files(
        "markup:sgml",
        "WMT SGML: srcset, refset, tstset, in one file or several",
        _SGML,
        ".sgm .sgml",
        _CHOICES,
        under=".xml",
    ),
    "xml": _of_files("wmtxml:xml", _XML, r"\A\s*<", ".xml", f"{_CHOICES} collection"),
    "wmt-json": Format(
        "WMT's JSON lines: human evaluation since 2025, input of the metrics task of 2026",
        _lazy("marked:read_wmtjson"),
        begins=lambda text: re.search(_WMT_JSON, text) is not None,
        under=(".jsonl", ".json"),
        takes=frozenset({"language_pair"}),
    ),
    "jsonl": _of_files(
        "tables:jsonl", "one JSON object per segment", r"\A\s*\{", ".jsonl .json .ndjson"
    ),
    "tsv": _of_files("tables:tsv", _TSV, r"\A([^\n]*\t)?(?-i:sys|ref):", ".tsv"),
    "parquet": _of_files(
        "tables:parquet", "the columns of a TSV as Parquet", r"\A(?-i:PAR1)", ".parquet"
    ),
}
"""In the order in which a folder, or the beginning of a file, is compared with them."""


@cache
def _formats() -> dict[str, Format]:
    """Return all formats by name, those of other packages last."""
    formats = dict(_FORMATS)
    for name, target in plugins("albeit.formats").items():
        one = loaded("format", name, target)
        if not isinstance(one, Format):
            raise InputError(f"the plug-in {target!r} for format {name!r} is not an albeit Format.")
        formats.setdefault(name, one)
    return formats


def _format(name: str) -> Format:
    if name not in _formats():
        raise InputError(f"unknown format {name!r}.", hint=f"Known: {', '.join(_formats())}.")
    return _formats()[name]


def _suffix(path: AnyPath) -> str:
    """Return the ending of a file's name in lower case, without ``.gz`` and ``.zst``."""
    return Path(Path(path).name.lower().removesuffix(".gz").removesuffix(".zst")).suffix


def _by_suffix(path: AnyPath) -> str | None:
    return next((name for name, one in _formats().items() if _suffix(path) in one.suffixes), None)


def is_test_set(path: AnyPath) -> bool:
    """Return whether a path is a whole test set, by its shape or ending, not one text."""
    return Path(path).is_dir() or _by_suffix(path) is not None


def detect(path: AnyPath) -> str:
    """Return the format of a file or folder, by its shape, name, and, last, its beginning."""
    file, path = str(path), Path(path)
    if file == STDIN:
        raise InputError("the format of standard input must be given.", path=shown(file))
    if path.is_dir():
        return _detect_folder(path)
    tree = "mt-metrics-eval"
    if not path.exists() and path.parent.is_dir() and _format(tree).looks_like(path.parent):
        return tree
    by_name, ending = _by_suffix(path), _suffix(path)
    rivals = [name for name, one in _formats().items() if by_name is None or ending in one.under]
    text = beginning(file) if rivals else ""
    for name in rivals:
        begins = _format(name).begins
        if begins is not None and begins(text):
            return name
    if by_name is not None:
        return by_name
    read_text(file)
    what = "looks like plain text, and no system output is given."
    hint = "Name it with -i: albeit score REF.txt -i SYSTEM.txt. In Python: albeit.build_evalset."
    raise InputError(what, file, hint=hint)


def _detect_folder(path: Path) -> str:
    for name, one in _formats().items():
        if one.looks_like(path) or ("several" in one.takes and _files(path, one)):
            return name
    known = "; ".join(f"{name}: {one.about}" for name, one in _formats().items())
    raise InputError("the folder doesn't match a known format.", path=path, hint=f"{known}.")


def _files(path: Path, format: Format) -> list[str]:
    """Return the files of a folder that have the endings of the format."""
    visible = (p for p in list_folder(path) if not p.name.startswith("."))
    return [str(p) for p in visible if _suffix(p) in format.suffixes]


class ReadOptions(TypedDict, total=False):
    """The options of :func:`read`."""

    name: str | None
    source_lang: str | None
    target_lang: str | None
    language_pair: str | None
    collection: str | None
    origlang: str | None
    docs: AnyPath | None
    references: Sequence[str] | None
    systems: Sequence[str] | None
    unescape: bool


def read(path: Paths, format: str | None = None, **options: Unpack[ReadOptions]) -> EvalSet:
    """Read a test set in any known format.

    :param path: a file, a folder, or several files (SGML, XML, and tables); a path can have
        wildcards
    :param format: the name of the format; by default it is detected
    :param options: ``name``, ``source_lang``, and ``target_lang`` replace those in the files.
        ``references`` and ``systems`` choose texts by name, in this order. ``language_pair``
        chooses in an mt-metrics-eval tree, ``collection`` in WMT XML, ``origlang`` documents with
        this original language. ``docs`` are document ids for a folder. ``unescape`` resolves HTML
        entities in the text.
    :return: the test set

    >>> import albeit
    >>> list(albeit.read("examples/demo", systems=["careful", "blunt"]).systems)
    ['careful', 'blunt']
    """
    return open_corpus(path, format, **options).evalset()


def open_corpus(path: Paths, format: str | None = None, **options: Unpack[ReadOptions]) -> Corpus:
    """Open a test set in any known format, to be read in partitions; see :func:`read`.

    Text, TSV, JSON lines, Parquet, and folders are read on demand, other formats into memory.
    """
    if not isinstance(path, Iterable | Path):
        raise InputError(f"{path!r} isn't a path.", hint="Give a path, or a list of them.")
    given = [path] if isinstance(path, str | Path) else list(path)
    for each in given:
        with readable(each), suppress(FileNotFoundError, NotADirectoryError):
            Path(each).stat()  # raises for paths that are too long, forbidden, or have U+0000
    paths = [file for each in given for file in files_of(each)]
    if not paths:
        raise InputError("no file to read was named.")
    format = format or detect(paths[0])
    one = _format(format)
    if one.read is None:
        raise InputError(f"format {format!r} can only be written.", path=shown(paths[0]))
    wanted: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    labels = {key: wanted.pop(key, None) for key in ("name", "source_lang", "target_lang")}
    chosen = {key: wanted.get(key) for key in ("references", "systems")}
    for option in wanted.keys() - one.takes - chosen.keys() - {"unescape"}:
        raise InputError(f"{option} isn't supported for format {format!r}.", path=shown(paths[0]))
    wanted = {key: value for key, value in wanted.items() if key in one.takes}
    wanted["unescape"] = bool(options.get("unescape"))
    corpus = one.read(_inputs(paths, format, one), **wanted)
    if not isinstance(corpus, Corpus):
        corpus = LoadedCorpus(corpus)
    return corpus.choose(**chosen, **labels)


def _inputs(paths: list[str], format: str, one: Format) -> Path | list[str]:
    """Return what a format reads: one path, or the files of all paths and folders."""
    if "several" not in one.takes:
        if len(paths) > 1:
            raise InputError(f"format {format!r} is read from one path.", path=shown(paths[1]))
        return Path(paths[0])
    files: list[str] = []
    for path in paths:
        inside = _files(Path(path), one) if Path(path).is_dir() else [path]
        if not inside:
            raise InputError(f"has no {' or '.join(one.suffixes)} files.", path=path)
        files += inside
    return files


def write(evalset: EvalSet, path: AnyPath, format: str | None = None) -> None:
    """Write a test set.

    :param evalset: the test set
    :param path: the target; ``-`` is standard output, for formats that are one file
    :param format: the name of the format; by default by the ending of the path, or a folder

    >>> import albeit
    >>> albeit.write(albeit.read("examples/demo"), "demo.jsonl")  # doctest: +SKIP
    """
    path = Path(path)
    format = format or _by_suffix(path)
    ending = _suffix(path)
    if format is None and ending[1:].isalpha() and not path.is_dir():
        known = ", ".join(suffix for one in _formats().values() for suffix in one.suffixes)
        hint = f"Known endings: {known}. A folder has none; or name the format."
        raise InputError(f"no format has the ending {ending!r}.", path=path, hint=hint)
    one = _format(format or "folder")
    if one.write is None:
        raise InputError(f"format {format!r} is only read, not written.", path=path)
    if str(path) == STDIN and not one.suffixes:
        hint = "Name a file, or a format that is one file: jsonl, tsv, xml or sgml."
        raise InputError("a folder cannot be written to standard output.", hint=hint)
    one.write(evalset, path)
