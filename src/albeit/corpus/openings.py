"""Files opened for reading a piece at a time: plain, gzip or Zstandard, whatever their name."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from albeit.errors import InputError, MissingExtraError
from albeit.places import open_file

__all__ = ["STDIN", "decompressed", "opened", "readable", "shown"]

STDIN = "-"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20


def shown(path: str | Path) -> str:
    """How a path is called in messages."""
    return "standard input" if str(path) == STDIN else str(path)


@contextmanager
def opened(path: str | Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The file's bytes, decompressed as they are read, and the file itself, for its position.

    What is wrong with it, now or later on, is an ``InputError``.
    """
    name = shown(path)
    with readable(path):
        own = str(path) != STDIN
        raw = open_file(path) if own else cast(io.BufferedReader, sys.stdin.buffer)
    try:
        with readable(path):
            yield _unpacked(raw, name), raw
    finally:
        if own:
            raw.close()


def decompressed(data: bytes, path: str | Path) -> bytes:
    """All bytes of a file whose bytes these are."""
    if data[:2] != _GZIP and data[:4] != _ZSTD:
        return data
    with readable(path):
        return _unpacked(io.BufferedReader(io.BytesIO(data)), shown(path)).read()


@contextmanager
def readable(path: str | Path) -> Iterator[None]:
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
            piece = piece or self._raw.read(_PIECE // 8)
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
