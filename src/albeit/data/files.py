"""Open files: on this machine, at an address, in memory, or standard input; plain or compressed.

An address starts with a protocol (``s3://bucket/run``, ``https://host/file``). fsspec reads and
writes there (extra ``albeit[scale]``, and for most storages a package that fsspec names).
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import platform
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from albeit.data.plugins import import_extra
from albeit.errors import AlbeitError, InputError, MissingExtraError

STDIN = "-"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BUFFER = 1 << 20
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*(::[A-Za-z][\w+.-]*)*://")


class Held(NamedTuple):
    """A file in memory: its name in messages, and its bytes."""

    name: str
    data: bytes

    def __str__(self) -> str:
        return self.name


AnyPath = str | Path
File = AnyPath | Held


def shown(file: File) -> str:
    """Return the name of a file in messages."""
    return "standard input" if str(file) == STDIN else str(file)


def is_address(path: AnyPath) -> bool:
    """Return whether a text is an address, not a path of this machine."""
    return _ADDRESS.match(str(path)) is not None


class _Disk:
    """The methods of an fsspec file system that are used here, for paths of this machine."""

    open = staticmethod(io.open)
    mv = staticmethod(os.replace)
    rm_file = staticmethod(os.unlink)
    makedirs = staticmethod(os.makedirs)
    unstrip_protocol = staticmethod(str)

    def size(self, path: str) -> int:
        return Path(path).stat().st_size if Path(path).is_file() else 0

    def glob(self, pattern: str) -> list[str]:
        anchor = Path(pattern).anchor
        return list(map(str, Path(anchor or ".").glob(pattern.removeprefix(anchor))))

    def ls(self, path: str, detail: bool) -> list[str]:
        return list(map(str, Path(path).iterdir()))

    def invalidate_cache(self) -> None:
        pass


def _storage(path: AnyPath) -> tuple[Any, str]:
    """Return the file system of a path or address, and the path in it."""
    if not is_address(path):
        return _Disk(), str(path)
    from fsspec.core import url_to_fs

    storage, inside = url_to_fs(str(path))
    return storage, inside.rstrip("/")


@contextmanager
def _as_os_error(path: File) -> Iterator[None]:
    """Turn errors of fsspec and of storage packages into an ``OSError`` with the reason."""
    try:
        yield
    except AlbeitError:
        raise
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    except Exception as error:
        if not is_address(str(path)) or (isinstance(error, OSError) and error.strerror):
            raise
        if isinstance(error, ImportError):
            what = f"needs the package for its kind of store: {error}."
            if error.name == "fsspec":
                what = "needs fsspec. Install it: pip install 'albeit[scale]'"
            raise MissingExtraError(f"{path} {what}") from None
        raise OSError(errno.EIO, " ".join(str(error).split()) or type(error).__name__) from error


def describe_error(error: Exception) -> str:
    """Return why a file can't be used, without its name."""
    return getattr(error, "strerror", None) or " ".join(str(error).split())


@contextmanager
def readable(file: File) -> Iterator[None]:
    """Turn every error of reading a file into an ``InputError``."""
    try:
        with _as_os_error(file):
            yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"is not a whole gzip file: {error}."
        raise InputError(what, path=shown(file), hint="Copy or compress it again.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {describe_error(error)}.", path=shown(file)) from None


def files_of(path: AnyPath) -> list[str]:
    """Return the files of a path, which may have wildcards, in the order of their names."""
    text = str(path)
    with readable(text):
        if not any(c in text for c in "*?[") or Path(text).exists():
            return [text]
        storage, inside = _storage(text)
        files = sorted(map(storage.unstrip_protocol, storage.glob(inside)))
    if not files:
        raise InputError("no files match the pattern.", path=text)
    return files


def list_folder(path: AnyPath) -> list[Path]:
    """Return the contents of a folder, sorted by name."""
    with readable(path):
        return sorted(Path(path).iterdir())


def file_size(file: File) -> int:
    """Return the size of a file in bytes, as stored; 0 if it isn't known."""
    if isinstance(file, Held):
        return len(file.data)
    with suppress(OSError, ValueError), _as_os_error(file):
        storage, inside = _storage(file)
        return 0 if inside == STDIN else int(storage.size(inside) or 0)
    return 0


def open_file(file: File) -> io.BufferedReader:
    """Open a file for reading its bytes as they are."""
    raw: Any
    if isinstance(file, Held):
        raw = io.BytesIO(file.data)
    elif str(file) == STDIN:
        raw = sys.stdin.buffer  # the calling program may have replaced it
    else:
        with _as_os_error(file):
            storage, inside = _storage(file)
            raw = storage.open(inside, "rb")
    return raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, _BUFFER)


@contextmanager
def opened(file: File) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file: its bytes, decompressed while reading, and the file itself, for its position."""
    with readable(file):
        raw = open_file(file)
    try:
        with readable(file):
            yield _decompressed(raw, shown(file)), raw
    finally:
        if str(file) != STDIN:
            raw.close()


def read_bytes(file: File) -> bytes:
    """Return all bytes of a file, decompressed."""
    with opened(file) as (data, _):
        return data.read()


def beginning(file: File, size: int = 16_000) -> str:
    """Return the first characters of a file, to recognize its format."""
    with opened(file) as (data, _):
        return data.read(size).decode("utf-8", errors="ignore").removeprefix("\ufeff")


def _decompressed(raw: io.BufferedReader, name: str) -> BinaryIO:
    magic = raw.peek(4)[:4]
    if magic[:2] == _GZIP:
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if magic != _ZSTD:
        return raw
    why = f"{name} is compressed by Zstandard. Install what reads it"
    stream = import_extra("pyarrow", why, "scale").input_stream(raw, compression="zstd")
    return io.BufferedReader(stream, _BUFFER)


class Folder:
    """Files by name in a folder of this machine or at an address; it need not exist.

    Every error is an ``OSError`` with the reason.
    """

    def __init__(self, path: AnyPath) -> None:
        self._name = str(path).rstrip("/") or "/"
        with _as_os_error(path):
            self._storage, self._root = _storage(self._name)

    def __str__(self) -> str:
        return self._name

    def path(self, name: str) -> str:
        """Return the path of a file, as in messages."""
        return f"{self._name}/{name}"

    def names(self) -> list[str]:
        """Return the names of its contents, sorted; an absent folder has none."""
        with suppress(FileNotFoundError), _as_os_error(self._name):
            self._storage.invalidate_cache()  # other processes write too
            listed = self._storage.ls(self._root, detail=False)
            return sorted(path.rstrip("/").rpartition("/")[2] for path in listed)
        return []

    def read(self, name: str) -> bytes:
        """Return all bytes of a file."""
        with _as_os_error(self._name), self._storage.open(f"{self._root}/{name}", "rb") as file:
            return bytes(file.read())

    def write(self, name: str, data: bytes) -> None:
        """Write a file under a temporary name, then move it: readers see all of it or nothing."""
        temporary = f"{self._root}/.{name}.{platform.node()}.{os.getpid()}"
        with _as_os_error(self._name):
            self._storage.makedirs(self._root, exist_ok=True)
            try:
                with self._storage.open(temporary, "wb") as file:
                    file.write(data)
                self._storage.mv(temporary, f"{self._root}/{name}")
            except BaseException:
                with suppress(Exception):
                    self._storage.rm_file(temporary)
                raise

    def remove(self, name: str) -> None:
        """Delete a file if it exists."""
        with suppress(FileNotFoundError), _as_os_error(self._name):
            self._storage.rm_file(f"{self._root}/{name}")
