"""The cache folder, its size limit, and sealed files.

A sealed file ends with the SHA-256 of its content. It is written under a temporary name and
renamed, so an incomplete file is never read. Folders that albeit creates are private (mode 0700).
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from albeit.errors import AlbeitError, AlbeitWarning, InputError

if TYPE_CHECKING:  # help screens import this module, and NumPy takes long to import
    from albeit.arrays import Bytes

FILL = 0.8
"""Share of the limit that remains in use after entries were deleted."""
LAYERS = "layers-*.sqlite"
"""The files of annotations, one per annotator version."""
_KINDS = (
    ("runs", "run_bytes", "runs/*"),
    ("others", "others_bytes", "others/*.sqlite"),
    ("networks", "networks_bytes", "networks/*"),
)
"""Other kinds of stored files: the keys of their number and bytes, and where they are."""
MOUNTS = Path("/proc/self/mounts")
NETWORK = "nfs nfs4 cifs smb3 smbfs lustre gpfs beegfs ceph fuse.sshfs"
"""Types of network file systems."""
_SIZE = hashlib.sha256().digest_size
_CHUNK = 1 << 22


class CacheWarning(AlbeitWarning):
    """The cache can't be used or is damaged; results are not affected."""

    about_results = False


def cache_folder() -> Path | None:
    """Return the cache folder, or ``None`` if the cache is turned off."""
    chosen = os.environ.get("ALBEIT_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("albeit", appauthor=False)


def size_limit() -> int:
    """Return the size limit of the cache in bytes."""
    value = os.environ.get("ALBEIT_CACHE_LIMIT", "") or "4096"
    if not re.fullmatch(r"(?=.*\d)\d{0,12}\.?\d{0,12}", value, re.ASCII):
        raise AlbeitError(f"ALBEIT_CACHE_LIMIT must be a number of megabytes, not {value[:80]!r}.")
    return int(float(value) * 1e6)


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents, readable by the user only."""
    if not folder.parent.exists():
        make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


@lru_cache(maxsize=64)
def refuse_network(path: Path) -> None:
    """Raise if the file is on a network file system, where SQLite's log doesn't work."""
    if not MOUNTS.exists():
        return
    folder, kind = Path("/"), ""
    for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
        mount = Path(line.split(" ")[1].replace("\\040", " "))
        if path.absolute().is_relative_to(mount) and mount.is_relative_to(folder):
            folder, kind = mount, line.split(" ")[2]
    if kind in NETWORK.split():
        raise OSError(f"{folder} is a network file system ({kind})")


class Store:
    """Sealed files in one folder by name, at most ``limit`` bytes (a quarter of the cache)."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder = folder
        self._limit = size_limit() // 4 if limit is None else limit

    def get(self, name: str, what: str) -> bytes | None:
        """Return the content of a file, or ``None``; ``what`` describes it in warnings."""
        path = self.folder / name
        try:
            data = path.read_bytes()
            os.utime(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            _warn(f"{what} can't be read ({error}); it is computed again.", path)
            return None
        if hashlib.sha256(data[:-_SIZE]).digest() == data[-_SIZE:]:
            return data[:-_SIZE]
        _warn(f"{what} is damaged; it is computed again.", path)
        path.unlink(missing_ok=True)
        return None

    def put(self, entries: Iterable[tuple[str, bytes]]) -> None:
        """Write files; a folder that can't be written gives a warning."""
        try:
            for name, data in entries:
                _write(self.folder / name, [data])
            remove_least_used(self.folder.glob("*"), self._limit)
        except OSError as error:
            _warn(f"statistics can't be stored ({error}); scores are not affected.", self.folder)


def open_store() -> Store | None:
    """Open the store of statistics in the cache; ``None`` if the cache is turned off.

    >>> import albeit
    >>> from albeit.evaluation import open_store
    >>> evaluation = albeit.Evaluation(albeit.read("examples/demo"), store=open_store())
    """
    folder = cache_folder()
    return None if folder is None else Store(folder / "runs")


def remove_least_used(paths: Iterable[Path], limit: int) -> None:
    """Delete the files that were not used for longest if all together exceed the limit."""
    files: list[tuple[float, int, Path]] = []
    for path in paths:
        with suppress(FileNotFoundError):  # another process may delete it at the same time
            stat = path.stat()
            files.append((stat.st_mtime, stat.st_size, path))
    total = sum(size for _, size, _ in files)
    goal = FILL * limit if total > limit else total
    for _, size, path in sorted(files):
        if total <= goal:
            return
        total -= size
        with suppress(OSError):
            path.unlink()


def stored_bytes(name: str, make: Callable[[], Iterable[bytes]], checksum: str = "") -> Bytes:
    """Return a file of the cache, mapped to memory; make it if it is missing or damaged.

    Without a cache, or if the cache can't be written, make the bytes in memory.

    :param name: the file's path in the cache folder
    :param make: yields the content in parts, so that it need not fit into memory at once
    :param checksum: SHA-256 of the content; without one, the file is sealed
    """
    import numpy as np

    folder = cache_folder()
    if folder is not None:
        path = folder / name
        content = _map_checked(path, checksum)
        if content is not None:
            return content
        try:
            _write(path, make(), sealed=not checksum)
            content = _map_checked(path, checksum)
            if content is None:
                raise AlbeitError(f"{path}: the file was just written, but can't be read.")
            return content
        except OSError as error:
            _warn(f"can't be stored in the cache ({error}); loading takes longer.", path)
    return np.frombuffer(b"".join(make()), np.uint8)


def _write(path: Path, parts: Iterable[bytes], *, sealed: bool = True) -> None:
    make_private(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    digest = hashlib.sha256()
    try:
        with temporary.open("wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            if sealed:
                file.write(digest.digest())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _map_checked(path: Path, checksum: str) -> Bytes | None:
    """Map the content of a file; ``None`` if it is missing, damaged, or unreadable."""
    try:
        size = path.stat().st_size - (0 if checksum else _SIZE)
        with path.open("rb") as file:
            digest = file_digest(file, size)
            checksum = checksum or file.read(_SIZE).hex()
        return map_file(path)[:size] if size > 0 and digest == checksum else None
    except (OSError, InputError):
        return None


def file_digest(file: BinaryIO, size: int) -> str:
    """Return the SHA-256 of the next bytes of a file without holding them in memory."""
    digest = hashlib.sha256()
    while size > 0 and (part := file.read(min(size, _CHUNK))):
        digest.update(part)
        size -= len(part)
    return digest.hexdigest()


def map_file(path: Path) -> Bytes:
    """Map a file to memory for reading."""
    import numpy as np

    try:
        return np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:  # an empty file can't be mapped
        raise InputError(f"can't be read ({error}).", path=path) from None


def _warn(message: str, path: Path) -> None:
    warnings.warn(CacheWarning(message, path=path), stacklevel=4)


def describe() -> dict[str, Any]:
    """Return the folder, the limit, and the contents of the cache as plain values."""
    folder, annotations = cache_folder(), []
    for path in list_files(folder, LAYERS):
        version, size = path.stem.partition("-")[2], disk_size(path)
        records = _count_records(path)
        own = {"version": version, "bytes": size, "records": records, "path": str(path)}
        annotations.append(own)
    about: dict[str, Any] = {"folder": folder and str(folder), "limit": size_limit()}
    about["files"] = annotations
    for name, total, pattern in _KINDS:
        sizes = list(map(disk_size, list_files(folder, pattern)))
        about |= {name: len(sizes), total: sum(sizes)}
    return about


def clear() -> int:
    """Delete everything but compiled paraphrase tables; return the number of bytes freed."""
    freed = 0
    for pattern in (LAYERS, *(pattern for _, _, pattern in _KINDS)):
        for path in list_files(cache_folder(), pattern):
            freed += disk_size(path)
            remove(path)
    return freed


def _count_records(path: Path) -> int | None:
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return int(db.execute("select count(*) from records").fetchone()[0])
    except sqlite3.Error:
        return None


def list_files(folder: Path | None, pattern: str) -> list[Path]:
    """Return the files of a folder, if there is one, that fit a pattern."""
    return [] if folder is None else sorted(filter(Path.is_file, folder.glob(pattern)))


def _with_log(path: Path) -> list[Path]:
    """Return a file and SQLite's log."""
    return [path, Path(f"{path}-wal"), Path(f"{path}-shm")]


def disk_size(path: Path) -> int:
    """Return the bytes of a file and SQLite's log."""
    size = 0
    for part in _with_log(path):
        with suppress(FileNotFoundError):  # another process may close or delete it at any time
            size += part.stat().st_size
    return size


def remove(path: Path) -> None:
    """Delete a file and SQLite's log."""
    for part in _with_log(path):
        part.unlink(missing_ok=True)
