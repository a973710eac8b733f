"""Decode text files into checked lines, and write them.

Lines end at LF or CRLF only: a lone CR, U+2028, or U+0085 inside a line is text. Files can be
compressed, and ``-`` is standard input (:mod:`albeit.data.files`).

Only HTML character references with a semicolon count as such: ``&copy 2012`` is text. One without
a meaning (``&foo;``, ``&#0;``) is kept.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from html import unescape as _html_unescape
from html.entities import html5
from math import isfinite
from pathlib import Path
from typing import Any

from albeit.data.files import STDIN, File, describe_error, file_size, opened, read_bytes, shown
from albeit.errors import AlbeitWarning, InputError, LanguageError
from albeit.languages import normalise

_BOM = "\ufeff"
_CRLF = "with CRLF; the CR was removed."
_BLOCK = 1 << 18
"""About how many bytes are read at once."""
_REFERENCE = re.compile(r"&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,40});")
_WINDOWS = re.compile(rb"[\x80-\x9f]")
"""Bytes that are letters or quotation marks in Windows-1252, and nothing in ISO-8859-1."""
_BINARY = re.compile(rb"\A\x89PNG|[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that text in any encoding but UTF-16 doesn't have."""
_MARKUP = {"amp;": "&", "lt;": "<", "gt;": ">", "quot;": '"', "apos;": "'"}


def warn(what: str, *, path: str | Path | None = None, count: int | None = None) -> None:
    """Warn about input that is accepted."""
    warnings.warn(AlbeitWarning(what, path=path, count=count), stacklevel=3)


def counted(count: int, noun: str) -> str:
    """Return ``1 line``, ``2 lines``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _resolve(reference: str, names: dict[str, str]) -> str:
    """Return the character of ``&quot;`` or ``&#39;``, or the reference if it has no meaning."""
    if reference[1] != "#":
        return names.get(reference[1:], reference)
    value = _html_unescape(reference)
    return reference if value in ("", "\ufffd") else value


def unescape_line(line: str) -> str:
    """Resolve every known HTML reference; a line break among them becomes a space."""
    if "&" not in line:
        return line
    return _REFERENCE.sub(lambda m: re.sub("[\r\n]", " ", _resolve(m[0], html5)), line)


def unescape_markup(text: str) -> str:
    """Resolve the references that SGML and XML define: five names, and numbers."""
    return _REFERENCE.sub(lambda m: _resolve(m[0], _MARKUP), text) if "&" in text else text


def count_entities(lines: Iterable[str]) -> int:
    """Count the lines with at least one HTML reference."""
    return sum("&" in line and unescape_line(line) != line for line in lines)


def warn_entities(count: int, path: File) -> None:
    """Warn about a number of lines with HTML references that are kept as text."""
    what = "with HTML entities (like &quot;), kept as text; they can be resolved with --unescape."
    _warn_lines(count, what, path)


def _warn_lines(count: int, what: str, path: File) -> None:
    if count:
        warn(f"{counted(count, 'line')} {what}", path=shown(path), count=count)


def resolve_entities(lines: Sequence[str], path: File, *, unescape: bool) -> Sequence[str]:
    """Return lines without HTML references, or, unless ``unescape``, warn about them."""
    if unescape:
        return list(map(unescape_line, lines))
    warn_entities(count_entities(lines), path)
    return lines


def decode(data: bytes, path: File, *, line: int = 1, offset: int = 0) -> str:
    """Decode the UTF-8 text of a file, without a byte-order mark at its start.

    ``line`` and ``offset`` are the position of these bytes in the file.
    """
    start = data.find(b"\0")
    what = "the line contains U+0000, which isn't text."
    hint = "The file is binary, damaged, or in UTF-16; convert it to UTF-8."
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = error.start
        column = start - data.rfind(b"\n", 0, start)
        what = f"byte 0x{data[start]:02X} at offset {offset + start} of the file (byte {column} of"
        what = f"{what} the line) is not UTF-8."
        encoding = "WINDOWS-1252" if _WINDOWS.search(data) else "ISO-8859-1"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            encoding = "UTF-16"
        hint = f"Convert the file, for instance with: iconv -f {encoding} -t UTF-8"
        if encoding != "UTF-16" and _BINARY.search(data):
            hint = "The file is not text. Name a text file."
    if start >= 0:
        line += data.count(b"\n", 0, start)
        raise InputError(what, path=shown(path), line=line, hint=hint)
    if not offset and text.startswith(_BOM):
        warn("begins with a byte-order mark, which isn't part of the text.", path=shown(path))
        text = text[1:]
    return text


def read_text(path: File) -> str:
    """Return the checked text of a whole file, with LF for every CRLF."""
    text = decode(read_bytes(path), path)
    _warn_lines(text.count("\r\n"), _CRLF, path)
    if not text:
        raise _empty(path)
    return text.replace("\r\n", "\n")


