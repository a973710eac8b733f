"""Files and folders wherever they lie: on a disk of this machine, or at an address.

An address says first how it is reached: ``s3://bucket/run``, ``https://host/file``. fsspec
reads and writes there (extra ``albeit[scale]``, and for most kinds of store a package that
fsspec names). Anything else is a path of this machine, and needs nothing.

Whatever goes wrong there is an ``OSError`` that says why, as it is here.
"""

from __future__ import annotations

import errno
import io
import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, cast

from albeit.errors import MissingExtraError

__all__ = ["Folder", "folder_at", "is_address", "matching", "open_file", "read_file", "size_of"]

_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*(::[A-Za-z][\w+.-]*)*://")


def is_address(path: str | Path) -> bool:
    """Whether a text names a place that is not a path of this machine."""
    return _ADDRESS.match(str(path)) is not None


def open_file(path: str | Path) -> io.BufferedReader:
    """A file, opened to read its bytes."""
    if not is_address(path):
        return Path(path).open("rb")
    with _reached(path):
        store, inside = _store(path)
        return io.BufferedReader(_Raw(store.open(inside, "rb"), path), 1 << 20)


def read_file(path: str | Path) -> bytes:
    """All bytes of a file."""
    if not is_address(path):
        return Path(path).read_bytes()
    with open_file(path) as file:
        return file.read()


def size_of(path: str | Path) -> int:
    """How many bytes a file holds; 0 where that is not known, or it is no file."""
    with suppress(OSError, ValueError):
        if not is_address(path):
            return Path(path).stat().st_size if Path(path).is_file() else 0
        with _reached(path):
            store, inside = _store(path)
            return int(store.size(inside) or 0)
    return 0


def matching(pattern: str) -> list[str]:
    """The files whose names fit a pattern with ``*``, ``?`` and ``[]``, in order."""
    if not is_address(pattern):
        anchor = Path(pattern).anchor
        return sorted(map(str, Path(anchor or ".").glob(pattern.removeprefix(anchor))))
    with _reached(pattern):
        store, inside = _store(pattern)
        return sorted(map(store.unstrip_protocol, store.glob(inside)))


class Folder(Protocol):
    """Files by their names; ``str`` gives the folder's own, as messages call it."""

    def inside(self, name: str) -> Folder:
        """A folder in this one."""

    def path(self, name: str) -> str:
        """What messages call one of its files."""

    def names(self) -> list[str]:
        """What it holds, in order; nothing if it is not there."""

    def read(self, name: str) -> bytes:
        """All bytes of a file."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file, all or nothing, whoever else writes the same."""

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""


def folder_at(path: str | Path) -> Folder:
    """The folder of that path or address; it need not be there yet."""
    if not is_address(path):
        return _Here(Path(path))
    with _reached(path):
        return _There(*_store(path), str(path).rstrip("/"))


class _Here:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __str__(self) -> str:
        return str(self._folder)

    def inside(self, name: str) -> _Here:
        return _Here(self._folder / name)

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def names(self) -> list[str]:
        with suppress(FileNotFoundError):
            return sorted(path.name for path in self._folder.iterdir())
        return []

    def read(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """To a name of its own, and renamed."""
        self._folder.mkdir(parents=True, exist_ok=True)
        temporary = self._folder / _temporary(name)
        try:
            temporary.write_bytes(data)
            temporary.replace(self._folder / name)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)


class _There:
    """A folder at an address."""

    def __init__(self, store: Any, root: str, name: str) -> None:
        self._store, self._root, self._name = store, root.rstrip("/"), name

    def __str__(self) -> str:
        return self._name

    def inside(self, name: str) -> _There:
        return _There(self._store, f"{self._root}/{name}", self.path(name))

    def path(self, name: str) -> str:
        return f"{self._name}/{name}"

    def names(self) -> list[str]:
        with suppress(FileNotFoundError), _reached(self._name):
            self._store.invalidate_cache()  # others write too
            found = self._store.ls(self._root, detail=False)
            return sorted(path.rstrip("/").rpartition("/")[2] for path in found)
        return []

    def read(self, name: str) -> bytes:
        with _reached(self.path(name)):
            return cast(bytes, self._store.cat_file(f"{self._root}/{name}"))

    def write(self, name: str, data: bytes) -> None:
        """To a name of its own, then moved.

        Where a store cannot rename, it copies the whole object, which appears at once or not
        at all, and deletes the first.
        """
        temporary = f"{self._root}/{_temporary(name)}"
        with _reached(self.path(name)):
            self._store.makedirs(self._root, exist_ok=True)
            try:
                self._store.pipe_file(temporary, data)
                self._store.mv(temporary, f"{self._root}/{name}")
            except BaseException:
                with suppress(Exception):
                    self._store.rm_file(temporary)
                raise

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError), _reached(self.path(name)):
            self._store.rm_file(f"{self._root}/{name}")


def _temporary(name: str) -> str:
    return f".{name}.{platform.node()}.{os.getpid()}"


def _store(path: str | Path) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    from fsspec.core import url_to_fs

    store, inside = url_to_fs(str(path))
    return store, inside


class _Raw(io.RawIOBase):
    """A remote file whose troubles are raised as those of any other."""

    def __init__(self, file: Any, path: str | Path) -> None:
        self._file, self._path = file, path

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As much as there is."""
        with _reached(self._path):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seekable(self) -> bool:
        """As far as the store allows it: Parquet is read from its end."""
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go there."""
        with _reached(self._path):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        """Where it is."""
        return int(self._file.tell())

    def close(self) -> None:
        """Let it go."""
        if not self.closed:
            self._file.close()
        super().close()


@contextmanager
def _reached(path: str | Path) -> Iterator[None]:
    """Whatever fsspec or a store's own library raises, as an ``OSError`` that says why."""
    try:
        yield
    except ImportError as error:
        if error.name == "fsspec":
            what = "needs fsspec. Install it: pip install 'albeit[scale]'"
        else:
            what = f"needs the package for its kind of store: {error}."
        raise MissingExtraError(f"{path} {what}") from None
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            raise
        said = " ".join(str(error).split()) or type(error).__name__
        raise OSError(errno.EIO, said) from error
