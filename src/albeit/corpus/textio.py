"""Bytes in, checked lines out: the one place where files are opened, decoded and split.

Lines end at LF or CRLF and nowhere else: a lone CR, U+2028 or U+0085 inside a line is text.
Files may be compressed by gzip or Zstandard, whatever their name, and ``-`` is standard input.
"""

from __future__ import annotations

import gzip
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from albeit.corpus.entities import count_entity_lines, unescape_line
from albeit.corpus.openings import STDIN, decompressed, shown
from albeit.errors import AlbeitWarning, InputError, LanguageError
from albeit.languages import normalise
from albeit.places import read_file

__all__ = [
    "STDIN",
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


def warn(what: str, *, path: str | Path | None = None, count: int | None = None) -> None:
    """Tell of something that was accepted; never of something that was repaired in secret."""
    warnings.warn(AlbeitWarning(what, path=path, count=count), stacklevel=3)


def counted(count: int, noun: str) -> str:
    """``1 line``, ``2 lines``."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file or of standard input, decompressed."""
    name = shown(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == STDIN else read_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}.", path=name) from None
    return decompressed(data, path)


def decode(data: bytes, path: str | Path, *, line: int = 1, offset: int = 0) -> str:
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


def read_text(path: str | Path) -> str:
    """The checked text of a whole file, with every CRLF as LF (a warning counts them)."""
    text = decode(read_bytes(path), path)
    count = text.count("\r\n")
    if count:
        warn(
            f"{counted(count, 'line')} with CRLF; the CR was not taken as text.",
            path=shown(path),
            count=count,
        )
        text = text.replace("\r\n", "\n")
    if not text:
        raise InputError("is empty.", path=shown(path), hint="Was it written to the end?")
    return text


def split_lines(text: str) -> list[str]:
    """The lines of a text; LF ends a line, and the last line may go without."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def read_lines(path: str | Path, *, unescape: bool = False) -> tuple[str, ...]:
    """The lines of a text file, one segment a line; ``-`` is standard input.

    Text is kept as it is. HTML entities such as ``&quot;`` are resolved with
    ``unescape=True``; otherwise a warning counts the lines that hold any.
    """
    text = read_text(path)
    lines = split_lines(text)
    if "&" in text:
        if unescape:
            lines = [unescape_line(line) for line in lines]
        else:
            warn_entities(lines, path)
    return tuple(lines)


def warn_entities(lines: Iterable[str], path: str | Path) -> None:
    """Say how many lines hold HTML entities that were kept as text."""
    count = count_entity_lines(lines)
    if count:
        warn(
            f"{counted(count, 'line')} with HTML entities (like &quot;), kept as text;"
            " they can be resolved with --unescape.",
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
    """Write one line a segment, LF, UTF-8; compressed where the name ends in ``.gz``."""
    lines = list(lines)
    check_lines(lines, path)
    write_text("".join(line + "\n" for line in lines), path)


def write_text(text: str, path: str | Path) -> None:
    """Write UTF-8, making the folder; compressed where the name ends in ``.gz``."""
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


def list_folder(path: str | Path) -> list[Path]:
    """What a folder holds, sorted by name."""
    try:
        return sorted(Path(path).iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be listed: {reason}.", path=path) from None


def language(tag: str, path: str | Path, line: int) -> str:
    """The language that a tag in a file names."""
    try:
        return normalise(tag)
    except LanguageError as error:
        raise InputError(str(error), path=path, line=line) from None