def _empty(path: File) -> InputError:
    return InputError("is empty.", path=shown(path), hint="It may be truncated; copy it again.")


def split_lines(text: str) -> list[str]:
    """Return the lines of a text; the last one needs no LF."""
    return text.removesuffix("\n").split("\n") if text else []


def read_lines(path: File, *, unescape: bool = False) -> tuple[str, ...]:
    """Return the lines of a text file, one segment per line.

    :param path: the file; ``-`` is standard input
    :param unescape: resolve HTML entities such as ``&quot;``; otherwise a warning counts the lines
        that hold any

    >>> from albeit.data import read_lines
    >>> len(read_lines("examples/demo/ref.A.txt"))
    24
    """
    return tuple(LineReader([path], unescape=unescape).take())


class Row(dict[str, str]):
    """The cells of a row by column, with the row's file and line."""

    path: str
    line: int

    @classmethod
    def of(cls, cells: Mapping[str, str], path: str, line: int) -> Row:
        """Return a row of these cells."""
        row = cls(cells)
        row.path, row.line = path, line
        return row

    def error(self, what: str, hint: str = "") -> InputError:
        """Return an error at this line."""
        return InputError(what, self.path, self.line, hint)


def read_table(path: File) -> tuple[list[str], Iterator[Row]]:
    """Return the header of a tab-separated table, and its rows.

    A comment (``# …``) at the end of the header, as in Google's MQM, isn't a column.
    """
    header, *lines = LineReader([path], plain=False).take()
    names, name = header.partition("\t#")[0].split("\t"), shown(path)

    def rows() -> Iterator[Row]:
        for number, line in enumerate(lines, 2):
            cells = line.split("\t")
            row = Row.of(dict(zip(names, cells, strict=False)), name, number)
            if len(cells) != len(names):
                what = f"the line has {len(cells)} cells, but the header has {len(names)}."
                raise row.error(what)
            yield row

    return names, rows()


class LineReader:
    """Read the lines of one or more files as one text, a block at a time.

    Warnings about a whole file (CRLF, HTML entities) come at its end. With ``header``, that
    function gets the first line of every file, with the file's name. ``unescape`` resolves HTML
    entities; ``plain`` counts the lines that have any.
    """

    def __init__(
        self,
        files: Sequence[File],
        *,
        unescape: bool = False,
        plain: bool = True,
        header: Callable[[str, str], None] | None = None,
    ) -> None:
        self.files = list(files)
        self._unescape, self._plain, self._header = unescape, plain, header
        self._sizes = [file_size(file) for file in self.files]
        self._bytes = 0
        self._starts: list[int] = []
        """The first line of each file, among all lines."""
        self._buffer: list[str] = []
        self._more = self._blocks()
        self.taken = 0
        """The number of lines taken."""

    @property
    def share(self) -> float:
        """The share of bytes read; 0 if it isn't known."""
        total = sum(self._sizes)
        return min(1.0, self._bytes / total) if total else 0.0

    def take(self, count: int | None = None) -> list[str]:
        """Return the next lines, at most so many; none at the end."""
        while count is None or len(self._buffer) < count:
            more = next(self._more, None)
            if more is None:
                break
            self._buffer += more
        lines = self._buffer[:count]
        self._buffer = self._buffer[len(lines) :]
        self.taken += len(lines)
        return lines

    def first(self) -> str | None:
        """Return the next line without taking it."""
        while not self._buffer and (more := next(self._more, None)) is not None:
            self._buffer = more
        return self._buffer[0] if self._buffer else None

    def place(self, line: int) -> tuple[str, int]:
        """Return the file and the line there of a line of the text, which counts from 0."""
        at = max(0, bisect_right(self._starts, line) - 1)
        start = self._starts[at] if self._starts else 0
        return shown(self.files[at]), line - start + 1 + (self._header is not None)

    def error(self, line: int, what: str, hint: str = "") -> InputError:
        """Return an error at a line of the text, which counts from 0."""
        return InputError(what, *self.place(line), hint)

    def again(self) -> LineReader:
        """Return a reader from the beginning; standard input can be read only once."""
        if not self.taken:
            return self
        if STDIN in map(str, self.files):
            what = "can be read only once, but this takes two passes."
            raise InputError(what, path=shown(STDIN), hint="Write it to a file first.")
        return LineReader(
            self.files, unescape=self._unescape, plain=self._plain, header=self._header
        )

    def _blocks(self) -> Iterator[list[str]]:
        """Yield the lines of all files, some at a time."""
        count = before = 0
        for file, size in zip(self.files, self._sizes, strict=True):
            self._starts.append(count)
            for number, lines in enumerate(self._decoded(file, before)):
                if self._header is not None and not number:
                    self._header(lines.pop(0), shown(file))
                count += len(lines)
                yield lines
            before += size

    def _decoded(self, file: File, before: int) -> Iterator[list[str]]:
        """Yield the lines of a file; all files before it have so many bytes."""
        offset = count = crlf = entities = 0
        with opened(file) as (data, raw):
            while block := data.read(_BLOCK):
                block += data.readline()
                lines = _decode_lines(block, file, count, offset)
                offset, count = offset + len(block), count + len(lines)
                crlf += block.count(b"\r\n") if b"\r" in block else 0
                if self._unescape and b"&" in block:
                    lines = [unescape_line(line) for line in lines]
                elif self._plain and b"&" in block:
                    entities += count_entities(lines)
                if str(file) != STDIN:
                    self._bytes = before + raw.tell()
                if lines:
                    yield lines
        if not count:
            raise _empty(file)
        _warn_lines(crlf, _CRLF, file)
        warn_entities(entities, file)


