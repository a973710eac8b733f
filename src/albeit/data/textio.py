"""Bytes in, checked lines out: the one place where text is decoded and split, and written.

Lines end at LF or CRLF and nowhere else: a lone CR, U+2028 or U+0085 inside a line is text.
Files may be compressed by gzip or Zstandard, whatever their name, and ``-`` is standard input
(:mod:`albeit.data.openings`).
"""

from __future__ import annotations

import gzip
import os
import sys
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from albeit.data.entities import count_entity_lines, unescape_line
from albeit.data.openings import STDIN, File, file_size, opened, read_bytes, shown
from albeit.errors import AlbeitWarning, InputError, LanguageError
from albeit.languages import normalise

__all__ = [
    "STDIN",
    "LineReader",
    "counted",
    "decode",
    "read_bytes",
    "read_lines",
    "read_text",
    "shown",
    "warn",
    "whole_number",
    "write_lines",
    "write_text",
]

_BOM = "\ufeff"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BLOCK = 1 << 18
"""About how many bytes are read at once."""


def warn(what: str, *, path: str | Path | None = None, count: int | None = None) -> None:
    """Tell of something that was accepted; never of something that was repaired in secret."""
    warnings.warn(AlbeitWarning(what, path=path, count=count), stacklevel=3)


def counted(count: int, noun: str) -> str:
    """``1 line``, ``2 lines``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def decode(data: bytes, path: File, *, line: int = 1, offset: int = 0) -> str:
    """UTF-8 text of a file; a byte-order mark at its start is left out, and said to be.

    Where these are not its first bytes, ``line`` and ``offset`` say where they stand.
    """
    name = shown(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = error.start
        line_start = data.rfind(b"\n", 0, start) + 1
        encoding = "UTF-16" if data[:2] in _UTF16 else "ISO-8859-1"
        raise InputError(
            f"byte 0x{data[start]:02X} at offset {offset + start} of the file (byte "
            f"{start - line_start + 1} of the line) is not UTF-8.",
            path=name,
            line=data.count(b"\n", 0, start) + line,
            hint=f"Convert the file, for instance with: iconv -f {encoding} -t UTF-8",
        ) from None
    zero = text.find("\0")
    if zero >= 0:
        raise InputError(
            "the line holds U+0000, which no text has.",
            path=name,
            line=text.count("\n", 0, zero) + line,
            hint="The file is binary, damaged, or in UTF-16; convert it to UTF-8.",
        )
    if not offset and text.startswith(_BOM):
        warn("begins with a byte-order mark; it is no text and was left out.", path=name)
        text = text[1:]
    return text


def read_text(path: File) -> str:
    """The checked text of a whole file, with every CRLF as LF (a warning counts them)."""
    text = decode(read_bytes(path), path)
    count = text.count("\r\n")
    if count:
        _warn_crlf(count, path)
        text = text.replace("\r\n", "\n")
    if not text:
        raise _empty(path)
    return text


def _empty(path: File) -> InputError:
    return InputError("is empty.", path=shown(path), hint="Was it written to the end?")


def split_lines(text: str) -> list[str]:
    """The lines of a text; LF ends a line, and the last line may go without."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def read_lines(path: File, *, unescape: bool = False) -> tuple[str, ...]:
    """The lines of a text file, one segment per line; text is kept as it is.

    :param path: the file; ``-`` is standard input
    :param unescape: resolve HTML entities such as ``&quot;``; otherwise a warning counts the lines
        that hold any

    >>> from albeit.data import read_lines
    >>> len(read_lines("examples/demo/ref.A.txt"))
    24
    """
    return tuple(LineReader([path], unescape=unescape).take())


