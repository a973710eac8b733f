"""The source files that a user's program or function depends on: what it imports."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

_LARGE = 64 * 2**20
"""Larger files are identified by size and time of change, not by content."""


def digest_sources(paths: Iterable[str], modules: Iterable[str] = ()) -> str:
    """Return a digest of files and modules, and of the modules that Python files among them import.

    Modules of libraries and of Python itself don't count.
    """
    whole = hashlib.sha256()
    seen: dict[Path, None] = {}
    here = _import_folders(Path())
    named = [file for name in modules for file in _module_files(name.split("."), here)]
    for path in (*map(Path, paths), *named):
        if path.is_file():
            _follow(path.resolve(), _import_folders(path), seen)
    for file in seen:
        stat = file.stat()
        whole.update(_digest_file(file, stat.st_size, stat.st_mtime_ns))
    return whole.hexdigest()[:12]


def _import_folders(path: Path) -> list[Path]:
    """List where a file's modules may be: its folder, and Python's path without libraries."""
    libraries = [Path(folder).resolve() for folder in sysconfig.get_paths().values()]
    listed = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), *sys.path]
    folders = [path.parent.resolve(), *(Path(folder).resolve() for folder in listed if folder)]
    own = Path(__file__).resolve().parents[3]
    return [
        folder
        for folder in dict.fromkeys(folders)
        if folder != own and not any(folder.is_relative_to(library) for library in libraries)
    ]


def _follow(path: Path, folders: Sequence[Path], seen: dict[Path, None]) -> None:
    """Add a file to those seen, and all modules that it imports."""
    todo = [path]
    while todo:
        file = todo.pop()
        if file not in seen:
            seen[file] = None
            todo += [found.resolve() for found in _imports(file, folders)]


def _imports(file: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of the modules that a Python file imports, anywhere in it."""
    if file.suffix != ".py":
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module_files(alias.name.split("."), folders)
        elif isinstance(node, ast.ImportFrom):
            above = [file.parents[node.level - 1]] if 0 < node.level <= len(file.parents) else []
            parts = (node.module or "").split(".") if node.module else []
            for alias in node.names:
                yield from _module_files([*parts, alias.name], above or folders)


def _module_files(parts: Sequence[str], folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of a module and its packages; the last part may be a name in the module."""
    for folder in folders:
        for count in range(1, len(parts) + 1):
            inside = folder.joinpath(*parts[:count])
            for path in (inside.with_suffix(".py"), inside / "__init__.py"):
                if path.is_file():
                    yield path


@lru_cache(maxsize=256)
def _digest_file(path: Path, size: int, changed: int) -> bytes:
    content = f"{size} {changed}".encode() if size > _LARGE else path.read_bytes()
    return hashlib.sha256(content).digest()
