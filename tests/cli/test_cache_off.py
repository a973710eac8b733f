"""Commands without a cache write nothing, and folders of the cache are private."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

METRICS = ("bleu", "chrf", "dr", "meteor-pa(table={table})", "terp-a(table={table})")
TABLE = "0.5\nthe cat\na cat\n0.1\nit slept\nit fell asleep\n"
PROGRAM = f"program(command='{sys.executable} {{script}}')"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "table.txt").write_text(TABLE, encoding="utf-8")
    (folder / "ref.txt").write_text("a cat sat\nso it fell asleep\n", encoding="utf-8")
    (folder / "out.txt").write_text("the cat sat\nso it slept\n", encoding="utf-8")
    (folder / "lengths.py").write_text("import sys\nfor line in sys.stdin: print(len(line))\n")
    return folder


def run(inputs: Path, work: Path, *options: str, **environment: str) -> str:
    """Score with every metric that stores anything, in an empty working directory and home."""
    for folder in (work, work.parent / "home"):
        folder.mkdir(exist_ok=True)
    home = str(work.parent / "home")
    own = {**os.environ, "HOME": home, "XDG_CACHE_HOME": f"{home}/.cache", **environment}
    metrics = [metric.format(table=inputs / "table.txt") for metric in METRICS]
    metrics.append(PROGRAM.format(script=inputs / "lengths.py"))
    texts = [str(inputs / "ref.txt"), "-i", str(inputs / "out.txt")]
    command = [sys.executable, "-m", "albeit", "score", *texts, "-m", *metrics, *options]
    done = subprocess.run(command, cwd=work, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def cached(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A new cache folder in a new folder, and what was printed."""
    place = tmp_path_factory.mktemp("cached")
    cache = place / "new" / "cache"
    umask = os.umask(0o022)
    try:
        return cache, run(inputs, place / "work", ALBEIT_CACHE=str(cache))
    finally:
        os.umask(umask)


@pytest.mark.parametrize("option", ["--no-cache", ""])
def test_without_a_cache_nothing_is_written(
    inputs: Path, cached: tuple[Path, str], tmp_path: Path, option: str
) -> None:
    work, cache = tmp_path / "work", tmp_path / "cache"
    before = sorted(path.name for path in inputs.iterdir())
    if option:
        printed = run(inputs, work, option, ALBEIT_CACHE=str(cache))
    else:
        printed = run(inputs, work, ALBEIT_CACHE="off")
    assert printed == cached[1]
    assert list(work.iterdir()) == []
    assert not cache.exists()
    assert not (tmp_path / "home/.cache/albeit").exists()
    assert sorted(path.name for path in inputs.iterdir()) == before


def test_new_folders_of_the_cache_are_private(cached: tuple[Path, str]) -> None:
    cache = cached[0]
    folders = [cache.parent, cache, *(path for path in cache.rglob("*") if path.is_dir())]
    assert {path.name for path in folders} >= {"runs", "paraphrases", "others"}
    assert {oct(path.stat().st_mode & 0o777) for path in folders} == {"0o700"}
