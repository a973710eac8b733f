"""The baseline commit, source trees to compare, and the list of removals.

Used by ``record_scores.py`` and ``replay.py``, which run the same cases with an old and a new tree.
"""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = dict.fromkeys(("command", "metric", "case"), 1)
KINDS |= dict.fromkeys(("option", "parameter", "key", "value"), 2) | {"rename": 3}
"""The kinds of entries of ``removed.txt``, and how many words each has."""


def read_baseline() -> str:
    """Return the commit in ``tools/baseline.txt``."""
    lines = (ROOT / "tools" / "baseline.txt").read_text(encoding="utf-8").splitlines()
    return next(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@contextmanager
def open_tree(name: str) -> Iterator[Path]:
    """Yield a folder with the source of a tree: a folder, or a commit of this repository."""
    if Path(name).is_dir():
        yield Path(name).resolve()
        return
    command = ["git", "-C", str(ROOT), "archive", name, "src", "pyproject.toml"]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(archive)) as file:
            file.extractall(folder, filter="data")
        yield Path(folder)


@contextmanager
def tree_environment(tree: Path) -> Iterator[dict[str, str]]:
    """Yield the environment of a process that runs a tree, with empty caches of its own.

    Machine code is compiled again, because code from Numba's cache can round otherwise.
    Entry points come from the tree's ``pyproject.toml``, not from the installed package.
    """
    with tempfile.TemporaryDirectory() as folder:
        metadata = Path(folder) / "albeit-0.dist-info"
        metadata.mkdir()
        text = "Metadata-Version: 2.1\nName: albeit\nVersion: 0\n"
        (metadata / "METADATA").write_text(text, encoding="utf-8")
        project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        lines = []
        for group, entries in project.get("entry-points", {}).items():
            lines += [f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())]
        (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        path = os.pathsep.join([str(tree / "src"), folder])
        own = {name: value for name, value in os.environ.items() if not name.startswith("ALBEIT_")}
        caches = {"ALBEIT_CACHE": f"{folder}/cache", "NUMBA_CACHE_DIR": f"{folder}/numba"}
        yield own | caches | {"PYTHONPATH": path, "COLUMNS": "200"}


@dataclass(frozen=True)
class Removed:
    """The entries of ``tools/removed.txt``: a kind and its words."""

    entries: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def read(cls, path: Path = ROOT / "tools" / "removed.txt") -> Removed:
        """Read and check a list."""
        entries = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            entry, _, reason = line.partition("#")
            if not entry.strip():
                continue
            kind, _, rest = entry.strip().partition(" ")
            words = [rest.strip()] if KINDS.get(kind) == 1 else rest.split()
            if KINDS.get(kind) != len(words) or not reason.strip():
                raise SystemExit(f"{path}:{number}: expected 'KIND WORDS  # what replaces it'.")
            entries.append((kind, *words))
        return cls(tuple(entries))

    def covers(self, name: str, words: Sequence[str]) -> bool:
        """Whether a case, or a command with these words, uses something that was removed."""
        return any(self._uses(entry, name, words) for entry in self.entries)

    @staticmethod
    def _uses(entry: tuple[str, ...], name: str, words: Sequence[str]) -> bool:
        match entry:
            case ("case", case):
                return case == name
            case ("command", command):
                return words[:1] == [command]
            case ("option", command, option):
                return fnmatchcase(words[0], command) and option in words
            case ("metric", metric):
                return any(metric in re.findall(r"[\w+-]+", word) for word in words)
            case ("parameter", metric, parameter):
                pattern = rf"{re.escape(metric)}\([^()]*\b{re.escape(parameter)}(?=[=,)])"
                return any(re.search(pattern, word) for word in words)
        return False

    def allows(self, kind: str, command: str, path: str) -> bool:
        """Whether a missing or new ``key``, or a changed ``value``, is listed."""
        return any(
            entry[0] == kind and fnmatchcase(command, entry[1]) and fnmatchcase(path, entry[2])
            for entry in self.entries
        )

    def renames(self, command: str) -> dict[str, str]:
        """Return the keys of a command's output that have a new name."""
        return {
            entry[2]: entry[3]
            for entry in self.entries
            if entry[0] == "rename" and fnmatchcase(command, entry[1])
        }
