"""One file per text: formats that hold a single tree go into a folder or a zip, and come back from one.

Files are numbered as the texts are. A text without words has no file; its number stays free.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from albeit.data.textio import replacing
from albeit.errors import InputError
from albeit.parsing.layers import Analysis

__all__ = ["is_collection", "members", "write_files"]

LARGEST = 64 * 1024 * 1024
"""A member of a zip that unpacks to more bytes than this is no tree of a text."""
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
)
"""What reading a zip raises where it is none, or not whole."""


def is_collection(path: str | Path) -> bool:
    """Whether this is, or is to be, many files: a folder or a zip."""
    path = Path(path)
    return path.is_dir() or path.suffix.lower() in ("", ".zip")


def write_files(
    analyses: Iterable[Analysis],
    count: int,
    place: str | Path,
    write: Callable[[Iterable[Analysis]], Iterator[str]],
    suffix: str,
) -> int:
    """Write a file for each text into a folder or zip; gives how many."""
    place = Path(place)
    width = len(str(count))
    written = 0
    try:
        with _opened(place) as put:
            for number, analysis in enumerate(analyses, 1):
                text = "".join(write([analysis]))
                if text:
                    put(f"{number:0{width}}{suffix}", text.encode("utf-8"))
                    written += 1
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be written: {reason}.", path=place) from None
    return written


def members(path: Path, suffixes: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of the files with these suffixes, in the order of their names."""
    known = tuple(suffixes)
    found = _zipped(path, known) if path.is_file() else _listed(path, known)
    empty = True
    for each in found:
        empty = False
        yield each
    if empty:
        raise InputError(f"holds no file that ends in {', '.join(known)}.", path=path)


@contextmanager
def _opened(place: Path) -> Iterator[Callable[[str, bytes], object]]:
    """What puts a file into a folder or zip."""
    if place.suffix.lower() != ".zip":
        place.mkdir(parents=True, exist_ok=True)
        yield lambda name, data: (place / name).write_bytes(data)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with replacing(place) as whole, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        # without a date of its own: the same trees make the same file
        yield lambda name, data: archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def _listed(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for file in sorted(path.iterdir()):
        if file.suffix.lower() in suffixes and file.is_file():
            yield str(file), file.read_bytes()


def _zipped(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda info: info.filename):
                if Path(info.filename).suffix.lower() not in suffixes:
                    continue
                if info.file_size > LARGEST:
                    raise InputError(f"{info.filename} is too large to be one tree.", path=path)
                yield f"{path}/{info.filename}", archive.read(info)
    except _DAMAGED as error:
        raise InputError(f"cannot be read as a zip: {error}.", path=path) from None
