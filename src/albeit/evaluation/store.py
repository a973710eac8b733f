"""Statistics kept on disk by content, so that no command does again what another has done.

One file for each metric and system, named by all that makes its statistics
(:mod:`albeit.evaluation.identity`), in the folder ``runs`` of the cache. It holds at most a quarter
of the cache's limit; what was not used for longest goes first.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import threading
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from albeit.arrays import FloatArray
from albeit.metrics.base import Metric
from albeit.metrics.grammar import Signature
from albeit.parsing.cache.folder import CacheWarning, cache_folder, size_limit
from albeit.sealed import make_private

__all__ = ["KeptRows", "Store", "open_store"]

_SHARE = 4
_FULL = 0.8


@dataclass(frozen=True, eq=False)
class KeptRows:
    """A metric's statistics of one system, its signature, and the warnings its user was given."""

    rows: FloatArray
    signature: Signature
    warned: tuple[str, ...] = ()

    def pack(self) -> bytes:
        """A line of JSON, then the rows in NumPy's format."""
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(self.rows), allow_pickle=False)
        data = buffer.getvalue()
        content = {
            "signature": self.signature.to_json(),
            "warned": self.warned,
            "digest": hashlib.sha256(data).hexdigest(),
        }
        return json.dumps(content).encode() + b"\n" + data

    @classmethod
    def unpack(cls, data: bytes) -> KeptRows:
        """From those bytes; raises ``ValueError`` or ``KeyError`` where they are damaged."""
        header, _, packed = data.partition(b"\n")
        content: Any = json.loads(header)
        if hashlib.sha256(packed).hexdigest() != content["digest"]:
            raise ValueError("its rows are not those that were written")
        rows = np.load(io.BytesIO(packed), allow_pickle=False)
        return cls(rows, Signature.from_json(content["signature"]), tuple(content["warned"]))


class Store:
    """Kept statistics by their identity."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder = folder
        self._limit = size_limit() // _SHARE if limit is None else limit

    def get(self, identity: str, metric: Metric) -> KeptRows | None:
        """What is kept under a name; ``None`` if nothing is."""
        path = self.folder / identity
        try:
            found = KeptRows.unpack(path.read_bytes())
            os.utime(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError, OSError) as error:
            what = f"kept statistics of {metric} are damaged and made anew ({error})."
            warnings.warn(CacheWarning(what), stacklevel=2)
            _remove(path)
            return None
        return found

    def put(self, entries: Iterable[tuple[str, KeptRows]]) -> None:
        """Keep statistics under their names, if they can be written; nobody depends on it."""
        try:
            make_private(self.folder)
            for identity, kept in entries:
                path = self.folder / identity
                temporary = path.with_name(f".{identity}.{os.getpid()}.{threading.get_ident()}")
                temporary.write_bytes(kept.pack())
                temporary.replace(path)
            self._shrink()
        except OSError as error:
            what = f"statistics cannot be kept ({error}); the scores do not suffer."
            warnings.warn(CacheWarning(what, path=self.folder), stacklevel=2)

    def size(self) -> tuple[int, int]:
        """How many are kept, and their bytes."""
        sizes = [_size(path) for path in self._kept()]
        return len(sizes), sum(sizes)

    def clear(self) -> int:
        """Delete all; returns how many bytes that freed."""
        freed = self.size()[1]
        shutil.rmtree(self.folder, ignore_errors=True)
        return freed

    def _kept(self) -> list[Path]:
        return list(self.folder.glob("*"))

    def _shrink(self) -> None:
        sizes = {path: _size(path) for path in self._kept()}
        surplus = sum(sizes.values()) - self._limit
        if surplus <= 0:
            return
        surplus += int((1 - _FULL) * self._limit)
        for path in sorted(sizes, key=_used):
            if surplus <= 0:
                return
            _remove(path)
            surplus -= sizes[path]


def open_store() -> Store | None:
    """The store in the cache's folder; ``None`` if the cache is turned off.

    >>> import albeit
    >>> from albeit.evaluation import open_store
    >>> evaluation = albeit.Evaluation(albeit.read("examples/demo"), store=open_store())
    """
    folder = cache_folder()
    return None if folder is None else Store(folder / "runs")


def _remove(path: Path) -> None:
    """Delete a file, or a folder in which an earlier version kept a run."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    files = path.rglob("*.*") if path.is_dir() else (path,)
    size = 0
    for file in files:
        with suppress(FileNotFoundError):  # another process may rename or delete it just now
            size += file.stat().st_size
    return size


def _used(path: Path) -> float:
    with suppress(FileNotFoundError):
        return path.stat().st_mtime
    return 0.0