class LineReader:
    """The lines of one or more files, one after the other, as one text, read as they are taken.

    What is said of a whole file (CRLF, HTML entities) is said at its end. With ``header``
    every file's first line is no line of the text but is handed to that function, with the
    file's name. HTML entities are resolved (``unescape``), or lines that hold any are counted
    (``plain``).
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
        self._before = self._read = self._held_until = 0
        self._starts: list[int] = []
        self._held: list[str] = []
        self._more = self._blocks()
        self.taken = 0
        """How many lines were taken."""

    @property
    def share(self) -> float:
        """How much of the bytes has been read; 0 where that is not known."""
        whole = sum(self._sizes)
        return min(1.0, (self._before + self._read) / whole) if whole else 0.0

    def take(self, count: int | None = None) -> list[str]:
        """The next lines, at most so many; none at the end."""
        found = self._held
        while count is None or len(found) < count:
            more = next(self._more, None)
            if more is None:
                break
            found += more
        found, self._held = (found, []) if count is None else (found[:count], found[count:])
        self.taken += len(found)
        return found

    def first(self) -> str | None:
        """The line that will be taken next, if there is one."""
        while not self._held and (more := next(self._more, None)) is not None:
            self._held = more
        return self._held[0] if self._held else None

    def place(self, line: int) -> tuple[str, int]:
        """The file, as messages call it, and the line there of a line of the text, from 0."""
        at = max(0, bisect_right(self._starts, line) - 1)
        start = self._starts[at] if self._starts else 0
        return shown(self.files[at]), line - start + 1 + (self._header is not None)

    def error(self, line: int, what: str, hint: str = "") -> InputError:
        """Something wrong with a line of the text, from 0."""
        path, number = self.place(line)
        return InputError(what, path=path, line=number, hint=hint)

    def again(self) -> LineReader:
        """The same from the beginning, which standard input does not allow once it is read."""
        if not self.taken:
            return self
        if STDIN in map(str, self.files):
            raise InputError(
                "can be read only once, but this takes two passes.",
                path=shown(STDIN),
                hint="Write it to a file first.",
            )
        return LineReader(
            self.files, unescape=self._unescape, plain=self._plain, header=self._header
        )

    def _blocks(self) -> Iterator[list[str]]:
        """The lines of all files, some at a time."""
        for file, size in zip(self.files, self._sizes, strict=True):
            self._starts.append(self._held_until)
            for number, lines in enumerate(self._decoded(file)):
                if self._header is not None and not number:
                    self._header(lines.pop(0), shown(file))
                self._held_until += len(lines)
                yield lines
            self._before, self._read = self._before + size, 0

    def _decoded(self, file: File) -> Iterator[list[str]]:
        offset = first = crlf = entities = 0
        with opened(file) as (data, raw):
            while block := data.read(_BLOCK):
                block += data.readline()
                found = _lines(block, file, first, offset)
                offset, first = offset + len(block), first + len(found)
                crlf += block.count(b"\r\n") if b"\r" in block else 0
                if self._unescape and b"&" in block:
                    found = [unescape_line(line) for line in found]
                elif self._plain and b"&" in block:
                    entities += count_entity_lines(found)
                if str(file) != STDIN:
                    self._read = raw.tell()
                if found:
                    yield found
        if not first:
            raise _empty(file)
        if crlf:
            _warn_crlf(crlf, file)
        if entities:
            warn_of_entities(entities, file)


def _lines(block: bytes, file: File, first: int, offset: int) -> list[str]:
    """The lines of some bytes that end where a line does; what is wrong with them is an error.

    One at a time they are decoded twice as fast as all at once: most are plain ASCII.
    """
    if offset and b"\0" not in block:  # a file may begin with a byte-order mark
        with suppress(UnicodeDecodeError):
            whole = block.replace(b"\r\n", b"\n") if b"\r" in block else block
            return [line.decode() for line in whole.removesuffix(b"\n").split(b"\n")]
    text = decode(block, file, line=first + 1, offset=offset).replace("\r\n", "\n")
    return split_lines(text)


def warn_entities(lines: Iterable[str], path: File) -> None:
    """Say how many lines hold HTML entities that were kept as text."""
    if count := count_entity_lines(lines):
        warn_of_entities(count, path)


def warn_of_entities(count: int, path: File) -> None:
    """Say that so many lines hold HTML entities that were kept as text."""
    warn(
        f"{counted(count, 'line')} with HTML entities (like &quot;), kept as text;"
        " they can be resolved with --unescape.",
        path=shown(path),
        count=count,
    )


def _warn_crlf(count: int, path: File) -> None:
    warn(
        f"{counted(count, 'line')} with CRLF; the CR was not taken as text.",
        path=shown(path),
        count=count,
    )


def check_lines(lines: Iterable[str], path: str | Path) -> None:
    """Raise where a line could not be read back as it is from a file of lines."""
    for number, line in enumerate(lines, 1):
        if "\n" in line or "\0" in line or line.endswith("\r"):
            raise InputError(
                "the segment holds a line break or U+0000; one line cannot hold it.",
                path=path,
                line=number,
            )
        if number == 1 and line.startswith(_BOM):
            raise InputError(
                "the first segment begins with U+FEFF, which would be read as a byte-order mark.",
                path=path,
                line=1,
            )


def write_lines(lines: Iterable[str], path: str | Path) -> None:
    """Write one line per segment, LF, UTF-8; compressed where the name ends in ``.gz``."""
    lines = list(lines)
    check_lines(lines, path)
    write_text("".join(line + "\n" for line in lines), path)


def write_text(text: str, path: str | Path) -> None:
    """Write UTF-8, making the folder; compressed where the name ends in ``.gz``.

    ``-`` is standard output.
    """
    if str(path) == STDIN:
        sys.stdout.write(text)
        return
    path = Path(path)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise InputError("half a surrogate pair cannot be written.", path=path, line=line) from None
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a device, a pipe
            path.write_bytes(data)
        else:
            with replacing(path) as temporary:
                temporary.write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be written: {reason}.", path=path) from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside, which takes this one's place when all is written; a full disk leaves nothing."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def whole_number(text: str) -> int:
    """A count or a place that a file names, from 0; -1 for anything that cannot be one.

    Python would take other scripts' digits, underscores, and numbers that fit no array.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else -1


def safe_name(name: str, what: str) -> str:
    """A name that can be a file's; raises for one that would lead elsewhere or be lost."""
    if not name or name.startswith(".") or any(c in "/\\\0\n\r\t" for c in name):
        raise InputError(f"{what} {name!r} cannot be the name of a file.", hint="Rename it.")
    return name


def language(tag: str, path: str | Path, line: int) -> str:
    """The language that a tag in a file names."""
    try:
        return normalise(tag)
    except LanguageError as error:
        raise InputError(str(error), path=path, line=line) from None
