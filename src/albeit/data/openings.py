"""The one place where files are opened for reading: plain, gzip or Zstandard, whatever their name.

A file is named by its path or address, ``-`` is standard input, and a :class:`Held` is a file
whose bytes are in memory already, such as one that was sent to a server.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from albeit.data.places import matching, open_file, size_of
from albeit.errors import InputError, MissingExtraError

__all__ = [
    "STDIN",
    "File",
    "Held",
    "beginning",
    "file_size",
    "files_of",
    "first_line",
    "list_folder",
    "opened",
    "read_bytes",
    "readable",
    "shown",
]

STDIN = "-"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20


@dataclass(frozen=True)
class Held:
    """A file in memory: what messages call it, and its bytes."""

    name: str
    data: bytes

    def __str__(self) -> str:
        return self.name


File = str | Path | Held


def shown(file: File) -> str:
    """How a file is called in messages."""
    return "standard input" if file == STDIN or file == Path(STDIN) else str(file)


def files_of(path: str | Path) -> list[str]:
    """The files that a path names: wildcards stand for several, in the order of their names."""
    text = str(path)
    if not any(c in text for c in "*?["):
        return [text]
    with readable(text):
        if Path(text).exists():
            return [text]
        found = matching(text)
    if not found:
        raise InputError("no file has such a name.", path=text)
    return found


def list_folder(path: str | Path) -> list[Path]:
    """What a folder holds, sorted by name."""
    try:
        return sorted(Path(path).iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be listed: {reason}.", path=path) from None


def file_size(file: File) -> int:
    """How many bytes a file holds, compressed or not; 0 where that is not known."""
    if isinstance(file, Held):
        return len(file.data)
    return 0 if str(file) == STDIN else size_of(file)


@contextmanager
def opened(file: File) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The file's bytes, decompressed as they are read, and the file itself, for its position.

    What is wrong with it, now or later on, is an ``InputError``.
    """
    with readable(file):
        raw = _raw(file)
    try:
        with readable(file):
            yield _unpacked(raw, shown(file)), raw
    finally:
        if str(file) != STDIN:
            raw.close()


def _raw(file: File) -> io.BufferedReader:
    if isinstance(file, Held):
        return _in_memory(file.data)
    if str(file) != STDIN:
        return open_file(file)
    own = sys.stdin.buffer  # a program that calls us may have put anything in its place
    return own if isinstance(own, io.BufferedReader) else _in_memory(own.read())


def _in_memory(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(data))


def read_bytes(file: File) -> bytes:
    """All bytes of a file, decompressed."""
    with opened(file) as (data, _):
        return data.read()


def beginning(file: File, size: int = 16_000) -> str:
    """The text that a file begins with, as far as it can be read, to tell what it holds."""
    with opened(file) as (data, _):
        return data.read(size).decode("utf-8", errors="ignore").removeprefix("\ufeff")


def first_line(file: File) -> str:
    """The first line, as far as it can be read, to tell what a file holds."""
    return beginning(file).split("\n", 1)[0].removesuffix("\r")


@contextmanager
def readable(path: File) -> Iterator[None]:
    """Whatever is wrong with a file's bytes becomes one message."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"is not a whole gzip file: {error}.",
            path=shown(path),
            hint="Copy or compress it again.",
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}.", path=shown(path)) from None


def _unpacked(raw: io.BufferedReader, name: str) -> BinaryIO:
    begin = raw.peek(4)[:4]
    if begin[:2] == _GZIP:
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if begin == _ZSTD:
        return _zstandard(raw, name)
    return raw


def _zstandard(raw: io.BufferedReader, name: str) -> BinaryIO:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError(
            f"{name} is compressed by Zstandard. Install what reads it: pip install 'albeit[scale]'"
        ) from None
    return cast(BinaryIO, io.BufferedReader(_Zstandard(raw, name, zstandard), _PIECE))


class _Zstandard(io.RawIOBase):
    """A Zstandard stream that knows when it was cut short."""

    def __init__(self, raw: io.BufferedReader, name: str, library: object) -> None:
        self._raw, self._name, self._library = raw, name, library
        self._frame = library.ZstdDecompressor().decompressobj()  # type: ignore[attr-defined]
        self._left = b""
        self._inside = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Fill the buffer as far as one piece goes."""
        while not self._left:
            piece = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._library.ZstdDecompressor().decompressobj()  # type: ignore[attr-defined]
                self._inside = False
            piece = piece or self._raw.read(2048)  # unpacked, that is 64 MiB at most
            if not piece:
                if self._inside:
                    raise self._damaged("it ends too early")
                return 0
            self._inside = True
            try:
                self._left = self._frame.decompress(piece)
            except self._library.ZstdError as error:  # type: ignore[attr-defined]
                raise self._damaged(str(error)) from None
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    def _damaged(self, why: str) -> InputError:
        return InputError(
            f"is not a whole Zstandard file: {why}.",
            path=self._name,
            hint="Copy or compress it again.",
        )
