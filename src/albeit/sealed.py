"""The cache folder, and files in it that are checked before each use.

A sealed file ends with the SHA-256 of its content. A file that is damaged is computed again,
so that damage never changes a result. Folders that albeit creates for the cache are private
(mode 0700); existing folders keep their mode.
"""

from __future__ import annotations

import hashlib
import os
import threading
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from albeit.errors import AlbeitError, AlbeitWarning, InputError

if TYPE_CHECKING:  # help screens import this module, and NumPy takes long to import
    from albeit.arrays import Bytes

__all__ = [
    "CacheWarning",
    "cache_folder",
    "file_digest",
    "make_private",
    "map_file",
    "stored_bytes",
]

_DIGEST = 32
"""Bytes of the digest at the end of a sealed file."""
_AT_ONCE = 1 << 22


class CacheWarning(AlbeitWarning):
    """The cache can't be used or is damaged; results are not affected."""


def cache_folder() -> Path | None:
    """Return the cache folder, or ``None`` if the cache is turned off."""
    chosen = os.environ.get("ALBEIT_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("albeit", appauthor=False)


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, readable by the user only."""
    if not folder.parent.exists():
        make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def stored_bytes(name: str, make: Callable[[], Iterable[bytes]], checksum: str = "") -> Bytes:
    """Return a file of the cache, mapped to memory; make it if it is missing or damaged.

    Without a cache, or if the cache can't be written, make the bytes in memory.

    :param name: the file's path in the cache folder
    :param make: yields the content in parts, so that it need not fit into memory at once
    :param checksum: SHA-256 of the content; without one, the file is sealed
    """
    folder = cache_folder()
    if folder is None:
        return _join(make())
    path = folder / name
    found = _read(path, checksum)
    if found is None:
        try:
            _write(path, make(), checksum)
        except OSError as error:
            what = f"cannot be kept in the cache ({error}); loading takes longer."
            warnings.warn(CacheWarning(what, path=path), stacklevel=2)
            return _join(make())
        found = _read(path, checksum)
    if found is None:
        raise AlbeitError(f"{path}: the file was just written, but cannot be read.")
    return found


def _join(parts: Iterable[bytes]) -> Bytes:
    import numpy as np

    return np.frombuffer(b"".join(parts), np.uint8)


def _write(path: Path, parts: Iterable[bytes], checksum: str) -> None:
    """Write a file under a temporary name first, so that an incomplete file is never read."""
    make_private(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    digest = hashlib.sha256()
    try:
        with temporary.open("wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            if not checksum:
                file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _read(path: Path, checksum: str) -> Bytes | None:
    """Return the content of a file; ``None`` if it is missing, damaged or unreadable."""
    try:
        size = path.stat().st_size - (0 if checksum else _DIGEST)
        with path.open("rb") as file:
            found = file_digest(file, size)
            checksum = checksum or file.read(_DIGEST).hex()
        return map_file(path)[:size] if size > 0 and found == checksum else None
    except (OSError, InputError):
        return None


def file_digest(file: BinaryIO, size: int) -> str:
    """Return the SHA-256 of the next bytes of a file without holding them in memory."""
    digest = hashlib.sha256()
    while size > 0 and (part := file.read(min(size, _AT_ONCE))):
        digest.update(part)
        size -= len(part)
    return digest.hexdigest()


def map_file(path: Path) -> Bytes:
    """Map a file to memory for reading."""
    import numpy as np

    try:
        return np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise InputError(f"cannot be read ({error}).", path=path) from None
