"""The cache as a whole: its contents, deleting it, and packs of annotations.

A pack is a folder with copies of the files of annotations that no process writes, so any number of
machines can read it from anywhere. ``ALBEIT_CACHE_PACKS`` lists packs, separated as in ``PATH``.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from albeit.errors import AlbeitError, InputError
from albeit.store.files import cache_folder, size_limit
from albeit.store.records import (
    CorruptError,
    add_records,
    annotation_files,
    connect,
    file_size,
    open_pack,
    remove_file,
)


def describe() -> dict[str, Any]:
    """Return the folder, the limit, and the contents of the cache as plain values."""
    folder = cache_folder()
    programs, networks, runs = _files("others/*.sqlite"), _files("networks/*"), _files("runs/*")
    return {
        "folder": None if folder is None else str(folder),
        "limit": size_limit(),
        "files": [
            {
                "version": path.stem.partition("-")[2],
                "bytes": file_size(path),
                "records": _count_records(path),
                "path": str(path),
            }
            for path in (annotation_files(folder) if folder else [])
        ],
        "runs": len(runs),
        "run_bytes": sum(map(file_size, runs)),
        "others": len(programs),
        "others_bytes": sum(map(file_size, programs)),
        "networks": len(networks),
        "networks_bytes": sum(map(file_size, networks)),
    }


def clear() -> int:
    """Delete everything but compiled paraphrase tables; return the number of bytes freed."""
    freed = 0
    for pattern in ("layers-*.sqlite", "others/*.sqlite", "networks/*", "runs/*"):
        for path in _files(pattern):
            freed += file_size(path)
            remove_file(path)
    return freed


def _files(pattern: str) -> list[Path]:
    folder = cache_folder()
    return [] if folder is None else sorted(filter(Path.is_file, folder.glob(pattern)))


def _count_records(path: Path) -> int | None:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return int(db.execute("select count(*) from records").fetchone()[0])
    except sqlite3.Error:
        return None


def export_pack(folder: str | Path) -> int:
    """Copy the annotations of the cache into a new pack; return the number of records."""
    pack, cache = Path(folder), cache_folder()
    files = annotation_files(cache) if cache else []
    if not files:
        raise AlbeitError("the cache has no annotations to export.")
    if pack.exists() and (not pack.is_dir() or any(pack.iterdir())):
        raise InputError("exists already.", path=pack, hint="Name a new folder.")
    count = 0
    try:
        pack.mkdir(parents=True, exist_ok=True)
        for path in files:
            with closing(sqlite3.connect(path, timeout=60)) as db:
                db.execute("vacuum into ?", (str(pack / path.name),))
            with closing(sqlite3.connect(pack / path.name)) as db:
                db.execute("pragma journal_mode = delete")
                count += db.execute("select count(*) from records").fetchone()[0]
    except (OSError, sqlite3.Error) as error:
        raise InputError(f"can't be written: {error}.", path=pack) from None
    return count


def import_pack(folder: str | Path) -> int:
    """Copy the records of a pack into the cache; return how many are new."""
    cache = cache_folder()
    if cache is None:
        raise AlbeitError("the cache is turned off (ALBEIT_CACHE=off).")
    files = annotation_files(Path(folder))
    if not files:
        raise InputError("isn't a pack: it has no annotations.", path=folder)
    new = 0
    for path in files:
        try:
            with closing(open_pack(path)) as pack, closing(connect(cache / path.name)) as db:
                new += add_records(pack, db)
        except (OSError, sqlite3.Error, CorruptError) as error:
            raise InputError(
                f"can't be imported: {error}.", path=path, hint="Is it complete? Copy it again."
            ) from None
    return new