def _decode_lines(block: bytes, file: File, count: int, offset: int) -> list[str]:
    """Decode some bytes that end at the end of a line.

    Decoding line by line is twice as fast as all at once: most lines are plain ASCII.
    """
    if offset and b"\0" not in block:  # a file may begin with a byte-order mark
        with suppress(UnicodeDecodeError):
            whole = block.replace(b"\r\n", b"\n") if b"\r" in block else block
            return [line.decode() for line in whole.removesuffix(b"\n").split(b"\n")]
    text = decode(block, file, line=count + 1, offset=offset)
    return split_lines(text.replace("\r\n", "\n"))


def write_lines(lines: Iterable[str], path: str | Path) -> None:
    """Write one line per segment, LF, UTF-8; compressed if the name ends in ``.gz``."""
    lines = list(lines)
    for number, line in enumerate(lines, 1):
        what = ""
        if "\n" in line or "\0" in line or line.endswith("\r"):
            what = "the segment contains a line break or U+0000, which a line can't have."
        elif number == 1 and line.startswith(_BOM):
            what = "the first segment begins with U+FEFF, which would be read as a byte-order mark."
        if what:
            raise InputError(what, path=path, line=number)
    write_text("".join(line + "\n" for line in lines), path)


def write_text(text: str, path: str | Path) -> None:
    """Write UTF-8 and make the folder; compressed if the name ends in ``.gz``; ``-`` is stdout."""
    if str(path) == STDIN:
        sys.stdout.write(text)
        return
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise InputError("half a surrogate pair cannot be written.", path=path, line=line) from None
    write_bytes(gzip.compress(data, mtime=0) if Path(path).suffix == ".gz" else data, path)


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write a file and make its folder; ``-`` is standard output."""
    if str(path) == STDIN:
        sys.stdout.buffer.write(data)
        return
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a device, a pipe
            path.write_bytes(data)
        else:
            with replacing(path) as temporary:
                temporary.write_bytes(data)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {describe_error(error)}.", path=path) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces this one at the end; an error leaves nothing."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def whole_number(text: str) -> int:
    """Parse a count or an index from 0; -1 for anything else.

    Python would accept digits of other scripts, underscores, and numbers too large for an array.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else -1


def parse_number(text: str, path: str, line: int, hint: str = "") -> float:
    """Parse a finite number."""
    with suppress(ValueError):
        if isfinite(value := float(text)):
            return value
    raise InputError(f"{text!r} is not a finite number.", path=path, line=line, hint=hint)


def safe_name(name: str, what: str) -> str:
    """Return a name that can be a file's; raise for one with a path in it."""
    if not name or name.startswith(".") or any(c in "/\\\0\n\r\t" for c in name):
        raise InputError(f"{what} {name!r} cannot be the name of a file.", hint="Rename it.")
    return name


def parse_language(tag: str, path: str | Path, line: int) -> str:
    """Return the language of a tag in a file."""
    try:
        return normalise(tag)
    except LanguageError as error:
        raise InputError(str(error), path=path, line=line) from None


@contextmanager
def collect_warnings(
    show: Callable[[AlbeitWarning], object] | None = None,
) -> Iterator[list[str]]:
    """Collect the warnings about results, each once, in order; ``show`` gets all of albeit's."""
    collected: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", AlbeitWarning)
        plain = warnings.showwarning

        def collect(message: Warning | str, *more: Any, **options: Any) -> None:
            if not isinstance(message, AlbeitWarning):
                plain(message, *more, **options)
                return
            if show is not None:
                show(message)
            if message.about_results and str(message) not in collected:
                collected.append(str(message))

        warnings.showwarning = collect
        yield collected
