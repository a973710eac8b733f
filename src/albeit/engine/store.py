"""Statistics kept on disk by content, so that no command does again what another has done.

One kept run (see :mod:`albeit.engine.run`) a set and metric, named by all that makes its
scores (:mod:`albeit.engine.identity`), in the folder ``runs`` of the cache. It holds at most a
quarter of the cache's limit; the runs not used for longest go first.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from albeit.annotate.cache.folder import CacheWarning, cache_folder, size_limit
from albeit.corpus.evalset import EvalSet
from albeit.engine.folder import MANIFEST
from albeit.engine.run import read_run, write_run
from albeit.errors import AlbeitWarning, InputError
from albeit.metrics.base import Metric
from albeit.metrics.table import Column, ScoreTable

__all__ = ["Store", "open_store"]

_SHARE = 4
_FULL = 0.8


class Store:
    """Kept columns by their identity."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder = folder
        self._limit = size_limit() // _SHARE if limit is None else limit

    def get(self, identity: str, metric: Metric) -> Column | None:
        """The column, told again what its user was told; ``None`` if it is not kept."""
        folder = self.folder / identity
        if not (folder / MANIFEST).is_file():
            return None
        try:
            kept = read_run(folder)
            (column,) = kept.table([metric]).columns.values()
            os.utime(folder / MANIFEST)
        except (InputError, ValueError, OSError) as error:
            what = f"kept statistics of {metric} are damaged and made anew ({error})."
            warnings.warn(CacheWarning(what), stacklevel=2)
            shutil.rmtree(folder, ignore_errors=True)
            return None
        for told in kept.run.told:
            warnings.warn(AlbeitWarning(told), stacklevel=2)
        return column

    def put(self, identity: str, evalset: EvalSet, column: Column, told: Sequence[str]) -> None:
        """Keep a column, if it can be written; nobody depends on it."""
        if column.statistics is None:
            return
        try:
            write_run(self.folder / identity, ScoreTable.build(evalset, [column]), told)
            self._shrink()
        except OSError as error:
            what = f"statistics cannot be kept ({error}); the scores do not suffer."
            warnings.warn(CacheWarning(what, path=self.folder), stacklevel=2)

    def size(self) -> tuple[int, int]:
        """How many runs are kept, and their bytes."""
        sizes = [_size(folder) for folder in self._runs()]
        return len(sizes), sum(sizes)

    def clear(self) -> int:
        """Delete all; returns how many bytes that freed."""
        freed = self.size()[1]
        shutil.rmtree(self.folder, ignore_errors=True)
        return freed

    def _runs(self) -> list[Path]:
        return [path for path in self.folder.glob("*") if path.is_dir()]

    def _shrink(self) -> None:
        sizes = {folder: _size(folder) for folder in self._runs()}
        surplus = sum(sizes.values()) - self._limit
        if surplus <= 0:
            return
        surplus += int((1 - _FULL) * self._limit)
        for folder in sorted(sizes, key=_used):
            if surplus <= 0:
                return
            shutil.rmtree(folder, ignore_errors=True)
            surplus -= sizes[folder]


def open_store() -> Store | None:
    """The store in the cache's folder; ``None`` if the cache is turned off."""
    folder = cache_folder()
    return None if folder is None else Store(folder / "runs")


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*.*"):
        with suppress(FileNotFoundError):  # another process may rename or delete it just now
            size += path.stat().st_size
    return size


def _used(folder: Path) -> float:
    with suppress(FileNotFoundError):
        return (folder / MANIFEST).stat().st_mtime
    return 0.0
